/**
 * Bithumb, as the desk trades there. An order and a cancel are one request, ever, and no answer to it means unknown; reads are retried.
 * Satisfies the desk's `Venue` by shape.
 *
 * An order is known by its `client_order_id`. That there is none proves nothing: a request may still be on its way, and nothing in it says when it
 * runs out. An id that is seen again is answered with the first order, or refused: neither is taken for news of this order.
 *
 * Source: SOURCES.md, architecture.md#rule-1, architecture.md#rule-5.
 */
import { randomUUID } from "node:crypto";
import type {
  BatchCancel,
  Candle,
  CreateOrderBody,
  Fault,
  KeyFacts,
  Market,
  Order,
  ServerTime,
} from "../../contract/index.ts";
import {
  type CandleInterval,
  defined,
  type FillsOptions,
  type FillsRequest,
  failed,
  localFault,
  type OrdersRequest,
  ok,
  type Result,
  type Ticker,
  venueFault,
} from "../../contract/index.ts";
import type { QueryOptions, ReadOptions, UrgentOptions, WriteOptions } from "../../transport/index.ts";
import { systemClock } from "../../transport/index.ts";
import { candlesIn } from "../candle-pages.ts";
import { EVERYWHERE, type FoundOrders, GroupedVenue, type GroupedVenueOptions, pageFound } from "../grouped-venue.ts";
import { balancesOf, bookOf, marketOf, tickerOf, tradeOf } from "../quote-first-answers.ts";
import { marketsOf, withChance } from "../quote-first-markets.ts";
import { DUPLICATE, UNKNOWN } from "../refusals.ts";
import type { StreamSource } from "../stream-protocol.ts";
import type { TextKey } from "../text-key.ts";
import { WindowedHistory } from "../windowed-history.ts";
import { orderOf } from "./answers.ts";
import { CALLS, type Call, isPlain, TICKERS_AT_ONCE, venueCall } from "./calls.ts";
import { CARD, HISTORY_DAYS } from "./card.ts";
import { isNoOrder, isNotReady } from "./errors.ts";
import { FACTS, QUOTE } from "./markets.ts";
import { isName, isOrderId, placement } from "./placement.ts";
import { GROUPS, limitsIn } from "./rates.ts";
import { bithumbKey } from "./sign.ts";
import { bithumbStream } from "./stream.ts";

export type BithumbOptions = GroupedVenueOptions;

const UNITS = {
  ...{ "1m": "minutes/1", "5m": "minutes/5", "15m": "minutes/15", "1h": "minutes/60", "4h": "minutes/240" },
  "1d": "days",
};
/** Pages of open orders that are read at most: no account has so many. */
const OPEN_PAGES_MAX = 100;
/** Rounds of a cancel of all orders: after each it is looked what is still open. */
const CANCEL_ROUNDS = 5;
/** Until an order that was not ready to be canceled is asked for again. */
const NOT_READY_MS = 1_000;
/** An order that was made so long before its request is another's. */
const OLDER_MS = 60_000;
const KOREA_MS = 9 * 3_600_000;

export class BithumbVenue extends GroupedVenue<typeof CARD> {
  readonly streaming: StreamSource;
  readonly #key: TextKey | undefined;
  readonly #uuid: () => string;
  readonly #historyDays: number;
  readonly #pause: (ms: number) => Promise<void>;
  readonly #past: WindowedHistory;
  readonly #pastBehind: WindowedHistory;

  /** @throws TypeError for a base URL, key or secret that cannot be right; the error does not show them */
  constructor({ credentials, historyDays = HISTORY_DAYS, uuid = randomUUID, ...options }: BithumbOptions) {
    const key = credentials === undefined ? undefined : bithumbKey(credentials);
    const { clock = systemClock } = options;
    super(CARD, options, { credentials: key, groups: GROUPS, limitsIn });
    this.#key = key;
    this.#uuid = uuid;
    const { baseUrl } = options;
    const trades: StreamSource["trades"] = (symbol, limit) => this.trades(symbol, limit);
    this.streaming = bithumbStream({ baseUrl, key, uuid, trades, now: this.now });
    this.#historyDays = historyDays;
    this.#pause = (ms) => clock.sleep(ms);
    this.#past = this.#history({});
    this.#pastBehind = this.#history({ background: true });
  }

