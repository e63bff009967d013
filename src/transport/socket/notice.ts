/** What a stream says of itself. */

/**
 * `connecting`: no connection. `syncing`: connected, but not everything is known as it is now. `live`: everything subscribed to is
 * known, apart from what the service refused for good (see a subscription's `fault`). `stale`: connected, but without a message for
 * longer than the service's heartbeat allows. `closed`: closed for good.
 */
export type StreamState = "connecting" | "syncing" | "live" | "stale" | "closed";

/** For logs and metrics: names, numbers and reasons, never contents or secrets. */
export type StreamNotice =
  | { readonly type: "state"; readonly state: StreamState }
  | { readonly type: "dropped"; readonly why: string; readonly reconnectInMs: number }
  /** One channel is subscribed to again. */
  | { readonly type: "resubscribed"; readonly channel: string; readonly symbol: string | null; readonly why: string }
  /** The service refused a subscription, or a read that closes a gap failed. It is tried again if the reason may pass. */
  | { readonly type: "refused"; readonly channel: string; readonly symbol: string | null; readonly code: string }
  /** `channel` is `state` for a listener to the state. */
  | { readonly type: "listener_failed"; readonly channel: string };
