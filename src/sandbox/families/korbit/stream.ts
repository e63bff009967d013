/**
 * The stream of Korbit: `/v2/public` for markets, `/v2/private` for an account. Entry point: `KorbitStream`.
 *
 * Invariants: what is followed adds up until it is left; a market's messages begin with how it is, an account's do not; a caller of the private one is
 * found out by the signed query before the connection is opened. Messages are text.
 */
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { RequestHead } from "../../http/family.ts";
import type { ExchangeEvent, KeyRecord, Millis, OrderRecord, Units } from "../../model/index.ts";
import type { AveragePrices } from "../../venue-kit/average-prices.ts";
import type { OrderMemory } from "../../venue-kit/order-memory.ts";
import { refuseUpgrade, type StreamConnection, StreamConnections } from "../../venue-kit/stream-connections.ts";
import type { ListedMarket } from "../../venue-kit/won-markets.ts";
import { balanceView } from "./account-endpoints.ts";
import { type AuthenticationParts, authenticate, type Caller } from "./authentication.ts";
import { codeOf } from "./market-rules.ts";
import type { OrderNote } from "./order-note.ts";
import { orderView, shownState, tradeView } from "./order-view.ts";
import { type Json, type KorbitError, refuse, type Variant, writtenOutcome } from "./outcome.ts";
import { readParameters } from "./parameters.ts";
import { bookView, tradeView as printedView, tickerView } from "./quotation.ts";
import { type Asked, PRIVATE_TYPES, PUBLIC_TYPES, readRequests, type StreamType } from "./stream-request.ts";

export const PUBLIC_STREAM_PATH = "/v2/public";
const PRIVATE_STREAM_PATH = "/v2/private";
const IDLE_MS: Millis = 120_000;

interface StreamParts extends AuthenticationParts {
  readonly variant: Variant;
  readonly memory: OrderMemory<OrderNote>;
  readonly averages: AveragePrices;
}

interface State {
  /** Whose it is; undefined for a public one. */
  readonly key: KeyRecord | undefined;
  /** By type and market; `myAsset` has none. */
  readonly followed: Map<string, Pick<Asked, "level" | "saysAccount">>;
}

type Connection = StreamConnection<State>;

const nameOf = (type: StreamType, symbol = ""): string => `${type} ${symbol}`;

