/**
 * Cancels, verified: "canceled" is only said when the venue shows the order closed.
 *
 * After a cancel without an answer the order is queried. Behind the nonce fence, an order that is still open or has ended otherwise
 * proves that the lost cancel had no effect. Only an open one is worth another cancel, which is the caller's to request unless the cancel
 * was refused for its nonce alone. The cancel counts as accepted only where the order is shown as canceled.
 *
 * Source: service.md#retry-nonce, architecture.md#rule-5.
 */
import { defined, type Fault, faultKind, type Order, type Result } from "../../contract/index.ts";
import { attempt } from "../core/attempt.ts";
import { CANCEL_DEADLINE, type DeskContext, notRecorded, recordStep, URGENT } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import { isLive } from "../model/intent-state.ts";
import { CANCEL_REQUESTED, updateFrom } from "../model/intent-transition.ts";
import { intentStateOf, orderStateOf, reportError } from "../model/order-report.ts";
import type { WriteReport } from "../model/reports.ts";
import type { OrderStep } from "../ports/journal.ts";
import type { OrderWrites, TakenCancel } from "../ports/venue.ts";
import { isFenced } from "../reconciliation/absence.ts";

/** Queries of an order whose cancel was accepted but which the venue still shows open. */
const VERIFY_QUERIES = 5;
const VERIFY_PAUSE_MS = 200;
/** Source: service.md#retry-nonce, service.md#retry-backoff. */
const NONCE_REPEATS = 5;
/** What to cancel. `seen`: as the venue showed it a moment ago; `beforeSend`: asked right before it leaves: nothing is sent when it answers false. */
export interface CancelTarget {
  readonly orderId: string;
  readonly symbol: string;
  readonly seen?: Order;
  readonly intent?: IntentRecord;
  readonly beforeSend?: () => Promise<boolean>;
}

export class VerifiedCancel {
  readonly #context: DeskContext;
  readonly #writes: Pick<OrderWrites, "cancel">;

  constructor(context: DeskContext, writes: Pick<OrderWrites, "cancel">) {
    this.#context = context;
    this.#writes = writes;
  }

  /** Repeated where another program on the key used a larger nonce first: a cancel may be repeated, an order may not. */
  async send(target: CancelTarget): Promise<WriteReport> {
    let report = await this.#sendOnce(target);
    for (let again = 0; again < NONCE_REPEATS && wasOvertaken(report); again++) report = await this.#sendOnce(target);
    return report;
  }

