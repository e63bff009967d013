/**
 * Upbit, as the desk trades there. An order and a cancel are one request, ever, and no answer to it means unknown; reads are retried.
 * Satisfies the desk's `Venue` by shape.
 *
 * An order is known by its `identifier`, which counts once in an account whatever became of it. That there is none proves nothing: a request may
 * still be on its way, and nothing in it says when it runs out.
 *
 * Source: SOURCES.md, architecture.md#rule-1, architecture.md#rule-5.
 */
import { randomUUID } from "node:crypto";
import type { BatchCancel, CreateOrderBody, Market, Order, ServerTime } from "../../contract/index.ts";
import { defined, ok, type Result } from "../../contract/index.ts";
import type { QueryOptions, ReadOptions, UrgentOptions } from "../../transport/index.ts";
import {
  type BeforeSend,
  type Deadline,
  type FoundOrders,
  type GroupedVenueOptions,
  invalid,
} from "../grouped-venue.ts";
import { orderOf } from "../one-fee-order.ts";
import { marketOf, tickerOf } from "../quote-first-answers.ts";
import { marketsOf, withChance } from "../quote-first-markets.ts";
import { type OrderWindow, QuoteFirstVenue } from "../quote-first-venue.ts";
import type { StreamSource } from "../stream-protocol.ts";
import type { GroupCall } from "../venue-calls.ts";
import { batchOf, QUOTE } from "./answers.ts";
import { CALLS, CANCEL_AT_ONCE, OPEN_PAGE, venueCall } from "./calls.ts";
import { CARD, HISTORY_DAYS } from "./card.ts";
import { FACTS, withTick } from "./markets.ts";
import { NAME, placement } from "./placement.ts";
import { GROUPS, limitsIn } from "./rates.ts";
import { upbitKey } from "./sign.ts";
import { upbitStream } from "./stream.ts";

export type UpbitOptions = GroupedVenueOptions;

/** Rounds of a cancel of all orders: after each it is looked what is still open. */
const CANCEL_ROUNDS = 5;
export class UpbitVenue extends QuoteFirstVenue<typeof CARD> {
  readonly streaming: StreamSource;

  /** @throws TypeError for a base URL, key or secret that cannot be right; the error does not show them */
  constructor({ credentials, historyDays = HISTORY_DAYS, uuid = randomUUID, ...options }: UpbitOptions) {
    const key = credentials === undefined ? undefined : upbitKey(credentials);
    super(CARD, options, {
      ...{ key, groups: GROUPS, limitsIn, calls: CALLS, historyDays, momentOf: isoSecond },
      wire: (call) => venueCall(call, uuid),
    });
    const { baseUrl } = options;
    this.streaming = upbitStream({ baseUrl, key, uuid, trades: (symbol, limit) => this.trades(symbol, limit) });
  }

  /** The date of an answer, in whole seconds. */
  async time(options?: ReadOptions): Promise<Result<ServerTime>> {
    return this.timeBy(CALLS.instruments(`${QUOTE}-BTC`), options);
  }

  /** With ticks by the table, and minimum and fees assumed: `rules` asks for those of one market. */
  async markets(options?: UrgentOptions): Promise<Result<readonly Market[]>> {
    const [listed, lastOf] = await Promise.all([this.read(CALLS.markets(), options), this.lastPrices()]);
    return listed.ok ? ok(marketsOf(listed.value, FACTS, lastOf)) : listed;
  }

  async rules(market: Market): Promise<Result<Market>> {
    const name = marketOf(market.symbol);
    return this.keptRules(market, () => ({
      ticks: this.read(CALLS.instruments(name)),
      fees: () => this.read(CALLS.chance(name)),
      withTicks: (known, told, last) => withTick(known, told.find((each) => each.market === name)?.tick_size, last),
      withFees: withChance,
    }));
  }

  async tickers(symbols?: readonly string[], options?: ReadOptions) {
    if (symbols?.length === 0) return ok([]);
    const call = symbols === undefined ? CALLS.tickersOf(QUOTE) : CALLS.tickers(symbols.map(marketOf));
    return this.shown(call, options, (found) => found.map((each) => tickerOf(each, this.now())));
  }

  async order(_symbol: string, orderId: string, options?: UrgentOptions): Promise<Result<Order>> {
    if (!NAME.is.test(orderId)) return invalid("orderId");
    const call = { ...CALLS.order(orderId), matches: ({ uuid }: { readonly uuid: string }) => uuid === orderId };
    return this.shown(call, options, (order) => orderOf(order, this.now()));
  }

