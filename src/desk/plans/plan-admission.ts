/**
 * Whether a plan may be active: asked when it is made, once more in the transaction of a person's yes, and when it is started again.
 *
 * Invariants: what is counted is what the transaction found; what a plan takes the place of is not counted; coins are promised once, and a plan that waits for
 * a person has promised none.
 *
 * Source: decision 0106, decision 0110.
 */
import { type Fault, localFault, quoted } from "../../contract/index.ts";
import { inUnit, type Quantity, quantity, type Value } from "../../decimal/index.ts";
import { type AccountUsage, DAY_MS } from "../model/account-usage.ts";
import type { IntentRecord } from "../model/intent.ts";
import {
  type AfterBuy,
  inForce,
  isAfterBuy,
  isProtection,
  type PlanRecord,
  type PlanStep,
  type PlanTerms,
  waitsForBuy,
} from "../model/plan.ts";
import type { PlanStanding } from "../ports/plan-book.ts";
import { leftOf } from "../risk/executed.ts";
import { otherUnitFinding } from "../risk/other-unit.ts";
import type { Covering } from "../risk/protected-coins.ts";
import { planDenialFault } from "../risk/protective-sell.ts";
import type { PlanSurvey } from "./plan-survey.ts";
import { checkCoverage } from "./terms/coverage.ts";
import { checkPlanLimits } from "./terms/plan-limits.ts";
import type { PlannedStep, WorstCase } from "./terms/worst-case.ts";

export interface PlanCase {
  readonly terms: PlanTerms;
  readonly worst: WorstCase;
  readonly survey: PlanSurvey;
  readonly replaces: string | null;
  /** Of a protection that has sold before: what it has left. */
  readonly left?: Quantity;
}

const NOTHING = inUnit("0");

/** Why it may not be active; undefined where it may. */
export function admissionFault(plan: PlanCase, standing: PlanStanding): Fault | undefined {
  const { terms, worst, survey, replaces } = plan;
  const others = standing.open.filter(({ planId }) => planId !== replaces);
  if (replaces !== null && !standing.open.some((open) => open.planId === replaces && hasBegun(open)))
    return unreplaceable(replaces);
  const planned = standing.planned.filter(({ planId }) => planId !== replaces);
  const mixed = worst.steps.length > 0 ? otherUnit(survey, standing.usage, planned) : undefined;
  if (mixed !== undefined) return planDenialFault({ rule: "plans", ...mixed });
  const alerts = others.filter((open) => open.terms.kind === "alert").length;
  const { policy, nowMs } = survey;
  const found = checkPlanLimits({
    ...{ terms, worst, policy, open: { plans: others.length - alerts, alerts } },
    usedOfDay: usedBeside(worst, planned, { usedMs: nowMs, used: inUnit(standing.usage.usage.day) }),
  });
  if (found !== undefined) return planDenialFault(found.denial, found.line);
  return uncovered(plan, others, standing.children);
}

function hasBegun({ state }: PlanRecord): boolean {
  return state !== "awaiting_approval";
}

function otherUnit({ policy: { unit } }: PlanSurvey, usage: AccountUsage, planned: readonly PlanStep[]) {
  const units = [usage.unit, ...planned.map((step) => step.unit)].filter((each) => each !== undefined);
  const other = units.find((each) => each !== unit);
  return other && otherUnitFinding(other, unit);
}

interface UsedNow {
  readonly usedMs: number;
  readonly used: Value;
}

/**
 * What others use or set aside in the 24 hours in which that and the plan's own steps come to most. What is used today frees itself within a day, so it counts
 * only beside what is due by then.
 */
export function usedBeside(
  { steps, busiestDay }: WorstCase,
  planned: readonly Pick<PlanStep, "dueAtMs" | "worstValue">[],
  { usedMs, used }: UsedNow,
): Value {
  const due = [
    { dueAtMs: usedMs, worstValue: used, isOwn: false },
    ...steps.map(({ dueAtMs, worstValue }: PlannedStep) => ({ dueAtMs, worstValue, isOwn: true })),
    ...planned.flatMap(({ dueAtMs, worstValue }) =>
      dueAtMs === null ? [] : [{ dueAtMs, worstValue: inUnit(worstValue), isOwn: false }],
    ),
  ].sort((a, b) => a.dueAtMs - b.dueAtMs);
  let [most, within, own, from] = [NOTHING, NOTHING, 0, 0];
  for (const { dueAtMs, worstValue, isOwn } of due) {
    within = within.plus(worstValue);
    own += isOwn ? 1 : 0;
    for (let first = due[from]; first !== undefined && dueAtMs - first.dueAtMs > DAY_MS; first = due[from]) {
      within = within.minus(first.worstValue);
      own -= first.isOwn ? 1 : 0;
      from++;
    }
    if (own > 0 && within.gt(most)) most = within;
  }
  return most.gt(busiestDay) ? most.minus(busiestDay) : NOTHING;
}

function uncovered(
  { terms, survey: { market, held }, left }: PlanCase,
  others: readonly PlanRecord[],
  children: readonly IntentRecord[],
): Fault | undefined {
  if (!isProtection(terms) || market === undefined) return undefined;
  const twice = isAfterBuy(terms) ? begunTwice(terms, others) : undefined;
  // It promises nothing before the buy has ended.
  if (twice !== undefined || (isAfterBuy(terms) && left === undefined)) return twice;
  const denial = checkCoverage({
    ...{ base: market.base, held, volume: left ?? quantity(terms.volume) },
    open: promisedBy(others, children),
  });
  return denial && planDenialFault(denial);
}

/** One buy begins one plan. */
function begunTwice({ after }: { readonly after: AfterBuy }, others: readonly PlanRecord[]): Fault | undefined {
  const { intentId, order } = after;
  const other = others.find(
    (each) => hasBegun(each) && isAfterBuy(each.terms) && each.terms.after.intentId === intentId,
  );
  if (other === undefined) return undefined;
  const { planId } = other;
  const message = `plan ${planId} begins with order ${order} already: cancel that, or name it in replaces`;
  return planDenialFault({ rule: "plans", figure: planId, limit: order, message, field: "after" });
}

/** What open plans promise: those that wait for a person have promised nothing. */
export function promisedBy(open: readonly PlanRecord[], children: readonly IntentRecord[]): readonly Covering[] {
  return open.filter(hasBegun).flatMap((plan) => coveringOf(plan, children));
}

/** What an open protection promises. @param children of its steps, at least */
export function coveringOf(plan: PlanRecord, children: readonly IntentRecord[]): readonly Covering[] {
  const { planId, terms } = inForce(plan);
  if (!isProtection(terms) || waitsForBuy(plan)) return [];
  const own = children.filter(({ plan }) => plan?.planId === planId);
  return [{ planId, symbol: terms.symbol, left: leftOf(terms.volume, own).toString() }];
}

export function unreplaceable(planId: string | null): Fault {
  return localFault("ELocal:Unknown plan", {
    field: "replaces",
    message: `The account has no plan ${quoted(planId ?? "", 60)} whose place another could take: it may have ended. Nothing was recorded.`,
  });
}
