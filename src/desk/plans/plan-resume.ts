/** What a plan that is started again is judged by: what it has left to do, as of now. */
import { ok, type Result } from "../../contract/index.ts";
import { inUnit, quantity } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import { isProtection, type PlanRecord } from "../model/plan.ts";
import type { PlanBook } from "../ports/plan-book.ts";
import { coveringOf, type PlanCase } from "./plan-admission.ts";
import { plannedSteps } from "./plan-reports.ts";
import { subjectOfTerms, surveyOf } from "./plan-survey.ts";
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
