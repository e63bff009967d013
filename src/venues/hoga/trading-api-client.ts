/**
 * The Trading API as methods: those of the Open API client that the desk needs, and `query` for every operation that changes
 * nothing. Reads are retried when that can help. An order or a cancel is one request, ever, and no answer to it means unknown.
 * Expected outcomes are returned as a `Result`; the only errors thrown are the caller's own abort, an error of its `beforeSend`,
 * and wrong options.
 *
 * Satisfies the desk's `Venue` by shape. The answer to an order, or to a cancel, has its id only.
 *
 * Source: service.md#trading-api, architecture.md#rule-1, architecture.md#rule-5; decision 0009.
 */
import {
  type Accounts,
  type AddedOrder,
  addedOrder,
  type BatchCancel,
  CANDLE_INTERVAL_MS,
  type Candle,
  type CandleInterval,
  type CreateOrderBody,
  checkedOrder,
  type FillPage,
  type FillsRequest,
  failed,
  LIMITS,
  localFault,
  type Market,
  type Order,
  type Orderbook,
  type OrderPage,
  type OrdersRequest,
  ok,
  orderPath,
  type PublicTrade,
  type Result,
  type ServerTime,
  type Ticker,
} from "../../contract/index.ts";
import type { QueryOptions, ReadOptions, UrgentOptions, WriteOptions } from "../../transport/index.ts";
import { ApiClient, type ClientOptions, type NamedOrder, placedNothing, validateOnlyFault } from "./api-client.ts";
import { invalidInput } from "./request/call.ts";
import {
  balanceOf,
  candleOf,
  fillOf,
  fillsIn,
  marketOf,
  orderOf,
  publicTradeOf,
  tickerOf,
} from "./trading/answer-view.ts";
import {
  orderCall,
  type TradingAnswer,
  type TradingFields,
  type TradingRead,
  tradingCall,
  tradingClockCall,
} from "./trading/operation-call.ts";
import { listOrders, periodFields } from "./trading/order-history.ts";

const MINUTE_MS = 60_000;

/** Loose, so that an id in the answer is not dropped. */
const CHECKED = checkedOrder.loose();

export class TradingApiClient extends ApiClient {
  /** The Trading API accepts no order without travel-rule metadata. */
  readonly needsCompliance = true;
  /** Read once: a key always belongs to the same account. */
  #accountId: string | undefined;

  /** @throws TypeError for a base URL, key or secret that cannot be right; the error does not show them. */
  constructor(options: ClientOptions) {
    super(options, tradingClockCall(), { cancel_timer: true });
  }

  /** Any operation that changes nothing, with the fields and the answer of the Trading API itself. */
  async query<Id extends TradingRead>(
    operation: Id,
    fields: TradingFields<Id> = {},
    options?: QueryOptions,
  ): Promise<Result<TradingAnswer<Id>>> {
    return this.read(tradingCall(operation, fields), options);
  }

  async time(options?: ReadOptions): Promise<Result<ServerTime>> {
    const result = await this.read(tradingCall("Time"), options);
    return result.ok ? ok({ iso: result.value.iso, unix_ms: result.value.unix_ms }) : result;
  }

  async markets(options?: UrgentOptions): Promise<Result<readonly Market[]>> {
    const result = await this.read(tradingCall("AssetPairs"), options);
    return result.ok ? ok(Object.entries(result.value).map(([symbol, pair]) => marketOf(symbol, pair))) : result;
  }

  /** All markets when no symbols are given. */
  async tickers(symbols?: readonly string[], options?: ReadOptions): Promise<Result<readonly Ticker[]>> {
    if (symbols?.length === 0) return ok([]);
    const result = await this.read(tradingCall("Ticker", { pair: symbols?.join(",") }), options);
    return result.ok ? ok(Object.entries(result.value).map(([symbol, ticker]) => tickerOf(symbol, ticker))) : result;
  }

  async orderbook(
    symbol: string,
    depth: number = LIMITS.bookDepthDefault,
    options?: ReadOptions,
  ): Promise<Result<Orderbook>> {
    const result = await this.read(tradingCall("Depth", { pair: symbol, count: String(depth) }), options, hasOneMarket);
    if (!result.ok) return result;
    const [[market, book] = ["", undefined]] = Object.entries(result.value);
    if (book === undefined) return failed(localFault("ELocal:Unreadable answer"));
    const levels = (rows: typeof book.asks): [string, string][] => rows.map(([price, volume]) => [price, volume]);
    const tick = { buys: levels(book.bids), asks: levels(book.asks) };
    return ok({ symbol: market, seq: book.seq, tick, time: book.time });
  }

  /** Newest first. */
  async trades(
    symbol: string,
    limit: number = LIMITS.pageSizeDefault,
    options?: ReadOptions,
  ): Promise<Result<readonly PublicTrade[]>> {
    const result = await this.read(tradingCall("Trades", { pair: symbol, count: String(limit) }), options);
    if (!result.ok) return result;
    const { last: _last, ...rows } = result.value;
    return ok(
      Object.entries(rows).flatMap(([market, trades]) => trades.map((row) => publicTradeOf(market, row)).toReversed()),
    );
  }

  /** Oldest first, the newest 500 of the period. */
  async candles(
    symbol: string,
    interval: CandleInterval,
    period: { readonly fromMs?: number; readonly toMs?: number } = {},
    options?: ReadOptions,
  ): Promise<Result<readonly Candle[]>> {
    const { start: since, end } = periodFields(period);
    const minutes = String(CANDLE_INTERVAL_MS[interval] / MINUTE_MS);
    const result = await this.read(tradingCall("OHLC", { pair: symbol, interval: minutes, since, end }), options);
    if (!result.ok) return result;
    const { last: _last, ...rows } = result.value;
    return ok(Object.values(rows).flat().slice(-LIMITS.candlesMax).map(candleOf));
  }

