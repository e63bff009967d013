/**
 * Owns what is done with webhooks after they were kept: the desk gets an order as a hint, the event is shown, and then it counts
 * as processed. Entry point: `WebhookProcessing`.
 *
 * Invariants: one at a time, in the order they came; what was kept and not processed when a process ended is processed by the
 * next. A crash between showing an event and recording that shows it again, under the same `seq`; the desk only queries, so
 * nothing happens twice there. A hint that the desk could not follow leaves its webhook unprocessed: it is given again, by the
 * next process if need be.
 */

import type { Order, Result, WebhookEvent } from "../../contract/index.ts";
import type { Inbox, KeptWebhook } from "../../store/index.ts";
import { readWebhook } from "../../venues/index.ts";

export type ShownWebhook = Pick<KeptWebhook, "seq" | "id" | "receivedAtMs"> &
  ({ readonly event: WebhookEvent } | { readonly problem: string });

export interface ProcessingParts {
  readonly inbox: Inbox;
  readonly source: string;
  readonly now: () => number;
  readonly show: (webhook: ShownWebhook) => void;
  /** Gives the desk an order as a hint. Absent where there is no desk. */
  readonly hintDesk?: (order: Order) => Promise<Result<boolean>>;
  readonly onNotice: (message: string) => void;
}

/** Longer than a desk may take to query: another process takes over only what a dead one left behind. */
const CLAIM_MS = 60_000;
/** Spaces the checks of the store for what another process left behind. */
const CHECK_EVERY_MS = 5_000;
/** Gives the desk no hint for so long after it could not query. */
const DESK_PAUSE_MS = 10_000;
/** Hints that are kept meanwhile; beyond these the oldest are dropped, as the desk also tracks its orders by itself. */
const MISSED_MAX = 500;

/** The newest hint on an order that the desk could not follow, and its webhook: shown, and not processed. */
interface Missed {
  readonly order: Order;
  readonly seq: number;
}

export class WebhookProcessing {
  readonly #parts: ProcessingParts;
  #checking: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #hasMore = false;
  #isOpen = false;
  #deskFrom = 0;
  /** Keyed by order id. */
  readonly #missed = new Map<string, Missed>();
  #isFailing = false;

  constructor(parts: ProcessingParts) {
    this.#parts = parts;
  }

  /** Begins with what an earlier process left. */
  start(): void {
    this.#isOpen = true;
    this.#checking = setInterval(() => this.wake(), CHECK_EVERY_MS);
    this.wake();
  }

  /** To be called when there may be something to do. */
  wake(): void {
    this.#hasMore = true;
    if (!this.#isOpen || this.#running !== undefined) return;
    this.#running = this.#drain().finally(() => {
      this.#running = undefined;
    });
  }

  /** Ends after the webhook that is being processed. */
  async close(): Promise<void> {
    this.#isOpen = false;
    clearInterval(this.#checking);
    await this.#running;
  }

  async #drain(): Promise<void> {
    const { inbox, source, now, onNotice } = this.#parts;
    while (this.#hasMore && this.#isOpen) {
      this.#hasMore = false;
      try {
        await this.#repeatMissed();
        const [webhook] = await inbox.claim(source, now(), CLAIM_MS, 1);
        if (webhook === undefined) continue;
        this.#hasMore = true;
        await this.#process(webhook);
        this.#isFailing = false;
      } catch (error) {
        // A store that is full or locked is tried again at the next check.
        if (!this.#isFailing) onNotice(`Webhooks wait: ${error instanceof Error ? error.message : String(error)}`);
        this.#isFailing = true;
        return;
      }
    }
  }

  async #process({ seq, id, body, receivedAtMs }: KeptWebhook): Promise<void> {
    const { inbox, show, now } = this.#parts;
    const read = readWebhook({ id, body });
    const order = read.ok && "order" in read.value.data ? read.value.data.order : undefined;
    // It is claimed a second time where the first claim ran out meanwhile.
    const wasShown = order !== undefined && this.#missed.get(order.orderId)?.seq === seq;
    const isDone = order === undefined || (await this.#hint({ order, seq }));
    if (!wasShown)
      show({ seq, id, receivedAtMs, ...(read.ok ? { event: read.value } : { problem: read.fault.message }) });
    if (isDone) await inbox.done(seq, now());
  }

  /** @returns false where the hint has to be repeated */
  async #hint(latest: Missed): Promise<boolean> {
    const { hintDesk, now, onNotice } = this.#parts;
    const { orderId } = latest.order;
    const before = this.#missed.get(orderId);
    if (hintDesk === undefined || (before !== undefined && before.seq > latest.seq)) return true;
    if (now() >= this.#deskFrom) {
      const hinted = await hintDesk(latest.order);
      if (hinted.ok) {
        await this.#settle(orderId);
        return true;
      }
      this.#deskFrom = now() + DESK_PAUSE_MS;
      onNotice(`The desk could not query the order of a webhook; this is tried again. ${hinted.fault.message}`);
    }
    if (before?.seq !== latest.seq) await this.#settle(orderId);
    this.#missed.set(orderId, latest);
    const [oldest] = this.#missed.keys();
    if (oldest !== undefined && this.#missed.size > MISSED_MAX) await this.#settle(oldest);
    return false;
  }

  async #repeatMissed(): Promise<void> {
    const { hintDesk, now } = this.#parts;
    if (hintDesk === undefined || now() < this.#deskFrom) return;
    for (const [orderId, { order }] of this.#missed) {
      if (!(await hintDesk(order)).ok) {
        this.#deskFrom = now() + DESK_PAUSE_MS;
        return;
      }
      await this.#settle(orderId);
    }
  }

  /** Drops the hint on an order, and counts its webhook as processed. */
  async #settle(orderId: string): Promise<void> {
    const missed = this.#missed.get(orderId);
    if (missed === undefined) return;
    await this.#parts.inbox.done(missed.seq, this.#parts.now());
    this.#missed.delete(orderId);
  }
}
