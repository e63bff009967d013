/**
 * The Open API as methods. Reads are asked again when that can help; an order or a cancel is one request, ever, and
 * no answer to it means unknown. Everything expected comes back as a `Result`; the only errors thrown are the caller's own
 * abort, an error of its `beforeSend`, and wrong options.
 *
 * Satisfies the desk's `Venue` by shape.
 *
 * Source: decisions §1–6, §10; architecture rules 1, 5, 8–11.
 */
import {
  type Accounts,
  type BatchCancel,
  type Candle,
  type CandleInterval,
  type CreateOrderBody,
  failed,
  localFault,
  type Market,
  type Order,
  type Orderbook,
  type OrderStateFilter,
  ok,
  type PublicTrade,
  type Result,
  type ServerTime,
  type Ticker,
  validatedOrder,
} from "../contract/index.ts";
import { ApiClient } from "./api-client.ts";
import type { ClientOptions } from "./options.ts";
import { type Answer, type CallInput, clockCall, composeCall, withMatch } from "./request/call.ts";
import type { ReadExtras, WriteExtras } from "./request/request-sender.ts";

/** What any read may be given besides its arguments. */
export interface ReadOptions {
  /** Ends the read early; it then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** What a read may be given besides that may belong to a cancel. */
export interface UrgentOptions extends ReadOptions {
  /** It belongs to a cancel: goes first, and finds budget where other reads wait. */
  readonly urgent?: boolean;
  /** In place of the client's own `timeouts.deadlineMs`. */
  readonly deadlineMs?: number;
}

/** What a query about orders may be given besides. */
export interface QueryOptions extends UrgentOptions {
  /** Ask with a larger nonce than this, or not at all: then "not found" is final. Source: decisions §2. */
  readonly afterNonce?: string;
}

interface PageRequest {
  readonly symbol?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly cursor?: string;
  readonly limit?: number;
}

interface OrdersRequest extends PageRequest {
  readonly state?: OrderStateFilter;
  readonly userref?: string;
}

type PrivateRead = "accounts" | "orders" | "order" | "fills" | "streamToken";
type PublicRead = "time" | "markets" | "tickers" | "orderbook" | "trades" | "candles";

/** The answer to a check. One with an id in it is an order, placed although only a check was asked for. */
const CHECKED = validatedOrder.loose();
const hasNoId = (answer: object): boolean => !("uuid" in answer || "txid" in answer);

export class OpenApiClient extends ApiClient {
  /** @throws TypeError for a base URL, key or secret that cannot be right; the error does not show them. */
  constructor(options: ClientOptions) {
    super(options, clockCall());
  }

  async time(options?: ReadOptions): Promise<Result<ServerTime>> {
    return this.#read("time", {}, options);
  }

  async markets(options?: UrgentOptions): Promise<Result<readonly Market[]>> {
    const result = await this.#read("markets", {}, options);
    return result.ok ? ok(result.value.markets) : result;
  }

  /** All markets when no symbols are given. */
  async tickers(symbols?: readonly string[], options?: ReadOptions): Promise<Result<readonly Ticker[]>> {
    if (symbols?.length === 0) return ok([]);
    const result = await this.#read("tickers", { query: { symbols: symbols?.join(",") } }, options);
    return result.ok ? ok(result.value.tickers) : result;
  }

  async orderbook(symbol: string, depth?: number, options?: ReadOptions): Promise<Result<Orderbook>> {
    return this.#read("orderbook", { params: { symbol }, query: { depth } }, options);
  }

  async trades(symbol: string, limit?: number, options?: ReadOptions): Promise<Result<readonly PublicTrade[]>> {
    const result = await this.#read("trades", { params: { symbol }, query: { limit } }, options);
    return result.ok ? ok(result.value.trades) : result;
  }

  async candles(
    symbol: string,
    interval: CandleInterval,
    period: { readonly fromMs?: number; readonly toMs?: number } = {},
    options?: ReadOptions,
  ): Promise<Result<readonly Candle[]>> {
    const query = { interval, from: period.fromMs, to: period.toMs };
    const result = await this.#read("candles", { params: { symbol }, query }, options);
    return result.ok ? ok(result.value.candles) : result;
  }

  async accounts(options?: UrgentOptions): Promise<Result<Accounts>> {
    return this.#read("accounts", {}, options);
  }

