/**
 * Queries: market data and the account. Every answer names the market as the service does; account answers carry
 * environment and account.
 */
import {
  type Candle,
  type CandleInterval,
  type Market,
  type Orderbook,
  type OrderPage,
  type OrdersRequest,
  ok,
  type PublicTrade,
  type Result,
  type Ticker,
} from "../../contract/index.ts";
import { averagePrice, type Notional, notional, notionalOf, price, quantity } from "../../decimal/index.ts";
import { withTimeout } from "../core/attempt.ts";
import type { DeskContext, ReadingParts } from "../core/context.ts";
import { approvalOutlook } from "../market/approval-outlook.ts";
import { currentBook } from "../market/current-book.ts";
import { currentTrades } from "../market/recent-trades.ts";
import type { ApprovalOutlook, ApprovalRequest } from "../model/approval-request.ts";
import type { PolicyInForce } from "../model/policy.ts";
import type { BalancesView, BookView, FillsQuery, FillView, Stamp, ValuedBalance } from "../model/reports.ts";
import { searchMarkets } from "../model/symbol.ts";
import type { HistoryReader } from "../portfolio/history-reader.ts";
import { periodTotals } from "../portfolio/period-totals.ts";
import type { StreamListener, StreamTopic, StreamWatch } from "../ports/market-stream.ts";
import type { OrdersOptions } from "../ports/venue.ts";
import type { OrderTracker } from "../reconciliation/order-tracker.ts";
import { policyInForce } from "../risk/policy-view.ts";

const SHOWN_MAX_AGE_MS = 1_000;
/** Bounds how long the sheet of an order that waits is held up by the price of now. */
const OUTLOOK_MS = 500;

type Asked = Pick<ApprovalRequest, "order" | "price_seen">;

export class MarketAndAccount {
  readonly #context: DeskContext;
  readonly #tracker: OrderTracker;
  readonly #history: HistoryReader;

  constructor(context: DeskContext, tracker: OrderTracker, history: HistoryReader) {
    this.#context = context;
    this.#tracker = tracker;
    this.#history = history;
  }

