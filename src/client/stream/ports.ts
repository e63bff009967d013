/**
 * What the stream needs from outside: a way to open a socket, and reads of the account by REST, which close the gap after a lost
 * connection. `OpenApiClient` satisfies `StreamReader` by shape.
 */
import type {
  Accounts,
  FillPage,
  FillsRequest,
  Order,
  OrderPage,
  OrdersRequest,
  Result,
} from "../../contract/index.ts";

export interface StreamSocket {
  send(text: string): void;
  /** Ends the connection at once, and calls `closed` unless that was called before. */
  drop(): void;
}

export interface SocketEvents {
  opened(): void;
  message(text: string): void;
  /** Called once, as the last event, also when no connection came about. */
  closed(why: string): void;
}

/** Opens one connection. Failures are reported by `closed`; no event comes before the socket is returned. */
export type SocketFactory = (url: string, events: SocketEvents) => StreamSocket;

export interface StreamReader {
  streamToken(): Promise<Result<{ readonly token: string }>>;
  accounts(): Promise<Result<Accounts>>;
  orders(request: OrdersRequest): Promise<Result<OrderPage>>;
  order(symbol: string, orderId: string): Promise<Result<Order>>;
  fills(request: FillsRequest): Promise<Result<FillPage>>;
}

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
