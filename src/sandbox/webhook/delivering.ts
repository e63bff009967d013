/**
 * Sends what is due, and sends it again as long as it is not taken. Entry point: `Delivering`.
 *
 * Invariants: nothing leaves before the command that made it is on disk, and it in the outbox; a delivery is on its way once at
 * a time; every attempt comes to an end, also one that could not even be made. An attempt that the end of the process breaks
 * off counts for nothing, and comes again.
 *
 * Source: decisions §8.
 */
import { setMaxListeners } from "node:events";
import { WEBHOOK_DELIVERY } from "../../contract/index.ts";
import type { Exchange, Millis, WebhookRecord } from "../model/index.ts";
import { Lanes, UNDERWAY_MAX } from "./lanes.ts";
import type { Outbox } from "./outbox.ts";
import type { Delivery, OutboxEvent } from "./outbox-state.ts";
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

/** The exchange's clock may be moved at any time, so nobody sleeps longer. */
const SLEEP_MAX_MS = 1_000;

export class Delivering {
  readonly #parts: DeliveringParts;
  readonly #closing = new AbortController();
  readonly #lanes = new Lanes();
  readonly #sending = new Set<Promise<void>>();
  #releasing: Promise<void> = Promise.resolve();
  #isReleasing = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: DeliveringParts) {
    this.#parts = parts;
    // Each delivery on its way listens; more would be a leak.
    setMaxListeners(UNDERWAY_MAX, this.#closing.signal);
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
    const webhooks = exchange.webhooks();
    // One for each in its turn, as long as there is room and something due.
    for (let more = true; more; ) more = this.#sendInTurn(webhooks);
    // What waits for room is woken by those that leave.
    const dueTimes = webhooks.flatMap(({ webhookId }) =>
      this.#lanes.hasRoom(webhookId) ? (outbox.dueAt(webhookId) ?? []) : [],
    );
    const next = Math.min(...dueTimes);
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

  /** @returns whether anything was due that there was room for. */
  #sendInTurn(webhooks: readonly WebhookRecord[]): boolean {
    const { outbox, now } = this.#parts;
    let isSent = false;
    for (const webhook of this.#lanes.inTurn(webhooks)) {
      const { webhookId } = webhook;
      const delivery = this.#lanes.hasRoom(webhookId) ? outbox.take(webhookId, now()) : undefined;
      if (delivery === undefined) continue;
      this.#send(webhook, delivery);
      isSent = true;
    }
    return isSent;
  }

  #send(webhook: WebhookRecord, delivery: Delivery): void {
    const { webhookId } = webhook;
    this.#lanes.begin(webhookId);
    let answers = false;
    const sending = this.#attempt(webhook, delivery)
      .then((problem) => {
        answers = problem === null;
      })
      .catch((error: unknown) => this.#parts.onDefect(error))
      .finally(() => {
        this.#sending.delete(sending);
        this.#lanes.end(webhookId, answers);
        this.wake();
      });
    this.#sending.add(sending);
  }

  /** @returns null when it was taken, else why not. @throws when what became of it cannot be kept. */
  async #attempt(webhook: WebhookRecord, { number, event, attempts }: Delivery): Promise<string | null> {
    const { outbox, now, onDefect } = this.#parts;
    const problem = await this.#post(webhook, event).catch((error: unknown) => {
      onDefect(error);
      return "it could not be sent";
    });
    if (this.#closing.signal.aborted) return problem;
    const at = now();
    outbox.finish(number, at, problem, problem === null ? null : this.#retryAt(attempts, at));
    return problem;
  }

  async #post({ url, secret }: WebhookRecord, { id, body }: OutboxEvent): Promise<string | null> {
    const { machineTime, allowRemote, answerMs: timeoutMs = WEBHOOK_DELIVERY.answerMs } = this.#parts;
    const headers = signedHeaders(secret, id, machineTime(), body);
    return postOnce({ url, headers, body, timeoutMs, allowRemote, signal: this.#closing.signal });
  }

  /** @param failed attempts before this one. @returns null when this was the last. */
  #retryAt(failed: number, at: Millis): Millis | null {
    const pause = WEBHOOK_DELIVERY.retryAfterMs[failed];
    if (pause === undefined) return null;
    const { jitter } = WEBHOOK_DELIVERY;
    return at + Math.round(pause * (1 - jitter + 2 * jitter * this.#parts.random()));
  }
}