  /** Open orders unless a state is given; newest first. */
  async orders(request: OrdersRequest = {}, options?: QueryOptions): Promise<Result<Answer<"orders">>> {
    const { symbol, state, userref, fromMs, toMs, cursor, limit } = request;
    const query = { symbol, state, userref, from: fromMs, to: toMs, cursor, limit };
    return this.#read("orders", { query }, options);
  }

  async order(symbol: string, orderId: string, options?: UrgentOptions): Promise<Result<Order>> {
    return this.#read("order", { params: { symbol, uuid: orderId } }, options, (order) => order.uuid === orderId);
  }

  /** Own fills, newest first. */
  async fills(request: PageRequest = {}, options?: ReadOptions): Promise<Result<Answer<"fills">>> {
    const { symbol, fromMs, toMs, cursor, limit } = request;
    return this.#read("fills", { query: { symbol, from: fromMs, to: toMs, cursor, limit } }, options);
  }

  /** A token for the private channels of the stream. */
  async streamToken(options?: ReadOptions): Promise<Result<Answer<"streamToken">>> {
    return this.#read("streamToken", {}, options);
  }

  /**
   * Sends the order once. `beforeSend` is told the nonce before the first byte leaves.
   * @returns a fault with `reachedVenue: no` when `beforeSend` answers false.
   */
  async submit(
    order: CreateOrderBody & { readonly userref: string },
    beforeSend: (nonce: string) => Promise<boolean>,
  ): Promise<Result<Order>> {
    return this.createOrder(order, { beforeSend });
  }

  /**
   * Sends the order once and never again. A fault with `reachedVenue: unknown` means that it may stand: look it up by
   * its userref before anything else.
   */
  async createOrder(
    order: CreateOrderBody,
    { beforeSend }: { beforeSend?: (nonce: string) => Promise<boolean> } = {},
  ): Promise<Result<Order>> {
    if (order.validate_only === true)
      return failed(
        localFault("ELocal:Invalid input", {
          message: "validate_only: this would place nothing; use validateOrder. Nothing was sent.",
          field: "validate_only",
        }),
      );
    const isOurs = (placed: Order): boolean =>
      placed.side === order.side && (order.userref === undefined || placed.userref === order.userref);
    return this.#write("createOrder", { body: order }, { beforeSend }, isOurs);
  }

  /** Has the venue check an order without placing it. Sent once too: the word `validate_only` is all that keeps it a check. */
  async validateOrder(order: CreateOrderBody): Promise<Result<{ readonly descr: { readonly order: string } }>> {
    const call = composeCall("createOrder", { body: { ...order, validate_only: true } });
    if (!call.ok) return call;
    const result = await this.sender.write({ ...call.value, response: CHECKED, matches: hasNoId }, {});
    return result.ok ? ok({ descr: result.value.descr }) : result;
  }

  async cancel(symbol: string, orderId: string): Promise<Result<Order>> {
    const isThis = (order: Order): boolean => order.uuid === orderId;
    return this.#write("cancelOrder", { params: { symbol, uuid: orderId } }, { urgent: true }, isThis);
  }

  /** Requests the cancel of all open orders, or those of one market. `deadlineMs` is how long it waits for its turn. */
  async cancelAll(
    symbol?: string,
    { deadlineMs }: Pick<UrgentOptions, "deadlineMs"> = {},
  ): Promise<Result<BatchCancel>> {
    return this.#write("cancelBatch", { query: { symbol } }, { urgent: true, deadlineMs });
  }

  async #read<Id extends PublicRead | PrivateRead>(
    id: Id,
    input: CallInput,
    extras?: ReadExtras,
    matches?: (answer: Answer<Id>) => boolean,
  ): Promise<Result<Answer<Id>>> {
    const call = composeCall(id, input);
    return call.ok ? this.sender.read(withMatch(call.value, matches), extras) : call;
  }

  async #write<Id extends "createOrder" | "cancelOrder" | "cancelBatch">(
    id: Id,
    input: CallInput,
    extras: WriteExtras,
    matches?: (answer: Answer<Id>) => boolean,
  ): Promise<Result<Answer<Id>>> {
    const call = composeCall(id, input);
    return call.ok ? this.sender.write(withMatch(call.value, matches), extras) : call;
  }
}
