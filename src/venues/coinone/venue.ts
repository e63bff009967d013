/**
 * Coinone, as the desk trades there. An order and a cancel are one request, ever, and no answer to it means unknown; reads are retried.
 * Satisfies the desk's `Venue` by shape.
 *
 * An order is known by its `user_order_id`, which counts once in an account whatever became of it. That there is none proves nothing: a request may
 * still be on its way, and nothing in it says when it runs out.
 *
 * Source: SOURCES.md, architecture.md#rule-1, architecture.md#rule-5.
 */
import { randomUUID } from "node:crypto";
import type { CandleInterval, CreateOrderBody, FillsRequest, Market, OrdersRequest } from "../../contract/index.ts";
import { defined, ok, type Result } from "../../contract/index.ts";
import type { QueryOptions, ReadOptions, UrgentOptions } from "../../transport/index.ts";
import { type CandlePeriod, within } from "../candle-pages.ts";
import { FillHistory } from "../fill-history.ts";
import type { BeforeSend, Deadline, FoundOrders, GroupedVenueOptions } from "../grouped-venue.ts";
import { BEHIND, cannotSay, GroupedVenue, invalid, Pasts, pageFound } from "../grouped-venue.ts";
import { isZero } from "../shown-number.ts";
import type { StreamSource } from "../stream-protocol.ts";
import type { GroupCall } from "../venue-calls.ts";
import * as answers from "./answers.ts";
import { CALLS, FILLS, venueCall } from "./calls.ts";
import { CARD, HISTORY_DAYS } from "./card.ts";
import { marketsOf, withFees, withUnits } from "./markets.ts";
import { NAME, placement } from "./placement.ts";
import { GROUPS, limitsIn } from "./rates.ts";
import { CoinoneKey } from "./sign.ts";
import { coinoneStream } from "./stream.ts";

const { orderOf, pairOf, QUOTE, symbolOf } = answers;

export type CoinoneOptions = GroupedVenueOptions;

const TAKEN_MAX = 20_000;
/** Rounds in which what a cancel of all has left open is canceled by its ids. */
const CANCEL_ROUNDS = 3;
/** Visible characters of an address: an id of its own. */
const ID = /^[\w.-]{1,64}$/;

export class CoinoneVenue extends GroupedVenue<typeof CARD> {
  readonly streaming: StreamSource;
  readonly #days: number;
  /** Names that it has answered with an order's id. */
  readonly #taken = new Set<string>();
  /** Markets in which an order was sent, whatever became of it: a list may not show it yet. */
  readonly #tradedIn = new Set<string>();
  readonly #pasts = new Pasts((options) => this.#history(options));

  /** @throws TypeError for a base URL, key or secret that cannot be right; the error does not show them */
  constructor({ credentials, historyDays = HISTORY_DAYS, uuid = randomUUID, ...options }: CoinoneOptions) {
    const key = credentials === undefined ? undefined : new CoinoneKey(credentials, uuid);
    super(CARD, options, { credentials: key, groups: GROUPS, limitsIn, wire: venueCall });
    this.#days = historyDays;
    this.streaming = coinoneStream({
      ...{ baseUrl: options.baseUrl, key, now: this.now, trades: (symbol, limit) => this.trades(symbol, limit) },
      markets: () => this.shown(CALLS.markets(), {}, (told) => marketsOf(told).map(({ symbol }) => symbol)),
    });
  }

  /** The date of an answer, in whole seconds. */
  async time(options?: ReadOptions) {
    return this.timeBy(CALLS.units(pairOf(`BTC/${QUOTE}`)), options);
  }

  /** With ticks by the documents' example, and fees assumed: `rules` asks for those of one market. */
  async markets(options?: UrgentOptions): Promise<Result<readonly Market[]>> {
    return this.shown(CALLS.markets(), options, marketsOf);
  }

