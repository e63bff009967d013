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
import {
  type BeforeSend,
  cannotSay,
  type Deadline,
  type FoundOrders,
  type GroupedVenueOptions,
  invalid,
} from "../grouped-venue.ts";
import { marketOf, tickerOf } from "../quote-first-answers.ts";
import { marketsOf, withChance } from "../quote-first-markets.ts";
import { type OrderWindow, QuoteFirstVenue } from "../quote-first-venue.ts";
import { DUPLICATE, UNKNOWN } from "../refusals.ts";
import type { StreamSource } from "../stream-protocol.ts";
import { orderOf } from "./answers.ts";
import { CALLS, type Call, isPlain, TICKERS_AT_ONCE, venueCall } from "./calls.ts";
import { CARD, HISTORY_DAYS } from "./card.ts";
import { isNotReady } from "./errors.ts";
import { FACTS, QUOTE } from "./markets.ts";
import { ID, NAME, placement } from "./placement.ts";
import { GROUPS, limitsIn } from "./rates.ts";
import { bithumbKey } from "./sign.ts";
import { bithumbStream } from "./stream.ts";

export type BithumbOptions = GroupedVenueOptions;

/** Pages of open orders that are read at most: no account has so many. */
const OPEN_PAGES_MAX = 100;
/** An order that was made so long before its request is another's. */
const OLDER_MS = 60_000;
const KOREA_MS = 9 * 3_600_000;

export class BithumbVenue extends QuoteFirstVenue<typeof CARD> {
  readonly streaming: StreamSource;

  /** @throws TypeError for a base URL, key or secret that cannot be right; the error does not show them */
  constructor({ credentials, historyDays = HISTORY_DAYS, uuid = randomUUID, ...options }: BithumbOptions) {
    const key = credentials === undefined ? undefined : bithumbKey(credentials);
    super(CARD, options, {
      ...{ key, groups: GROUPS, limitsIn, calls: CALLS, historyDays, momentOf: koreanSecond },
      wire: (call) => venueCall(call, uuid),
    });
    const { baseUrl } = options;
    const trades: StreamSource["trades"] = (symbol, limit) => this.trades(symbol, limit);
    this.streaming = bithumbStream({ baseUrl, key, uuid, trades, now: this.now });
  }

  /** The date of an answer, in whole seconds. */
  async time(options?: ReadOptions): Promise<Result<ServerTime>> {
    return this.timeBy(CALLS.tickers([`${QUOTE}-BTC`]), options);
  }

  /** With ticks by the table, and minimum and fees assumed: `rules` asks for those of one market. */
  async markets(options?: UrgentOptions): Promise<Result<readonly Market[]>> {
    const listed = await this.read(CALLS.markets(), options);
    if (!listed.ok) return listed;
    const symbols = marketsOf(listed.value, FACTS, () => null).map(({ symbol }) => symbol);
    return ok(marketsOf(listed.value, FACTS, await this.lastPrices(symbols)));
  }

  /** Ticks stay those of the table, as the exchange has no call for them. */
  async rules(market: Market): Promise<Result<Market>> {
    if (this.keyId === undefined) return ok(market);
    const call = CALLS.chance(marketOf(market.symbol));
    return this.kept.once(`rules ${market.symbol}`, () => this.shown(call, {}, (told) => withChance(market, told)));
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
    if (!ID.test(orderId)) return invalid("orderId");
    const call = { ...CALLS.order(orderId), matches: ({ uuid }: { readonly uuid: string }) => uuid === orderId };
    return this.shown(call, options, (order) => orderOf(order, this.now()));
  }

  /** That there is none is the exchange's own word; it covers every state, and proves nothing of a request on its way. */
  async lookup({ userref }: { readonly userref: string }, options?: QueryOptions): Promise<Result<FoundOrders>> {
    if (!NAME.is.test(userref)) return invalid("userref");
    const found = await this.shown(CALLS.orderNamed(userref), options, (order) =>
      orderOf({ ...order, identifier: order.identifier ?? userref }, this.now()),
    );
    if (!found.ok && isNotReady(found.fault)) return cannotSay("Bithumb has taken an order that it cannot show yet.");
    return this.lookedUp(found, userref, (status) => status === 404);
  }

  /**
   * Sends the order once and never again. Answered with its id alone.
   * @param beforeSend called before the first byte leaves; when it resolves to false nothing is sent
   */
  async submit(order: CreateOrderBody, beforeSend?: BeforeSend): Promise<Result<{ readonly orderId: string }>> {
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
  async cancel(_symbol: string, orderId: string, beforeSend?: BeforeSend) {
    return this.#cancel(orderId, { urgent: true, beforeSend });
  }

  /** Each order by itself, as the exchange has no call for all; then what is open still, and was not taken. */
  async cancelAll(symbol?: string, { deadlineMs }: Deadline = {}): Promise<Result<BatchCancel>> {
    const urgent = { urgent: true, ...defined({ deadlineMs }) };
    const market = symbol === undefined ? undefined : marketOf(symbol);
    return this.cancelEach({
      open: async (onFound) => {
        const open = await this.#open(market, urgent);
        if (open.ok) await onFound(open.value);
        return open;
      },
      cancel: ({ orderId }) => this.#cancel(orderId, urgent),
      isNotReady,
    });
  }

  async #cancel(orderId: string, options: WriteOptions): Promise<Result<{ readonly count: number }>> {
    if (!ID.test(orderId)) return invalid("orderId");
    const matches = ({ order_id }: { readonly order_id: string }): boolean => order_id === orderId;
    return this.taken({ ...CALLS.cancel(orderId), matches }, options);
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
