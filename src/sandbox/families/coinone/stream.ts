/**
 * The stream of Coinone: at the root for markets, `/v1/private` for the orders of an account. Entry point: `CoinoneStream`.
 *
 * Invariants: whoever is not let in is told so by the code with which the connection ends; a topic that is followed twice is sent once.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { plainAddress } from "../../access/address.ts";
import type { RequestHead } from "../../http/family.ts";
import type { ExchangeEvent, KeyRecord, Millis } from "../../model/index.ts";
import { type JsonObject, writtenJson } from "../../venue-kit/json-text.ts";
import type { OrderMemory } from "../../venue-kit/order-memory.ts";
import { refuseUpgrade, type StreamConnection, StreamConnections } from "../../venue-kit/stream-connections.ts";
import { uuidOf } from "../../venue-kit/uuid.ts";
import type { ListedMarket } from "../../venue-kit/won-markets.ts";
import { type AuthenticationParts, authenticate } from "./authentication.ts";
import type { OrderNote, Variant } from "./coinone-call.ts";
import { listed, marketOf } from "./market-rules.ts";
import { type Channel, readRequest, type StreamRequest, streamError } from "./stream-request.ts";
import { bookData, dataMessage, type OrderNews, orderData, tickerData, tradeData } from "./stream-views.ts";

/** The root of the address. */
export const STREAM_PATH = "";
/** One example in the documents has the second. */
const PRIVATE_PATHS = ["/v1/private", "/private"];
const CONNECTIONS_MAX = 20;
const [NOT_KNOWN, TOO_MANY] = [4280, 4290];
/** After the last message; and for the first one. */
const [IDLE_MS, SILENT_MS]: readonly [Millis, Millis] = [30 * 60_000, 60_000];

interface StreamParts extends AuthenticationParts {
  readonly memory: OrderMemory<OrderNote>;
  readonly variant: Variant;
  readonly startedAt: Millis;
}

interface Followed {
  readonly channel: Channel;
  /** Undefined for all markets. */
  readonly symbol: string | undefined;
  readonly isShort: boolean;
}

interface State {
  /** Whose it is; undefined for a public one. */
  readonly key: KeyRecord | undefined;
  /** The address, or the account, of which there may be so many. */
  readonly scope: string;
  /** Keyed by channel and symbol. */
  readonly followed: Map<string, Followed>;
  /** Ends a connection on which nobody has said anything yet. */
  silent: NodeJS.Timeout | undefined;
}

type Connection = StreamConnection<State>;
type Subscription = Extract<StreamRequest, { channel: Channel }>;

