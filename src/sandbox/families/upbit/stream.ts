/**
 * The stream of Upbit: `/websocket/v1` for markets, `/websocket/v1/private` for an account too. Entry point: `UpbitStream`.
 *
 * Invariants: a message leaves after what it shows is on disk, in the order in which it happened; a request replaces the one before it; while nobody is
 * connected no events are recorded. Messages are binary frames.
 */
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { plainAddress } from "../../access/address.ts";
import type { RequestHead } from "../../http/family.ts";
import type { ExchangeEvent, KeyRecord, Millis } from "../../model/index.ts";
import { type AuthenticationParts, authenticate, NOTHING_HASHED } from "./authentication.ts";
import { type JsonObject, upbitJson } from "./json-text.ts";
import type { OrderMemory } from "./order-memory.ts";
import type { RateGroups } from "./rate-groups.ts";
import { type Followed, readRequest, type StreamType, streamError } from "./stream-request.ts";
import { assetMessage, bookMessage, listed, orderMessage, tickerMessage, tradeMessage } from "./stream-views.ts";

export const STREAM_PATH = "/websocket/v1";
const PRIVATE_PATH = `${STREAM_PATH}/private`;
const MESSAGE_BYTES_MAX = 64 * 1024;
/** A connection on which nobody says anything is closed. */
const IDLE_MS: Millis = 120_000;
const GOING_AWAY = 1001;
const CLOSE_GRACE_MS: Millis = 500;

interface StreamParts extends AuthenticationParts {
  readonly memory: OrderMemory;
  readonly rates: RateGroups;
}

interface Connection {
  readonly web: WebSocket;
  /** Whose it is; undefined for a public one. */
  readonly key: KeyRecord | undefined;
  followed: readonly Followed[];
  inLists: boolean;
  idle: NodeJS.Timeout;
}

