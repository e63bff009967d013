/**
 * The Open API as methods. Reads are retried when that can help. An order or a cancel is one request, ever, and no answer to it means
 * unknown. Expected outcomes are returned as a `Result`; the only errors thrown are the caller's own abort, an error of its
 * `beforeSend`, and wrong options.
 *
 * Satisfies the desk's `Venue` by shape.
 *
 * Lists orders of a period, also at a venue that refuses one on its list of orders: there the list is read without it, newest first,
 * down to the beginning of the period. Entry point: `OrderListing`.
 *
 * Invariant: an answer has orders of the period only, and its cursor leads to the rest of them.
 *
 * Source: service.md#open-api, architecture.md#rule-1, architecture.md#rule-5; service.md#period-refused.
 */
import type { z } from "zod";
import {
  type Accounts,
  type BatchCancel,
  type Candle,
  type CandleInterval,
  type CreateOrderBody,
  ENDPOINTS,
  type Endpoint,
  type EndpointId,
  type Fault,
  type FillPage,
  type FillsRequest,
  failed,
  type Market,
  type Order,
  type Orderbook,
  type OrderPage,
  type OrdersRequest,
  ok,
  type PublicTrade,
  type Result,
  type ServerTime,
  type Ticker,
  validatedOrder,
} from "../../contract/index.ts";
import type { QueryOptions, ReadOptions, UrgentOptions, WriteOptions } from "../../transport/index.ts";
import { ApiClient, type ClientOptions, type NamedOrder, placedNothing, validateOnlyFault } from "./api-client.ts";
import { type Call, type CallInput, composeCall } from "./request/call.ts";

/** Answer of an endpoint, as the contract has it. */
type Answer<Id extends EndpointId> = z.output<(typeof ENDPOINTS)[Id]["response"]>;
type IsWrite<Id extends EndpointId> = (typeof ENDPOINTS)[Id]["auth"] extends "trade" ? true : false;

function openCall<Id extends EndpointId>(id: Id, input: CallInput = {}): Result<Call<Answer<Id>, IsWrite<Id>>> {
  const endpoint: Endpoint = ENDPOINTS[id];
  const isWrite = (endpoint.auth === "trade") as IsWrite<Id>;
  return composeCall(endpoint, { family: "open", endpoint: id, isPrivate: endpoint.auth !== "none", isWrite }, input);
}

/** The call that reads the venue's clock. */
export function openClockCall(): Call<ServerTime, false> {
  const call = openCall("time");
  if (!call.ok) throw new Error("the contract refuses its own time call");
  return call.value;
}

/** Loose, so that an id in the answer is not dropped. */
const CHECKED = validatedOrder.loose();

export class OpenApiClient extends ApiClient {
  readonly #listing = new OrderListing();

  /** @throws TypeError for a base URL, key or secret that cannot be right; the error does not show them. */
  constructor(options: ClientOptions) {
    super(options, openClockCall());
  }

  async time(options?: ReadOptions): Promise<Result<ServerTime>> {
    return this.read(openCall("time"), options);
  }

  async markets(options?: UrgentOptions): Promise<Result<readonly Market[]>> {
    const result = await this.read(openCall("markets"), options);
    return result.ok ? ok(result.value.markets) : result;
  }

  /** All markets when no symbols are given. */
  async tickers(symbols?: readonly string[], options?: ReadOptions): Promise<Result<readonly Ticker[]>> {
    if (symbols?.length === 0) return ok([]);
    const result = await this.read(openCall("tickers", { query: { symbols: symbols?.join(",") } }), options);
    return result.ok ? ok(result.value.tickers) : result;
  }

  async orderbook(symbol: string, depth?: number, options?: ReadOptions): Promise<Result<Orderbook>> {
    return this.read(openCall("orderbook", { params: { symbol }, query: { depth } }), options);
  }

  async trades(symbol: string, limit?: number, options?: ReadOptions): Promise<Result<readonly PublicTrade[]>> {
    const result = await this.read(openCall("trades", { params: { symbol }, query: { limit } }), options);
    return result.ok ? ok(result.value.trades) : result;
  }

  async candles(
    symbol: string,
    interval: CandleInterval,
    period: { readonly fromMs?: number; readonly toMs?: number } = {},
    options?: ReadOptions,
  ): Promise<Result<readonly Candle[]>> {
    const query = { interval, from: period.fromMs, to: period.toMs };
    const result = await this.read(openCall("candles", { params: { symbol }, query }), options);
    return result.ok ? ok(result.value.candles) : result;
  }

  async accounts(options?: UrgentOptions): Promise<Result<Accounts>> {
    return this.read(openCall("accounts"), options);
  }