export class CoinoneStream {
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
    const isPrivate = PRIVATE_PATHS.includes(head.path);
    if (!isPrivate && head.path !== "/") {
      refuseUpgrade(socket, 404);
      return;
    }
    const key = isPrivate ? this.#callerOf(head) : undefined;
    const scope = key === undefined ? `address ${plainAddress(head.address ?? "")}` : `account ${key.accountId}`;
    const state: State = { key, scope, followed: new Map(), silent: undefined };
    this.#connections.accept([request, socket, early], state, (connection) => {
      if (isPrivate && key === undefined) connection.web.close(NOT_KNOWN);
      else this.#welcome(connection);
    });
  }

  close(): void {
    this.#connections.close();
  }

  /** The payload has the time, too. */
  #callerOf(head: RequestHead): KeyRecord | undefined {
    const caller = authenticate(this.#parts, head);
    if (!caller.ok || !caller.key.permissions.includes("query")) return undefined;
    return Number.isSafeInteger(caller.fields["timestamp"]) ? caller.key : undefined;
  }

  #welcome(connection: Connection): void {
    const { web, state } = connection;
    const sharing = this.#connections.all().filter((each) => each.state.scope === state.scope);
    if (sharing.length > CONNECTIONS_MAX) {
      web.close(TOO_MANY);
      return;
    }
    state.silent = setTimeout(() => web.terminate(), SILENT_MS).unref();
    web.on("close", () => clearTimeout(state.silent));
    const session = uuidOf(`session ${this.#parts.service.nextRequestId()}`);
    this.#send(connection, { response_type: "CONNECTED", data: { session_id: session } });
  }

  #take(connection: Connection, text: string): void {
    clearTimeout(connection.state.silent);
    const request = readRequest(text, connection.state.key !== undefined);
    switch (request.kind) {
      case "PING":
        this.#send(connection, { response_type: "PONG" });
        break;
      case "ERROR":
        this.#send(connection, request.error);
        break;
      case "SUBSCRIBE":
      case "UNSUBSCRIBE":
        this.#follow(connection, request);
        break;
      default:
        request satisfies never;
    }
  }

  /** A request is acknowledged as it was sent, before a market of it that there is none of is told of. */
  #follow(connection: Connection, request: Subscription): void {
    const { kind, channel, topics } = request;
    const data = channel === "MYORDER" ? topics : topics[0];
    this.#send(connection, { response_type: `${kind}D`, channel, data });
    if (topics.length === 0) this.#change(connection, request, undefined);
    for (const { quote_currency: quote, target_currency: target } of topics) {
      const market = marketOf(this.#parts.service, quote, target);
      if (market === undefined) this.#send(connection, streamError(160_012));
      else this.#change(connection, request, market);
    }
  }

  #change(connection: Connection, { kind, channel, isShort }: Subscription, market: ListedMarket | undefined): void {
    const symbol = market?.symbol;
    const name = `${channel} ${symbol ?? ""}`;
    if (kind === "UNSUBSCRIBE") {
      connection.state.followed.delete(name);
      return;
    }
    connection.state.followed.set(name, { channel, symbol, isShort });
    // Of a book there is always one to begin with.
    if (channel === "ORDERBOOK" && market !== undefined)
      this.#send(connection, dataMessage(channel, bookData(this.#asked(this.#parts.service.now()), market), isShort));
  }

  #asked(at: Millis) {
    const { service, startedAt } = this.#parts;
    return { service, at, startedAt };
  }

  #publish(events: readonly ExchangeEvent[], at: Millis): void {
    const asked = this.#asked(at);
    const traded = new Set<string>();
    for (const event of events) {
      if (event.kind === "trade") {
        traded.add(event.trade.symbol);
        this.#toMarket("TRADE", event.trade.symbol, () => tradeData(event.trade));
      } else if (event.kind === "book")
        this.#toMarket("ORDERBOOK", event.symbol, () => bookData(asked, listed(this.#parts.service, event.symbol)));
      else this.#publishOwn(event, at);
    }
    for (const symbol of traded)
      this.#toMarket("TICKER", symbol, () => tickerData(asked, listed(this.#parts.service, symbol)));
  }

  #toMarket(channel: Channel, symbol: string, data: () => JsonObject): void {
    for (const connection of this.#connections.all()) {
      const followed = connection.state.followed.get(`${channel} ${symbol}`);
      if (followed !== undefined) this.#send(connection, dataMessage(channel, data(), followed.isShort));
    }
  }

  /** That an order began or ended, and each of its fills. */
  #publishOwn(event: ExchangeEvent, at: Millis): void {
    if (event.kind !== "fill" && event.kind !== "order") return;
    const { exchange } = this.#parts.service;
    const { accountId, orderId } = event.kind === "fill" ? event.fill : event.order;
    const fills = exchange.fillsOf(accountId, orderId);
    if (event.kind === "order") {
      const happened = event.cause === "created" ? "began" : "ended";
      if (event.cause !== "executed") this.#toOwner({ order: event.order, fills, happened, at });
      return;
    }
    const order = exchange.order(accountId, orderId);
    const upTo = fills.filter(({ tradeSeq }) => tradeSeq <= event.fill.tradeSeq);
    if (order !== undefined) this.#toOwner({ order, fills: upTo, happened: "filled", at });
  }

  #toOwner(news: Omit<OrderNews, "note" | "variant">): void {
    const { memory, variant } = this.#parts;
    const { accountId, orderId, symbol } = news.order;
    for (const connection of this.#connections.all()) {
      const { key, followed } = connection.state;
      const found = followed.get(`MYORDER ${symbol}`) ?? followed.get("MYORDER ");
      if (key?.accountId !== accountId || found === undefined) continue;
      const data = orderData({ ...news, note: memory.noteOf(orderId), variant });
      this.#send(connection, dataMessage("MYORDER", data, found.isShort));
    }
  }

  #send(connection: Connection, message: JsonObject): void {
    this.#connections.send(connection, writtenJson(message));
  }
}
