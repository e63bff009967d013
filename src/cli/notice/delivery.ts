/**
 * Owns that notices reach the receiver of `[notify]`: each is posted until the receiver has taken it, or it is given up. The convention is Standard
 * Webhooks. Entry point: `deliverNotices`, for a process that stays.
 *
 * Invariants: of all processes one delivers a notice, and only where that died another does so again, under the same id; no redirect is followed, so
 * that what is posted reaches nobody else; the secret signs and is never printed, and neither is what stands behind the host of the address; nothing
 * of trading waits for it.
 *
 * Source: plans.md#told.
 */
import { createHmac } from "node:crypto";
import { Agent, request } from "undici";
import type { NotifyInForce } from "../../config/index.ts";
import { defined, WEBHOOK_HEADERS, WEBHOOK_SECRET_PREFIX } from "../../contract/index.ts";
import type { Notice, Notices, PlanBook } from "../../desk/index.ts";
import { systemClock } from "../../transport/index.ts";
import type { Words } from "../../words/index.ts";
import type { Composition } from "../composition/compose.ts";
import type { DeskStore } from "../composition/home-store.ts";
import { lazyPort } from "../composition/lazy-ports.ts";
import { VERSION } from "../version.ts";
import { type NoticeStamp, noticeBody } from "./notice-body.ts";

/** A receiver that has not answered by then has not taken it. */
const ANSWER_MS = 5_000;
/** How long a notice is this process's: longer than its delivery may take. */
const CLAIM_MS = 3 * ANSWER_MS;
const LOOK_EVERY_MS = 1_000;
const AT_ONCE = 8;
/** What was written before is told to nobody any more: hoga did not run, or `[notify]` is new. */
const OLDEST_MS = 86_400_000;
/** Of an answer nothing is read but its status. */
const ANSWER_BYTES = 16_384;

export interface DeliveryParts {
  readonly settings: NotifyInForce;
  readonly notices: Pick<Notices, "claimDue" | "delivered" | "failed">;
  readonly plans: Pick<PlanBook, "byId">;
  /** As the store names it; undefined until that is known. */
  readonly account: () => string | undefined;
  readonly stamp: () => NoticeStamp;
  readonly words: Words;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly onNotice: (message: string) => void;
  readonly lookEveryMs?: number;
}

/** Begins for a process that stays, and ends with its composition. */
export function deliverNotices(
  composition: Composition,
  settings: NotifyInForce,
  { words, onNotice }: Pick<DeliveryParts, "onNotice" | "words">,
): void {
  const { desk, home, account } = composition;
  const delivery = new NoticeDelivery({
    ...{ settings, account, onNotice, now: () => systemClock.now() },
    notices: lazyPort<DeskStore["notices"]>(async () => (await composition.store()).notices),
    plans: lazyPort<DeskStore["plans"]>(async () => (await composition.store()).plans),
    stamp: () => ({ ...desk.stamp(), ...defined({ tenant: home.tenant?.name }) }),
    words,
  });
  composition.endsFirst(() => delivery.close());
  delivery.start();
}

export class NoticeDelivery {
  readonly #parts: DeliveryParts;
  readonly #ending = new AbortController();
  readonly #agent = new Agent({ connect: { timeout: ANSWER_MS, rejectUnauthorized: true } });
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isFailing = false;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  start(): void {
    const { lookEveryMs = LOOK_EVERY_MS, onNotice } = this.#parts;
    this.#timer = setTimeout(() => {
      this.#running = this.#round()
        .catch((error: unknown) => {
          // What it was at was closed under it.
          if (!this.#ending.signal.aborted) onNotice(`Notices wait: ${String(error)}`);
        })
        .finally(() => {
          if (!this.#ending.signal.aborted) this.start();
        });
    }, lookEveryMs).unref();
  }

  /** Breaks off what is on its way: whoever looks next, once the claim has run out, sends it again. */
  async close(): Promise<void> {
    this.#ending.abort();
    clearTimeout(this.#timer);
    await this.#running;
    await this.#agent.destroy();
  }

  async #round(): Promise<void> {
    const { notices, now, account: accountNow, settings } = this.#parts;
    const account = accountNow();
    if (account === undefined) return;
    const claim = { account, claimMs: CLAIM_MS, types: settings.types, limit: AT_ONCE };
    while (!this.#ending.signal.aborted) {
      const due = await notices.claimDue({ ...claim, nowMs: now(), sinceMs: now() - OLDEST_MS });
      // A store that is full or locked is asked again at the next look.
      if (!due.ok || due.value.length === 0) return;
      await Promise.all(due.value.map((notice) => this.#deliver(notice)));
    }
  }

  async #deliver(notice: Notice): Promise<void> {
    const { notices, plans, stamp, words, now } = this.#parts;
    const { noticeId } = notice;
    const plan = await plans.byId(notice.planId);
    if (!plan.ok) return;
    const problem = await this.#post(noticeId, noticeBody(notice, plan.value, stamp(), words));
    if (problem === undefined) {
      this.#isFailing = false;
      await notices.delivered(noticeId, now());
      return;
    }
    if (this.#ending.signal.aborted) return;
    const failed = await notices.failed(noticeId, now());
    if (failed.ok && failed.value !== undefined) this.#tell(failed.value, problem);
  }

  /** @returns why it was not taken */
  async #post(id: string, body: string): Promise<string | undefined> {
    const { settings, now } = this.#parts;
    const signal = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(ANSWER_MS)]);
    try {
      const answer = await request(settings.url, {
        method: "POST",
        body,
        signal,
        dispatcher: this.#agent,
        headers: {
          "content-type": "application/json",
          "user-agent": `hoga/${VERSION}`,
          ...signedHeaders(settings, id, now(), body),
        },
      });
      await answer.body.dump({ limit: ANSWER_BYTES, signal }).catch(() => undefined);
      const { statusCode: status } = answer;
      return status >= 200 && status < 300 ? undefined : `it answered ${status}`;
    } catch (error) {
      if (error instanceof Error && error.name === "TimeoutError") return `no answer within ${ANSWER_MS / 1_000} s`;
      return error instanceof Error && error.message !== "" ? error.message : String(error);
    }
  }

  /** Once, until something is taken again; of what is given up always. */
  #tell({ type, planId, tries, dueAtMs }: Notice, problem: string): void {
    const { onNotice, settings } = this.#parts;
    const what = `A notice (${type} of ${planId}) was not taken by ${new URL(settings.url).host}: ${problem}.`;
    if (dueAtMs === null) onNotice(`${what} It was tried ${tries} times and is given up.`);
    else if (!this.#isFailing) onNotice(`${what} It is sent again.`);
    this.#isFailing = true;
  }
}

/** As Standard Webhooks has it. @param atMs of this attempt */
function signedHeaders(
  { secrets }: Pick<NotifyInForce, "secrets">,
  id: string,
  atMs: number,
  body: string,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.reveal().slice(WEBHOOK_SECRET_PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return {
    [WEBHOOK_HEADERS.id]: id,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: signatures.join(" "),
  };
}
