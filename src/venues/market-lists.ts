/**
 * Lists of an account at an exchange that lists one market at a time, and of the past 36 hours alone.
 *
 * Invariants:
 * - A list of all markets is whole, or an error that says how many were looked through. Open orders are found by what the balances have in use:
 *   coins by their own market; of the quote, every market is asked unless the buys that were found explain all of it.
 * - Lists are newest first. A cursor is a time: it leads to all that is older, whatever was new since.
 * - Fills of a market are asked for again only if there was any trade in it since.
 *
 * Source: decision 0092.
 */
import type {
  Fault,
  Fill,
  FillPage,
  FillsRequest,
  Order,
  OrderPage,
  OrdersRequest,
  Result,
} from "../contract/index.ts";
import { failed, localFault, ok } from "../contract/index.ts";
import { Fraction } from "../decimal/index.ts";
import type { QueryOptions } from "../transport/index.ts";

type InUse = { readonly quote: string; readonly markets: readonly string[] };

/** Each for a market by the exchange's name, and none cached. */
export interface ListReads {
  /** A list is never longer, and has no further page. */
  readonly listMax: number;
  /** The exchange's time. */
  readonly nowMs: () => number;
  readonly markets: () => Promise<Result<readonly string[]>>;
  /** What is in use by orders: of the quote, and the markets of all coins. */
  readonly inUse: (options: QueryOptions) => Promise<Result<InUse>>;
  /** What a buy holds of its value, with the fee; 1 where that is not known. */
  readonly held: (options: QueryOptions) => Promise<(market: string) => string>;
  readonly open: (market: string, options: QueryOptions) => Promise<Result<readonly Order[]>>;
  /** As one list, newest first. */
  readonly closed: (market: string, span: Span, options: QueryOptions) => Promise<Result<readonly Order[]>>;
  /** As one list, newest first. */
  readonly fills: (market: string, span: Span, options: QueryOptions) => Promise<Result<readonly Fill[]>>;
  /** When each market has traded last, as far as that is told. */
  readonly lastTrades: (options: QueryOptions) => Promise<ReadonlyMap<string, number>>;
}

/** The end is not part of it. */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** How far back the exchange lists anything, without a minute for the way there. */
const PAST_MS = 36 * 3_600_000 - 60_000;
/** It may list a fill so late. */
const LATE_MS = 300_000;
const PAGE = 100;

export class MarketLists {
  /** Markets that had orders while this process runs: they are asked first. */
  readonly touched: Set<string> = new Set<string>();
  readonly #reads: ListReads;
  readonly #marketOf: (symbol: string) => string;
  readonly #fills = new Map<string, { readToMs: number; readonly byId: Map<string, Fill> }>();

  constructor(reads: ListReads, marketOf: (symbol: string) => string) {
    this.#reads = reads;
    this.#marketOf = marketOf;
  }

