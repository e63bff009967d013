/**
 * Tracks the orders that are at the venue: whatever shows one of them updates the journal. An order that has ended releases its share
 * of the budgets, except for what it executed.
 *
 * Invariant: tracking never fails a query or a cancel, as the venue can be queried again.
 */
import { defined, type Order, type Result } from "../../contract/index.ts";
import { attempt } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import { isLive, LIVE_STATES } from "../model/intent-state.ts";
import { CANCEL_REQUESTED, updateFrom } from "../model/intent-transition.ts";
import { isFenced } from "./absence.ts";

const PAGE_SIZE = 500;
const PAGES_MAX = 4;
/** Live intents read in one pass: as many as the venue lists in it, which is more than it lets an account have. */
const LIVE_MAX = PAGE_SIZE * PAGES_MAX;
/** Orders queried one by one in a pass: each costs a request. */
const SINGLE_MAX = 30;

/** An assistant that keeps requesting what the budgets deny must not spend the rate budget on queries. */
const REFRESHED_AGAIN_AFTER_MS = 5_000;

export class OrderTracker {
  readonly #context: DeskContext;
  #refreshedAtMs: number | undefined;

  constructor(context: DeskContext) {
    this.#context = context;
  }

  /** Records orders as the venue shows them now. */
  async record(orders: readonly Order[], cancelFailed = false): Promise<void> {
    const byOrderId = new Map(orders.map((order) => [order.orderId, order]));
    for (const intent of await this.#liveOf(orders)) {
      const order = intent.orderId === null ? undefined : byOrderId.get(intent.orderId);
      if (order !== undefined) await this.#update(intent, order, cancelFailed);
    }
  }

  /** A cancel of this order is on its way. */
  async cancelRequested(orders: readonly Pick<Order, "orderId">[]): Promise<void> {
    const { journal, clock } = this.#context.parts;
    for (const intent of await this.#liveOf(orders)) {
      await attempt(() => journal.advance(intent.intentId, CANCEL_REQUESTED, clock.now()));
    }
  }

  /** As `refresh`, unless it was done a moment ago. */
  async refreshIfStale(): Promise<boolean> {
    const now = this.#context.parts.clock.now();
    const last = this.#refreshedAtMs;
    if (last !== undefined && now >= last && now - last < REFRESHED_AGAIN_AFTER_MS) return false;
    return this.refresh();
  }

  /**
   * Queries every live intent at the venue.
   * @returns whether one of them has ended since it was last seen
   */
  async refresh(): Promise<boolean> {
    this.#refreshedAtMs = this.#context.parts.clock.now();
    const live = await this.live();
    if (live.length === 0) return false;
    const open = await this.#openOrders();
    if (open === undefined) return false;
    let ended = false;
    let queried = 0;
    for (const intent of live) {
      const { orderId } = intent;
      if (orderId === null) continue;
      const shown = open.get(orderId);
      if (shown !== undefined) {
        // Queried after the cancel, and still open: the cancel had no effect.
        await this.#update(intent, shown, isFenced(this.#context.parts.venue));
        continue;
      }
      if (queried++ >= SINGLE_MAX) break;
      const order = await this.query(intent, orderId);
      if (order.ok && order.value.state !== "open") ended = true;
    }
    return ended;
  }

  /** Queries one live intent at the venue. */
  async query(intent: IntentRecord, orderId: string): Promise<Result<Order>> {
    const answer = await this.#context.parts.venue.order(intent.body.order.symbol, orderId);
    if (answer.ok) await this.#update(intent, answer.value, false);
    return answer;
  }

  /** Intents whose order is in the book as far as we know. */
  async live(): Promise<readonly IntentRecord[]> {
    const { journal } = this.#context.parts;
    const found = await attempt(() => journal.inStates(this.#context.journalAccount(), LIVE_STATES, LIVE_MAX));
    return found.value ?? [];
  }

  /** The live intents of these orders. One is looked up by its id: there may be many others. */
  async #liveOf(orders: readonly Pick<Order, "orderId">[]): Promise<readonly IntentRecord[]> {
    const [first, ...others] = orders;
    if (first === undefined) return [];
    if (others.length > 0) {
      const ids = new Set(orders.map(({ orderId }) => orderId));
      return (await this.live()).filter(({ orderId }) => orderId !== null && ids.has(orderId));
    }
    const { journal } = this.#context.parts;
    const { value } = await attempt(() => journal.byOrderId(this.#context.journalAccount(), first.orderId));
    return value !== undefined && isLive(value.state) ? [value] : [];
  }

  async #update(intent: IntentRecord, order: Order, cancelFailed: boolean): Promise<void> {
    const { journal, clock } = this.#context.parts;
    const update = updateFrom(intent, order, cancelFailed);
    if (update !== undefined) await attempt(() => journal.advance(intent.intentId, update, clock.now()));
  }

  async #openOrders(): Promise<ReadonlyMap<string, Order> | undefined> {
    const open = new Map<string, Order>();
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_MAX; page++) {
      const list = { state: "open", limit: PAGE_SIZE, ...defined({ cursor }) } as const;
      const answer = await this.#context.parts.venue.orders(list);
      if (!answer.ok) return undefined;
      for (const order of answer.value.orders) open.set(order.orderId, order);
      if (answer.value.next_cursor === null) break;
      cursor = answer.value.next_cursor;
    }
    return open;
  }
}
