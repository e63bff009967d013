/** A socket as a stream needs it, and how one is opened. */

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