  /** @param onFound called with what is open in a market, before others are waited for */
  async open(
    symbol: string | undefined,
    options: QueryOptions,
    onFound: (orders: readonly Order[]) => Promise<void> = async () => {},
  ): Promise<Result<readonly Order[]>> {
    const found = new Map<string, readonly Order[]>();
    const ask = async (markets: readonly string[]) =>
      this.#each(
        markets.filter((market) => !found.has(market)),
        async (market) => {
          const answer = await this.#reads.open(market, options);
          if (!answer.ok) return answer;
          if (answer.value.length >= this.#reads.listMax) return failed(this.#tooMany(answer.value));
          found.set(market, answer.value);
          if (answer.value.length > 0) this.touched.add(market);
          await onFound(answer.value);
          return answer;
        },
      );
    if (symbol !== undefined) return ask([this.#marketOf(symbol)]);
    const before = await this.#reads.inUse(options);
    if (!before.ok) return before;
    const first = await ask([...new Set([...this.touched, ...before.value.markets])]);
    if (!first.ok) return first;
    // Once more: what came or went meanwhile would else explain what it does not hold.
    const after = await this.#reads.inUse(options);
    if (!after.ok) return after;
    const second = await ask(after.value.markets);
    if (!second.ok) return second;
    const orders = [...first.value, ...second.value];
    const [quote = "0"] = [before.value.quote, after.value.quote].sort((a, b) => Fraction.of(b).cmp(Fraction.of(a)));
    if (await this.#explains(orders, quote, options)) return ok(orders);
    const markets = await this.#reads.markets();
    if (!markets.ok) return markets;
    const rest = await ask(markets.value);
    if (rest.ok) return ok([...orders, ...rest.value]);
    const message = `Open orders are listed market by market: ${found.size} of ${markets.value.length} markets were looked through.`;
    return failed({ ...rest.fault, message, nextAction: "Look again; name a market to see those of it alone." });
  }

  async orders(request: OrdersRequest, options: QueryOptions): Promise<Result<OrderPage>> {
    const { symbol, state = "open", toMs = Number.POSITIVE_INFINITY, cursor } = request;
    const fromMs = Math.max(request.fromMs ?? 0, this.#oldestMs());
    const at = positionOf(cursor);
    if (at === undefined) return failed(localFault("ELocal:Invalid input", { field: "cursor" }));
    const open = state === "open" || state === "all" ? await this.open(symbol, options) : ok([]);
    if (!open.ok) return open;
    // What is urgent is mostly about orders of a moment ago: all other markets are on the next page.
    const isFirst = at.isFirst ?? (symbol === undefined && options.urgent === true);
    const markets = state === "open" ? ok([]) : await this.#meant(symbol, isFirst);
    if (!markets.ok) return markets;
    const span = { fromMs, toMs: Math.min(this.#reads.nowMs(), toMs) + 1 };
    const { closed: read } = this.#reads;
    const closed = await this.#each(markets.value, (market) =>
      this.#whole(
        span,
        (part) => read(market, part, options),
        ({ created_at: created }) => created,
      ),
    );
    if (!closed.ok) return closed;
    const all = new Map([...closed.value, ...open.value].map((order) => [order.orderId, order]));
    const isMeant = ({ state: own, created_at: created }: Order): boolean =>
      (state === "all" || (state === "closed" ? own !== "open" : own === state)) &&
      (own === "open" || Date.parse(created) >= fromMs) &&
      Date.parse(created) <= toMs;
    const page = pageOf([...all.values()].filter(isMeant), (order) => [order.created_at, order.orderId], request, at);
    const more = isFirst && state !== "open" ? "a" : null;
    return ok({ orders: page.items, next_cursor: page.next === null ? more : `${isFirst ? "f" : "a"}${page.next}` });
  }

  async fills(request: FillsRequest, options: QueryOptions): Promise<Result<FillPage>> {
    const { symbol, fromMs = 0, toMs = Number.POSITIVE_INFINITY, cursor } = request;
    const at = positionOf(cursor);
    if (at === undefined) return failed(localFault("ELocal:Invalid input", { field: "cursor" }));
    const markets = await this.#meant(symbol, false);
    if (!markets.ok) return markets;
    const askedAtMs = this.#reads.nowMs();
    const last = await this.#reads.lastTrades(options);
    const known = await this.#each(markets.value, (market) =>
      this.#fillsIn(market, { askedAtMs, lastMs: last.get(market) ?? askedAtMs }, options),
    );
    if (!known.ok) return known;
    const timeOf = ({ time }: Fill): number => Date.parse(time);
    const meant = known.value.filter((fill) => timeOf(fill) >= fromMs && timeOf(fill) <= toMs);
    const { items, next } = pageOf(meant, (fill) => [fill.time, fill.trade_id], request, at);
    return ok({ trades: items, next_cursor: next === null ? null : `a${next}` });
  }

  async #fillsIn(
    market: string,
    { askedAtMs, lastMs }: { readonly askedAtMs: number; readonly lastMs: number },
    options: QueryOptions,
  ): Promise<Result<readonly Fill[]>> {
    const oldestMs = this.#oldestMs();
    const known = this.#fills.get(market) ?? { readToMs: 0, byId: new Map<string, Fill>() };
    const fromMs = Math.max(oldestMs, known.readToMs - LATE_MS);
    if (lastMs >= fromMs) {
      const { nowMs, fills } = this.#reads;
      const span = { fromMs, toMs: nowMs() + 1 };
      const answer = await this.#whole(
        span,
        (part) => fills(market, part, options),
        ({ time }) => time,
      );
      if (!answer.ok) return answer;
      for (const fill of answer.value) known.byId.set(fill.trade_id, fill);
    }
    this.#fills.set(market, { readToMs: askedAtMs, byId: known.byId });
    return ok([...known.byId.values()]);
  }

  async #meant(symbol: string | undefined, isFirst: boolean): Promise<Result<readonly string[]>> {
    if (symbol !== undefined) return ok([this.#marketOf(symbol)]);
    return isFirst ? ok([...this.touched]) : this.#reads.markets();
  }

  /** Where a list is full it is read on from its oldest, which may come twice. */
  async #whole<T>(
    { fromMs, toMs }: Span,
    read: (span: Span) => Promise<Result<readonly T[]>>,
    timeOf: (item: T) => string,
  ): Promise<Result<readonly T[]>> {
    const all: T[] = [];
    for (let end = toMs; ; ) {
      const page = await read({ fromMs, toMs: end });
      if (!page.ok) return page;
      all.push(...page.value);
      const oldest = Math.min(...page.value.map((item) => Date.parse(timeOf(item))));
      if (page.value.length < this.#reads.listMax || oldest + 1 >= end) return ok(all);
      end = oldest + 1;
    }
  }

  #tooMany([first]: readonly Order[]): Fault {
    const { listMax } = this.#reads;
    const message = `${first?.symbol} has ${listMax} open orders or more, and more than that are not listed.`;
    return localFault("ELocal:Unreadable answer", { message, retry: "never" });
  }

  /** Side by side: the turns of the lane pace them. */
  async #each<T>(
    markets: readonly string[],
    read: (market: string) => Promise<Result<readonly T[]>>,
  ): Promise<Result<readonly T[]>> {
    const answers = await Promise.all(markets.map(read));
    const all: T[] = [];
    for (const answer of answers) {
      if (!answer.ok) return answer;
      all.push(...answer.value);
    }
    return ok(all);
  }