  async rules(market: Market): Promise<Result<Market>> {
    const pair = pairOf(market.symbol);
    const fees = () => this.read(CALLS.fees(pair));
    return this.keptRules(market, () => ({
      ticks: this.read(CALLS.units(pair)),
      fees,
      withTicks: withUnits,
      withFees,
    }));
  }

  async tickers(symbols?: readonly string[], options?: ReadOptions) {
    const [first, ...more] = symbols ?? [];
    if (symbols !== undefined && first === undefined) return ok([]);
    const call = first === undefined || more.length > 0 ? CALLS.tickers() : CALLS.ticker(pairOf(first));
    return this.shown(call, options, ({ tickers }) =>
      tickers
        .map((each) => answers.tickerOf(each, this.now()))
        .filter(({ symbol }) => symbols?.includes(symbol) ?? true),
    );
  }

  /** At most 16 levels of a side. */
  async orderbook(symbol: string, depth = 16, options?: ReadOptions) {
    return this.shown(CALLS.book(pairOf(symbol), depth), options, (book) =>
      answers.bookOf(symbol, book, depth, this.now()),
    );
  }

  /** At most 200. */
  async trades(symbol: string, limit = 100, options?: ReadOptions) {
    return this.shown(CALLS.trades(pairOf(symbol), limit), options, ({ transactions }) =>
      transactions.slice(0, limit).map((each) => answers.tradeOf(symbol, each)),
    );
  }

  /** Oldest first, of the newest 500 intervals. It lists those without a trade too, which are left out. */
  async candles(symbol: string, interval: CandleInterval, period: CandlePeriod = {}, options?: ReadOptions) {
    const last = Number.isFinite(period.toMs) ? Math.floor(period.toMs ?? 0) : undefined;
    return this.shown(CALLS.candles(pairOf(symbol), interval, last), options, ({ chart }) =>
      within(chart.map(answers.candleOf), period).filter(({ volume }) => !isZero(volume)),
    );
  }

  async accounts(options?: UrgentOptions) {
    return this.holding(CALLS.balances(), options, answers.balancesOf);
  }

  /** Open ones unless a state is given. By a name it is looked up. */
  async orders(request: OrdersRequest = {}, options: QueryOptions = {}) {
    const { userref, symbol, ...rest } = request;
    if (userref !== undefined) return pageFound(await this.lookup({ userref, ...defined({ symbol }) }, options));
    return this.#pasts.of(options).orders({ ...rest, ...defined({ symbol }) });
  }

  async order(symbol: string, orderId: string, options?: UrgentOptions) {
    if (!ID.test(orderId)) return invalid("orderId");
    return this.shown(CALLS.order(orderId, pairOf(symbol)), options, ({ order }) =>
      orderOf(order, { symbol, readAtMs: this.now() }),
    );
  }