  /** The date of an answer, in whole seconds. */
  async time(options?: ReadOptions): Promise<Result<ServerTime>> {
    return this.timeBy(venueCall(CALLS.tickers([`${QUOTE}-BTC`]), this.#uuid), options);
  }

  /** With ticks by the table, and minimum and fees assumed: `rules` asks for those of one market. */
  async markets(options?: UrgentOptions): Promise<Result<readonly Market[]>> {
    const listed = await this.#read(CALLS.markets(), options);
    if (!listed.ok) return listed;
    const prices = await this.tickers(marketsOf(listed.value, FACTS, () => null).map(({ symbol }) => symbol));
    const last = new Map(prices.ok ? prices.value.map((ticker) => [ticker.symbol, ticker.last]) : []);
    return ok(marketsOf(listed.value, FACTS, (symbol) => last.get(symbol) ?? null));
  }

  /** Ticks stay those of the table, as the exchange has no call for them. */
  async rules(market: Market): Promise<Result<Market>> {
    if (this.keyId === undefined) return ok(market);
    return this.keptRules(market.symbol, async () => {
      const chance = await this.#read(CALLS.chance(marketOf(market.symbol)));
      return chance.ok ? ok(withChance(market, chance.value)) : chance;
    });
  }

  async tickers(symbols?: readonly string[], options?: ReadOptions): Promise<Result<readonly Ticker[]>> {
    const listed = symbols === undefined ? await this.#read(CALLS.markets(), options) : undefined;
    if (listed?.ok === false) return listed;
    const names = symbols?.map(marketOf) ?? marketsOf(listed?.value ?? [], FACTS, () => null).map(nameOf);
    const parts = names.flatMap((_, at) => (at % TICKERS_AT_ONCE === 0 ? [names.slice(at, at + TICKERS_AT_ONCE)] : []));
    const answers = await Promise.all(parts.map((part) => this.#read(CALLS.tickers(part), options)));
    const found: Ticker[] = [];
    for (const answer of answers) {
      if (!answer.ok) return answer;
      found.push(...answer.value.map((each) => tickerOf(each, this.now())));
    }
    return ok(found);
  }

  async orderbook(symbol: string, depth = 20, options?: ReadOptions) {
    const book = await this.#read(CALLS.book(marketOf(symbol)), options);
    if (!book.ok) return book;
    const [only] = book.value;
    return only === undefined ? failed(localFault("ELocal:Unreadable answer")) : ok(bookOf(only, depth, this.now()));
  }

  async trades(symbol: string, limit = 100, options?: ReadOptions) {
    return this.#mapped(CALLS.trades(marketOf(symbol), limit), options, (found) =>
      found.map((each) => tradeOf(symbol, each)),
    );
  }

  /** Oldest first. */
  async candles(
    symbol: string,
    interval: CandleInterval,
    period: { readonly fromMs?: number; readonly toMs?: number } = {},
    options?: ReadOptions,
  ): Promise<Result<readonly Candle[]>> {
    return candlesIn(period, (count, beforeMs) => {
      const before = beforeMs === undefined ? undefined : koreanSecond(beforeMs);
      return this.#read(CALLS.candles(UNITS[interval], marketOf(symbol), count, before), options);
    });
  }

  async accounts(options?: UrgentOptions) {
    return this.#mapped(CALLS.accounts(), options, (held) => ({
      account_id: this.account,
      balances: balancesOf(held),
    }));
  }

  /** It tells when each key of the account ends, and nothing of their rights. */
  async keyFacts(): Promise<Result<KeyFacts>> {
    const key = this.#key;
    return this.#read(CALLS.keys((name) => key?.isNamed(name) === true));
  }