  /** Whether the buys hold as much of the quote as is in use. */
  async #explains(orders: readonly Order[], quote: string, options: QueryOptions): Promise<boolean> {
    const inUse = Fraction.of(quote);
    if (inUse.isZero()) return true;
    const buys = orders.filter(({ side }) => side === "buy");
    if (buys.length === 0) return false;
    const heldIn = await this.#reads.held(options);
    const held = buys.map(({ symbol, price, remaining_volume: left }) =>
      Fraction.of(price ?? "0")
        .times(Fraction.of(left ?? "0"))
        .times(Fraction.of(heldIn(this.#marketOf(symbol)))),
    );
    return held.reduce((sum, each) => sum.plus(each)).cmp(inUse) >= 0;
  }

  #oldestMs(): number {
    return Math.max(0, this.#reads.nowMs() - PAST_MS);
  }
}

interface Position {
  readonly endMs: number;
  /** So many of that time have been shown. */
  readonly skip: number;
  /** Whether it is among the markets that are asked first; undefined: at the beginning. */
  readonly isFirst?: boolean;
}

function positionOf(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return { endMs: Number.POSITIVE_INFINITY, skip: 0 };
  const [, scope, end, skip = "0"] = /^([af])(?:(\d{1,15})_(\d{1,6}))?$/.exec(cursor) ?? [];
  if (scope === undefined) return undefined;
  const endMs = end === undefined ? Number.POSITIVE_INFINITY : Number(end); // not money: a time
  return { endMs, skip: Number(skip), isFirst: scope === "f" }; // not money: a count
}

function pageOf<T>(
  found: readonly T[],
  keyOf: (item: T) => readonly [time: string, id: string],
  { limit = PAGE }: { readonly limit?: number },
  { endMs, skip }: Position,
): { readonly items: readonly T[]; readonly next: string | null } {
  const keyed = found.map((item) => ({ item, atMs: Date.parse(keyOf(item)[0]), id: keyOf(item)[1] }));
  const sorted = keyed
    .filter(({ atMs }) => atMs <= endMs)
    .sort((a, b) => b.atMs - a.atMs || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0));
  const rest = sorted.slice(skip);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  const next =
    last === undefined || rest.length <= limit
      ? null
      : `${last.atMs}_${sorted.slice(0, skip + limit).filter(({ atMs }) => atMs === last.atMs).length}`;
  return { items: items.map(({ item }) => item), next };
}
