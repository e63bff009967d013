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

/** How the news of a topic comes, for whoever may take nothing for known that nobody told. */
export interface TopicPulse {
  /** Names the unbroken run of its news: another one after a reconnect, and after a gap. */
  readonly run: number;
  /** When it was last known to be as it is. Milliseconds of a clock that only rises, as `SteadyClock.rising`. */
  readonly heardMs: number;
  /** The newest time that the exchange has told on this connection; undefined where it told none. */
  readonly exchange: ExchangeTime | undefined;
  /** When it was asked what it has answered last, by the clock that only rises: it has spoken after that. */
  readonly answeredMs?: number | undefined;
}

export interface ExchangeTime {
  /** Unix milliseconds of the exchange's clock. */
  readonly timeMs: number;
  /** When it came, by the clock that only rises. */
  readonly cameMs: number;
  /** It is when the message was sent. Else it is when what it tells of came about, which may be long before. */
  readonly isSent: boolean;
}