  /** Open ones unless a state is given. By a name it is looked up. */
  async orders(request: OrdersRequest = {}, options: QueryOptions = {}) {
    const { userref, ...rest } = request;
    if (userref !== undefined) return pageFound(await this.lookup({ userref }, options));
    return (Object.keys(options).length === 0 ? this.#past : this.#history(options)).orders(rest);
  }

  async order(_symbol: string, orderId: string, options?: UrgentOptions): Promise<Result<Order>> {
    if (!isOrderId(orderId)) return failed(localFault("ELocal:Invalid input", { field: "orderId" }));
    const call = { ...CALLS.order(orderId), matches: ({ uuid }: { readonly uuid: string }) => uuid === orderId };
    return this.#mapped(call, options, (order) => orderOf(order, this.now()));
  }

  /** That there is none is the exchange's own word; it covers every state, and proves nothing of a request on its way. */
  async lookup({ userref }: { readonly userref: string }, options?: QueryOptions): Promise<Result<FoundOrders>> {
    if (!isName(userref)) return failed(localFault("ELocal:Invalid input", { field: "userref" }));
    const answer = await this.#read(CALLS.orderNamed(userref), options);
    if (!answer.ok) return withoutOrder(answer.fault, this.now());
    const order = orderOf({ ...answer.value, identifier: answer.value.identifier ?? userref }, this.now());
    if (order.userref === userref) return ok({ kind: "found", item: [order] });
    return ok({ kind: "cannot_say", why: "Bithumb answered with an order of another name." });
  }

  /** Own fills, of the orders that are listed: each order with any is one call. */
  async fills(request: FillsRequest = {}, { background = false, known }: FillsOptions = {}) {
    return (background ? this.#pastBehind : this.#past).fills(request, known);
  }

  /**
   * Sends the order once and never again. Answered with its id alone.
   * @param beforeSend called before the first byte leaves; when it resolves to false nothing is sent
   */
  async submit(
    order: CreateOrderBody,
    beforeSend?: WriteOptions["beforeSend"],
  ): Promise<Result<{ readonly orderId: string }>> {
    const fields = placement(order);
    if (!fields.ok) return fields;
    const { market, side, client_order_id: name } = fields.value;
    const sentAtMs = this.now();
    const answer = await this.#write(
      {
        ...CALLS.place(fields.value),
        matches: (placed) =>
          (placed.market ?? market) === market &&
          (placed.side ?? side) === side &&
          (placed.client_order_id || name) === name,
      },
      { beforeSend },
    );
    if (!answer.ok) return answer;
    const { order_id: orderId, created_at: madeAt } = answer.value;
    return Date.parse(madeAt ?? "") < sentAtMs - OLDER_MS ? failed(olderOrder()) : ok({ orderId });
  }

  /** Answered with no more than that it was taken. */
  async cancel(
    _symbol: string,
    orderId: string,
    beforeSend?: () => Promise<boolean>,
  ): Promise<Result<{ readonly count: number }>> {
    return this.#cancel(orderId, { urgent: true, beforeSend });
  }

  /** Each order by itself, as the exchange has no call for all; then what is open still, and was not taken. */
  async cancelAll(
    symbol?: string,
    { deadlineMs }: Pick<UrgentOptions, "deadlineMs"> = {},
  ): Promise<Result<BatchCancel>> {
    const urgent = { urgent: true, ...defined({ deadlineMs }) };
    const requested: string[] = [];
    const refused = new Map<string, Fault>();
    for (let round = 0; round < CANCEL_ROUNDS; round++) {
      const open = await this.#open(symbol, urgent);
      // What was canceled is known without it.
      if (!open.ok && round === 0) return open;
      const isLeft = (id: string): boolean => {
        const fault = refused.get(id);
        return !requested.includes(id) && (fault === undefined || isNotReady(fault));
      };
      const left = open.ok ? open.value.map(({ orderId }) => orderId).filter(isLeft) : [];
      if (left.length === 0) break;
      if (left.some((id) => refused.has(id))) await this.#pause(NOT_READY_MS);
      await Promise.all(
        left.map(async (id) => {
          const answer = await this.#cancel(id, urgent);
          if (!answer.ok) return void refused.set(id, answer.fault);
          requested.push(id);
          refused.delete(id);
        }),
      );
    }
    const unheard = [...refused.values()].find(({ reachedVenue }) => reachedVenue !== "yes");
    if (unheard !== undefined && requested.length === 0) return failed(unheard);
    return ok({ requested, failed: [...refused].map(([uuid, { code: error }]) => ({ uuid, error })) });
  }

  async #cancel(orderId: string, options: WriteOptions): Promise<Result<{ readonly count: number }>> {
    if (!isOrderId(orderId)) return failed(localFault("ELocal:Invalid input", { field: "orderId" }));
    const matches = ({ order_id }: { readonly order_id: string }): boolean => order_id === orderId;
    const answer = await this.#write({ ...CALLS.cancel(orderId), matches }, options);
    return answer.ok ? ok({ count: 1 }) : answer;
  }

