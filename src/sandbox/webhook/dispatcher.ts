/**
 * Sends the deliveries that are due, and again until the endpoint accepts them. Entry point: `Dispatcher`.
 *
 * Invariants: an event is sent only after its command and its record in the outbox are on disk; a delivery is in flight once at a
 * time; every attempt ends, also one that could not be made. An attempt that the end of the process aborts does not count, and is
 * made again.
 *
 * Source: service.md#webhook-retries, service.md#webhook-crash.
 */
import { createHmac } from "node:crypto";
import { setMaxListeners } from "node:events";
import { WEBHOOK_DELIVERY, WEBHOOK_HEADERS, WEBHOOK_SECRET_PREFIX } from "../../contract/index.ts";
import type { Exchange, Millis, WebhookRecord } from "../model/index.ts";
import { DeliverySlots, IN_FLIGHT_MAX } from "./delivery-slots.ts";
import type { Outbox } from "./outbox.ts";
import type { Delivery, OutboxEvent } from "./outbox-state.ts";
import { postOnce } from "./post.ts";

export interface DispatcherParts {
  readonly outbox: Outbox;
  readonly exchange: Pick<Exchange, "webhooks">;
  /** Resolves when all commands so far are on disk. */
  readonly durable: () => Promise<void>;
  /** The exchange's clock, which the retry schedule follows. */
  readonly now: () => Millis;
  /** The machine's clock, for the time in a signature: a receiver compares it with its own. */
  readonly machineTime: () => Millis;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly allowRemote: boolean;
  readonly onDefect: (error: unknown) => void;
  /** Default: as long as the contract says. */
  readonly answerMs?: Millis;
}

/** Longest pause between two looks at what is due, as the exchange's clock may be moved at any time. */
const SLEEP_MAX_MS = 1_000;

export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #closing = new AbortController();
  readonly #slots = new DeliverySlots();
  readonly #sending = new Set<Promise<void>>();
  #releasing: Promise<void> = Promise.resolve();
  #isReleasing = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    // Each delivery in flight adds one listener; more would be a leak.
    setMaxListeners(IN_FLIGHT_MAX, this.#closing.signal);
  }

  /** Releases what was recorded in the outbox for sending, once it is on disk. */
  releaseRecorded(): void {
    if (!this.#isReleasing && this.#parts.outbox.hasUnreleased) this.#releasing = this.#release();
  }

  /** Sends what is due, and sets the timer for what is due next. */
  wake(): void {
    clearTimeout(this.#timer);
    const { outbox, exchange, now } = this.#parts;
    if (this.#closing.signal.aborted || outbox.failed !== undefined) return;
    const webhooks = exchange.webhooks();
    // One delivery of each endpoint in turn, while a slot is free and something is due.
    for (let more = true; more; ) more = this.#sendInTurn(webhooks);
    // An endpoint that waits for a slot is served when an attempt ends.
    const dueTimes = webhooks.flatMap(({ webhookId }) =>
      this.#slots.isFree(webhookId) ? (outbox.dueAt(webhookId) ?? []) : [],
    );
    const next = Math.min(...dueTimes);
    if (next === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.wake(), Math.min(SLEEP_MAX_MS, Math.max(0, next - now())));
    this.#timer.unref();
  }

  /** Aborts the attempts in flight. */
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
      while (outbox.hasUnreleased && !this.#closing.signal.aborted) {
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

  /** @returns whether anything was sent. */
  #sendInTurn(webhooks: readonly WebhookRecord[]): boolean {
    const { outbox, now } = this.#parts;
    let isSent = false;
    for (const webhook of this.#slots.inTurn(webhooks)) {
      const { webhookId } = webhook;
      const delivery = this.#slots.isFree(webhookId) ? outbox.take(webhookId, now()) : undefined;
      if (delivery === undefined) continue;
      this.#send(webhook, delivery);
      isSent = true;
    }
    return isSent;
  }

  #send(webhook: WebhookRecord, delivery: Delivery): void {
    const { webhookId } = webhook;
    this.#slots.begin(webhookId);
    let answers = false;
    const sending = this.#attempt(webhook, delivery)
      .then((problem) => {
        answers = problem === null;
      })
      .catch((error: unknown) => this.#parts.onDefect(error))
      .finally(() => {
        this.#sending.delete(sending);
        this.#slots.end(webhookId, answers);
        this.wake();
      });
    this.#sending.add(sending);
  }

  /** @returns null when it was accepted, else why not. @throws when the outcome cannot be written down. */
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

  /** @param failed attempts before this one. @returns null after the last attempt. */
  #retryAt(failed: number, at: Millis): Millis | null {
    const pause = WEBHOOK_DELIVERY.retryAfterMs[failed];
    if (pause === undefined) return null;
    const { jitter } = WEBHOOK_DELIVERY;
    return at + Math.round(pause * (1 - jitter + 2 * jitter * this.#parts.random()));
  }
}

/** Source: service.md#webhook-signature. @param at time of this attempt by the machine's clock: the exchange's may be days ahead of the receiver's. */
export function signedHeaders(secret: string, id: string, at: Millis, body: string): Readonly<Record<string, string>> {
  const key = Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), "base64");
  const timestamp = String(Math.floor(at / 1000));
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    [WEBHOOK_HEADERS.id]: id,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: `v1,${signature}`,
  };
}
