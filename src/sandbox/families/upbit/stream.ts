/**
 * The stream of Upbit: `/websocket/v1` for markets, `/websocket/v1/private` for an account too. Entry point: `UpbitStream`.
 *
 * Invariant: a request replaces the one before it. Messages are binary frames.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { plainAddress } from "../../access/address.ts";
import type { RequestHead } from "../../http/family.ts";
import type { ExchangeEvent, KeyRecord, Millis } from "../../model/index.ts";
import { type JsonObject, writtenJson } from "../../venue-kit/json-text.ts";
import type { OrderMemory } from "../../venue-kit/order-memory.ts";
import type { RateGroups } from "../../venue-kit/rate-groups.ts";
import { refuseUpgrade, type StreamConnection, StreamConnections } from "../../venue-kit/stream-connections.ts";
import { type AuthenticationParts, authenticate, NOTHING_HASHED } from "./authentication.ts";
import type { OrderNote } from "./order-note.ts";
import type { GroupName } from "./rate-groups.ts";
import { type Followed, readRequest, type StreamType, streamError } from "./stream-request.ts";
import { assetMessage, bookMessage, listed, orderMessage, tickerMessage, tradeMessage } from "./stream-views.ts";

export const STREAM_PATH = "/websocket/v1";
const PRIVATE_PATH = `${STREAM_PATH}/private`;
const IDLE_MS: Millis = 120_000;

interface StreamParts extends AuthenticationParts {
  readonly memory: OrderMemory<OrderNote>;
  readonly rates: RateGroups<GroupName>;
}

interface State {
  /** Whose it is; undefined for a public one. */
  readonly key: KeyRecord | undefined;
  followed: readonly Followed[];
  inLists: boolean;
}

type Connection = StreamConnection<State>;

export class UpbitStream {
  readonly #parts: StreamParts;
  readonly #connections: StreamConnections<State>;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#connections = new StreamConnections({
      service: parts.service,
      idleMs: IDLE_MS,
      received: (connection, text) => this.#take(connection, text),
      published: (events, at) => this.#publish(events, at),
    });
  }

  upgrade(head: RequestHead, request: IncomingMessage, socket: Duplex, early: Buffer): void {
    socket.on("error", () => socket.destroy());
    if (head.path !== STREAM_PATH && head.path !== PRIVATE_PATH) {
      refuseUpgrade(socket, 404);
      return;
    }
    const caller = head.path === PRIVATE_PATH ? authenticate(this.#parts, head, NOTHING_HASHED) : undefined;
    const scope = caller?.ok === true ? caller.key.accountId : plainAddress(head.address ?? "");
    const entered = this.#parts.rates.enter("websocket-connect", scope, this.#parts.service.now());
    if (!entered.ok) refuseUpgrade(socket, entered.status);
    else if (caller === undefined || caller.ok)
      this.#connections.accept([request, socket, early], { key: caller?.key, followed: [], inLists: false });
    else this.#connections.turnAway([request, socket, early], writtenJson(streamError("INVALID_AUTH").error));
  }

  close(): void {
    this.#connections.close();
  }

  #take(connection: Connection, text: string): void {
    if (text === "PING") {
      connection.web.send('{"status":"UP"}');
      return;
    }
    const { service } = this.#parts;
    const request = readRequest(text, service.exchange, connection.state.key !== undefined);
    if (!request.ok) {
      this.#send(connection, request.error);
      return;
    }
    connection.state.followed = request.followed;
    connection.state.inLists = request.inLists;
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
    for (const connection of this.#connections.all()) {
      const depth = connection.state.followed.find((each) => each.type === type && each.realtime)?.depths?.get(symbol);
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
    return this.#connections
      .all()
      .filter(
        ({ state: { key, followed } }) =>
          key?.accountId === accountId &&
          followed.some(
            (each) => each.type === type && each.realtime && (each.depths === null || each.depths.has(symbol ?? "")),
          ),
      );
  }

  #send(connection: Connection, message: JsonObject): void {
    this.#connections.send(connection, Buffer.from(writtenJson(connection.state.inLists ? [message] : message)));
  }
}
