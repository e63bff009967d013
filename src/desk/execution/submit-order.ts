/**
 * Sending: the one request of an intent, and what is known of it afterwards.
 *
 * Invariants:
 * - The intent and its `userref` are on disk before the request is numbered; its nonce, and its share of the budgets, are on
 *   disk before the first byte leaves.
 * - `Venue.submit` is called from here only, at most once for each move `approved → submitting`, and only the process that
 *   made this move sends.
 * - No answer means `unknown`; the venue is then queried, nothing is sent again.
 * - What replaces another order is sent only when that one is gone, and is judged once more then.
 *
 * Source: architecture.md#rule-1, architecture.md#rule-3.
 */
import { defined, type Fault, failed, faultKind, localFault, type Order, type Result } from "../../contract/index.ts";
import { approvalLapse } from "../approval/approval-validity.ts";
import type { DeskContext } from "../core/context.ts";
import type { AccountUsage } from "../model/account-usage.ts";
import type { IntentBody, IntentChange, IntentRecord, JournaledOrder } from "../model/intent.ts";
import { sourcesOf, UNRESOLVED_STATES } from "../model/intent-state.ts";
import { changeShownBy, holdAfter } from "../model/intent-transition.ts";
import type { SentSince } from "../ports/journal.ts";
import type { Begun } from "../ports/submission-journal.ts";
import type { TakenOrder } from "../ports/venue.ts";
import { holderOf, whileHeld } from "../reconciliation/lease.ts";
import type { OrderTracker } from "../reconciliation/order-tracker.ts";
import type { Reconciler } from "../reconciliation/reconciler.ts";
import { wrongOrderFault } from "../reconciliation/wrong-order.ts";
import { type Assessment, denialOf, type PreTradeCheck } from "../risk/pre-trade-check.ts";
import type { Assessed } from "./assess-order.ts";
import type { DuplicateGuard } from "./duplicate-guard.ts";
import { makeRoom, nothingStands } from "./replaced-order.ts";
import { userrefFault } from "./userref-check.ts";
import type { VerifiedCancel } from "./verified-cancel.ts";
import { withdrawal } from "./withdrawn.ts";

/** An intent as it is after a step, and what its report has to add. */
export interface Step {
  readonly intent: IntentRecord;
  readonly warnings: readonly string[];
  /** The order just like it that was placed meanwhile; then nothing of this one was sent. */
  readonly placedBefore?: IntentRecord;
}

/** When it was requested, or requested again: no duplicate of it may have been sent since. */
export interface Request {
  readonly requestedAtMs: number;
  /** Fires when it is withdrawn. */
  readonly withdrawn?: AbortSignal | undefined;
}

/** Where the book has become too old in its turn, and no other came in time. */
const TRIES_MAX = 3;

export interface SubmitOrderParts {
  readonly check: PreTradeCheck;
  readonly reconciler: Reconciler;
  readonly tracker: OrderTracker;
  readonly duplicates: DuplicateGuard;
  readonly cancels: VerifiedCancel;
}

export class SubmitOrder {
  readonly #context: DeskContext;
  readonly #check: PreTradeCheck;
  readonly #reconciler: Reconciler;
  readonly #tracker: OrderTracker;
  readonly #duplicates: DuplicateGuard;
  readonly #cancels: VerifiedCancel;

  constructor(context: DeskContext, { check, reconciler, tracker, duplicates, cancels }: SubmitOrderParts) {
    this.#context = context;
    this.#check = check;
    this.#reconciler = reconciler;
    this.#tracker = tracker;
    this.#duplicates = duplicates;
    this.#cancels = cancels;
  }

