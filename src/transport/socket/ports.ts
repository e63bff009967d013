/** A socket as a stream needs it, and how one is opened. */

export interface StreamSocket {
  send(text: string): void;
  /** Asks the other side for a sign of life, below its messages; `alive` tells of the answer. */
  ping(): void;
  /** Ends the connection at once, and calls `closed` unless that was called before. */
  drop(): void;
}

export interface SocketEvents {
  opened(): void;
  message(text: string): void;
  /** A ping of the other side came, or an answer to ours. */
  alive?(): void;
  /**
   * Called once, as the last event, also when no connection came about.
   * @param status of the HTTP answer that refused the connection
   */
  closed(why: string, status?: number): void;
}

export interface SocketOptions {
  /** Of the request that opens the connection, such as what signs it. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Takes binary frames for text too; else they are left out. */
  readonly takesBinary?: boolean;
}

/** Opens one connection. Failures are reported by `closed`; no event comes before the socket is returned. */
export type SocketFactory = (url: string, events: SocketEvents, options?: SocketOptions) => StreamSocket;
