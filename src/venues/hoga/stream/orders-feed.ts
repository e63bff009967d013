/**
 * Own orders as they change. Listeners get the open orders of the first snapshot and then every newer version of an order, also of
 * orders that were placed and ended while there was no connection.
 *
 * Invariants: an older version never follows a newer one, whether it comes by the stream or by REST; what is remembered is bounded:
 * open orders, and the ids of those that ended lately.
 *
 * Source: service.md#private-channels, service.md#reconcile-gap.
 */
import { defined, type Fill, type Order, ok, type Result, type StreamEventOf } from "../../../contract/index.ts";
import { allPages } from "./all-pages.ts";
import { compareDecimals } from "./decimal-order.ts";
import { type Gap, ListenedFeed } from "./feed.ts";
import type { StreamReader } from "./ports.ts";

type OrdersEvent = StreamEventOf<"orders">;

const SLACK_MS = 60_000;
const ENDED_REMEMBERED_MAX = 5_000;
const PAGE_SIZE = 500;

export class OrdersFeed extends ListenedFeed<"orders", Order> {
  readonly #open = new Map<string, Order>();
  readonly #ended = new Set<string>();
  /** When the newest known order was created, by the exchange's clock; at first, when the first snapshot was taken. */
  #newestMs = 0;
  /** Counts by the exchange's clock: what it told last. What happened since is the gap. */
  #toldMs = 0;
  #firstSnapshotAt: string | undefined;

  constructor(symbol: string | null, onFailure: () => void) {
    super("orders", symbol, onFailure);
  }

  get hasSnapshot(): boolean {
    return this.#firstSnapshotAt !== undefined;
  }

  /** The open orders. */
  get value(): readonly Order[] | undefined {
    return this.hasSnapshot ? [...this.#open.values()] : undefined;
  }

  snapshot(event: OrdersEvent): undefined {
    if (this.#firstSnapshotAt === undefined) {
      this.#firstSnapshotAt = event.time;
      this.#newestMs = Date.parse(event.time);
    }
    this.update(event);
  }

  update({ orders, time }: OrdersEvent): undefined {
    this.#toldMs = Math.max(this.#toldMs, Date.parse(time));
    for (const order of orders) this.#record(order);
  }

  async closeGap(reader: StreamReader, [snapshot]: readonly OrdersEvent[]): Promise<Result<Gap<"orders">>> {
    const stillOpen = new Set(snapshot?.orders.map(({ orderId }) => orderId));
    const fromMs = Math.max(0, this.#newestMs - SLACK_MS);
    const request = {
      ...defined({ symbol: this.symbol ?? undefined }),
      state: "all",
      fromMs,
      limit: PAGE_SIZE,
    } as const;
    const pages = await allPages(
      (position) => reader.orders({ ...request, ...position }),
      ({ orders }) => orders,
    );
    if (!pages.ok) return pages;
    const traded = await this.#tradedInGap(reader);
    if (!traded.ok) return traded;
    const shown = new Map(pages.value.map((order) => [order.orderId, order]));
    for (const { orderId, symbol } of [...this.#open.values(), ...traded.value]) {
      if (stillOpen.has(orderId) || shown.has(orderId) || this.#ended.has(orderId)) continue;
      const answer = await reader.order(symbol, orderId);
      if (answer.ok) shown.set(orderId, answer.value);
      else if (answer.fault.code !== "EOrder:Unknown order") return answer;
      else this.#open.delete(orderId);
    }
    // The service lists the newest first.
    const missed = [...shown.values()].reverse().filter((order) => !this.#isHistory(order));
    return ok({
      deliver: (buffered) => {
        for (const order of missed) this.#record(order);
        for (const event of buffered) this.update(event);
      },
    });
  }

  /** The own executions of the gap: an order that is in no list shows by them. */
  async #tradedInGap(reader: StreamReader): Promise<Result<readonly Fill[]>> {
    const fromMs = Math.max(0, this.#toldMs - SLACK_MS);
    const request = { ...defined({ symbol: this.symbol ?? undefined }), fromMs, limit: PAGE_SIZE };
    const pages = await allPages(
      (position) => reader.fills({ ...request, ...position }),
      ({ trades }) => trades,
    );
    // What came of older ones is in the first snapshot.
    return pages.ok ? ok(pages.value.filter(({ time }) => time > (this.#firstSnapshotAt ?? ""))) : pages;
  }

  /** It ended before the first snapshot. */
  #isHistory({ orderId, state, updated_at: updatedAt = "" }: Order): boolean {
    return state !== "open" && updatedAt <= (this.#firstSnapshotAt ?? "") && !this.#open.has(orderId);
  }

  #record(order: Order): void {
    const { orderId } = order;
    const known = this.#open.get(orderId);
    if (this.#ended.has(orderId) || (known !== undefined && !isNewer(order, known))) return;
    this.#newestMs = Math.max(this.#newestMs, Date.parse(order.created_at));
    if (order.state === "open") this.#open.set(orderId, order);
    else this.#end(orderId);
    this.listeners.notify(order);
  }

  #end(orderId: string): void {
    this.#open.delete(orderId);
    this.#ended.add(orderId);
    const [oldest] = this.#ended;
    if (this.#ended.size > ENDED_REMEMBERED_MAX && oldest !== undefined) this.#ended.delete(oldest);
  }
}

/** Terminal states never change, and the executed volume never decreases. Source: service.md#terminal-states. */
function isNewer(order: Order, known: Order): boolean {
  if (order.state !== "open") return true;
  const executed = compareDecimals(order.executed_volume, known.executed_volume);
  return executed > 0 || (executed === 0 && (order.updated_at ?? "") > (known.updated_at ?? ""));
}
