/**
 * Owns how the figures of a plan, by the names that the desk reports them under, go into the sentences of `plan-words.ts`.
 *
 * Invariant: what the desk does not say of a plan is not reckoned here.
 */
import { type PlanNow, planSheet, planSummary, type ShownPlan, type ShownWorst, worstWords } from "./plan-words.ts";
import type { Words } from "./words.ts";

/** As much of a plan as is said of it. */
export interface PlanFigures {
  readonly terms: ShownPlan;
  readonly trigger?: string;
  readonly high?: string;
  readonly floor?: string;
  readonly turns_left?: number;
  readonly next_turns?: readonly { readonly at: string }[];
  readonly worst_case_value: string;
  readonly until: string;
  /** What the person who approved it was shown, or is. */
  readonly shown?: ShownWorstCase;
}

interface ShownWorstCase {
  readonly worstValue: string;
  readonly atLeast?: NonNullable<ShownWorst["atLeast"]>;
  readonly slippagePct?: string;
}

/** Whose it is, and in what sums are counted. */
export interface PlanPlace {
  readonly account: string;
  readonly isLive: boolean;
  readonly unit: string;
}

/** What it does, in one line. */
export function planFiguresLine(plan: PlanFigures, unit: string, words: Words): string {
  return planSummary(plan.terms, nowOf(plan, unit), words);
}

/** What it comes to at worst. */
export function planFiguresWorst(plan: PlanFigures, unit: string, words: Words): string {
  return worstWords(plan.terms, worstOf(plan), unit, words);
}

/** What a person is asked before it begins, line by line. */
export function planFiguresSheet(plan: PlanFigures, place: PlanPlace, words: Words): readonly string[] {
  const { terms, until, shown } = plan;
  const { unit, ...whose } = place;
  const slippage = shown?.slippagePct;
  const question = { plan: terms, now: nowOf(plan, unit), worst: worstOf(plan), until, ...whose };
  return planSheet({ ...question, ...(slippage !== undefined && { slippage }) }, words);
}

function nowOf({ trigger, high, floor, turns_left: turnsLeft, next_turns = [] }: PlanFigures, unit: string): PlanNow {
  const [next] = next_turns;
  return {
    unit,
    ...(trigger !== undefined && { trigger }),
    ...(high !== undefined && { high }),
    ...(floor !== undefined && { floor }),
    ...(turnsLeft !== undefined && { turnsLeft }),
    ...(next !== undefined && { next: next.at }),
  };
}

function worstOf({ terms, worst_case_value, shown }: PlanFigures): ShownWorst {
  const isSoldInAll = terms.kind === "slices" && "volume" in terms.size;
  return {
    value: shown?.worstValue ?? worst_case_value,
    ...(shown?.atLeast !== undefined && { atLeast: shown.atLeast }),
    ...(isSoldInAll && "volume" in terms.size && { volume: terms.size.volume }),
  };
}