  /**
   * That there is none is the exchange's own word; it covers every state, and proves nothing of a request on its way. An order is looked up in its
   * market.
   */
  async lookup(
    { userref, symbol }: { readonly userref: string; readonly symbol?: string },
    options?: QueryOptions,
  ): Promise<Result<FoundOrders>> {
    if (!NAME.is.test(userref)) return invalid("userref");
    if (symbol === undefined) return cannotSay("Coinone looks an order up in its market alone: give the symbol.");
    const answer = await this.shown(CALLS.orderNamed(userref, pairOf(symbol)), options, ({ order }) =>
      orderOf(order, { symbol, userref, readAtMs: this.now() }),
    );
    if (answer.ok && answer.value.symbol !== symbol)
      return cannotSay("Coinone answered with an order of another market.");
    const found = this.lookedUp(answer, userref, (status) => status < 300);
    if (found.ok && found.value.kind === "none" && this.#taken.has(userref))
      return cannotSay("Coinone has taken this order, and does not find it now.");
    return found;
  }

  /** Own fills, newest first. */
  async fills(request: FillsRequest = {}, { background = false }: ReadOptions = {}) {
    return this.#pasts.of(background ? BEHIND : {}).fills(request);
  }

  /**
   * Sends the order once and never again.
   * @param beforeSend called before the first byte leaves; when it resolves to false nothing is sent
   */
  async submit(order: CreateOrderBody, beforeSend?: BeforeSend): Promise<Result<{ readonly orderId: string }>> {
    const fields = placement(order);
    if (!fields.ok) return fields;
    this.#tradedIn.add(symbolOf(fields.value));
    const answer = await this.write(CALLS.place(fields.value), { beforeSend });
    if (!answer.ok) return answer;
    if (order.userref !== undefined && this.#taken.size < TAKEN_MAX) this.#taken.add(order.userref);
    return ok({ orderId: answer.value.order_id });
  }

  /** Its answer says what was canceled, and nothing of the order's state. */
  async cancel(symbol: string, orderId: string, beforeSend?: BeforeSend) {
    if (!ID.test(orderId)) return invalid("orderId");
    return this.taken(CALLS.cancel(orderId, pairOf(symbol)), { urgent: true, beforeSend });
  }

  /** One request for each market with an open order, or in which one was sent; then one for each order that it has left open. */
  async cancelAll(symbol?: string, { deadlineMs }: Deadline = {}) {
    const urgent = { urgent: true, ...defined({ deadlineMs }) };
    const requested = new Set<string>();
    const refused = new Map<string, string>();
    const unheard: Result<never>[] = [];
    const ask = async <T>(call: GroupCall<T, true>, ids: readonly string[]): Promise<void> => {
      const answer = await this.write(call, urgent);
      for (const id of ids) if (answer.ok) requested.add(id);
      if (answer.ok) return;
      if (answer.fault.reachedVenue === "unknown") unheard.push(answer);
      else for (const id of ids) refused.set(id, answer.fault.code);
    };
    const listed = await this.#open(symbol, urgent);
    const sent = symbol === undefined ? [...this.#tradedIn] : [symbol];
    // A list that cannot be had holds up no cancel of a market that is known.
    if (!listed.ok && sent.length === 0) return listed;
    const open = listed.ok ? listed.value : [];
    const markets = [...new Set([...sent, ...open.map((order) => order.symbol)])];
    const of = (market: string) => open.filter(({ symbol: own }) => own === market).map(({ orderId }) => orderId);
    await Promise.all(markets.map((market) => ask(CALLS.cancelMarket(pairOf(market)), of(market))));
    for (let round = 0; round < CANCEL_ROUNDS; round++) {
      const left = await this.#open(symbol, urgent);
      // What was canceled is known without it.
      if (!left.ok || left.value.length === 0) break;
      await Promise.all(left.value.map(({ orderId: id, symbol: own }) => ask(CALLS.cancel(id, pairOf(own)), [id])));
    }
    const [untold] = unheard;
    if (untold !== undefined) return untold;
    const failures = [...refused].filter(([uuid]) => !requested.has(uuid));
    return ok({ requested: [...requested], failed: failures.map(([uuid, error]) => ({ uuid, error })) });
  }

  async #open(symbol: string | undefined, options: QueryOptions) {
    const call = CALLS.active(symbol === undefined ? undefined : pairOf(symbol));
    return this.shown(call, options, ({ active_orders: orders }) =>
      orders.map((order) => orderOf(order, { readAtMs: this.now() })),
    );
  }

  #history(options: QueryOptions): FillHistory {
    return new FillHistory(
      {
        nowMs: this.now,
        open: (symbol) => this.#open(symbol, options),
        fills: ({ symbol, fromMs, toMs }, size, beforeId) => {
          const pair = symbol === undefined ? undefined : pairOf(symbol);
          const call = CALLS.fills(pair, Math.floor(fromMs), Math.floor(toMs), size, beforeId);
          return this.shown(call, options, ({ completed_orders: fills }) => fills.map(answers.fillOf));
        },
        order: (symbol, orderId) => this.order(symbol, orderId, options),
      },
      { ...FILLS, days: this.#days },
    );
  }
}
