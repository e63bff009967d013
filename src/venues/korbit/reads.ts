/**
 * Reads of Korbit: retried, what seldom changes kept for a while, and what lists of all markets are put together of.
 *
 * Source: SOURCES.md#lists.
 */
import { type Fault, failed, localFault, ok, type Result } from "../../contract/index.ts";
import { quantity, wireNumber } from "../../decimal/index.ts";
import type { QueryOptions, ReadOptions, RequestSender } from "../../transport/index.ts";
import { Kept } from "../grouped-venue.ts";
import type { ListReads } from "../market-lists.ts";
import type { GroupCall } from "../venue-calls.ts";
import { fillOf, orderOf, QUOTE, symbolOf } from "./answers.ts";
import { CALLS, LIST_MAX, venueCall } from "./calls.ts";
import { tradable } from "./markets.ts";

const QUOTE_THERE = QUOTE.toLowerCase();

export class KorbitReads {
  readonly #sender: RequestSender;
  readonly #now: () => number;
  readonly #kept: Kept;

  constructor(sender: RequestSender, now: () => number) {
    this.#sender = sender;
    this.#now = now;
    this.#kept = new Kept(now);
  }

  async read<T>(call: GroupCall<T, false>, options?: QueryOptions): Promise<Result<T>> {
    return this.#sender.read(
      venueCall(call, () => this.#sender.offset.expire()),
      options,
    );
  }

  async mapped<T, U>(
    call: GroupCall<T, false>,
    options: QueryOptions | undefined,
    map: (answer: T) => U,
  ): Promise<Result<U>> {
    const answer = await this.read(call, options);
    return answer.ok ? ok(map(answer.value)) : answer;
  }

  pairs(options?: ReadOptions) {
    return this.#kept.once("pairs", () => this.mapped(CALLS.pairs(), options, tradable));
  }

  names(options?: ReadOptions) {
    return this.#kept.once("names", () => this.read(CALLS.currencies(), options));
  }

  ticks(market: string) {
    return this.#kept.once(`ticks ${market}`, () => this.read(CALLS.ticks(market)));
  }

  fees(options: QueryOptions = {}) {
    return this.#kept.once("fees", () => this.read(CALLS.fees(), options));
  }

  lists(): ListReads {
    return {
      nowMs: this.#now,
      markets: async () => {
        const pairs = await this.pairs();
        return pairs.ok ? ok(pairs.value.map(({ symbol }) => symbol)) : pairs;
      },
      inUse: (options) => this.mapped(CALLS.balance(), options, inUseOf),
      held: async (options) => {
        const fees = await this.fees(options);
        const told = new Map((fees.ok ? fees.value : []).map((each) => [each.symbol, each]));
        return (market) => {
          const { buyFeeCurrency, maxFeeRate } = told.get(market) ?? {};
          const rate = buyFeeCurrency?.toLowerCase() === QUOTE_THERE ? plain(maxFeeRate) : "0";
          return quantity("1").plus(quantity(rate)).toString();
        };
      },
      open: async (market, options) => {
        const found = await this.read(CALLS.openOrders(market), options);
        if (!found.ok) return found;
        if (found.value.length === LIST_MAX) return failed(tooMany(market));
        return ok(found.value.map((order) => orderOf(order, market, this.#now())));
      },
      closed: (market, span, options) =>
        this.#whole(span, (from, to) => CALLS.allOrders(market, from, to), options, {
          timeOf: ({ createdAt }) => createdAt ?? span.fromMs,
          shownAs: (order) => orderOf(order, market, this.#now()),
        }),
      fills: (market, span, options) =>
        this.#whole(span, (from, to) => CALLS.fills(market, from, to), options, {
          timeOf: ({ tradedAt }) => tradedAt,
          shownAs: (fill) => fillOf(fill, market),
        }),
      lastTrades: async (options) => {
        const tickers = await this.read(CALLS.tickers(), options);
        const told = (tickers.ok ? tickers.value : []).flatMap(({ symbol, lastTradedAt: at }) =>
          at == null ? [] : [[symbol, at] as const],
        );
        return new Map(told);
      },
    };
  }

  /** Newest first, up to so many at once: on from the oldest, which may come twice. */
  async #whole<T, U>(
    { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
    callOf: (fromMs: number, toMs: number) => GroupCall<T[], false>,
    options: QueryOptions,
    { timeOf, shownAs }: { readonly timeOf: (item: T) => number; readonly shownAs: (item: T) => U },
  ): Promise<Result<readonly U[]>> {
    const all: U[] = [];
    for (let end = toMs; ; ) {
      const page = await this.read(callOf(fromMs, end), options);
      if (!page.ok) return page;
      all.push(...page.value.map(shownAs));
      const oldest = Math.min(...page.value.map(timeOf));
      if (page.value.length < LIST_MAX || oldest + 1 >= end) return ok(all);
      end = oldest + 1;
    }
  }
}

type Balance = { readonly currency: string; readonly tradeInUse?: string | null | undefined };

/** Of coins in use the market is known: all are quoted in one currency. */
function inUseOf(held: readonly Balance[]): { quote: string; markets: readonly string[] } {
  const used = held.map(({ currency, tradeInUse }) => [currency.toLowerCase(), plain(tradeInUse)] as const);
  const markets = used.flatMap(([name, amount]) =>
    name === QUOTE_THERE || amount === "0" ? [] : [`${name}_${QUOTE_THERE}`],
  );
  return { quote: used.find(([name]) => name === QUOTE_THERE)?.[1] ?? "0", markets };
}

function plain(text: string | null | undefined): string {
  const number = wireNumber(text ?? "", "up");
  return number === undefined || number.startsWith("-") ? "0" : number;
}

function tooMany(market: string): Fault {
  const message = `${symbolOf(market)} has ${LIST_MAX} open orders or more, and more than that are not listed.`;
  return localFault("ELocal:Unreadable answer", { message, retry: "never" });
}
