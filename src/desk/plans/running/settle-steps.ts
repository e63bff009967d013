/**
 * Ends the steps whose orders have ended, and looks after those of which it is not known.
 *
 * Invariants: a step ends by what the journal knows of its order, and no other way; what was claimed and never sent is sent by one process or ended by one; a plan
 * that is to end does so with its step; what nobody can go on with alone waits for a person, who is told once.
 *
 * Source: decision 0105; decision 0111.
 */
import { defined } from "../../../contract/index.ts";
import { quantity } from "../../../decimal/index.ts";
import { type DeskContext, exchangeNow, type ReadingParts } from "../../core/context.ts";
import type { ClaimedOrders } from "../../execution/place-child.ts";
import type { IntentRecord } from "../../model/intent.ts";
import { mayRest } from "../../model/order-body.ts";
import type { PlanKind, PlanRecord, PlanStep } from "../../model/plan.ts";
import { canPlanMove, type PlanState, type StepState } from "../../model/plan-state.ts";
import type { NewNotice } from "../../ports/notices.ts";
import type { PlanBook } from "../../ports/plan-book.ts";
import { mayProveAbsence } from "../../reconciliation/absence.ts";
import { isAbandoned } from "../../reconciliation/lease.ts";
import { OrderTracker } from "../../reconciliation/order-tracker.ts";
import { symbolOf } from "../plan-view.ts";
import { afterCalendar } from "./calendar-ending.ts";
import { afterProtection } from "./protection-ending.ts";
import type { EndedStep, StepEnding } from "./step-ending.ts";
import { isLate, isOfCalendar } from "./step-order.ts";

/** So long an order may be without an answer before a person is told; where absence is never proven, that is at once. */
const UNKNOWN_MS = 10 * 60_000;

/** So often an order that has ended, and is not shown so yet, is looked up. */
const LOOK_AGAIN_MS = 1_000;

const NEVER_SENT = "Its process ended before it was sent.";

export interface SettleParts {
  readonly context: DeskContext;
  readonly book: PlanBook;
  readonly children: ClaimedOrders;
}

type NowMs = () => number | undefined;

/** What of a step is known, as far as it has been read. */
interface OpenStep {
  readonly plan: PlanRecord;
  readonly step: PlanStep;
  readonly intent: IntentRecord;
}

export class SettleSteps {
  readonly #parts: SettleParts;
  readonly #desk: ReadingParts;
  readonly #tracker: OrderTracker;
  /** By intent, of `Clock.rising`. */
  readonly #lookAgainMs = new Map<string, number>();

  constructor(parts: SettleParts) {
    const { parts: desk } = parts.context;
    this.#parts = parts;
    this.#desk = desk;
    this.#tracker = new OrderTracker(parts.context);
  }

  /**
   * @param plan whose order has not ended, as far as is known
   * @param exchangeMs the exchange's time at that moment; undefined where it is not known: then nothing that was left is sent
   * @returns the plan as it is now
   */
  async settle(plan: PlanRecord, exchangeMs: NowMs): Promise<PlanRecord> {
    const open = await this.#read(plan);
    if (open === undefined) return plan;
    const { intent } = open;
    switch (intent.state) {
      case "approved":
        return this.#leftOver(open, exchangeMs);
      case "unknown":
        return this.#unknown(open);
      case "accepted":
      case "open":
      case "partially_filled":
        return this.#notEnded(open, exchangeMs);
      case "draft":
      case "used":
      case "awaiting_approval":
      case "submitting":
      case "cancel_requested":
        return plan;
      case "filled":
      case "canceled":
      case "expired":
      case "rejected":
      case "denied":
      case "lapsed":
      case "not_placed":
        return this.#end(open, endOf(intent), exchangeMs);
      default:
        return intent.state satisfies never;
    }
  }

