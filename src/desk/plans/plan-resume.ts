/** What a plan that is started again is judged by: what it has left to do, as of now. */
import { type Fault, failed, localFault, ok, type Result } from "../../contract/index.ts";
import { formatAmount, inUnit, price, quantity } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import { inForce, isProtection, type PlanRecord, waitsForBuy } from "../model/plan.ts";
import type { PlanBook } from "../ports/plan-book.ts";
import { coveringOf, type PlanCase } from "./plan-admission.ts";
import { plannedSteps } from "./plan-reports.ts";
import { type PlanSurvey, subjectOfTerms, surveyOf } from "./plan-survey.ts";
import { stopInVain } from "./terms/protection-levels.ts";
import { busiestDay, type WorstCase } from "./terms/worst-case.ts";

const NOTHING: WorstCase = { value: inUnit("0"), steps: [], busiestDay: inUnit("0") };

export async function resumeCase(context: DeskContext, book: PlanBook, plan: PlanRecord): Promise<Result<PlanCase>> {
  const { planId, terms } = plan;
  const surveyed = await surveyOf(context, subjectOfTerms(terms));
  if (!surveyed.ok) return surveyed;
  const survey = surveyed.value;
  // What it took the place of has ended with its beginning.
  const judged = { terms, survey, replaces: null };
  if (isProtection(terms)) {
    const vain = vainFault(plan, survey);
    if (vain !== undefined) return failed(vain);
    const children = await book.children(planId);
    if (!children.ok) return children;
    const [covering] = coveringOf(plan, children.value);
    return ok({ ...judged, worst: NOTHING, ...(covering && { left: quantity(covering.left) }) });
  }
  const planned = await plannedSteps(book, planId);
  if (!planned.ok) return planned;
  // All of a basket are due at once, and may still come for a while.
  const isPast = (dueAtMs: number): boolean => terms.kind !== "rebalance" && dueAtMs < survey.nowMs;
  const steps = planned.value.flatMap(({ step, dueAtMs, worstValue, volume }) =>
    dueAtMs === null || isPast(dueAtMs) ? [] : [{ step, dueAtMs, size: volume ?? "0", worstValue: inUnit(worstValue) }],
  );
  const value = steps.reduce((sum, { worstValue }) => sum.plus(worstValue), inUnit("0"));
  return ok({ ...judged, worst: { value, steps, busiestDay: busiestDay(steps) } });
}

/** One that a buy has begun where its stop lies below the lowest price that was approved could only take: nobody has approved that. */
function vainFault(plan: PlanRecord, { market, policy }: PlanSurvey): Fault | undefined {
  const { terms, progress, mandate } = inForce(plan);
  if (!isProtection(terms) || waitsForBuy(plan) || market === undefined) return undefined;
  const high = progress.high === undefined ? undefined : price(progress.high);
  const priceMin = price(mandate?.bounds.priceMin ?? "0");
  const vain = stopInVain(terms, high, { market, rules: policy.plans, priceMin });
  if (vain === undefined) return undefined;
  const [trigger, floor] = [vain.trigger, vain.floor].map((at) => formatAmount(at, market.quote));
  return localFault("ELocal:Invalid input", {
    field: "action",
    message: `Its stop stands at ${trigger}, where its floor ${floor} lets it sell nothing: cancel it, and make another plan. Nothing was changed.`,
  });
}
