/**
 * What the end of a protection's order does to its plan.
 *
 * Invariants: a plan that is not active stays as it is; an order that was not sent, or was denied where it was numbered, counts as no attempt; a rest stays
 * protected, but where nobody can go on with it alone: then a person is told why.
 *
 * Source: decision 0112.
 */
import { type FaultEntry, faultFor } from "../../../contract/index.ts";
import { formatAmount, type Quantity } from "../../../decimal/index.ts";
import { inForce, isProtection, type PlanProgress, type ProtectionTerms } from "../../model/plan.ts";
import type { PlanState } from "../../model/plan-state.ts";
import type { AuditDetail } from "../../model/submission.ts";
import type { NewNotice } from "../../ports/notices.ts";
import { averageOf, executedOf, executedValue, leftOf } from "../../risk/executed.ts";
import { isoTime } from "../plan-view.ts";
import { ATTEMPTS_MAX, type ProtectionLeg } from "./protection-act.ts";
import type { EndedStep, StepEnding } from "./step-ending.ts";

interface Turn {
  readonly to?: "done" | "expired" | "paused" | "attention";
  readonly why?: string;
  readonly progress: PlanProgress;
}

/** @throws where the plan protects nothing: its kind says what the end of its orders does */
export function afterProtection(recorded: EndedStep): StepEnding {
  const ended = { ...recorded, plan: inForce(recorded.plan) };
  const { plan, to } = ended;
  const { terms, progress, state } = plan;
  if (!isProtection(terms)) throw new Error(`a plan of kind ${terms.kind} protects nothing`);
  if (to === "unknown") return { notices: [] };
  const leg = legOf(terms, progress);
  const stepDone = soldNotice(ended, terms, leg);
  if (state !== "active") return { notices: stepDone };
  const turn = turnOf(ended, terms, leg);
  const { to: planTo, why } = turn;
  return {
    ...(planTo && { planTo }),
    progress: why === undefined ? turn.progress : { ...turn.progress, why },
    notices: [...stepDone, ...(planTo ? [moveNotice(ended, terms, planTo, why)] : [])],
  };
}

/** Whose order it was: while it lived no other leg could claim. */
function legOf({ kind }: ProtectionTerms, { leg, latchedAtMs }: PlanProgress): ProtectionLeg {
  if (latchedAtMs !== undefined) return "stop";
  return leg ?? (kind === "take_profit" ? "take" : "stop");
}

function turnOf(ended: EndedStep, terms: ProtectionTerms, leg: ProtectionLeg): Turn {
  const { plan, intent, to, children, exchangeMs } = ended;
  const { progress } = plan;
  const left = leftOf(terms.volume, children);
  if (left.isZero()) return { to: "done", why: "All of it was sold.", progress };
  // Its resting order was taken back for that.
  if (plan.untilMs <= exchangeMs) return { to: "expired", why: unsoldWhy(terms, children), progress };
  // Claimed by a process that has died before it sent it.
  if (intent.state === "lapsed") return { progress };
  switch (to) {
    case "denied":
    case "not_placed":
      return { progress };
    case "rejected":
      if (mayPass(intent.body.fault?.code)) return counted(ended, terms, left);
      return attention(progress, `The exchange refused its order. ${intent.body.fault?.message ?? ""}`.trim());
    case "done":
    case "nothing":
      if (intent.body.order.time_in_force === "GTC") return restedTurn(ended, terms, left);
      return leg === "take" ? { progress } : counted(ended, terms, left);
    case "planned":
    case "claimed":
    case "missed":
    case "skipped":
    case "unknown":
      return { progress };
    default:
      return to satisfies never;
  }
}

/** Too few coins, as they are read anew; a market that has just been halted, of which the next judgement knows; an exchange that is busy. */
function mayPass(code: string | undefined): boolean {
  const { kind, retry }: Partial<FaultEntry> = (code === undefined ? undefined : faultFor(code))?.entry ?? {};
  return kind === "insufficient" || kind === "halted" || (retry !== undefined && retry !== "never");
}

/** It is placed once; what it leaves is a person's to decide about. */
function restedTurn(
  { plan: { progress }, intent: { state } }: EndedStep,
  terms: ProtectionTerms,
  left: Quantity,
): Turn {
  const rest = `${amount(terms, left)} is left.`;
  if (state === "canceled") return { to: "paused", why: `Its order was canceled. ${rest}`, progress };
  if (state === "filled")
    return { to: "done", why: `Its order was filled; ${amount(terms, left)} was not free to sell.`, progress };
  return attention(progress, `Its order has expired at the exchange. ${rest}`);
}

/** One attempt more; the fifth that leaves something is the last. */
function counted({ plan: { progress }, children }: EndedStep, terms: ProtectionTerms, left: Quantity): Turn {
  const attempts = (progress.attempts ?? 0) + 1;
  if (attempts < ATTEMPTS_MAX) return { progress: { ...progress, attempts } };
  return attention(progress, spentWhy(terms, executedOf(children), left));
}

/** Its end has come. */
export function unsoldWhy(terms: ProtectionTerms, children: EndedStep["children"]): string {
  return `Its end has come; ${amount(terms, leftOf(terms.volume, children))} was not sold.`;
}

export function spentWhy(terms: ProtectionTerms, sold: Quantity, left: Quantity): string {
  return `${ATTEMPTS_MAX} orders have sold ${amount(terms, sold)} in all, and ${amount(terms, left)} is left: nobody bought it within the limits of the plan.`;
}

/** Whoever starts it again gives it all its attempts anew. */
function attention(before: PlanProgress, why: string): Turn {
  const { attempts: _, ...progress } = before;
  return { to: "attention", why, progress };
}

export function baseOf({ symbol }: Pick<ProtectionTerms, "symbol">): string {
  return symbol.split("/", 1)[0] ?? symbol;
}

export function amount(terms: ProtectionTerms, volume: Quantity): string {
  return formatAmount(volume, baseOf(terms));
}

function soldNotice(
  { step: { step }, intent, children }: EndedStep,
  terms: ProtectionTerms,
  leg: ProtectionLeg,
): readonly NewNotice[] {
  const sold = executedOf([intent]);
  if (sold.isZero()) return [];
  const { orderId } = intent;
  const body: AuditDetail = {
    ...{ symbol: terms.symbol, side: "sell", leg, step, order_id: orderId ?? undefined, volume: sold.toString() },
    value: executedValue([intent]).toString(),
    ...{ average_price: averageOf([intent])?.toString(), left: leftOf(terms.volume, children).toString() },
  };
  return [{ type: "plan.step_done", key: String(step), body }];
}

const NOTICE_OF = {
  done: "plan.ended",
  expired: "plan.ended",
  paused: "plan.paused",
  attention: "plan.attention",
} as const satisfies Partial<Record<PlanState, NewNotice["type"]>>;

function moveNotice(
  { plan: { version, untilMs }, children }: EndedStep,
  terms: ProtectionTerms,
  to: NonNullable<Turn["to"]>,
  why: string | undefined,
): NewNotice {
  return {
    type: NOTICE_OF[to],
    key: String(version + 1),
    body: {
      ...{ state: to, symbol: terms.symbol, why, ...soldBody(terms, children) },
      ...(to === "expired" && { until: isoTime(untilMs) }),
    },
  };
}

/** What all orders of the plan have come to. */
export function soldBody(terms: ProtectionTerms, children: EndedStep["children"]): AuditDetail {
  return {
    ...{ volume: executedOf(children).toString(), average_price: averageOf(children)?.toString() },
    left: leftOf(terms.volume, children).toString(),
  };
}
