/**
 * Owns what a person reads of a plan before they answer: the sheet of one that is to begin, and of a change of one, line by line; the last says what a yes does.
 */
import { amount } from "../amount.ts";
import type { Words } from "../words.ts";
import { type PlanNow, planSay, planSummary, type ShownPlan, type ShownWorst, worstWords } from "./plan-words.ts";

/** A plan that ends as another begins. */
export interface ShownReplaced {
  readonly id: string;
  readonly kind: string;
  /** In one line, with what it has left to sell. */
  readonly does: string;
}

/** What a person is shown of a plan that waits for a yes. */
export interface ShownQuestion {
  readonly plan: ShownPlan;
  readonly now: PlanNow;
  readonly worst: ShownWorst;
  readonly account: string;
  readonly isLive: boolean;
  /** Unix milliseconds, or a time as the desk writes it. */
  readonly until: string | number;
  /** In percent, of a plan that protects. */
  readonly slippage?: string;
  /** The plan whose place it takes. */
  readonly replaces?: ShownReplaced;
  /** What was known against it when it was asked for, as the desk gives it. */
  readonly warnings?: readonly string[];
  /** Why a person is asked, likewise. */
  readonly why?: string;
  /** Until when it can be answered. */
  readonly ends?: string | number;
}

/** The sheet, line by line; the last says what a yes does. */
export function planSheet(question: ShownQuestion, words: Words): readonly string[] {
  const say = planSay(words);
  const { account, isLive, replaces } = question;
  return [
    say("plan.question", { money: moneyWord(isLive, words), account }),
    planSummary(question.plan, question.now, words),
    ...(replaces === undefined ? [] : [say("plan.replaces", { ...replaces })]),
    ...costLines(question, words),
    ...knownLines(question, words),
    endLine(say("plan.yes_does"), question, words),
  ];
}

/** What it comes to, what it goes over, and when it works. */
function costLines({ plan, now, worst, until, slippage }: ShownQuestion, words: Words): readonly string[] {
  const say = planSay(words);
  const dated = plan.kind === "recurring" || plan.kind === "slices" || plan.kind === "rebalance";
  return [
    say("plan.worst", { worst: worstWords(plan, worst, now.unit, words), until: words.when(until) }),
    ...(slippage === undefined ? [] : [say("plan.limits", { slippage })]),
    say(dated ? "plan.runs_dated" : "plan.runs"),
  ];
}

function knownLines({ warnings = [], why }: Pick<ShownQuestion, "warnings" | "why">, words: Words): readonly string[] {
  return [
    ...warnings.map((text) => words.say("approval.warned", { text: words.told(text) })),
    ...(why === undefined ? [] : [planSay(words)("plan.why", { why: words.reason(why) })]),
  ];
}

function endLine(does: string, { ends }: Pick<ShownQuestion, "ends">, words: Words): string {
  return ends === undefined ? does : words.say("approval.ends", { yes: does, ends: words.when(ends) });
}

function moneyWord(isLive: boolean, words: Words): string {
  return words.say(isLive ? "money.live" : "money.sandbox");
}

/** What a change of a plan that waits for a person asks. */
export interface ShownChange {
  readonly action: "cancel" | "pause" | "replace" | "resume";
  readonly planId: string;
  /** What the plan protects; of a resume it is not said. */
  readonly volume: string;
  readonly asset: string;
  readonly isLive: boolean;
}

export function changeQuestion({ action, planId: id, volume, asset, isLive }: ShownChange, words: Words): string {
  const say = planSay(words);
  const money = moneyWord(isLive, words);
  if (action === "resume") return say("plan.resumes", { money, id });
  return say("plan.removal", { money, id, action: say(`action.${action}`), volume: amount(volume, ""), asset });
}

/** The whole sheet of a change: what is asked, of which plan, and of one that starts again what it may cost. The last line says what a yes does. */
export function changeSheet(change: ShownChange, question: ShownQuestion, words: Words): readonly string[] {
  return [
    changeQuestion(change, words),
    planSummary(question.plan, question.now, words),
    ...(change.action === "resume" ? costLines(question, words) : []),
    ...knownLines(question, words),
    endLine(planSay(words)("plan.change_does"), question, words),
  ];
}

/** What a person may answer: on the button, and what that does. */
export function planAnswer(
  words: Words,
  action: "start" | ShownChange["action"] = "start",
): { readonly yes: string; readonly does: string } {
  const say = planSay(words);
  if (action === "start") return { yes: say("plan.yes"), does: say("plan.yes_does") };
  return { yes: say(action === "resume" ? "plan.yes_resume" : "plan.yes_remove"), does: say("plan.change_does") };
}
