/**
 * What the stream needs from outside: a way to open a socket, and the account's reads of the REST interface, by which the gap
 * of a lost connection is closed. `OpenApiClient` satisfies `StreamReader` by shape.
 */
import type { Accounts, Fill, Order, OrderStateFilter, Result } from "../../contract/index.ts";

export interface StreamSocket {
  send(text: string): void;
  /** Ends the connection at once; `closed` is told if it was not before. */
  drop(): void;
}

export interface SocketEvents {
  opened(): void;
  message(text: string): void;
  /** The last that is told, once, also when no connection came about. */
  closed(why: string): void;
}

/** Opens one connection. What goes wrong is told as `closed`; nothing is told before the socket is returned. */
export type SocketFactory = (url: string, events: SocketEvents) => StreamSocket;

interface Period {
  readonly symbol?: string;
  readonly fromMs?: number;
  readonly cursor?: string;
  readonly limit?: number;
}

export interface StreamReader {
  streamToken(): Promise<Result<{ readonly token: string }>>;
  accounts(): Promise<Result<Accounts>>;
  orders(
    request: Period & { readonly state?: OrderStateFilter },
  ): Promise<Result<{ readonly orders: readonly Order[]; readonly next_cursor: string | null }>>;
  order(symbol: string, orderId: string): Promise<Result<Order>>;
  fills(request: Period): Promise<Result<{ readonly trades: readonly Fill[]; readonly next_cursor: string | null }>>;
}

/**
 * `connecting`: no connection; `syncing`: connected, and something is not known as it is now; `live`: everything subscribed to
 * is, but what the service refused for good (a subscription's `fault` says so); `stale`: connected, but nothing was heard for
 * longer than the service's heartbeat allows; `closed`: by its owner, for good.
 */
export type StreamState = "connecting" | "syncing" | "live" | "stale" | "closed";

/** For logs and metrics: names, numbers and reasons, never contents or secrets. */
export type StreamNotice =
  | { readonly type: "state"; readonly state: StreamState }
  | { readonly type: "dropped"; readonly why: string; readonly reconnectInMs: number }
  /** One channel is subscribed to anew. */
  | { readonly type: "resubscribed"; readonly channel: string; readonly symbol: string | null; readonly why: string }
  /** The service refused a subscription, or a read that closes a gap failed. What may pass is tried again. */
  | { readonly type: "refused"; readonly channel: string; readonly symbol: string | null; readonly code: string }
  /** `channel` is `state` for one that was told the state. */
  | { readonly type: "listener_failed"; readonly channel: string };
