/**
 * The past of an account at an exchange that lists closed orders by windows of 7 days, newest first, and shows fills in an order alone, which is one
 * call each.
 *
 * Invariants: a cursor leads to all that is older; nothing between two windows is left out, though what is on their border may come twice.
 * An order that has ended is asked for once in a process.
 */
import {
  defined,
  type Fill,
  type FillPage,
  type FillsOptions,
  type FillsRequest,
  failed,
  localFault,
  type Order,
  type OrderPage,
  type OrdersRequest,
  ok,
  type Result,
} from "../contract/index.ts";

export interface HistoryReads {
  /** The exchange's time. */
  readonly nowMs: () => number;
  readonly open: (symbol: string | undefined, page: number) => Promise<Result<readonly Order[]>>;
  readonly closed: (
    symbol: string | undefined,
    fromMs: number,
    toMs: number,
    limit: number,
  ) => Promise<Result<readonly Order[]>>;
  /** With its fills. */
  readonly detail: (order: Order) => Promise<Result<Order>>;
}

const DAY_MS = 86_400_000;
const WINDOW_MS = 7 * DAY_MS;
const PAGE_MAX = 1_000;
const PAGE = 100;
/** Details that one page of fills asks for. */
const DETAILS_MAX = 50;
/** Pages without any fill that are read for one with some. */
const EMPTY_PAGES_MAX = 10;
const REMEMBERED_MAX = 20_000;
/** Times of orders are in whole seconds, so a window reaches a little into the next. */
const OVERLAP_MS = 1_000;

/** `open` pages come first, then closed orders until `endMs`, without the first `skip` of them. */
type Position = { readonly openPage: number } | { readonly endMs: number; readonly skip: number };

interface Wanted {
  readonly limit: number;
  /** Whether a fill is of the period. */
  readonly isMeant: (fill: Fill) => boolean;
  readonly known: FillsOptions["known"];
}

export class WindowedHistory {
  readonly #reads: HistoryReads;
  readonly #days: number;
  readonly #ended = new Map<string, readonly Fill[]>();

  /** @param days how far back is read where nobody says */
  constructor(reads: HistoryReads, days: number) {
    this.#reads = reads;
    this.#days = days;
  }

