/**
 * The rule `plans`: what `[plans]` and the limits of money let a plan be when it is made, approved or resumed.
 *
 * Invariants: a figure equal to its limit passes; a protection is held against no limit of money, as it sells what is held; of the day counts what is used, what
 * other plans have set aside, and the busiest 24 hours of this one.
 *
 * Source: decision 0106.
 */
import { formatAmount, type Value } from "../../../decimal/index.ts";
import { settingName } from "../../../policy/index.ts";
import { isProtection, type PlanTerms } from "../../model/plan.ts";
import type { PlanDenial, Policy } from "../../model/policy.ts";
import { lineOf } from "../../risk/policy-line.ts";
import { planLine } from "./plan-request.ts";
import type { WorstCase } from "./worst-case.ts";

export interface LimitCase {
  readonly terms: PlanTerms;
  readonly worst: WorstCase;
  readonly policy: Pick<Policy, "plans" | "unit" | "maxOrder" | "maxDay">;
  /** Other open plans, alerts apart; the one that this replaces is not counted. */
  readonly open: { readonly plans: number; readonly alerts: number };
  /** Usage of the day, and what other active plans set aside. */
  readonly usedOfDay: Value;
}

/** Why a plan may not be made, and the line of `policy.toml` by which. */
export interface LimitFinding {
  readonly denial: PlanDenial;
  readonly line: string;
}

export function checkPlanLimits(at: LimitCase): LimitFinding | undefined {
  return checkCount(at) ?? (isProtection(at.terms) ? undefined : checkMoney(at));
}

/**
 * Tells whether a person has to approve the plan. An alert trades never; where money may be real every other does.
 * @param isPractice the exchange has no real money
 */
export function needsPerson(
  terms: PlanTerms,
  worst: WorstCase,
  { plans, approvalOver }: Pick<Policy, "plans" | "approvalOver">,
  isPractice: boolean,
): boolean {
  if (terms.kind === "alert") return false;
  return !isPractice || plans.approve === "always" || worst.value.gt(approvalOver);
}

function checkCount({ terms, policy, open }: LimitCase): LimitFinding | undefined {
  const isAlert = terms.kind === "alert";
  const [stem, limit, others] = isAlert
    ? (["max_alerts", policy.plans.maxAlerts, open.alerts] as const)
    : (["max_plans", policy.plans.maxPlans, open.plans] as const);
  if (others + 1 <= limit) return undefined;
  const what = isAlert ? "alerts" : "plans";
  const message = `${what} open: ${others}, and ${stem} is ${limit}: cancel what is no longer needed`;
  return { denial: denied(String(others + 1), String(limit), message), line: planLine(stem, policy) };
}

function checkMoney({ worst, policy, usedOfDay }: LimitCase): LimitFinding | undefined {
  const { plans, unit, maxOrder, maxDay } = policy;
  const shown = (sum: Value): string => formatAmount(sum, unit);
  const lineOfLimit = (stem: "max_order" | "max_day", limit: Value): string =>
    lineOf(settingName(stem, unit), limit.toString());
  const whole = worst.bought ?? worst.value;
  if (whole.gt(plans.maxPlan)) {
    const message = `the plan counts for ${shown(whole)} at worst, more than ${shown(plans.maxPlan)} that one plan may: make it smaller or shorter`;
    return {
      denial: denied(whole.toString(), plans.maxPlan.toString(), message),
      line: planLine("max_plan", policy),
    };
  }
  const large = worst.steps.find(({ worstValue }) => worstValue.gt(maxOrder));
  if (large !== undefined) {
    const message = `an order of it counts for ${shown(large.worstValue)}, more than ${shown(maxOrder)} that one order may: make each smaller`;
    return {
      denial: denied(large.worstValue.toString(), maxOrder.toString(), message),
      line: lineOfLimit("max_order", maxOrder),
    };
  }
  const day = usedOfDay.plus(worst.busiestDay);
  if (day.lte(maxDay)) return undefined;
  const message = `its busiest 24 hours count for ${shown(worst.busiestDay)} and ${shown(usedOfDay)} are used or set aside for other plans, more than ${shown(maxDay)} in all: make it smaller, or begin it later`;
  return { denial: denied(day.toString(), maxDay.toString(), message), line: lineOfLimit("max_day", maxDay) };
}

function denied(figure: string, limit: string, message: string): PlanDenial {
  return { rule: "plans", figure, limit, message };
}