  async #sendOnce(target: CancelTarget): Promise<WriteReport> {
    const { orderId, symbol, beforeSend } = target;
    const requested = await this.#note(target, { event: "cancel_requested", change: () => CANCEL_REQUESTED });
    const answer = await this.#writes.cancel(symbol, orderId, beforeSend);
    // Only now: in a process that has just started it would have delayed the cancel.
    const account = await this.#context.account(CANCEL_DEADLINE);
    // An accepted cancel is reported by what the venue shows; else others may know more of the order by now.
    const isKnown = answer.ok && requested.intent !== undefined;
    const intent = isKnown ? requested.intent : await this.#intentOf(target, account);
    const known = { ...target, ...defined({ intent }) };
    const report = answer.ok ? await this.#verified(known, answer.value) : await this.#explained(known, answer.fault);
    // A cancel that was refused, or never left, or is proven lost has left the order as it was.
    const isWithoutEffect = report.outcome === "not_sent" || report.outcome === "rejected";
    const last = report.order ?? intent?.body.seen;
    const ended = await this.#note(known, {
      event: `cancel_ended_${report.state}`,
      change: (now) => (last === undefined || !isLive(now.state) ? undefined : updateFrom(now, last, isWithoutEffect)),
      concludes: true,
      lazy: true,
    });
    const warnings = [...requested.warnings, ...ended.warnings];
    return { ...report, warnings, ...defined({ intent_id: intent?.intentId }) };
  }

  /** One transaction for the log and the journal. Where what the venue shows does not fit the journal, the log has the step by itself. */
  async #note(
    { orderId, symbol, intent }: CancelTarget,
    step: Pick<OrderStep, "event" | "change" | "concludes" | "lazy">,
  ): Promise<{ readonly intent?: IntentRecord | undefined; readonly warnings: readonly string[] }> {
    const { journal, clock } = this.#context.parts;
    const account = this.#context.journalAccount();
    const entry = { account, orderId, detail: { symbol }, ...defined({ intentId: intent?.intentId }) };
    try {
      const noted = await journal.step({ ...entry, ...step }, clock.now());
      return noted.ok ? { intent: noted.value, warnings: [] } : { warnings: [notRecorded(noted.fault)] };
    } catch {
      return { warnings: await recordStep(this.#context, { ...entry, event: step.event }) };
    }
  }

  async #intentOf(target: CancelTarget, account: Result<string>): Promise<IntentRecord | undefined> {
    if (!account.ok) return target.intent;
    const { value } = await attempt(() => this.#context.parts.journal.byOrderId(account.value, target.orderId));
    return value ?? target.intent;
  }

  /** The venue accepted the cancel: query until the order is closed. */
  async #verified(target: CancelTarget, taken: Order | TakenCancel): Promise<WriteReport> {
    const { venue, clock } = this.#context.parts;
    const shown = "state" in taken ? taken : undefined;
    let seen = shown;
    for (let queries = 0; (seen === undefined || seen.state === "open") && queries < VERIFY_QUERIES; queries++) {
      // Where the answer says nothing of the order there is nothing to wait for.
      if (shown !== undefined || queries > 0) await clock.sleep(VERIFY_PAUSE_MS);
      const answer = await venue.order(target.symbol, target.orderId, URGENT);
      if (answer.ok) seen = answer.value;
    }
    if (seen !== undefined && seen.state !== "open") return this.#report("accepted", orderStateOf(seen), seen);
    const now = seen === undefined ? "the order could not be queried" : "the order is still shown open";
    const next = `The cancel was accepted but ${now}. Look again with get_order.`;
    return this.#report("accepted", "cancel_requested", seen ?? target.seen, { next_action: next });
  }

  /** The cancel was refused or has no answer: say what the order is now. */
  async #explained(target: CancelTarget, fault: Fault): Promise<WriteReport> {
    const { venue } = this.#context.parts;
    const { symbol, orderId } = target;
    const answer = await venue.order(symbol, orderId, URGENT);
    const error = reportError(fault);
    if (!answer.ok) return this.#unverified(target, fault);
    const seen = answer.value;
    const state = orderStateOf(seen);
    if (fault.reachedVenue === "yes")
      return this.#report("rejected", state, seen, { error, next_action: fault.nextAction });
    if (seen.state === "canceled") return this.#report("accepted", state, seen);
    const isWithoutEffect = fault.reachedVenue === "no" || isFenced(venue);
    if (seen.state !== "open") {
      const next = "The order has ended by itself: there is nothing left to cancel.";
      return this.#report(isWithoutEffect ? "not_sent" : "unknown", state, seen, { error, next_action: next });
    }
    if (isWithoutEffect) {
      const next = "The cancel had no effect and the order is still open: cancel it again.";
      return this.#report("not_sent", state, seen, { error, next_action: next });
    }
    const next = "It is not known yet whether the cancel takes effect. Look again with get_order.";
    return this.#report("unknown", "cancel_requested", seen, { error, next_action: next });
  }

  /** The cancel was refused or has no answer, and the order's state is not known. */
  #unverified({ orderId, seen, intent }: CancelTarget, fault: Fault): WriteReport {
    const more = {
      error: reportError(fault),
      next_action: `Look with get_order, order_id ${orderId}, before anything else.`,
    };
    if (fault.reachedVenue === "unknown") return this.#report("unknown", "unknown", seen, more);
    const state = seen === undefined ? undefined : orderStateOf(seen);
    // The cancel changed nothing, so the order is as it was last shown.
    const last = intent?.body.seen;
    const known = state ?? (last && orderStateOf(last)) ?? (intent === undefined ? "unknown" : intentStateOf(intent));
    return this.#report(fault.reachedVenue === "yes" ? "rejected" : "not_sent", known, seen, more);
  }

  #report(
    outcome: WriteReport["outcome"],
    state: WriteReport["state"],
    order: Order | undefined,
    more: Pick<WriteReport, "error" | "next_action"> = {},
  ): WriteReport {
    const shown = defined({ order, userref: order?.userref ?? undefined });
    return { outcome, state, ...shown, ...this.#context.stamp(), warnings: [], ...more };
  }
}

/** Refused for its nonce, and shown by the venue since to have changed nothing. */
function wasOvertaken({ outcome, error, order }: WriteReport): boolean {
  return outcome === "not_sent" && faultKind(error?.code) === "nonce" && order?.state === "open";
}