  /** That there is none is the exchange's own word; it covers every state, and proves nothing of a request on its way. */
  async lookup({ userref }: { readonly userref: string }, options?: QueryOptions): Promise<Result<FoundOrders>> {
    if (!NAME.is.test(userref)) return invalid("userref");
    const found = await this.shown(CALLS.orderNamed(userref), options, (order) =>
      orderOf({ ...order, identifier: order.identifier ?? userref }, this.now()),
    );
    return this.lookedUp(found, userref, (status) => status === 404);
  }

  /**
   * Sends the order once and never again.
   * @param beforeSend called before the first byte leaves; when it resolves to false nothing is sent
   */
  async submit(order: CreateOrderBody, beforeSend?: BeforeSend): Promise<Result<Order>> {
    const fields = placement(order);
    if (!fields.ok) return fields;
    const { market, side, identifier } = fields.value;
    const call = CALLS.place(fields.value);
    const answer = await this.write(
      {
        ...call,
        matches: (placed) =>
          placed.market === market && placed.side === side && (placed.identifier ?? identifier) === identifier,
      },
      { beforeSend },
    );
    // It may be left out where nothing is executed yet.
    return answer.ok
      ? ok(orderOf({ ...answer.value, identifier: answer.value.identifier ?? identifier }, this.now()))
      : answer;
  }

  async cancel(_symbol: string, orderId: string, beforeSend?: BeforeSend): Promise<Result<Order>> {
    if (!NAME.is.test(orderId)) return invalid("orderId");
    const call = { ...CALLS.cancel(orderId), matches: ({ uuid }: { readonly uuid: string }) => uuid === orderId };
    const answer = await this.write(call, { urgent: true, beforeSend });
    return answer.ok ? ok(orderOf(answer.value, this.now())) : answer;
  }

  /** One request for all that wait, 300 of them; then by their ids what it has left out, orders that wait for their price above all. */
  async cancelAll(symbol?: string, { deadlineMs }: Deadline = {}): Promise<Result<BatchCancel>> {
    const urgent = { urgent: true, ...defined({ deadlineMs }) };
    const market = symbol === undefined ? undefined : marketOf(symbol);
    const first = await this.write(CALLS.cancelOpen(market), urgent);
    if (!first.ok) return first;
    const { requested, failed: refused } = batchOf(first.value);
    const tried = new Set(requested);
    for (let round = 0; round < CANCEL_ROUNDS; round++) {
      const left = await this.#openIds(market, tried, urgent);
      // What was canceled is known without it.
      if (!left.ok || left.value.length === 0) break;
      for (const [at, id] of left.value.entries())
        if (at % CANCEL_AT_ONCE === 0 && id !== "") {
          const ids = left.value.slice(at, at + CANCEL_AT_ONCE);
          const answer = await this.write(CALLS.cancelThese(ids), urgent);
          if (!answer.ok) return answer;
          for (const one of ids) tried.add(one);
          const more = batchOf(answer.value);
          requested.push(...more.requested);
          refused.push(...more.failed);
        }
    }
    const done = new Set(requested);
    return ok({ requested, failed: refused.filter(({ uuid }) => !done.has(uuid)) });
  }

  async #openIds(
    market: string | undefined,
    but: ReadonlySet<string>,
    options: UrgentOptions,
  ): Promise<Result<string[]>> {
    const ids: string[] = [];
    for (let page = 1; ; page++) {
      const found = await this.read(CALLS.openOrders(market, page), options);
      if (!found.ok) return found;
      ids.push(...found.value.map(({ uuid }) => uuid).filter((uuid) => !but.has(uuid)));
      if (found.value.length < OPEN_PAGE) return ok(ids);
    }
  }

  protected async openPage(market: string | undefined, page: number, options: QueryOptions) {
    return this.#listed(CALLS.openOrders(market, page), options);
  }

  protected async closedIn(market: string | undefined, { fromMs, toMs, limit }: OrderWindow, options: QueryOptions) {
    return this.#listed(CALLS.closedOrders(market, fromMs, toMs, limit), options);
  }

  async #listed(call: GroupCall<Parameters<typeof orderOf>[0][], false>, options: QueryOptions) {
    return this.shown(call, options, (found) => found.map((order) => orderOf(order, this.now())));
  }
}

function isoSecond(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
