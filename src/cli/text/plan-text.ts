/**
 * Plans for the person at the terminal: what each does, how it stands, and when nobody watched.
 *
 * Invariant: a plan that nobody watches is said to be so.
 */
import { defined, quoted } from "../../contract/index.ts";
import type { PlanGapView, PlansView, PlanView, PlanWatchView, PlanWriteReport } from "../../desk/index.ts";
import { gapWhy, planState, planSummary, type Words } from "../../words/index.ts";
import { faultLines } from "../failure.ts";
import type { Paint } from "./paint.ts";
import { planTextSay } from "./plan-words.ts";

export function plansText(view: PlansView, words: Words, paint: Paint): string {
  const { plans, watch, environment, account, unit } = view;
  const say = planTextSay(words);
  const whose = { money: words.say(`money.${environment}`), account: quoted(account) };
  if (plans.length === 0) return say("list.none", whose);
  return [
    say("list.head", { ...whose, count: plans.length }),
    ...plans.flatMap((plan) => planLines(plan, unit, words, watchedOf(plan, words, paint))),
    watchText(watch, words, paint),
    ...watch.gaps.map((gap) => gapText(gap, words)),
  ].join("\n");
}

/** @param watched what is known of who watches @returns a line of what it does, and one below of how it stands */
function planLines(plan: PlanView, unit: string, words: Words, watched: readonly string[] = []): readonly string[] {
  const say = planTextSay(words);
  const { plan_id, state, terms, trigger, until, told_at, why, note } = plan;
  const summary = planSummary(terms, { unit, ...defined({ trigger }) }, words);
  const standing = [
    ...(plan_id === null ? [] : [plan_id]),
    say("plan.until", { time: words.when(until) }),
    ...(told_at === undefined ? [] : [say("plan.told", { time: words.when(told_at) })]),
    ...watched,
    ...(why === undefined ? [] : [say("plan.why", { why: words.told(why) })]),
    ...(note === undefined ? [] : [say("plan.note", { note })]),
  ];
  return [`- ${say("plan.line", { state: planState(state, words), summary })}`, `  ${standing.join(" · ")}`];
}

/** Of a plan in a list: what a write reports does not know it. */
function watchedOf({ state, watched_since: since }: PlanView, words: Words, paint: Paint): readonly string[] {
  const say = planTextSay(words);
  if (state !== "active") return [];
  return [since === undefined ? paint("bad", say("plan.unwatched")) : say("plan.watched", { time: words.when(since) })];
}

function watchText({ watched_since: since, last_look_at: last }: PlanWatchView, words: Words, paint: Paint): string {
  const say = planTextSay(words);
  if (since !== null) return say("watch.is", { time: words.when(since) });
  return paint("bad", last === null ? say("watch.none") : say("watch.last", { time: words.when(last) }));
}

function gapText({ symbol, from, to, why: given }: PlanGapView, words: Words): string {
  const say = planTextSay(words);
  const gap = { symbol, from: words.when(from), why: gapWhy(given, words) };
  return to === null ? say("gap.is", gap) : say("gap.was", { ...gap, to: words.when(to) });
}

/** What became of making or changing one. */
export function planWriteText(report: PlanWriteReport, words: Words): string {
  const { environment, error, next_action: nextAction = "", plan, state, unit, warnings } = report;
  const say = planTextSay(words);
  const [first = "", ...rest] =
    error === undefined ? [doneText(state, words)] : faultLines({ ...error, nextAction }, words);
  return [
    `${words.say(`money.${environment}`)} ${first}`,
    ...rest,
    ...(plan === undefined ? [] : planLines(plan, unit, words)),
    ...warnings.map((text) => say("write.warning", { text: words.told(text) })),
  ].join("\n");
}

const SAID = ["preview", "active", "paused", "canceled"] as const;

function doneText(state: PlanWriteReport["state"], words: Words): string {
  const say = planTextSay(words);
  const own = SAID.find((each) => each === state);
  return own === undefined ? say("write.other", { state: planState(state ?? "", words) }) : say(`write.${own}`);
}