  async orders(request: OrdersRequest): Promise<Result<OrderPage>> {
    const { state = "open", cursor, fromMs = this.#oldestMs(), toMs = Number.POSITIVE_INFINITY } = request;
    const begin = cursor === undefined ? this.#begin(state !== "open" && state !== "all", toMs) : positionOf(cursor);
    if (begin === undefined) return failed(localFault("ELocal:Invalid input", { field: "cursor" }));
    const isMeant = ({ state: own, created_at: created }: Order): boolean =>
      (state === "all" || (state === "closed" ? own !== "open" : own === state)) &&
      (own === "open" || Date.parse(created) >= fromMs) &&
      Date.parse(created) <= toMs;
    // Not every window has orders.
    for (let at = begin; ; ) {
      const step = await this.#step(request, at, { fromMs, withClosed: state !== "open" });
      if (!step.ok) return step;
      const found = step.value.orders.filter(isMeant);
      const { next } = step.value;
      if (next === undefined) return ok({ orders: found, next_cursor: null });
      if (found.length > 0) return ok({ orders: found, next_cursor: cursorOf(next) });
      at = next;
    }
  }

  /** Of orders that were made as far back as is read, whatever `fromMs` says: an old one may have filled since. */
  async fills(request: FillsRequest, known?: FillsOptions["known"]): Promise<Result<FillPage>> {
    const { fromMs = 0, toMs = Number.POSITIVE_INFINITY, symbol, cursor, limit = PAGE } = request;
    const back = Math.min(this.#oldestMs(), fromMs || this.#oldestMs());
    const begin = cursor === undefined ? this.#begin(false, toMs) : positionOf(cursor);
    if (begin === undefined) return failed(localFault("ELocal:Invalid input", { field: "cursor" }));
    const isMeant = ({ time }: Fill): boolean => Date.parse(time) >= fromMs && Date.parse(time) <= toMs;
    // A page of orders that wait has none, which must not look like an account without any.
    for (let at = begin, pages = 1; ; pages++) {
      const listing = { limit: PAGE_MAX, ...defined({ symbol }) };
      const step = await this.#step(listing, at, { fromMs: back, withClosed: true });
      if (!step.ok) return step;
      const found = await this.#fillsIn(step.value.orders, { limit, isMeant, known });
      if (!found.ok) return found;
      const { trades, through } = found.value;
      const next: Position | undefined =
        "skip" in at && through < step.value.orders.length ? { ...at, skip: at.skip + through } : step.value.next;
      if (trades.length > 0 || next === undefined || pages === EMPTY_PAGES_MAX)
        return ok({ trades: newestFirst(trades), next_cursor: next ? cursorOf(next) : null });
      at = next;
    }
  }

  /** @returns `through`: so many of the orders have been gone through; of those that are open all, as they are one page */
  async #fillsIn(
    orders: readonly Order[],
    { limit, isMeant, known = async () => ok(new Set()) }: Wanted,
  ): Promise<Result<{ readonly trades: readonly Fill[]; readonly through: number }>> {
    const executed = new Map(orders.map(({ orderId, executed_volume: volume }) => [orderId, volume]));
    for (const [orderId, volume] of executed) if (/^0(\.0*)?$/.test(volume)) executed.delete(orderId);
    const there = executed.size === 0 ? ok(new Set()) : await known(executed);
    if (!there.ok) return there;
    const trades: Fill[] = [];
    let asked = 0;
    for (const [index, order] of orders.entries()) {
      if (!executed.has(order.orderId) || there.value.has(order.orderId)) continue;
      const isFull = asked === DETAILS_MAX || trades.length >= limit;
      if (order.state !== "open" && isFull) return ok({ trades, through: index });
      const shown = await this.#fillsOf(order);
      if (!shown.ok) return shown;
      asked++;
      trades.push(...shown.value.filter(isMeant));
    }
    return ok({ trades, through: orders.length });
  }

  async #fillsOf(order: Order): Promise<Result<readonly Fill[]>> {
    const known = this.#ended.get(order.orderId);
    if (known !== undefined) return ok(known);
    const detail = await this.#reads.detail(order);
    if (!detail.ok) return detail;
    const fills = detail.value.trades ?? [];
    if (detail.value.state !== "open" && this.#ended.size < REMEMBERED_MAX) this.#ended.set(order.orderId, fills);
    return ok(fills);
  }

  async #step(
    { symbol, limit = PAGE }: OrdersRequest,
    at: Position,
    { fromMs, withClosed }: { readonly fromMs: number; readonly withClosed: boolean },
  ): Promise<Result<{ readonly orders: readonly Order[]; readonly next: Position | undefined }>> {
    if ("openPage" in at) {
      const page = await this.#reads.open(symbol, at.openPage);
      if (!page.ok) return page;
      const after = withClosed ? this.#begin(true, Number.POSITIVE_INFINITY) : undefined;
      return ok({ orders: page.value, next: page.value.length < PAGE ? after : { openPage: at.openPage + 1 } });
    }
    const startMs = Math.max(fromMs, at.endMs - WINDOW_MS);
    const asked = Math.min(PAGE_MAX, at.skip + limit);
    const page = await this.#reads.closed(symbol, startMs, at.endMs, asked);
    if (!page.ok) return page;
    const orders = page.value.slice(at.skip);
    const last = page.value.at(-1);
    if (page.value.length < asked || last === undefined) {
      const next = startMs <= fromMs ? undefined : { endMs: startMs + OVERLAP_MS, skip: 0 };
      return ok({ orders, next });
    }
    const isFull = asked === PAGE_MAX;
    return ok({
      orders,
      next: isFull ? { endMs: Date.parse(last.created_at) + OVERLAP_MS, skip: 0 } : { ...at, skip: asked },
    });
  }

  #begin(isClosed: boolean, toMs: number): Position {
    if (!isClosed) return { openPage: 1 };
    return { endMs: Math.min(this.#reads.nowMs() + OVERLAP_MS, toMs + OVERLAP_MS), skip: 0 };
  }

  #oldestMs(): number {
    return Math.max(0, this.#reads.nowMs() - this.#days * DAY_MS);
  }
}

const newestFirst = (fills: readonly Fill[]): readonly Fill[] =>
  fills.toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time));

function cursorOf(position: Position): string {
  return "openPage" in position ? `o${position.openPage}` : `c${position.endMs}_${position.skip}`;
}

function positionOf(cursor: string): Position | undefined {
  const [, page, end, skip] = /^(?:o(\d{1,4})|c(\d{1,15})_(\d{1,4}))$/.exec(cursor) ?? [];
  if (page !== undefined) return { openPage: Number(page) }; // not money: a page
  return end === undefined ? undefined : { endMs: Number(end), skip: Number(skip) }; // not money: a time and a count
}