  get #parts(): ReadingParts {
    return this.#context.parts;
  }

  async markets(search?: string): Promise<Result<readonly Market[]>> {
    const markets = await this.#context.markets();
    return markets.ok ? ok(searchMarkets(markets.value, search)) : markets;
  }

  async tickers(symbols?: readonly string[]): Promise<Result<readonly Ticker[]>> {
    const { venue } = this.#parts;
    if (symbols === undefined || symbols.length === 0) return venue.tickers();
    const resolved: string[] = [];
    for (const text of symbols) {
      const market = await this.#context.market(text, "taken");
      if (!market.ok) return market;
      resolved.push(market.value.symbol);
    }
    return venue.tickers(resolved);
  }

  async orderbook(symbol: string, depth?: number, followed?: "followed"): Promise<Result<BookView>> {
    const market = await this.#context.market(symbol, "taken");
    if (!market.ok) return market;
    const name = market.value.symbol;
    const book = await (followed ? this.#followedBook(name) : this.#parts.venue.orderbook(name, depth));
    if (!book.ok) return book;
    const { buys, asks } = book.value.tick;
    return ok(bookView({ ...book.value, tick: { buys: buys.slice(0, depth), asks: asks.slice(0, depth) } }));
  }

  async #followedBook(symbol: string): Promise<Result<Orderbook>> {
    const book = await currentBook(this.#context, symbol, this.#bookMaxAgeMs);
    if (!book.ok) return book;
    const { atMs: _, ...shown } = book.value;
    return ok(shown);
  }

  /**
   * Bounds the age of what is only looked at, however little the policy takes an order to be judged by: else the venue would be asked for
   * every change.
   */
  get #bookMaxAgeMs(): number {
    const policy = this.#parts.policy.read();
    return Math.max(policy.ok ? policy.value.bookMaxAgeMs : 0, SHOWN_MAX_AGE_MS);
  }

  async policy(): Promise<Result<PolicyInForce>> {
    const { policy: source, isPractice, venue } = this.#parts;
    // Whether the venue is a sandbox decides what holds where the file says nothing.
    if (isPractice !== undefined && isPractice() === undefined) await venue.time();
    const policy = source.read();
    return policy.ok ? ok(policyInForce(policy.value)) : policy;
  }

  async watch(topic: StreamTopic, onChange: StreamListener): Promise<Result<StreamWatch>> {
    const { stream: live } = this.#parts;
    if (!("symbol" in topic)) return ok(live?.watch(topic, onChange) ?? UNWATCHED);
    const market = await this.#context.market(topic.symbol, "taken");
    if (!market.ok) return market;
    return ok(live?.watch({ ...topic, symbol: market.value.symbol }, onChange) ?? UNWATCHED);
  }

  async trades(symbol: string, limit?: number, followed?: "followed"): Promise<Result<readonly PublicTrade[]>> {
    const market = await this.#context.market(symbol, "taken");
    if (!market.ok) return market;
    if (!followed) return this.#parts.venue.trades(market.value.symbol, limit);
    const trades = await currentTrades(this.#context, market.value.symbol, this.#bookMaxAgeMs);
    return trades.ok ? ok(trades.value.slice(0, limit)) : trades;
  }

  async outlook(request: Asked): Promise<ApprovalOutlook | undefined> {
    const outlook = await withTimeout(this.#parts.clock, OUTLOOK_MS, this.#outlook(request));
    return outlook?.ok === true ? outlook.value : undefined;
  }

  async #outlook(request: Asked): Promise<Result<ApprovalOutlook>> {
    const market = await this.#context.market(request.order.symbol, "taken");
    if (!market.ok) return market;
    const book = await this.#followedBook(market.value.symbol);
    return book.ok ? ok(approvalOutlook(market.value, request, bookView(book.value))) : book;
  }

  async candles(
    symbol: string,
    interval: CandleInterval,
    period: { readonly fromMs?: number; readonly toMs?: number } = {},
  ): Promise<Result<readonly Candle[]>> {
    const market = await this.#context.market(symbol, "taken");
    return market.ok ? this.#parts.venue.candles(market.value.symbol, interval, period) : market;
  }

  async balances(): Promise<Result<BalancesView>> {
    const accounts = await this.#parts.venue.accounts();
    if (!accounts.ok) return accounts;
    await this.#context.setAccount(accounts.value.account_id);
    const tickers = await this.#parts.venue.tickers();
    if (!tickers.ok) return tickers;
    let total = notional("0");
    const balances: ValuedBalance[] = [];
    for (const balance of accounts.value.balances) {
      const value = worthOf(balance.asset, balance.total, { tickers: tickers.value, unit: this.#context.unit });
      if (value !== undefined) total = total.plus(value);
      balances.push({ ...balance, unsettled: balance.unsettled ?? null, value: value?.toString() ?? null });
    }
    return ok({ balances, value: total.toString(), ...this.#context.stamp() });
  }

  /** @param options `background`: nobody waits for this page */
  async orders(
    request: OrdersRequest,
    options?: Pick<OrdersOptions, "background">,
  ): Promise<Result<OrderPage & Stamp>> {
    const symbol = await this.#context.symbol(request.symbol);
    if (!symbol.ok) return symbol;
    const account = await this.#context.seenAccount();
    if (!account.ok) return account;
    const page = await this.#parts.venue.orders(withSymbol(request, symbol.value), options);
    if (!page.ok) return page;
    await this.#tracker.record(page.value.orders);
    return ok({ ...page.value, ...this.#context.stamp() });
  }

  async fills({
    withTotals = false,
    background = false,
    onProgress,
    ...request
  }: FillsQuery): Promise<Result<FillView>> {
    const symbol = await this.#context.symbol(request.symbol);
    if (!symbol.ok) return symbol;
    const account = await this.#context.seenAccount();
    if (!account.ok) return account;
    const wanted = withSymbol(request, symbol.value);
    const page = await this.#parts.venue.fills(wanted, { background });
    if (!page.ok) return page;
    const asked = { context: this.#context, history: this.#history, request: wanted, onProgress };
    const totalled = withTotals ? await periodTotals(asked, page.value) : { warnings: [] };
    return ok({ ...page.value, ...totalled, ...this.#context.stamp() });
  }
}

const UNWATCHED: StreamWatch = { live: false, close: () => undefined };

function bookView(book: Orderbook): BookView {
  const bid = book.tick.buys[0]?.[0] ?? null;
  const ask = book.tick.asks[0]?.[0] ?? null;
  const both = bid !== null && ask !== null;
  return {
    ...book,
    best_bid: bid,
    best_ask: ask,
    mid: both ? midOf(bid, ask) : null,
    spread: both ? price(ask).minus(price(bid)).toString() : null,
  };
}

function withSymbol<R extends { readonly symbol?: string }>(request: R, symbol: string | undefined): R {
  return symbol === undefined ? request : { ...request, symbol };
}

/** Halfway between the best prices: their sum over two, exact. */
function midOf(bid: string, ask: string): string {
  const sum = notionalOf(price(bid), quantity("1")).plus(notionalOf(price(ask), quantity("1")));
  return averagePrice(sum, quantity("2"), 9, "half_even").toString();
}

/** Worth in the unit of account at the last price, floored to a whole unit of 1e-8; undefined where there is no market in it. */
function worthOf(
  asset: string,
  total: string,
  { tickers, unit }: { readonly tickers: readonly Ticker[]; readonly unit: string },
): Notional | undefined {
  if (asset === unit) return notional(total);
  const last = tickers.find((ticker) => ticker.symbol === `${asset}/${unit}`)?.last;
  return last === undefined || last === null ? undefined : notionalOf(price(last), quantity(total));
}
