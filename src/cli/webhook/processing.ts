/**
 * Owns what is done with webhooks after they were kept: the desk is told of orders, the event is shown, and then it counts as
 * processed. Entry point: `WebhookProcessing`.
 *
 * Invariants: one at a time, in the order they came; what was kept and not processed when a process ended is processed by the
 * next. A crash between showing and noting it shows the event again, under the same `seq`; the desk only ever looks, so nothing
 * happens twice there. What the desk could not be told of is not processed: it is told again, by the next process if need be.
 */
import { readWebhook } from "../../client/index.ts";
import type { Order, Result, WebhookEvent } from "../../contract/index.ts";
import type { Inbox, KeptWebhook } from "../../store/index.ts";

export type ShownWebhook = Pick<KeptWebhook, "seq" | "id" | "receivedAtMs"> &
  ({ readonly event: WebhookEvent } | { readonly problem: string });

export interface ProcessingParts {
  readonly inbox: Inbox;
  readonly source: string;
  readonly now: () => number;
  readonly show: (webhook: ShownWebhook) => void;
  /** Absent where there is no desk to tell. */
  readonly notice?: (order: Order) => Promise<Result<boolean>>;
  /** Told in a sentence what goes wrong. */
  readonly tell: (message: string) => void;
}

/** Longer than a desk may take to look: another process takes over only what one left behind when it died. */
const CLAIM_MS = 60_000;
/** How often it is looked whether another process left something. */
const LOOK_EVERY_MS = 5_000;
/** So long the desk is left alone after it could not look. */
const DESK_PAUSE_MS = 10_000;
/** Orders it is told of again after that; of more than these the oldest are left to its own following. */
const MISSED_MAX = 500;

/** The newest that was said of an order, and the webhook that said it: shown, and not processed. */
interface Missed {
  readonly order: Order;
  readonly seq: number;
}

export class WebhookProcessing {
  private readonly parts: ProcessingParts;
  private looking: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private more = false;
  private open = false;
  private deskFrom = 0;
  /** By order id: what the desk could not look at yet. */
  private readonly missed = new Map<string, Missed>();
  private troubled = false;

  constructor(parts: ProcessingParts) {
    this.parts = parts;
  }

  /** Begins, with what was left. */
  start(): void {
    this.open = true;
    this.looking = setInterval(() => this.wake(), LOOK_EVERY_MS);
    this.wake();
  }

  /** There may be something to do. */
  wake(): void {
    this.more = true;
    if (!this.open || this.running !== undefined) return;
    this.running = this.drain().finally(() => {
      this.running = undefined;
    });
  }

  /** Ends after the webhook that is being processed. */
  async close(): Promise<void> {
    this.open = false;
    clearInterval(this.looking);
    await this.running;
  }

  private async drain(): Promise<void> {
    const { inbox, source, now, tell } = this.parts;
    while (this.more && this.open) {
      this.more = false;
      try {
        await this.tellMissed();
        const [webhook] = await inbox.claim(source, now(), CLAIM_MS, 1);
        if (webhook === undefined) continue;
        this.more = true;
        await this.process(webhook);
        this.troubled = false;
      } catch (error) {
        // A store that is full or locked is tried again at the next look.
        if (!this.troubled) tell(`Webhooks wait: ${error instanceof Error ? error.message : String(error)}`);
        this.troubled = true;
        return;
      }
    }
  }

  private async process({ seq, id, body, receivedAtMs }: KeptWebhook): Promise<void> {
    const { inbox, show, now } = this.parts;
    const read = readWebhook({ id, body });
    const order = read.ok && "order" in read.value.data ? read.value.data.order : undefined;
    // Taken up again by this process, as the claim ran out meanwhile.
    const wasShown = order !== undefined && this.missed.get(order.orderId)?.seq === seq;
    const isTold = order === undefined || (await this.tellDesk({ order, seq }));
    if (!wasShown)
      show({ seq, id, receivedAtMs, ...(read.ok ? { event: read.value } : { problem: read.fault.message }) });
    if (isTold) await inbox.done(seq, now());
  }

  /** @returns false when it has to be told again. */
  private async tellDesk(said: Missed): Promise<boolean> {
    const { notice, now, tell } = this.parts;
    const { orderId } = said.order;
    const before = this.missed.get(orderId);
    if (notice === undefined || (before !== undefined && before.seq > said.seq)) return true;
    if (now() >= this.deskFrom) {
      const noticed = await notice(said.order);
      if (noticed.ok) {
        await this.settle(orderId);
        return true;
      }
      this.deskFrom = now() + DESK_PAUSE_MS;
      tell(`The desk could not look at what a webhook said, and will be told again. ${noticed.fault.message}`);
    }
    if (before?.seq !== said.seq) await this.settle(orderId);
    this.missed.set(orderId, said);
    const [oldest] = this.missed.keys();
    if (oldest !== undefined && this.missed.size > MISSED_MAX) await this.settle(oldest);
    return false;
  }

  private async tellMissed(): Promise<void> {
    const { notice, now } = this.parts;
    if (notice === undefined || now() < this.deskFrom) return;
    for (const [orderId, { order }] of this.missed) {
      if (!(await notice(order)).ok) {
        this.deskFrom = now() + DESK_PAUSE_MS;
        return;
      }
      await this.settle(orderId);
    }
  }

  /** What was said of the order need not be told any more. */
  private async settle(orderId: string): Promise<void> {
    const missed = this.missed.get(orderId);
    if (missed === undefined) return;
    await this.parts.inbox.done(missed.seq, this.parts.now());
    this.missed.delete(orderId);
  }
}