  /** Open orders unless a state is given; newest first. */
  async orders(request: OrdersRequest = {}, options?: QueryOptions): Promise<Result<OrderPage>> {
    return this.#listing.page(request, ({ symbol, state, userref, fromMs, toMs, cursor, limit }) => {
      const query = { symbol, state, userref, from: fromMs, to: toMs, cursor, limit };
      return this.read(openCall("orders", { query }), options);
    });
  }

  /** Orders under a userref, newest first. */
  async lookup(name: NamedOrder, options?: QueryOptions) {
    return this.foundIn(await this.orders({ ...name, state: "all" }, options));
  }

  async order(symbol: string, orderId: string, options?: UrgentOptions): Promise<Result<Order>> {
    return this.read(
      openCall("order", { params: { symbol, uuid: orderId } }),
      options,
      (order) => order.uuid === orderId,
    );
  }

  /** Own fills, newest first. */
  async fills(request: FillsRequest = {}, options?: ReadOptions): Promise<Result<FillPage>> {
    const { symbol, fromMs, toMs, cursor, limit } = request;
    return this.read(openCall("fills", { query: { symbol, from: fromMs, to: toMs, cursor, limit } }), options);
  }

  /** A token for the private channels of the stream. */
  async streamToken(options?: ReadOptions): Promise<Result<Answer<"streamToken">>> {
    return this.read(openCall("streamToken"), options);
  }

  /**
   * Sends the order once and never again. A fault with `reachedVenue: unknown` means that the order may exist: look it up by
   * its userref before anything else.
   * @param beforeSend called with the nonce before the first byte leaves; when it resolves to false nothing is sent, and the fault
   * says `reachedVenue: no`
   */
  async submit(order: CreateOrderBody, beforeSend?: WriteOptions["beforeSend"]): Promise<Result<Order>> {
    const fault = validateOnlyFault(order);
    if (fault !== undefined) return failed(fault);
    const isOurs = (placed: Order): boolean =>
      placed.side === order.side && (order.userref === undefined || placed.userref === order.userref);
    return this.write(openCall("createOrder", { body: order }), { beforeSend }, isOurs);
  }

  /** Has the venue check an order without placing it. Sent once too: only the field `validate_only` makes it a check. */
  async validateOrder(order: CreateOrderBody): Promise<Result<{ readonly descr: { readonly order: string } }>> {
    const call = openCall("createOrder", { body: { ...order, validate_only: true } });
    if (!call.ok) return call;
    const result = await this.write(ok({ ...call.value, response: CHECKED }), {}, placedNothing);
    return result.ok ? ok({ descr: result.value.descr }) : result;
  }

  async cancel(symbol: string, orderId: string, beforeSend?: () => Promise<boolean>): Promise<Result<Order>> {
    const isThis = (order: Order): boolean => order.uuid === orderId;
    return this.write(
      openCall("cancelOrder", { params: { symbol, uuid: orderId } }),
      { urgent: true, beforeSend },
      isThis,
    );
  }

  /** Requests the cancel of all open orders, or those of one market. `deadlineMs` is how long it waits for its turn. */
  async cancelAll(
    symbol?: string,
    { deadlineMs }: Pick<UrgentOptions, "deadlineMs"> = {},
  ): Promise<Result<BatchCancel>> {
    return this.write(openCall("cancelBatch", { query: { symbol } }), { urgent: true, deadlineMs });
  }
}

type Read = (request: OrdersRequest) => Promise<Result<OrderPage>>;

export class OrderListing {
  /** Until the venue says otherwise. */
  #takesPeriod = true;

  /** @param read one page of the venue's list */
  async page(request: OrdersRequest, read: Read): Promise<Result<OrderPage>> {
    const { fromMs = 0, toMs = Number.POSITIVE_INFINITY } = request;
    const hasPeriod = request.fromMs !== undefined || request.toMs !== undefined;
    if (this.#takesPeriod || !hasPeriod) {
      const page = await read(request);
      if (page.ok || !hasPeriod || fromMs > toMs || !refusesPeriod(page.fault)) return page;
      this.#takesPeriod = false;
    }
    return withoutPeriod(request, read);
  }
}

function refusesPeriod({ code, field }: Fault): boolean {
  return code === "EGeneral:Invalid arguments" && (field === undefined || field === "from" || field === "to");
}

async function withoutPeriod(request: OrdersRequest, read: Read): Promise<Result<OrderPage>> {
  const { fromMs = 0, toMs = Number.POSITIVE_INFINITY, ...rest } = request;
  const timeOf = ({ created_at: at }: Order): number => Date.parse(at);
  for (let position = rest; ; ) {
    const page = await read(position);
    if (!page.ok) return page;
    const { orders, next_cursor: cursor } = page.value;
    const found = orders.filter((order) => timeOf(order) >= fromMs && timeOf(order) <= toMs);
    if (cursor === null || orders.some((order) => timeOf(order) < fromMs))
      return ok({ orders: found, next_cursor: null });
    // Pages newer than the period have none of it.
    if (found.length > 0) return ok({ orders: found, next_cursor: cursor });
    position = { ...rest, cursor };
  }
}
