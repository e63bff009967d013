/**
 * The past of an account at an exchange that lists fills by windows of time, newest first, and no closed orders: those are read from the fills, each
 * by one call. An order that ended without a fill is in none of its lists.
 *
 * Invariants: a cursor leads to all that is older; nothing between two windows is left out, though what is on their border, and an order with fills on
 * two pages, may come twice. An order that has ended is asked for once in a process.
 */
import {
  defined,
  type Fill,
  type FillPage,
  type FillsRequest,
  failed,
  localFault,
  type Order,
  type OrderPage,
  type OrdersRequest,
  ok,
  type Result,
} from "../contract/index.ts";

export interface FillReads {
  /** The exchange's time. */
  readonly nowMs: () => number;
  /** All of them, in one answer. */
  readonly open: (symbol: string | undefined) => Promise<Result<readonly Order[]>>;
  /** @param beforeId what is older than that fill; in any order */
  readonly fills: (window: FillWindow, size: number, beforeId?: string) => Promise<Result<readonly Fill[]>>;
  readonly order: (symbol: string, orderId: string) => Promise<Result<Order>>;
}

export interface FillWindow {
  readonly symbol: string | undefined;
  /** Both included. */
  readonly fromMs: number;
  readonly toMs: number;
}

export interface FillLimits {
  /** Longest time of one answer. */
  readonly windowMs: number;
  /** Most fills in one answer. */
  readonly page: number;
  /** How far back is read where nobody says. */
  readonly days: number;
}

const DAY_MS = 86_400_000;
/** Windows without any fill that are read for one with some. */
const EMPTY_MAX = 10;
/** Two, so that an answer that begins with the fill of the cursor leads on. */
const PAGE_MIN = 2;
/** Each order of a page of closed ones is one call. */
const ORDERS_AT_ONCE = 8;
const REMEMBERED_MAX = 20_000;

/** Fills until `endMs`; older ones than `beforeId`, where there is one. */
interface Position {
  readonly endMs: number;
  readonly beforeId?: string;
}

interface Page {
  readonly fills: readonly Fill[];
  readonly next: Position | undefined;
}

export class FillHistory {
  readonly #reads: FillReads;
  readonly #limits: FillLimits;
  readonly #ended = new Map<string, Order>();

  constructor(reads: FillReads, limits: FillLimits) {
    this.#reads = reads;
    this.#limits = limits;
  }

  async fills(request: FillsRequest): Promise<Result<FillPage>> {
    const begin = this.#begin(request.cursor, request.toMs);
    if (begin === undefined) return failed(localFault("ELocal:Invalid input", { field: "cursor" }));
    const page = await this.#page(request, begin);
    if (!page.ok) return page;
    return ok({ trades: page.value.fills, next_cursor: cursorOf(page.value.next) });
  }

  /** Open ones first, as one page; then those with fills, newest fill first. */
  async orders(request: OrdersRequest): Promise<Result<OrderPage>> {
    const { state = "open", cursor, symbol, fromMs = this.#oldestMs(), toMs = Number.POSITIVE_INFINITY } = request;
    const isMeant = ({ state: own, created_at: created }: Order): boolean =>
      (state === "all" || (state === "closed" ? own !== "open" : own === state)) &&
      (own === "open" || Date.parse(created) >= fromMs) &&
      Date.parse(created) <= toMs;
    if (cursor === undefined && (state === "open" || state === "all")) {
      const open = await this.#reads.open(symbol);
      if (!open.ok) return open;
      const next = state === "open" ? undefined : { endMs: this.#reads.nowMs() };
      return ok({ orders: open.value.filter(isMeant), next_cursor: cursorOf(next) });
    }
    // An order may fill long after it was made: its fills are read until now.
    const begin = this.#begin(cursor, undefined);
    if (begin === undefined) return failed(localFault("ELocal:Invalid input", { field: "cursor" }));
    const page = await this.#page({ ...request, fromMs }, begin);
    if (!page.ok) return page;
    const orders = await this.#ordersOf(page.value.fills);
    if (!orders.ok) return orders;
    const ended = orders.value.filter((order) => order.state !== "open" && isMeant(order));
    return ok({ orders: ended, next_cursor: cursorOf(page.value.next) });
  }

  async #ordersOf(fills: readonly Fill[]): Promise<Result<readonly Order[]>> {
    const wanted = [...new Map(fills.map((fill) => [fill.orderId, fill])).values()];
    const orders: Order[] = [];
    for (let at = 0; at < wanted.length; at += ORDERS_AT_ONCE) {
      const some = wanted.slice(at, at + ORDERS_AT_ONCE);
      for (const answer of await Promise.all(some.map((fill) => this.#order(fill)))) {
        if (!answer.ok) return answer;
        orders.push(answer.value);
      }
    }
    return ok(orders);
  }

  async #order({ symbol, orderId }: Fill): Promise<Result<Order>> {
    const known = this.#ended.get(orderId);
    if (known !== undefined) return ok(known);
    const answer = await this.#reads.order(symbol, orderId);
    if (answer.ok && answer.value.state !== "open" && this.#ended.size < REMEMBERED_MAX)
      this.#ended.set(orderId, answer.value);
    return answer;
  }

  async #page({ symbol, fromMs, limit }: FillsRequest, begin: Position): Promise<Result<Page>> {
    const { windowMs, page } = this.#limits;
    const oldestMs = fromMs || this.#oldestMs();
    const size = Math.max(PAGE_MIN, Math.min(limit ?? page, page));
    let at = begin;
    for (let windows = 1; ; windows++) {
      const startMs = Math.max(oldestMs, at.endMs - windowMs);
      if (startMs > at.endMs) return ok({ fills: [], next: undefined });
      const { endMs: toMs, beforeId } = at;
      const answer = await this.#reads.fills({ symbol, fromMs: startMs, toMs }, size, beforeId);
      if (!answer.ok) return answer;
      const fills = answer.value.filter(({ trade_id: id }) => id !== beforeId).sort((a, b) => timeOf(b) - timeOf(a));
      const oldest = fills.at(-1);
      const isWhole = answer.value.length < size || oldest === undefined;
      const next = isWhole ? this.#older(startMs, oldestMs) : { endMs: toMs, beforeId: oldest.trade_id };
      if (fills.length > 0 || next === undefined || windows === EMPTY_MAX) return ok({ fills, next });
      at = next;
    }
  }

  #older(startMs: number, oldestMs: number): Position | undefined {
    return startMs <= oldestMs ? undefined : { endMs: startMs };
  }

  #begin(cursor: string | undefined, toMs: number | undefined): Position | undefined {
    if (cursor !== undefined) return positionOf(cursor);
    // It refuses a time that is not yet. Its time is known to the second, and never ahead: a fill of the last second may not be listed yet.
    return { endMs: Math.min(this.#reads.nowMs(), toMs ?? Number.POSITIVE_INFINITY) };
  }

  #oldestMs(): number {
    return Math.max(0, this.#reads.nowMs() - this.#limits.days * DAY_MS);
  }
}

const timeOf = ({ time }: Fill): number => Date.parse(time);

function cursorOf(position: Position | undefined): string | null {
  return position === undefined
    ? null
    : [`c${position.endMs}`, ...((position.beforeId ?? "") ? [position.beforeId] : [])].join("_");
}

function positionOf(cursor: string): Position | undefined {
  const [, end, beforeId] = /^c(\d{1,15})(?:_([\w.:-]{1,100}))?$/.exec(cursor) ?? [];
  return end === undefined ? undefined : { endMs: Number(end), ...defined({ beforeId }) }; // not money: a time
}