export class KorbitStream {
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
    if (head.path !== PUBLIC_STREAM_PATH && head.path !== PRIVATE_STREAM_PATH) {
      refuseUpgrade(socket, 404);
      return;
    }
    const caller = head.path === PRIVATE_STREAM_PATH ? this.#callerOf(head) : undefined;
    if (caller?.ok === false) this.#turnAway(socket, caller);
    else this.#connections.accept([request, socket, early], { key: caller?.key, followed: new Map() });
  }

  close(): void {
    this.#connections.close();
  }

  #callerOf(head: RequestHead): Caller | KorbitError {
    const sent = readParameters(head.queryText, undefined, Buffer.alloc(0));
    if (!sent.ok) return sent;
    const caller = authenticate(this.#parts, head, sent, this.#parts.service.now());
    return caller.ok && !caller.key.permissions.includes("query") ? refuse("FORBIDDEN") : caller;
  }

  /** In the form of every refusal, as clients read why. */
  #turnAway(socket: Duplex, refused: KorbitError): void {
    const { status, body } = writtenOutcome(refused, this.#parts.variant);
    const text = JSON.stringify(body);
    const headers = `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}`;
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n${headers}\r\n\r\n${text}`);
  }

  #take(connection: Connection, text: string): void {
    const types = connection.state.key === undefined ? PUBLIC_TYPES : PRIVATE_TYPES;
    for (const asked of readRequests(text, this.#parts.service, types)) {
      if (asked.ok) this.#follow(connection, asked);
      else this.#send(connection, asked.message);
    }
  }

  /** That it was taken is said to who gave the request a number. */
  #follow(connection: Connection, { type, symbols, requestId, isSubscription, ...terms }: Asked): void {
    const { service } = this.#parts;
    const names = type === "myAsset" ? [nameOf(type)] : symbols.map((symbol) => nameOf(type, symbol));
    for (const name of names) {
      if (isSubscription) connection.state.followed.set(name, terms);
      else connection.state.followed.delete(name);
    }
    if (requestId !== undefined) this.#send(connection, { requestId, status: "success" });
    if (!isSubscription) return;
    const at = service.now();
    for (const symbol of symbols) {
      const [trade] = type === "trade" ? service.exchange.trades(symbol, 1) : [];
      if (type === "ticker")
        this.#send(connection, this.#ofMarket({ type, symbol, at }, this.#ticker(symbol, at), true));
      if (type === "orderbook") this.#send(connection, this.#book(symbol, at, terms.level, true));
      if (trade !== undefined) this.#send(connection, this.#ofMarket({ type, symbol, at }, [printedView(trade)], true));
    }
  }

  #ofMarket({ type, symbol, at }: MarketNews, data: Json, snapshot: boolean): Json {
    return { type, timestamp: at, symbol: codeOf(symbol), snapshot: snapshot || undefined, data };
  }

  #ticker(symbol: string, at: Millis): Json {
    const { service } = this.#parts;
    return tickerView({ service, at }, this.#market(symbol));
  }

  #book(symbol: string, at: Millis, level: Units | undefined, snapshot: boolean): Json {
    const { service } = this.#parts;
    return this.#ofMarket(
      { type: "orderbook", symbol, at },
      bookView({ service, at }, this.#market(symbol), level),
      snapshot,
    );
  }

  /** That of a record, which is always there. */
  #market(symbol: string): ListedMarket {
    const market = this.#parts.service.exchange.market(symbol);
    if (market === undefined) throw new Error(`an event names ${symbol}, which is no market`);
    return market;
  }

  #publish(events: readonly ExchangeEvent[], at: Millis): void {
    const traded = new Set<string>();
    for (const event of events) {
      if (event.kind === "trade") {
        const { symbol } = event.trade;
        traded.add(symbol);
        this.#toAll("trade", symbol, () =>
          this.#ofMarket({ type: "trade", symbol, at }, [printedView(event.trade)], false),
        );
      } else if (event.kind === "book") {
        const { symbol } = event;
        this.#toAll("orderbook", symbol, ({ level }) => this.#book(symbol, at, level, false));
      } else if (event.kind === "order") this.#publishOrder(event.order, at);
      else if (event.kind === "fill") {
        const { accountId, symbol } = event.fill;
        const { feeQty: fee, tradedAt: filledAt, symbol: code, amt: _, ...trade } = tradeView(event.fill);
        const trades = [{ ...trade, fee, filledAt }];
        this.#toOwner({ type: "myTrade", accountId, symbol }, (account) => ({
          ...{ symbol: code, timestamp: at, channelType: "myTrade", trade: { ...account, trades } },
        }));
      }
    }
    for (const symbol of traded)
      this.#toAll("ticker", symbol, () =>
        this.#ofMarket({ type: "ticker", symbol, at }, this.#ticker(symbol, at), false),
      );
    this.#publishAssets(events, at);
  }

  /** The stream has a word of its own for an order that rests. */
  #publishOrder(order: OrderRecord, at: Millis): void {
    const { memory, variant, service } = this.#parts;
    const { accountId, orderId, symbol } = order;
    const state = shownState(order, memory, variant);
    const lastFill = order.executedVolume === 0n ? undefined : service.exchange.fillsOf(accountId, orderId).at(-1);
    const { symbol: code, status, ...view } = orderView({ order, note: memory.noteOf(orderId), state, lastFill });
    const orders = [{ ...view, status: status === "open" ? "unfilled" : status }];
    this.#toOwner({ type: "myOrder", accountId, symbol }, (account) => ({
      ...{ symbol: code, timestamp: at, channelType: "myOrder", order: { ...account, orders } },
    }));
  }

  /** One message for an account with all of its balances that changed. */
  #publishAssets(events: readonly ExchangeEvent[], at: Millis): void {
    const changed = events.filter((event) => event.kind === "balance");
    for (const accountId of new Set(changed.map((event) => event.accountId))) {
      const own = changed.filter((event) => event.accountId === accountId);
      const assets = own.map((event) => ({ ...balanceView(event, this.#parts.averages, accountId), updatedAt: at }));
      this.#toOwner({ type: "myAsset", accountId }, (account) => ({
        ...{ timestamp: at, channelType: "myAsset", asset: { ...account, assets } },
      }));
    }
  }

  #toAll(type: StreamType, symbol: string, message: (terms: Pick<Asked, "level">) => Json): void {
    for (const connection of this.#connections.all()) {
      const terms = connection.state.followed.get(nameOf(type, symbol));
      if (terms !== undefined) this.#send(connection, message(terms));
    }
  }

  /** @param message is given the number of the account where that was asked for */
  #toOwner(
    { type, accountId, symbol }: { readonly type: StreamType; readonly accountId: string; readonly symbol?: string },
    message: (account: { readonly accountSeq?: number }) => Json,
  ): void {
    for (const connection of this.#connections.all()) {
      const { key, followed } = connection.state;
      const terms = key?.accountId === accountId ? followed.get(nameOf(type, symbol)) : undefined;
      if (terms !== undefined) this.#send(connection, message(terms.saysAccount ? { accountSeq: 1 } : {}));
    }
  }

  #send(connection: Connection, message: Json): void {
    this.#connections.send(connection, JSON.stringify(message));
  }
}

interface MarketNews {
  readonly type: StreamType;
  readonly symbol: string;
  readonly at: Millis;
}
