/**
 * Owns plans as results have them: the desk's figures, and in place of its terms what a plan does and costs, in words.
 *
 * Source: decision 0113.
 */
import type {
  Desk,
  PlanApprovalRequest,
  PlanStepView,
  PlansView,
  PlanView,
  PlanWriteReport,
  Rehearsal,
} from "../../desk/index.ts";
import { planFiguresLine, planFiguresWorst, planInstead, type Words, wordsFor } from "../../words/index.ts";
import { planQuestionText } from "../person/plan-question.ts";
import { exactAmount as amount, assetsOf } from "./amount-text.ts";

/** As results of lists have it: all of it. */
export interface ShownPlan extends Omit<PlanView, "terms" | "shown" | "latched" | "steps" | "replaces"> {
  readonly summary: string;
  /** What it comes to at worst, in words. */
  readonly worst_case: string;
  readonly steps?: readonly ShownStep[];
}

/** What there is none of is left out. */
export interface ShownStep extends Partial<Filled<Omit<PlanStepView, "step" | "state">>> {
  readonly step: number;
  readonly state: string;
}

type Filled<Fields> = { readonly [Name in keyof Fields]: NonNullable<Fields[Name]> };

/** Those are told one by one, so that a result is not too long. */
const ACTS_MAX = 100;

const MADE = [
  ...["plan_id", "kind", "state", "symbol", "summary", "worst_case", "worst_case_value", "reserved", "until"],
  ...["created_at", "updated_at", "trigger", "floor"],
] as const satisfies readonly (keyof ShownPlan)[];

/** Of a plan that was just made nothing has happened yet. */
export type ShownMade = Pick<ShownPlan, (typeof MADE)[number]>;

export interface ShownPlans extends Omit<PlansView, "plans"> {
  readonly plans: readonly ShownPlan[];
}

/** What waits for a person, with what they are asked. */
export interface ShownApproval extends PlanApprovalRequest {
  readonly text: string;
}

/** Told of a plan, for models: in English. */
function planWords(timeZone: string): Words {
  return wordsFor({ locale: "en", timeZone });
}

/** @param timeZone whose clock its words go by */
export function shownPlan(plan: PlanView, unit: string, timeZone = "UTC"): ShownPlan {
  const words = planWords(timeZone);
  const { terms: _terms, shown: _shown, latched: _latched, replaces: _replaces, steps, ...told } = plan;
  const { plan_id, kind, state, symbol, worst_case_value, ...rest } = told;
  return {
    ...{ plan_id, kind, state, symbol },
    summary: planFiguresLine(plan, unit, words),
    worst_case: planFiguresWorst(plan, unit, words),
    ...{ worst_case_value, ...rest },
    ...(steps && { steps: steps.map(filled) }),
  };
}

/** Whose place it takes; undefined of one that takes none. */
export function shownInstead(plan: PlanView, unit: string, timeZone?: string): string | undefined {
  return planInstead(plan, unit, planWords(timeZone ?? "UTC"));
}

export function shownPlans({ plans, ...view }: PlansView, timeZone?: string): ShownPlans {
  return { ...view, plans: plans.map((plan) => shownPlan(plan, view.unit, timeZone)) };
}

/** The main fields of it. */
export function shownMade(plan: ShownPlan): ShownMade {
  const entries = MADE.flatMap((name) => (plan[name] === undefined ? [] : [[name, plan[name]]]));
  return Object.fromEntries(entries) as ShownMade;
}

/** The very lines that the person reads: what is warned of in this call alone is not among them. */
export function shownApproval(
  desk: Pick<Desk, "environment" | "unit" | "timeZone">,
  { approval, plan, account }: PlanWriteReport,
): ShownApproval | undefined {
  if (approval === undefined || plan === undefined) return undefined;
  const { id, action, why, asked_at, expires_at } = approval;
  const warnings = (action === "start" ? plan.shown?.warnings : undefined) ?? [];
  const text = planQuestionText(desk, account, { plan, asked: approval, warnings }, planWords(desk.timeZone));
  return { id, action, why, asked_at, expires_at, text };
}

function filled(step: PlanStepView): ShownStep {
  return Object.fromEntries(Object.entries(step).filter(([, value]) => value !== null)) as unknown as ShownStep;
}

/** What it would have done on past prices, in sentences: the period and what it comes to, then an act each, with what it would have traded at, the worst first. */
export function shownRehearsal(
  { fromMs, toMs, acts, without, value }: Rehearsal,
  symbol: string,
): readonly [whole: string, ...acts: string[]] {
  const { base, quote } = assetsOf(symbol);
  const told = acts
    .slice(0, ACTS_MAX)
    .map(
      ({ atMs, isSure, leg, from, to, volume, value: worth }) =>
        `${iso(atMs)}: ${leg}, ${amount(volume, base)} between ${amount(from, quote)} and ${amount(to, quote)}, ${amount(worth, quote)}` +
        `${isSure ? "" : "; the candle leaves open whether it would have traded"}.`,
    );
  const rest = acts.length - told.length;
  const more = rest === 0 ? [] : [`${rest} more.`];
  const lacking = without === 0 ? [] : [`${without} without a price, or beyond the limit.`];
  const never = acts.length === 0 ? ", as it would never have acted" : "";
  const whole = `From ${iso(fromMs)} to ${iso(toMs)}: ${amount(value, quote)} in all, at the worst prices${never}.`;
  return [whole, ...told, ...more, ...lacking];
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
