/**
 * The stream, `GET /v1/stream`, as a family on the same port as the others: handshakes, open connections, heartbeats, shutdown.
 * Entry point: `streamFamily`.
 *
 * Invariants: while nobody is connected no timer runs and no events are recorded; when events cannot be published any more, every
 * connection is closed, so that nobody mistakes silence for a quiet market.
 * Source: service.md#stream, service.md#heartbeat, service.md#stream-limits.
 */
import { WebSocket, WebSocketServer } from "ws";
import { OPEN_API_VERSION, STREAM_CLOSE, STREAM_LIMITS, STREAM_PATH, VERSION_HEADER } from "../../../contract/index.ts";
import { type Family, headerOf, type Reply } from "../../http/family.ts";
import { badArgument, errorBodyOf, type Fault, unavailable } from "../../http/outcome.ts";
import { jsonReply } from "../../http/reply.ts";
import { requestedVersion } from "../../http/requested-version.ts";
import type { Service } from "../../service/service.ts";
import { timeText } from "../../wire/market-view.ts";
import { Connection, TOO_LONG } from "./connection.ts";
import { jsonFrame } from "./frame.ts";
import { Hub } from "./hub.ts";
import { KeyConnections } from "./key-connections.ts";

/** Above the limit of a message, so that a message that is too long is answered with the reason. */
const FRAME_BYTES_MAX = 16 * STREAM_LIMITS.messageBytesMax;
/** A ping is sent every so many heartbeats; a connection without any message between two pings is terminated. */
const BEATS_PER_PING = 6;

/** The reasons for codes with which `ws` itself closes a connection. */
const REASONS: Readonly<Record<number, string>> = {
  1002: "this is no frame that a client may send",
  [STREAM_CLOSE.notJson]: "a message is UTF-8 text",
  [STREAM_CLOSE.messageTooLong]: TOO_LONG,
};

/** Closes no connection without a reason. */
class ReasonedSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    super.close(code, reason ?? (code === undefined ? undefined : REASONS[code]));
  }
}

export function streamFamily(service: Service): Family {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: FRAME_BYTES_MAX,
    WebSocket: ReasonedSocket,
  });
  server.on("headers", (headers) => headers.push(`${VERSION_HEADER}: ${OPEN_API_VERSION}`));
  const clients = new Clients(service);
  const refuse = (refused: Fault): Reply => refusal(service, refused);
  return {
    serves: (path) => path === STREAM_PATH,
    admit(head) {
      const requested = requestedVersion(headerOf(head, VERSION_HEADER.toLowerCase()));
      if (!requested.ok) return refuse(requested);
      return clients.isFull || service.journaled.failed !== undefined ? refuse(unavailable(503)) : undefined;
    },
    answer: () => ({ reply: upgradeRequired(refuse(badArgument("Upgrade", "connect with a WebSocket", 426))) }),
    refuse,
    upgrade(head, request, socket, early) {
      // Until `ws` listens itself.
      socket.on("error", () => socket.destroy());
      server.handleUpgrade(request, socket, early, (web) => {
        const { hub, keyConnections } = clients;
        clients.enter(
          (onEnd) => new Connection(web, { service, hub, keyConnections, socket, address: head.address }, onEnd),
        );
      });
    },
    close: () => clients.close(STREAM_CLOSE.goingAway, "the exchange is shutting down"),
  };
}

class Clients {
  readonly hub: Hub;
  readonly keyConnections: KeyConnections<Connection>;
  readonly #service: Service;
  readonly #connections = new Set<Connection>();
  #heartbeat: NodeJS.Timeout | undefined;
  #beats = 0;

  constructor(service: Service) {
    this.#service = service;
    this.keyConnections = new KeyConnections(service.limits.streamConnectionsPerKey);
    const onFailure = (error: unknown): void => {
      service.onDefect(error);
      this.close(STREAM_CLOSE.failed, "the exchange cannot go on");
    };
    this.hub = new Hub(service, onFailure, (keyId) => {
      for (const connection of this.keyConnections.of(keyId)) connection.recheckKey(keyId);
    });
  }

  get isFull(): boolean {
    return this.#connections.size >= this.#service.limits.streamConnectionsMax;
  }

  enter(make: (onEnd: () => void) => Connection): void {
    this.hub.setActive(true);
    this.#heartbeat ??= setInterval(() => this.#beat(), this.#service.limits.streamHeartbeatMs);
    const connection = make(() => this.#leave(connection));
    this.#connections.add(connection);
  }

  close(code: number, reason: string): void {
    for (const connection of this.#connections) connection.close(code, reason);
    this.hub.close();
  }

  #leave(connection: Connection): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0) return;
    this.hub.setActive(false);
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  #beat(): void {
    this.#beats += 1;
    const frame = jsonFrame({ op: "heartbeat", time: timeText(this.#service.now()) });
    const isProbe = this.#beats % BEATS_PER_PING === 0;
    for (const connection of this.#connections) {
      connection.write(frame);
      if (isProbe) connection.probe();
    }
  }
}

function refusal(service: Service, refused: Fault): Reply {
  const body = errorBodyOf(refused, service.nextRequestId());
  const reply = jsonReply(refused.status, body, { calls: undefined, retryAfterMs: refused.retryAfterMs });
  reply.headers.push(VERSION_HEADER, OPEN_API_VERSION);
  return reply;
}

function upgradeRequired(reply: Reply): Reply {
  return { ...reply, headers: [...reply.headers, "Upgrade", "websocket"] };
}
