/**
 * Sends what is due, and sends it again as long as it is not taken. Entry point: `Delivering`.
 *
 * Invariants: nothing leaves before the command that made it is on disk, and it in the outbox; a delivery is on its way once at
 * a time; how many are, for one endpoint and in all, is bounded. An attempt that the end of the process breaks off counts for
 * nothing, and comes again.
 *
 * Source: decisions §8.
 */
import { WEBHOOK_DELIVERY } from "../../contract/index.ts";
import type { Exchange, Millis, WebhookRecord } from "../model.ts";
import type { Outbox } from "./outbox.ts";
import type { Delivery } from "./outbox-state.ts";
import { postOnce } from "./post.ts";
import { signedHeaders } from "./signature.ts";

export interface DeliveringParts {
  readonly outbox: Outbox;
  readonly exchange: Pick<Exchange, "webhooks">;
  /** Resolves when all commands so far are on disk. */
  readonly durable: () => Promise<void>;
  /** The exchange's clock, which the schedule follows. */
  readonly now: () => Millis;
  /** The machine's, which a signature states: a receiver compares it with its own. */
  readonly machineTime: () => Millis;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly allowRemote: boolean;
  readonly onDefect: (error: unknown) => void;
  /** Default: as long as the contract says. */
  readonly answerMs?: Millis;
}

const UNDERWAY_PER_ENDPOINT = 4;
const UNDERWAY_MAX = 32;
/** The exchange's clock may be moved at any time, so nobody sleeps longer. */
const SLEEP_MAX_MS = 1_000;

export class Delivering {
  readonly #parts: DeliveringParts;
  readonly #closing = new AbortController();
  readonly #underway = new Map<string, number>();
  readonly #sending = new Set<Promise<void>>();
  #releasing: Promise<void> = Promise.resolve();
  #isReleasing = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: DeliveringParts) {
    this.#parts = parts;
  }

  /** The outbox may have taken something in: it leaves once it is on disk. */
  noted(): void {
    if (!this.#isReleasing && this.#parts.outbox.holds) this.#releasing = this.#release();
  }

  /** Something may be due. */
  wake(): void {
    clearTimeout(this.#timer);
    const { outbox, exchange, now } = this.#parts;
    if (this.#closing.signal.aborted || outbox.failed !== undefined) return;
    let next = Number.POSITIVE_INFINITY;
    for (const webhook of exchange.webhooks()) {
      const { webhookId } = webhook;
      while (this.#hasRoom(webhookId)) {
        const delivery = outbox.take(webhookId, now());
        if (delivery === undefined) break;
        this.#send(webhook, delivery);
      }
      // What waits for room is woken by those that leave.
      if (this.#hasRoom(webhookId)) next = Math.min(next, outbox.dueAt(webhookId) ?? next);
    }
    if (next === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.wake(), Math.min(SLEEP_MAX_MS, Math.max(0, next - now())));
    this.#timer.unref();
  }

  /** Breaks off what is on its way. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await Promise.all(this.#sending);
    await this.#releasing;
  }

  async #release(): Promise<void> {
    const { outbox, durable, onDefect } = this.#parts;
    this.#isReleasing = true;
    try {
      while (outbox.holds && !this.#closing.signal.aborted) {
        const mark = outbox.mark();
        await Promise.all([durable(), outbox.durable()]);
        outbox.release(mark);
        this.wake();
      }
    } catch (error) {
      onDefect(error);
    } finally {
      this.#isReleasing = false;
    }
  }

  #hasRoom(webhookId: string): boolean {
    return (this.#underway.get(webhookId) ?? 0) < UNDERWAY_PER_ENDPOINT && this.#sending.size < UNDERWAY_MAX;
  }

  #send(webhook: WebhookRecord, delivery: Delivery): void {
    const { webhookId } = webhook;
    this.#underway.set(webhookId, (this.#underway.get(webhookId) ?? 0) + 1);
    const sending = this.#attempt(webhook, delivery)
      .catch((error: unknown) => this.#parts.onDefect(error))
      .finally(() => {
        this.#sending.delete(sending);
        this.#underway.set(webhookId, (this.#underway.get(webhookId) ?? 1) - 1);
        this.wake();
      });
    this.#sending.add(sending);
  }

  async #attempt({ url, secret }: WebhookRecord, { number, event, attempts }: Delivery): Promise<void> {
    const { outbox, now, machineTime, allowRemote, answerMs: timeoutMs = WEBHOOK_DELIVERY.answerMs } = this.#parts;
    const { id, body } = event;
    const { signal } = this.#closing;
    const headers = signedHeaders(secret, id, machineTime(), body);
    const problem = await postOnce({ url, headers, body, timeoutMs, allowRemote, signal });
    if (signal.aborted) return;
    const at = now();
    outbox.finish(number, at, problem, problem === null ? null : this.#retryAt(attempts, at));
  }

  /** @param failed attempts before this one. @returns null when this was the last. */
  #retryAt(failed: number, at: Millis): Millis | null {
    const pause = WEBHOOK_DELIVERY.retryAfterMs[failed];
    if (pause === undefined) return null;
    const { jitter } = WEBHOOK_DELIVERY;
    return at + Math.round(pause * (1 - jitter + 2 * jitter * this.#parts.random()));
  }
}