  async accounts(options?: UrgentOptions): Promise<Result<Accounts>> {
    if (this.#accountId === undefined) {
      const whose = await this.read(tradingCall("TradeVolume"), options);
      if (!whose.ok) return whose;
      this.#accountId = whose.value.account_id;
    }
    const result = await this.read(tradingCall("BalanceEx"), options);
    if (!result.ok) return result;
    const balances = Object.entries(result.value).map(([asset, row]) => balanceOf(asset, row));
    return ok({ account_id: this.#accountId, balances });
  }

  /** Open orders unless a state is given; newest first. */
  async orders(request: OrdersRequest = {}, options?: QueryOptions): Promise<Result<OrderPage>> {
    return listOrders((id, fields) => this.read(tradingCall(id, fields), options), request);
  }

  /** Orders under a userref, newest first. */
  async lookup(name: NamedOrder, options?: QueryOptions) {
    return this.foundIn(await this.orders({ ...name, state: "all" }, options));
  }

  /** Reads one order with its trades, oldest first. */
  async order(symbol: string, orderId: string, options?: UrgentOptions): Promise<Result<Order>> {
    const isThis = (rows: TradingAnswer<"QueryOrders">): boolean => rows[orderId] !== undefined;
    const fields = { txid: orderId, pair: symbol, trades: "true" };
    const result = await this.read(tradingCall("QueryOrders", fields), options, isThis);
    if (!result.ok) return result;
    const row = result.value[orderId];
    if (row === undefined) return failed(localFault("ELocal:Unreadable answer"));
    return ok({ ...orderOf(orderId, row), trades: (row.executions ?? []).map(fillOf) });
  }

  /** Own fills, newest first. */
  async fills(request: FillsRequest = {}, options?: ReadOptions): Promise<Result<FillPage>> {
    const { symbol, cursor, limit, ...period } = request;
    const fields = { pair: symbol, cursor, limit: limit?.toString(), without_count: "true", ...periodFields(period) };
    const result = await this.read(tradingCall("TradesHistory", fields), options);
    if (!result.ok) return result;
    return ok({ trades: fillsIn(result.value.trades), next_cursor: result.value.next_cursor });
  }

  /** A token for the private channels of the stream. */
  async streamToken(options?: ReadOptions): Promise<Result<{ readonly token: string; readonly expires_at: string }>> {
    const result = await this.read(tradingCall("GetWebSocketsToken"), options);
    return result.ok ? ok({ token: result.value.token, expires_at: result.value.expires_at }) : result;
  }

  /**
   * Sends the order once and never again. A fault with `reachedVenue: unknown` means that the order may exist: look it up by
   * its userref before anything else.
   * @param beforeSend called with the nonce before the first byte leaves; when it resolves to false nothing is sent, and the fault
   * says `reachedVenue: no`
   */
  async submit(order: CreateOrderBody, beforeSend?: WriteOptions["beforeSend"]): Promise<Result<AddedOrder>> {
    const fault = validateOnlyFault(order);
    if (fault !== undefined) return failed(fault);
    const call = orderCall(order);
    if (!call.ok) return call;
    const isOurs = ({ orderId, txid, descr }: AddedOrder): boolean =>
      txid[0] === orderId && descr.order.startsWith(`${order.side} `);
    return this.write(ok({ ...call.value, response: addedOrder }), { beforeSend }, isOurs);
  }

  /** Has the venue check an order without placing it. Sent once too: only the field `validate` makes it a check. */
  async validateOrder(order: CreateOrderBody): Promise<Result<{ readonly descr: { readonly order: string } }>> {
    const call = orderCall(order, { validate: "true" });
    if (!call.ok) return call;
    const result = await this.write(ok({ ...call.value, response: CHECKED }), {}, placedNothing);
    return result.ok ? ok({ descr: result.value.descr }) : result;
  }

  /** Requests the cancel of one order. `order` then shows how it ended. */
  async cancel(
    symbol: string,
    orderId: string,
    beforeSend?: () => Promise<boolean>,
  ): Promise<Result<TradingAnswer<"CancelOrder">>> {
    // The operation also takes a userref, which may stand for several orders.
    const fault = invalidInput(orderPath.pick({ uuid: true }), { uuid: orderId });
    if (fault !== undefined) return failed(fault);
    const isThis = ({ txid }: TradingAnswer<"CancelOrder">): boolean => txid.length === 1 && txid[0] === orderId;
    return this.write(
      tradingCall("CancelOrder", { txid: orderId, pair: symbol }),
      { urgent: true, beforeSend },
      isThis,
    );
  }

  /** Requests the cancel of all open orders, or those of one market. `deadlineMs` is how long it waits for its turn. */
  async cancelAll(
    symbol?: string,
    { deadlineMs }: Pick<UrgentOptions, "deadlineMs"> = {},
  ): Promise<Result<BatchCancel>> {
    const result = await this.write(tradingCall("CancelAll", { pair: symbol }), { urgent: true, deadlineMs });
    return result.ok ? ok({ requested: result.value.txid, failed: [] }) : result;
  }

  /** The exchange cancels all open orders after that many seconds, unless this is called again before. 0 disarms. */
  async setCancelTimer(seconds: number): Promise<Result<{ readonly fires_at: string | null }>> {
    const result = await this.write(tradingCall("CancelAllOrdersAfter", { timeout: String(seconds) }), {
      urgent: true,
    });
    if (!result.ok) return result;
    const { triggerTime } = result.value;
    return ok({ fires_at: triggerTime === "0" ? null : triggerTime });
  }
}

function hasOneMarket(result: object): boolean {
  return Object.keys(result).length === 1;
}
