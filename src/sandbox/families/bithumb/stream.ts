/**
 * The stream of Bithumb: `/websocket/v1` for markets, `/websocket/v2/private` for an account. Entry point: `BithumbStream`.
 *
 * Invariant: a request replaces the one before it.
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
import { FIGURES, type Figures } from "./figures.ts";
import type { OrderNote } from "./order-note.ts";
import type { GroupName } from "./rate-groups.ts";
import { type Followed, readRequest, type StreamType } from "./stream-request.ts";
import { assetMessage, bookMessage, listed, orderMessage, tickerMessage, tradeMessage } from "./stream-views.ts";

export const STREAM_PATH = "/websocket/v1";
const PRIVATE_PATH = "/websocket/v2/private";
const IDLE_MS: Millis = 120_000;

interface StreamParts extends AuthenticationParts {
  readonly memory: OrderMemory<OrderNote>;
  readonly rates: RateGroups<GroupName>;
}

interface State {
  /** Whose it is; undefined for a public one. */
  readonly key: KeyRecord | undefined;
  followed: readonly Followed[];
}

type Connection = StreamConnection<State>;
type MarketView = (market: ReturnType<typeof listed>) => JsonObject;

export class BithumbStream {
  readonly #parts: StreamParts;
  readonly #figures: Figures;
  readonly #connections: StreamConnections<State>;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#figures = FIGURES[parts.variant];
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
    const { rates, service } = this.#parts;
    const entered = rates.enter("connect", plainAddress(head.address ?? ""), service.now());
    const caller = head.path === PRIVATE_PATH ? authenticate(this.#parts, head, NOTHING_HASHED) : undefined;
    if (!entered.ok) refuseUpgrade(socket, entered.status);
    else if (caller?.ok === false) refuseUpgrade(socket, caller.status);
    else this.#connections.accept([request, socket, early], { key: caller?.key, followed: [] });
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
    for (const followed of request.followed)
      if (followed.snapshot)
        for (const message of this.#snapshots(followed, service.now())) this.#send(connection, message);
  }

  #snapshots({ type, symbols }: Followed, at: Millis): readonly JsonObject[] {
    const { service } = this.#parts;
    const asked = { service, at, figures: this.#figures };
    return [...(symbols ?? [])].flatMap((symbol) => {
      const market = listed(service.exchange, symbol);
      if (type === "ticker") return [tickerMessage(asked, market, "SNAPSHOT")];
      if (type === "orderbook") return [bookMessage(asked, market, "SNAPSHOT")];
      const trades = type === "trade" ? service.exchange.trades(symbol, 1) : [];
      return trades.map((trade) => tradeMessage(asked, market, trade, "SNAPSHOT"));
    });
  }

  #publish(events: readonly ExchangeEvent[], at: Millis): void {
    const asked = { service: this.#parts.service, at, figures: this.#figures };
    const traded = new Set<string>();
    for (const event of events) {
      if (event.kind === "trade") {
        const { trade } = event;
        traded.add(trade.symbol);
        this.#toMarket("trade", trade.symbol, (market) => tradeMessage(asked, market, trade, "REALTIME"));
      } else if (event.kind === "book")
        this.#toMarket("orderbook", event.symbol, (market) => bookMessage(asked, market, "REALTIME"));
      else this.#publishOwn(event, at);
    }
    for (const symbol of traded) this.#toMarket("ticker", symbol, (market) => tickerMessage(asked, market, "REALTIME"));
    this.#publishAssets(events, at);
  }

  #toMarket(type: StreamType, symbol: string, view: MarketView): void {
    const following = this.#connections
      .all()
      .filter(({ state }) =>
        state.followed.some((each) => each.type === type && each.realtime && each.symbols?.has(symbol) === true),
      );
    for (const connection of following) this.#send(connection, view(listed(this.#parts.service.exchange, symbol)));
  }

  /** That an order began or ended, and each of its trades. */
  #publishOwn(event: ExchangeEvent, at: Millis): void {
    if (event.kind !== "fill" && (event.kind !== "order" || event.cause === "executed")) return;
    const { exchange } = this.#parts.service;
    const fill = event.kind === "fill" ? event.fill : undefined;
    const order = event.kind === "order" ? event.order : exchange.order(event.fill.accountId, event.fill.orderId);
    if (order === undefined) return;
    const news = { order, note: this.#parts.memory.noteOf(order.orderId), fill, at };
    for (const connection of this.#connectionsOf(order.accountId, "myOrder", order.symbol))
      this.#send(connection, orderMessage(news, this.#figures));
  }

  /** One message for an account with all of its balances that changed. */
  #publishAssets(events: readonly ExchangeEvent[], at: Millis): void {
    const changed = events.filter((event) => event.kind === "balance");
    for (const accountId of new Set(changed.map((event) => event.accountId))) {
      const own = changed.filter((event) => event.accountId === accountId);
      for (const connection of this.#connectionsOf(accountId, "myAsset"))
        this.#send(connection, assetMessage(own, at, this.#figures));
    }
  }

  #connectionsOf(accountId: string, type: StreamType, symbol?: string): readonly Connection[] {
    return this.#connections
      .all()
      .filter(
        ({ state: { key, followed } }) =>
          key?.accountId === accountId &&
          followed.some((each) => each.type === type && (each.symbols?.has(symbol ?? "") ?? true)),
      );
  }

  /** Which of the two kinds of frame Bithumb sends is not documented. */
  #send(connection: Connection, message: JsonObject): void {
    const text = writtenJson(message);
    this.#connections.send(connection, this.#parts.variant === "other" ? text : Buffer.from(text));
  }
}
