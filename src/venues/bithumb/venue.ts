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
import type { BatchCancel, CreateOrderBody, Fault, Market, Order, ServerTime } from "../../contract/index.ts";
import { defined, failed, localFault, ok, type Result, type Ticker, venueFault } from "../../contract/index.ts";
import type { QueryOptions, ReadOptions, UrgentOptions, WriteOptions } from "../../transport/index.ts";
import { systemClock } from "../../transport/index.ts";
import { EVERYWHERE, type FoundOrders, type GroupedVenueOptions } from "../grouped-venue.ts";
import { marketOf, tickerOf } from "../quote-first-answers.ts";
import { marketsOf, withChance } from "../quote-first-markets.ts";
import { type OrderWindow, QuoteFirstVenue } from "../quote-first-venue.ts";
import { DUPLICATE, UNKNOWN } from "../refusals.ts";
import type { StreamSource } from "../stream-protocol.ts";
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

/** Pages of open orders that are read at most: no account has so many. */
const OPEN_PAGES_MAX = 100;
/** Rounds of a cancel of all orders: after each it is looked what is still open. */
const CANCEL_ROUNDS = 5;
/** Until an order that was not ready to be canceled is asked for again. */
const NOT_READY_MS = 1_000;
/** An order that was made so long before its request is another's. */
const OLDER_MS = 60_000;
const KOREA_MS = 9 * 3_600_000;

export class BithumbVenue extends QuoteFirstVenue<typeof CARD> {
  readonly streaming: StreamSource;
  readonly #pause: (ms: number) => Promise<void>;

  /** @throws TypeError for a base URL, key or secret that cannot be right; the error does not show them */
  constructor({ credentials, historyDays = HISTORY_DAYS, uuid = randomUUID, ...options }: BithumbOptions) {
    const key = credentials === undefined ? undefined : bithumbKey(credentials);
    const { clock = systemClock } = options;
    super(CARD, options, {
      ...{ key, groups: GROUPS, limitsIn, calls: CALLS, historyDays, momentOf: koreanSecond },
      wire: (call) => venueCall(call, uuid),
    });
    const { baseUrl } = options;
    const trades: StreamSource["trades"] = (symbol, limit) => this.trades(symbol, limit);
    this.streaming = bithumbStream({ baseUrl, key, uuid, trades, now: this.now });
    this.#pause = (ms) => clock.sleep(ms);
  }

  /** The date of an answer, in whole seconds. */
  async time(options?: ReadOptions): Promise<Result<ServerTime>> {
    return this.timed(CALLS.tickers([`${QUOTE}-BTC`]), options);
  }

  /** With ticks by the table, and minimum and fees assumed: `rules` asks for those of one market. */
  async markets(options?: UrgentOptions): Promise<Result<readonly Market[]>> {
    const listed = await this.read(CALLS.markets(), options);
    if (!listed.ok) return listed;
    const prices = await this.tickers(marketsOf(listed.value, FACTS, () => null).map(({ symbol }) => symbol));
    const last = new Map(prices.ok ? prices.value.map((ticker) => [ticker.symbol, ticker.last]) : []);
    return ok(marketsOf(listed.value, FACTS, (symbol) => last.get(symbol) ?? null));
  }

  /** Ticks stay those of the table, as the exchange has no call for them. */
  async rules(market: Market): Promise<Result<Market>> {
    if (this.keyId === undefined) return ok(market);
    return this.keptRules(market.symbol, async () => {
      const chance = await this.read(CALLS.chance(marketOf(market.symbol)));
      return chance.ok ? ok(withChance(market, chance.value)) : chance;
    });
  }

  async tickers(symbols?: readonly string[], options?: ReadOptions): Promise<Result<readonly Ticker[]>> {
    const listed = symbols === undefined ? await this.read(CALLS.markets(), options) : undefined;
    if (listed?.ok === false) return listed;
    const names = symbols?.map(marketOf) ?? marketsOf(listed?.value ?? [], FACTS, () => null).map(nameOf);
    const parts = names.flatMap((_, at) => (at % TICKERS_AT_ONCE === 0 ? [names.slice(at, at + TICKERS_AT_ONCE)] : []));
    const answers = await Promise.all(parts.map((part) => this.read(CALLS.tickers(part), options)));
    const found: Ticker[] = [];
    for (const answer of answers) {
      if (!answer.ok) return answer;
      found.push(...answer.value.map((each) => tickerOf(each, this.now())));
    }
    return ok(found);
  }

  async order(_symbol: string, orderId: string, options?: UrgentOptions): Promise<Result<Order>> {
    if (!isOrderId(orderId)) return failed(localFault("ELocal:Invalid input", { field: "orderId" }));
    const call = { ...CALLS.order(orderId), matches: ({ uuid }: { readonly uuid: string }) => uuid === orderId };
    return this.shown(call, options, (order) => orderOf(order, this.now()));
  }

  /** That there is none is the exchange's own word; it covers every state, and proves nothing of a request on its way. */
  async lookup({ userref }: { readonly userref: string }, options?: QueryOptions): Promise<Result<FoundOrders>> {
    if (!isName(userref)) return failed(localFault("ELocal:Invalid input", { field: "userref" }));
    const answer = await this.read(CALLS.orderNamed(userref), options);
    if (!answer.ok) return withoutOrder(answer.fault, this.now());
    const order = orderOf({ ...answer.value, identifier: answer.value.identifier ?? userref }, this.now());
    if (order.userref === userref) return ok({ kind: "found", item: [order] });
    return ok({ kind: "cannot_say", why: "Bithumb answered with an order of another name." });
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
    const answer = await this.write(
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
    const market = symbol === undefined ? undefined : marketOf(symbol);
    const requested: string[] = [];
    const refused = new Map<string, Fault>();
    for (let round = 0; round < CANCEL_ROUNDS; round++) {
      const open = await this.#open(market, urgent);
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
    const answer = await this.write({ ...CALLS.cancel(orderId), matches }, options);
    return answer.ok ? ok({ count: 1 }) : answer;
  }

  /** All of them, of both states in which an order waits. */
  async #open(market: string | undefined, options: QueryOptions): Promise<Result<readonly Order[]>> {
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
    const page = await this.read(call, options);
    if (page.ok || key === undefined || isPlain(key) || page.fault.code !== "EAPI:Invalid signature") return page;
    const again: Call<T, false> = { ...call, hashesEncoded: true };
    return this.read(again, options);
  }

  /** Its pages follow each other by keys: all of them are the first page here. */
  protected async openPage(market: string | undefined, page: number, options: QueryOptions) {
    return page === 1 ? this.#open(market, options) : ok([]);
  }

  protected async closedIn(market: string | undefined, { fromMs, toMs, limit }: OrderWindow, options: QueryOptions) {
    return this.shown(CALLS.history(market, fromMs, toMs, limit), options, ({ orders }) =>
      orders.map((order) => orderOf(order, this.now())),
    );
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