  async #read(plan: PlanRecord): Promise<OpenStep | undefined> {
    const { book } = this.#parts;
    if (plan.openStep === null) return undefined;
    const steps = await book.steps(plan.planId, 1, plan.openStep + 1);
    const step = steps.ok ? steps.value[0] : undefined;
    if (step === undefined || step.step !== plan.openStep || step.intentId === null) return undefined;
    const found = await this.#desk.journal.byId(step.intentId);
    return found.ok && found.value !== undefined ? { plan, step, intent: found.value } : undefined;
  }

  /** Claimed, and not sent for so long that its process must have died: it is judged anew. */
  async #leftOver(open: OpenStep, exchangeMs: NowMs): Promise<PlanRecord> {
    const { context, children } = this.#parts;
    const { plan, step, intent } = open;
    // Without the time, which is known again in a moment, nobody can say whether its turn is over.
    if (!isAbandoned(context, intent) || (isOfCalendar(plan) && exchangeMs() === undefined)) return plan;
    const policy = this.#desk.policy.read();
    // Asked again behind the look for it at the exchange, which may take long.
    const isDue = (): boolean => {
      const nowMs = exchangeMs();
      if (plan.state !== "active" || !policy.ok || nowMs === undefined || !isOfCalendar(plan)) return false;
      return !isLate(plan.terms, step, nowMs, policy.value.plans);
    };
    const after = isDue() ? await children.resume(intent, isDue) : await children.drop(intent, NEVER_SENT);
    return after.state === "approved" ? plan : this.settle(plan, exchangeMs);
  }

  /** An answer may show an order as it was before anything of it was executed: where it cannot rest it has ended by then, and is looked up at once. */
  async #notEnded({ plan, intent }: OpenStep, exchangeMs: NowMs): Promise<PlanRecord> {
    const { intentId, orderId, body } = intent;
    const nowMs = this.#desk.clock.rising();
    if (mayRest(body.order) || orderId === null || nowMs < (this.#lookAgainMs.get(intentId) ?? 0)) return plan;
    this.#lookAgainMs.set(intentId, nowMs + LOOK_AGAIN_MS);
    const shown = await this.#tracker.query(intent, orderId);
    return shown.ok && shown.value.state !== "open" ? this.settle(plan, exchangeMs) : plan;
  }

  async #unknown({ plan, step, intent }: OpenStep): Promise<PlanRecord> {
    const { book } = this.#parts;
    const { planId, version } = plan;
    const atMs = this.#desk.clock.now();
    const to = "unknown";
    if (step.state === "claimed")
      return written(plan, await book.settleStep({ planId, version, step: step.step, to, atMs }));
    if (plan.state !== "active") return plan;
    const { card } = this.#desk.venue;
    const mayBeProven = mayProveAbsence({ card });
    if (mayBeProven && atMs - (intent.sentAtMs ?? intent.createdAtMs) < UNKNOWN_MS) return plan;
    const why = mayBeProven
      ? `What became of its order ${intent.userref} has not been known for ten minutes: the exchange does not say.`
      : `Nobody knows whether ${card.title.en} took its order ${intent.userref}, and ${card.title.en} can never prove that it did not: nothing else of the plan is sent, and hoga goes on looking.`;
    const notices = [moveNotice(plan, "attention", why)];
    const progress = { ...plan.progress, why };
    return written(plan, await book.change({ planId, version, to: "attention", progress, notices, atMs }));
  }

  async #end(open: OpenStep, to: StepState, exchangeMs: NowMs): Promise<PlanRecord> {
    const { book } = this.#parts;
    const { plan, step, intent } = open;
    const { planId, version } = plan;
    this.#lookAgainMs.delete(intent.intentId);
    const children = await book.children(planId);
    if (!children.ok) return plan;
    const { clock } = this.#desk;
    const nowMs = exchangeMs() ?? exchangeNow(this.#parts.context);
    const ended = { plan, step, intent, to, children: children.value, exchangeMs: nowMs };
    const ending = besideKind(ended, endingOf(plan.terms.kind)(ended));
    const why = intent.body.fault?.message;
    const settlement = { planId, version, step: step.step, to, ...ending, ...defined({ why }), atMs: clock.now() };
    return written(plan, await book.settleStep(settlement));
  }
}

function written(plan: PlanRecord, result: Awaited<ReturnType<PlanBook["settleStep"]>>): PlanRecord {
  return result.ok && "written" in result.value ? result.value.written : plan;
}

function endOf({ state, body: { seen } }: IntentRecord): StepState {
  if (state === "rejected" || state === "denied" || state === "not_placed") return state;
  return seen === undefined || quantity(seen.executed_volume).isZero() ? "nothing" : "done";
}

/** What the end of an order does, by the kind of its plan. */
function endingOf(kind: PlanKind): (ended: EndedStep) => StepEnding {
  switch (kind) {
    case "recurring":
    case "slices":
    case "rebalance":
      return afterCalendar;
    case "stop":
    case "take_profit":
    case "trailing_stop":
    case "oco":
      return afterProtection;
    case "alert":
      return () => ({ notices: [] });
    default:
      return kind satisfies never;
  }
}

/** What holds of every kind: a plan that is to end ends, and one whose order somebody has taken away or that the journal did not know stands still. */
function besideKind({ plan, intent }: EndedStep, ending: StepEnding): StepEnding {
  const { state, progress } = plan;
  const moved = (to: PlanState, why: string): StepEnding => ({
    planTo: to,
    progress: { ...progress, ...ending.progress, why },
    notices: [...ending.notices, moveNotice(plan, to, why)],
  });
  if (progress.ending !== undefined && canPlanMove(state, progress.ending))
    return { ...moved(progress.ending, progress.why ?? "Canceled."), progress };
  if (state !== "active" || ending.planTo !== undefined) return ending;
  const { order, fault } = intent.body;
  if (fault?.code === "ELocal:Userref in use") return moved("attention", fault.message);
  return mayRest(order) && intent.state === "canceled" ? moved("paused", "Its order was canceled.") : ending;
}

const NOTICES = {
  paused: "plan.paused",
  attention: "plan.attention",
} as const satisfies Partial<Record<PlanState, NewNotice["type"]>>;

/** What a person is told of a plan that has moved. */
export function moveNotice(plan: PlanRecord, to: PlanState, why: string): NewNotice {
  const { terms, version } = plan;
  const symbol = symbolOf(terms);
  const type = to === "paused" || to === "attention" ? NOTICES[to] : "plan.ended";
  return { type, key: String(version + 1), body: { state: to, ...defined({ symbol }), why } };
}