  /**
   * Sends an approved intent, or ends it unsent.
   * @param fresh an assessment made just now that allows the order
   */
  async submit(intent: IntentRecord, request: Request, fresh?: Assessed): Promise<Step> {
    const { journal, clock } = this.#context.parts;
    const { holder } = holderOf(this.#context);
    const renew = (body?: IntentBody) => {
      const held = { from: ["approved"], to: "approved", lazy: true, isLease: true, ...defined({ body }) } as const;
      return journal.advance(intent.intentId, held, clock.now());
    };
    // Left over by another process: from now on it is this one's.
    if (holder !== undefined && holder !== intent.body.holder) await renew({ ...intent.body, holder });
    return whileHeld(this.#context, renew, () => this.#submitHeld(intent, request, fresh));
  }

  async #submitHeld(intent: IntentRecord, request: Request, fresh?: Assessed): Promise<Step> {
    const unwanted = withdrawal(request.withdrawn);
    if (unwanted !== undefined) return this.#unsent(intent, "lapsed", unwanted);
    const { replaces } = intent.body;
    if (replaces === undefined) return this.#submit(intent, request, fresh);
    const change = { replaces, lookedAtMs: fresh?.lookedAtMs, withdrawn: request.withdrawn };
    const { body, fault } = await makeRoom(this.#context, this.#cancels, intent, change);
    const room = { ...intent, body };
    const step = fault === undefined ? await this.#submit(room, request) : await this.#unsent(room, "lapsed", fault);
    const { ended } = body.replaces ?? {};
    if (ended === undefined) return step;
    // Another process may have given it up meanwhile, and knows nothing of the cancel.
    return { ...step, intent: { ...step.intent, body: { ...step.intent.body, replaces: { ...replaces, ended } } } };
  }

  async #submit(intent: IntentRecord, request: Request, fresh?: Assessment): Promise<Step> {
    let assessment = fresh;
    for (let tries = 1; ; tries++) {
      if (assessment === undefined) {
        const assessed = await this.#assess(intent);
        if ("intent" in assessed) return assessed;
        assessment = assessed;
      }
      const sent = await this.#sendOnce(intent, request, assessment);
      if ("intent" in sent) return sent;
      const { code, rule } = sent.refused;
      const isLapsed = intent.body.approval !== undefined && code === "ELocal:Not approved";
      if (isLapsed || code === "ELocal:Withdrawn") return this.#refused(intent, "lapsed", sent.refused);
      if (rule !== "book_age" || tries === TRIES_MAX) {
        const placedBefore = this.#duplicates.placedBefore(sent.refused);
        return { ...(await this.#refused(intent, "denied", sent.refused)), ...defined({ placedBefore }) };
      }
      assessment = undefined;
    }
  }

  /** Sends what was approved and never sent, as its process died; the venue may know better, as this journal may be an older copy. */
  async submitLeftOver(intent: IntentRecord, request: Request): Promise<Step> {
    const fault = await userrefFault(this.#context, intent.body.order);
    if (fault === undefined) return this.submit(intent, request);
    return this.#unsent(intent, fault.code === "ELocal:Userref in use" ? "denied" : "not_placed", fault);
  }

  /** An assessment that allows the order; where it does not, the intent as it ended, unsent. */
  async #assess(intent: IntentRecord): Promise<Assessment | Step> {
    const { approval } = intent.body;
    const assessed = await this.#check.assess(intent.body);
    if (!assessed.ok) return this.#refused(intent, "not_placed", assessed.fault);
    const { policy, verdict } = assessed.value;
    const lapse = approval && approvalLapse(approval, policy, assessed.value, this.#context.parts.clock.now());
    if (lapse !== undefined) return this.#refused(intent, "lapsed", lapse);
    const denial = denialOf(verdict, policy);
    return denial === undefined ? assessed.value : this.#refused(intent, "denied", denial);
  }

  /** Where another order had to go for it, that one is gone. */
  #refused(intent: IntentRecord, to: "denied" | "lapsed" | "not_placed", fault: Fault): Promise<Step> {
    return this.#unsent(intent, to, intent.body.replaces === undefined ? fault : nothingStands(fault));
  }

  /** What became of an intent that was requested before. */
  async reportExisting(intent: IntentRecord): Promise<Step> {
    const settled = await this.#reconciler.settle(intent);
    return {
      intent: settled.orderId === null ? settled : await this.#asShownNow(settled, settled.orderId),
      warnings: [`An order with userref ${intent.userref} was requested before; this is that order, nothing was sent.`],
    };
  }

  /** With the order as the venue shows it now; as it was last shown only where the venue cannot be queried. */
  async #asShownNow(intent: IntentRecord, orderId: string): Promise<IntentRecord> {
    const answer = await this.#context.parts.venue.order(intent.body.order.symbol, orderId);
    if (answer.ok) {
      const wrong = await wrongOrderFault(this.#context, intent, answer.value);
      if (wrong !== undefined) return { ...intent, state: "unknown", body: { ...intent.body, fault: wrong } };
      await this.#tracker.record([answer.value]);
      const now = (await this.#current(intent)) ?? intent;
      return { ...now, body: { ...now.body, seen: answer.value } };
    }
    if (faultKind(answer.fault.code) !== "unknown_order") return intent;
    const { seen: _gone, ...body } = intent.body;
    const message = "The exchange accepted this order earlier and says now that it does not know it.";
    return { ...intent, state: "unknown", body: { ...body, fault: localFault("ELocal:Unknown order", { message }) } };
  }

  /** Ends an intent of which no byte has left. */
  async #unsent(intent: IntentRecord, to: "denied" | "lapsed" | "not_placed", fault: Fault): Promise<Step> {
    const { journal, clock } = this.#context.parts;
    const body = { ...intent.body, fault };
    const change = { from: ["approved"], to, body, ...holdOf(to) } as const;
    const moved = await journal.advance(intent.intentId, change, clock.now());
    if (moved.ok && moved.value !== undefined) return { intent: moved.value, warnings: [] };
    if (moved.ok) return this.reportExisting((await this.#current(intent)) ?? intent);
    return this.#unstored(intent, { intent: { ...intent, state: to, body }, warnings: [notStored(moved.fault)] });
  }

  /** It could not be stored that this call has sent nothing. Another call may have sent it, and then that counts; also where that is not known. */
  async #unstored(intent: IntentRecord, step: Step): Promise<Step> {
    const now = await this.#current(intent);
    if (now === undefined) return { intent, warnings: step.warnings };
    return now.state === "approved" ? step : this.reportExisting(now);
  }

  async #sendOnce(
    intent: IntentRecord,
    { requestedAtMs, withdrawn }: Request,
    assessment: Assessment,
  ): Promise<Step | { readonly refused: Fault }> {
    const unwanted = withdrawal(withdrawn);
    if (unwanted !== undefined) return { refused: unwanted };
    const { venue, journal, clock } = this.#context.parts;
    const keyId = venue.keyId ?? intent.body.keyId;
    // Another process may have recorded it under its own key, whose fence would then say nothing about this request; and an order that
    // replaces another may be for less than was recorded.
    const isAsRecorded = keyId === intent.body.keyId && intent.body.replaces === undefined;
    const signed = isAsRecorded ? {} : { body: { ...intent.body, keyId } };
    let beginning: Result<Begun<IntentRecord, Fault> | undefined> | undefined;
    const answer = await venue.submit(intent.body.order as JournaledOrder, async (nonce) => {
      const judged = await assessment.renewed();
      const sinceMs = [requestedAtMs, ...judged.sinceMs];
      const moved = { from: ["approved"], to: "submitting", ...signed } as const;
      const send = { ...moved, nonce, heldKrw: judged.valueKrw, sinceMs };
      const recheck = (usage: AccountUsage, sentSince: SentSince) =>
        withdrawal(withdrawn) ??
        judged.recheck(usage, sentSince) ??
        this.#duplicates.sentMeanwhile(intent.body, sentSince(requestedAtMs));
      beginning = await journal.begin(intent.intentId, send, recheck, () => clock.now());
      return beginning.ok && beginning.value !== undefined && "begun" in beginning.value;
    });
    const begun = beginning?.ok === true ? beginning.value : undefined;
    if (begun !== undefined && "refused" in begun) return begun;
    if (beginning?.ok === true && begun === undefined)
      return this.reportExisting((await this.#current(intent)) ?? intent);
    // Where the nonce could not be put on disk, the request was not sent.
    const outcome = beginning?.ok === false ? beginning : answer;
    // What was let through a moment ago was judged by a market that may be another by now.
    if (!outcome.ok && outcome.fault.reachedVenue === "yes" && outcome.fault.retry === "never")
      this.#context.forgetMarkets();
    const sent = begun?.begun ?? intent;
    // Once it has left it counts as sent.
    const isLate = begun !== undefined && withdrawn?.aborted === true;
    const told = isLate ? { ...sent, body: { ...sent.body, withdrawn: true as const } } : sent;
    const recorded = await this.#recordAnswer(told, outcome, begun !== undefined);
    const { state, orderId } = recorded.intent;
    // That it was accepted is on disk; its state can be queried without haste.
    if (state === "accepted" && orderId !== null)
      return { ...recorded, intent: await this.#asShownNow(recorded.intent, orderId) };
    if (state !== "unknown") return recorded;
    return { intent: await this.#reconciler.settle(recorded.intent), warnings: recorded.warnings };
  }

  /** Writes the answer to the intent. The venue's answer counts even if our store cannot take it. */
  async #recordAnswer(intent: IntentRecord, given: Result<Order | TakenOrder>, numbered: boolean): Promise<Step> {
    const wrong = given.ok ? await wrongOrderFault(this.#context, intent, given.value) : undefined;
    const answer = wrong === undefined ? given : failed(wrong);
    const { journal, clock } = this.#context.parts;
    const update = answer.ok
      ? {
          ...(isShown(answer.value) ? changeShownBy(intent.body, answer.value) : taken(intent, answer.value)),
          lazy: true,
        }
      : refused(intent, answer, numbered);
    const change: IntentChange = {
      // A request without a nonce may only end an intent that no other process has begun to send.
      from: numbered
        ? sourcesOf(update.to).filter((state) => UNRESOLVED_STATES.some((each) => each === state))
        : ["approved"],
      // Another process may have settled it and begun a new request meanwhile: then this answer is not about the current one.
      ...(numbered && !answer.ok ? { ifNonce: intent.nonce } : {}),
      ...update,
    };
    const moved = await journal.advance(intent.intentId, change, clock.now());
    if (moved.ok && moved.value !== undefined) return { intent: moved.value, warnings: [] };
    const { to: state, orderId = null, body = intent.body } = update;
    const shown: IntentRecord = { ...intent, state, orderId, body };
    if (!moved.ok) {
      const step = { intent: shown, warnings: [notStored(moved.fault)] };
      return numbered ? step : this.#unstored(intent, step);
    }
    // Another process settled it first, on the venue's evidence; only an answer of our own knows as much.
    return { intent: answer.ok ? shown : ((await this.#current(intent)) ?? shown), warnings: [] };
  }

  async #current(intent: IntentRecord): Promise<IntentRecord | undefined> {
    const found = await this.#context.parts.journal.byId(intent.intentId);
    return found.ok ? found.value : undefined;
  }
}

function isShown(answer: Order | TakenOrder): answer is Order {
  return "state" in answer;
}

/** The venue has the order, and its state there is not known yet. */
function taken({ body }: IntentRecord, { orderId }: TakenOrder): Omit<IntentChange, "from"> {
  const { fault: _lost, ...rest } = body;
  return { to: "accepted", orderId, body: rest };
}

function refused(
  intent: IntentRecord,
  { fault }: { readonly fault: Fault },
  numbered: boolean,
): Omit<IntentChange, "from"> {
  const to = numbered ? stateAfter(fault) : "not_placed";
  return { to, body: { ...intent.body, fault }, ...holdOf(to) };
}

function holdOf(
  to: "denied" | "lapsed" | "rejected" | "unknown" | "not_placed",
): Pick<IntentChange, "hold" | "unsend"> {
  const hold = holdAfter(to, undefined);
  return defined({ hold, unsend: to === "not_placed" || undefined });
}

function stateAfter(fault: Fault): "rejected" | "unknown" | "not_placed" {
  switch (fault.reachedVenue) {
    case "yes":
      return "rejected";
    case "unknown":
      return "unknown";
    case "no":
      return "not_placed";
    default:
      return fault.reachedVenue satisfies never;
  }
}

function notStored(fault: Fault): string {
  return `What became of this order could not be stored: ${fault.message}`;
}