export class UpbitStream {
  readonly #parts: StreamParts;
  readonly #server = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: MESSAGE_BYTES_MAX });
  readonly #connections = new Set<Connection>();
  /** Those of refused callers too. */
  readonly #open = new Set<WebSocket>();
  #unsubscribe: (() => void) | undefined;
  /** Ends when everything that was sent before is out. */
  #sent: Promise<void> = Promise.resolve();

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  upgrade(head: RequestHead, request: IncomingMessage, socket: Duplex, early: Buffer): void {
    socket.on("error", () => socket.destroy());
    if (head.path !== STREAM_PATH && head.path !== PRIVATE_PATH) {
      refuse(socket, 404);
      return;
    }
    const caller = head.path === PRIVATE_PATH ? authenticate(this.#parts, head, NOTHING_HASHED) : undefined;
    const scope = caller?.ok === true ? caller.key.accountId : plainAddress(head.address ?? "");
    const entered = this.#parts.rates.enter("websocket-connect", scope, this.#parts.service.now());
    if (!entered.ok) {
      refuse(socket, entered.status);
      return;
    }
    this.#server.handleUpgrade(request, socket, early, (web) => {
      web.on("error", () => web.terminate());
      this.#open.add(web);
      web.on("close", () => this.#open.delete(web));
      if (caller === undefined || caller.ok) this.#enter(web, caller?.key);
      else web.send(Buffer.from(upbitJson(streamError("INVALID_AUTH").error)), () => web.close());
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

  #enter(web: WebSocket, key: KeyRecord | undefined): void {
    const connection: Connection = { web, key, followed: [], inLists: false, idle: idleTimer(web) };
    this.#connections.add(connection);
    this.#unsubscribe ??= this.#parts.service.journaled.onEvents((events, at) => this.#publish(events, at));
    web.on("close", () => {
      clearTimeout(connection.idle);
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#leaveAll();
    });
    web.on("ping", () => connection.idle.refresh());
    web.on("message", (data) => {
      connection.idle.refresh();
      this.#take(connection, textOf(data));
    });
  }

  #leaveAll(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #take(connection: Connection, text: string): void {
    if (text === "PING") {
      connection.web.send('{"status":"UP"}');
      return;
    }
    const { service } = this.#parts;
    const request = readRequest(text, service.exchange, connection.key !== undefined);
    if (!request.ok) {
      this.#send(connection, request.error);
      return;
    }
    connection.followed = request.followed;
    connection.inLists = request.inLists;
    const at = service.now();
    for (const followed of request.followed)
      if (followed.snapshot) for (const message of this.#snapshots(followed, at)) this.#send(connection, message);
  }

  #snapshots({ type, depths }: Followed, at: Millis): readonly JsonObject[] {
    const { service } = this.#parts;
    const asked = { service, at };
    return [...(depths ?? [])].flatMap(([symbol, depth]) => {
      const market = listed(service.exchange, symbol);
      if (type === "ticker") return [tickerMessage(asked, market, "SNAPSHOT")];
      if (type === "orderbook") return [bookMessage(asked, market, depth, "SNAPSHOT")];
      const trades = type === "trade" ? service.exchange.trades(symbol, 1) : [];
      return trades.map((trade) => tradeMessage(asked, market, trade, "SNAPSHOT"));
    });
  }

  #publish(events: readonly ExchangeEvent[], at: Millis): void {
    const traded = new Set<string>();
    for (const event of events) {
      if (event.kind === "trade") {
        traded.add(event.trade.symbol);
        this.#toMarket("trade", event.trade.symbol, (market) =>
          tradeMessage({ service: this.#parts.service, at }, market, event.trade, "REALTIME"),
        );
      } else if (event.kind === "book") {
        this.#toMarket("orderbook", event.symbol, (market, depth) =>
          bookMessage({ service: this.#parts.service, at }, market, depth, "REALTIME"),
        );
      } else this.#publishOwn(event, at);
    }
    for (const symbol of traded)
      this.#toMarket("ticker", symbol, (market) =>
        tickerMessage({ service: this.#parts.service, at }, market, "REALTIME"),
      );
    this.#publishAssets(events, at);
  }

  #toMarket(
    type: StreamType,
    symbol: string,
    view: (market: ReturnType<typeof listed>, depth: number) => JsonObject,
  ): void {
    for (const connection of this.#connections) {
      const depth = connection.followed.find((each) => each.type === type && each.realtime)?.depths?.get(symbol);
      if (depth !== undefined) this.#send(connection, view(listed(this.#parts.service.exchange, symbol), depth));
    }
  }

  /** That an order began or ended, and each of its trades. */
  #publishOwn(event: ExchangeEvent, at: Millis): void {
    if (event.kind !== "fill" && (event.kind !== "order" || event.cause === "executed")) return;
    const { exchange } = this.#parts.service;
    const fill = event.kind === "fill" ? event.fill : undefined;
    const order = event.kind === "order" ? event.order : exchange.order(event.fill.accountId, event.fill.orderId);
    if (order === undefined) return;
    const { accountId, orderId, symbol } = order;
    const tradesCount = exchange.fillsOf(accountId, orderId).length;
    const news = { order, note: this.#parts.memory.noteOf(orderId), fill, tradesCount, at };
    for (const connection of this.#connectionsOf(accountId, "myOrder", symbol))
      this.#send(connection, orderMessage(news));
  }

  /** One message for an account with all of its balances that changed. */
  #publishAssets(events: readonly ExchangeEvent[], at: Millis): void {
    const changed = events.filter((event) => event.kind === "balance");
    for (const accountId of new Set(changed.map((event) => event.accountId))) {
      const message = assetMessage(
        accountId,
        changed.filter((event) => event.accountId === accountId),
        at,
      );
      for (const connection of this.#connectionsOf(accountId, "myAsset")) this.#send(connection, message);
    }
  }

  #connectionsOf(accountId: string, type: StreamType, symbol?: string): readonly Connection[] {
    return [...this.#connections].filter(
      ({ key, followed }) =>
        key?.accountId === accountId &&
        followed.some(
          (each) => each.type === type && each.realtime && (each.depths === null || each.depths.has(symbol ?? "")),
        ),
    );
  }

  #send({ web, inLists }: Connection, message: JsonObject): void {
    const frame = Buffer.from(upbitJson(inLists ? [message] : message));
    const { service } = this.#parts;
    this.#sent = this.#sent
      .then(() => service.journaled.durable())
      .then(() => {
        if (web.bufferedAmount > service.limits.streamUnreadBytesMax) web.terminate();
        else if (web.readyState === web.OPEN) web.send(frame, { binary: true });
      })
      .catch((error: unknown) => {
        service.onDefect(error);
        web.terminate();
      });
  }
}

function refuse(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function idleTimer(web: WebSocket): NodeJS.Timeout {
  return setTimeout(() => web.close(), IDLE_MS).unref();
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return Buffer.from(data instanceof ArrayBuffer ? new Uint8Array(data) : data).toString("utf8");
}
