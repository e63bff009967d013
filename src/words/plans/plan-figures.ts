/**
 * Owns how the figures of a plan, by the names that the desk reports them under, go into the sentences of `plan-words.ts`.
 *
 * Invariant: what the desk does not say of a plan is not reckoned here.
 */
import { parseQuantity } from "../../decimal/index.ts";
import { assetsOf } from "../amount.ts";
import type { Words } from "../words.ts";
import { changeSheet, planSheet, type ShownQuestion, type ShownReplaced } from "./plan-question-words.ts";
import {
  type PlanNow,
  planKind,
  planSay,
  planSummary,
  type ShownPlan,
  type ShownWorst,
  worstWords,
} from "./plan-words.ts";

/** As much of a plan as is said of it. */
export interface PlanFigures {
  readonly terms: ShownPlan;
  readonly state?: string;
  readonly trigger?: string;
  readonly high?: string;
  readonly floor?: string;
  readonly turns_left?: number;
  readonly next_turns?: readonly { readonly at: string }[];
  /** Coins that were not sold, and those that were. */
  readonly left_volume?: string;
  readonly filled_volume?: string;
  readonly worst_case_value: string;
  readonly until: string;
  /** What the person who approved it was shown, or is. */
  readonly shown?: ShownWorstCase;
  /** The plan whose place it takes. */
  readonly replaces?: Omit<PlanFigures, "replaces"> & { readonly plan_id: string | null };
}

interface ShownWorstCase {
  readonly worstValue: string;
  readonly atLeast?: NonNullable<ShownWorst["atLeast"]>;
  readonly slippagePct?: string;
  readonly volumeMax?: string;
  /** When the price was there that levels and worth are of; absent where that is now. */
  readonly asOf?: string;
}

/** What is asked of it, whose it is, and in what sums are counted. */
export interface PlanAsking {
  readonly action: "start" | "cancel" | "pause" | "resume";
  readonly planId: string;
  readonly account: string;
  readonly isLive: boolean;
  readonly unit: string;
}

/** What it does, in one line. */
export function planFiguresLine(plan: PlanFigures, unit: string, words: Words): string {
  return planSummary(plan.terms, planNow(plan, unit), words);
}

/** What it comes to at worst. */
export function planFiguresWorst(plan: PlanFigures, unit: string, words: Words): string {
  return worstWords(plan.terms, worstOf(plan), unit, words);
}

/** What a person is asked, line by line; the last says what a yes does. */
export function planFiguresSheet(
  plan: PlanFigures,
  { action, planId, ...place }: PlanAsking,
  words: Words,
): readonly string[] {
  const { terms, until, shown } = plan;
  const { unit, ...whose } = place;
  const slippage = shown?.slippagePct;
  const question: ShownQuestion = {
    ...{ plan: terms, now: planNow(plan, unit), worst: worstOf(plan), until, ...whose },
    ...(slippage !== undefined && { slippage }),
    ...replacedBy(plan, unit, words),
  };
  if (action === "start") return planSheet(question, words);
  return changeSheet({ action, planId, isLive: place.isLive, ...guardedBy(plan) }, question, words);
}

/** Whose place it takes, in one line; undefined of one that takes none. */
export function planInstead(plan: Pick<PlanFigures, "replaces">, unit: string, words: Words): string | undefined {
  const { replaces } = replacedBy(plan, unit, words);
  return replaces && planSay(words)("plan.instead", { ...replaces });
}

export function replacedBy(
  { replaces }: Pick<PlanFigures, "replaces">,
  unit: string,
  words: Words,
): { readonly replaces?: ShownReplaced } {
  if (replaces === undefined) return {};
  const { plan_id: id, terms, left_volume: left } = replaces;
  const rest = "volume" in terms && left !== undefined ? { ...terms, volume: left } : terms;
  const does = planSummary(rest, planNow(replaces, unit), words);
  return { replaces: { id: id ?? "", kind: planKind(terms, words), does } };
}

/** What of a plan changes while it runs. */
export function planNow(plan: Omit<PlanFigures, "terms">, unit: string): PlanNow {
  const { state = "", shown: { asOf } = {}, trigger, high, floor, turns_left: turnsLeft, next_turns = [] } = plan;
  const [next] = next_turns;
  return {
    unit,
    ...(asOf !== undefined && { asOf }),
    ...(state === "awaiting_approval" && { isAsked: true }),
    ...(hasEnded(state) && { isOver: true }),
    ...(trigger !== undefined && { trigger }),
    ...(high !== undefined && { high }),
    ...(floor !== undefined && { floor }),
    ...(turnsLeft !== undefined && { turnsLeft }),
    ...(next !== undefined && { next: next.at }),
  };
}

/** Tells whether its market has to be watched for it: one that waits for its buy has no price yet. */
export function needsWatch({ state, terms }: Pick<PlanFigures, "state" | "terms">): boolean {
  return state === "active" && !(terms.kind === "oco" && terms.after !== undefined);
}

const ENDED: readonly string[] = ["done", "denied", "lapsed", "canceled", "expired", "replaced"];

function hasEnded(state: string): boolean {
  return ENDED.includes(state);
}

/** What it comes to at worst, as far as it is told. */
export function worstOf(plan: PlanFigures): ShownWorst {
  const { terms, state = "", worst_case_value, shown, left_volume, filled_volume = "0" } = plan;
  return {
    // Whatever has begun was shown to somebody, or would have been.
    isNever: hasEnded(state) && shown === undefined,
    ...(shown?.asOf !== undefined && { asOf: shown.asOf }),
    value: shown?.worstValue ?? worst_case_value,
    volume: shown?.volumeMax ?? (left_volume === undefined ? volumeOf(terms) : sum(left_volume, filled_volume)),
    ...(shown?.atLeast !== undefined && { atLeast: shown.atLeast }),
  };
}

function sum(left: string, filled: string): string {
  const [one, other] = [parseQuantity(left), parseQuantity(filled)];
  return one.ok && other.ok ? one.value.plus(other.value).toString() : left;
}

/** Coins in all; of what goes by a calendar those of one turn. */
export function volumeOf(terms: ShownPlan): string {
  if ("volume" in terms) return terms.volume;
  return "size" in terms && "volume" in terms.size ? terms.size.volume : "0";
}

/** How much of what it still guards. */
export function guardedBy({ terms, left_volume }: Pick<PlanFigures, "terms" | "left_volume">): {
  readonly volume: string;
  readonly asset: string;
} {
  const symbol = "symbol" in terms ? terms.symbol : undefined;
  return { volume: left_volume ?? volumeOf(terms), asset: symbol === undefined ? "" : assetsOf(symbol).base };
}