  /** All of them, of both states in which an order waits. */
  async #open(symbol: string | undefined, options: QueryOptions): Promise<Result<readonly Order[]>> {
    const market = symbol === undefined ? undefined : marketOf(symbol);
    const found = new Map<string, Order>();
    for (const state of ["wait", "watch"] as const) {
      let key: string | undefined;
      for (let pages = 1; ; pages++) {
        const page = await this.#page(CALLS.pending(market, state, key), key, options);
        if (!page.ok) return page;
        for (const answer of page.value.orders) {
          const order = orderOf(answer, this.now());
          found.set(order.orderId, order);
        }
        if (!page.value.hasMore) break;
        // A list that does not go on is not a list of all.
        if (page.value.key === key || pages === OPEN_PAGES_MAX) return failed(localFault("ELocal:Unreadable answer"));
        key = page.value.key ?? undefined;
      }
    }
    return ok([...found.values()]);
  }

  /** Whether the key of a page is hashed as it is or as it travels is not sure: the second way is tried where the first is refused. */
  async #page<T>(call: Call<T, false>, key: string | undefined, options: QueryOptions): Promise<Result<T>> {
    const page = await this.#read(call, options);
    if (page.ok || key === undefined || isPlain(key) || page.fault.code !== "EAPI:Invalid signature") return page;
    return this.#read({ ...call, hashesEncoded: true }, options);
  }

  #history(options: QueryOptions): WindowedHistory {
    return new WindowedHistory(
      {
        nowMs: this.now,
        // Its pages follow each other by keys: all of them are the first page here.
        open: async (symbol, page) => (page === 1 ? this.#open(symbol, options) : ok([])),
        closed: (symbol, from, to, limit) =>
          this.#mapped(
            CALLS.history(symbol === undefined ? undefined : marketOf(symbol), from, to, limit),
            options,
            ({ orders }) => orders.map((order) => orderOf(order, this.now())),
          ),
        detail: ({ symbol, orderId }) => this.order(symbol, orderId, options),
      },
      this.#historyDays,
    );
  }

  async #read<T>(call: Call<T, false>, options?: QueryOptions): Promise<Result<T>> {
    return this.sender.read(venueCall(call, this.#uuid), options);
  }

  async #mapped<T, U>(call: Call<T, false>, options: QueryOptions | undefined, map: (answer: T) => U) {
    return this.mapped(venueCall(call, this.#uuid), options, map);
  }

  async #write<T>(call: Call<T, true>, options: WriteOptions): Promise<Result<T>> {
    return this.sender.write(venueCall(call, this.#uuid), options);
  }
}

function withoutOrder(fault: Fault, atMs: number): Result<FoundOrders> {
  if (isNoOrder(fault)) return ok({ kind: "none", covers: EVERYWHERE, atMs });
  if (isNotReady(fault)) return ok({ kind: "cannot_say", why: "Bithumb has taken an order that it cannot show yet." });
  return failed(fault);
}

/** The first order of this name, which is another than this one. */
function olderOrder(): Fault {
  return venueFault(DUPLICATE, { ...UNKNOWN, retry: "never" });
}

function nameOf({ symbol }: Market): string {
  return marketOf(symbol);
}

function koreanSecond(ms: number): string {
  return new Date(ms + KOREA_MS).toISOString().slice(0, 19);
}
