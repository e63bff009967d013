/**
 * The WebSocket connections of a family's stream. Entry points: `StreamConnections`, `refuseUpgrade`.
 *
 * Invariants: a message leaves after what it shows is on disk, in the order in which it happened; while nobody is connected no events are
 * recorded; who does not read is cut off.
 */
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { EventListener, Millis } from "../model/index.ts";
import type { Service } from "../service/service.ts";

const MESSAGE_BYTES_MAX = 64 * 1024;
const GOING_AWAY = 1001;
const CLOSE_GRACE_MS: Millis = 500;

/** @typeParam State what the family keeps of a connection */
export interface StreamConnection<State> {
  readonly web: WebSocket;
  readonly state: State;
}

export interface StreamTerms<State> {
  readonly service: Service;
  /** A connection on which nobody says anything for so long is closed. */
  readonly idleMs: Millis;
  readonly received: (connection: StreamConnection<State>, text: string) => void;
  readonly published: EventListener;
}

export class StreamConnections<State> {
  readonly #terms: StreamTerms<State>;
  readonly #server = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: MESSAGE_BYTES_MAX });
  readonly #connections = new Set<StreamConnection<State>>();
  /** Those of refused callers too. */
  readonly #open = new Set<WebSocket>();
  #unsubscribe: (() => void) | undefined;
  /** Ends when everything that was sent before is out. */
  #sent: Promise<void> = Promise.resolve();

  constructor(terms: StreamTerms<State>) {
    this.#terms = terms;
  }

  all(): readonly StreamConnection<State>[] {
    return [...this.#connections];
  }

  /** Takes a caller in. @param opened is called once the connection is open */
  accept(
    upgrade: readonly [IncomingMessage, Duplex, Buffer],
    state: State,
    opened: (connection: StreamConnection<State>) => void = () => undefined,
  ): void {
    this.#handshake(upgrade, (web) => opened(this.#enter(web, state)));
  }

  /** Opens the connection to say why it is closed. */
  turnAway(upgrade: readonly [IncomingMessage, Duplex, Buffer], message: string): void {
    this.#handshake(upgrade, (web) => web.send(Buffer.from(message), () => web.close()));
  }

  send({ web }: StreamConnection<State>, frame: Buffer | string): void {
    const { service } = this.#terms;
    this.#sent = this.#sent
      .then(() => service.journaled.durable())
      .then(() => {
        if (web.bufferedAmount > service.limits.streamUnreadBytesMax) web.terminate();
        else if (web.readyState === web.OPEN) web.send(frame, { binary: typeof frame !== "string" });
      })
      .catch((error: unknown) => {
        service.onDefect(error);
        web.terminate();
      });
  }

  close(): void {
    for (const web of this.#open) {
      web.close(GOING_AWAY);
      // Who does not answer that would hold up the end of the server.
      setTimeout(() => web.terminate(), CLOSE_GRACE_MS).unref();
    }
    this.#leaveAll();
  }

  #handshake(
    [request, socket, early]: readonly [IncomingMessage, Duplex, Buffer],
    opened: (web: WebSocket) => void,
  ): void {
    this.#server.handleUpgrade(request, socket, early, (web) => {
      web.on("error", () => web.terminate());
      this.#open.add(web);
      web.on("close", () => this.#open.delete(web));
      opened(web);
    });
  }

  #enter(web: WebSocket, state: State): StreamConnection<State> {
    const { service, idleMs, received, published } = this.#terms;
    const connection = { web, state };
    const idle = setTimeout(() => web.close(), idleMs).unref();
    this.#connections.add(connection);
    this.#unsubscribe ??= service.journaled.onEvents(published);
    web.on("close", () => {
      clearTimeout(idle);
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#leaveAll();
    });
    web.on("ping", () => idle.refresh());
    web.on("message", (data) => {
      idle.refresh();
      received(connection, textOf(data));
    });
    return connection;
  }

  #leaveAll(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }
}

/** Ends a connection before it is a WebSocket. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.from(data instanceof ArrayBuffer ? new Uint8Array(data) : data).toString("utf8");
}
