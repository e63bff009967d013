/**
 * Plans for the person at the terminal: what each does, how it stands, what it has done, and when nobody watched.
 *
 * Invariant: a plan that nobody watches is said to be so.
 */
import { quoted } from "../../contract/index.ts";
import type {
  Desk,
  PlanGapView,
  PlanStepView,
  PlansView,
  PlanView,
  PlanWatchView,
  PlanWriteReport,
} from "../../desk/index.ts";
import {
  gapWhy,
  needsWatch,
  planAssets,
  planInstead,
  planNow,
  planState,
  planSummary,
  rehearsalWords,
  shortened,
  stepAsset,
  stepLabel,
  type Words,
  worstOf,
  worstWords,
} from "../../words/index.ts";
import { faultLines } from "../failure.ts";
import type { Paint } from "./paint.ts";
import { type PlanSentence, planTextSay, stepState } from "./plan-words.ts";
import { table } from "./table.ts";

export function plansText(view: PlansView, words: Words, paint: Paint): string {
  const { plans, watch, environment, account, unit } = view;
  const say = planTextSay(words);
  const whose = { money: words.say(`money.${environment}`), account: quoted(account) };
  if (plans.length === 0) return say("list.none", whose);
  return [
    say("list.head", { ...whose, count: plans.length }),
    ...plans.flatMap((plan) => planLines(plan, unit, words, watchedOf(plan, words, paint))),
    watchText(watch, plans, words, paint),
    ...watch.gaps.map((gap) => gapText(gap, words)),
  ].join("\n");
}

/** One of them with all its figures, its steps, and when its market was not watched. */
export function planDetailText(plan: PlanView, view: PlansView, words: Words, paint: Paint): string {
  const { watch, unit, environment, account } = view;
  const gaps = watch.gaps.filter(({ symbol }) => symbol === plan.symbol);
  const { steps = [] } = plan;
  const whose = { money: words.say(`money.${environment}`), account: quoted(account) };
  return [
    planTextSay(words)("show.head", whose),
    ...planLines(plan, unit, words, watchedOf(plan, words, paint)),
    ...figureLines(plan, unit, words).map((line) => `  ${line}`),
    ...(steps.length === 0 ? [] : [stepsTable(plan, steps, words)]),
    watchText(watch, [plan], words, paint),
    ...gaps.map((gap) => gapText(gap, words)),
  ].join("\n");
}

/** @param watched what is known of who watches @returns a line of what it does, and one below of how it stands */
function planLines(plan: PlanView, unit: string, words: Words, watched: readonly string[] = []): readonly string[] {
  const say = planTextSay(words);
  const { plan_id, state, terms, until, told_at, why, note, asked } = plan;
  const summary = planSummary(terms, planNow(plan, unit), words);
  const standing = [
    ...(plan_id === null ? [] : [plan_id]),
    say("plan.until", { time: words.when(until) }),
    ...(told_at === undefined ? [] : [say("plan.told", { time: words.when(told_at) })]),
    ...watched,
    ...(asked === undefined ? [] : [say(`asked.${asked.action}`, { time: words.when(asked.expires_at) })]),
    ...(why === undefined ? [] : [say("plan.why", { why: words.told(why) })]),
    ...(note === undefined ? [] : [say("plan.note", { note })]),
  ];
  return [`- ${say("plan.line", { state: planState(state, words), summary })}`, `  ${standing.join(" · ")}`];
}

/** What it may come to, what it waits for, what it has done, and what may still come. */
function figureLines(plan: PlanView, unit: string, words: Words): readonly string[] {
  const say = planTextSay(words);
  const { amount, when } = words;
  const { base, quote } = planAssets(plan, unit);
  const { reserved, high, floor, leg, filled_volume, left_volume, average_price, spent, next_turns = [] } = plan;
  const isOfTwo = plan.kind === "oco";
  const told = (name: FigureName, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [say(name, { value })];
  const price = (text: string | undefined) => (text === undefined ? undefined : amount(text, quote));
  const reckoned = (text: string | undefined) => price(text && shortened(text, quote));
  const coins = (text: string | undefined) => (text === undefined ? undefined : amount(text, base));
  return [
    ...told("figure.worst", worstWords(plan.terms, worstOf(plan), unit, words)),
    ...told("figure.reserved", isNothing(reserved) ? undefined : amount(reserved, unit)),
    ...told("figure.trigger", price(plan.trigger)),
    ...told("figure.high", price(high)),
    ...told("figure.floor", price(floor)),
    ...(leg === undefined ? [] : [say(isOfTwo && !isNothing(filled_volume) ? `sold_first.${leg}` : `leg.${leg}`)]),
    ...told("figure.filled", coins(filled_volume)),
    ...told("figure.left", coins(left_volume)),
    ...told("figure.average", reckoned(average_price)),
    ...told("figure.spent", reckoned(spent)),
    ...told("figure.order", plan.order_id),
    ...told("figure.turns_left", plan.turns_left?.toString()),
    ...told("figure.next", next_turns.length === 0 ? undefined : next_turns.map(({ at }) => when(at)).join(", ")),
    ...told("figure.created", plan.created_at === null ? undefined : when(plan.created_at)),
    ...told("figure.updated", plan.updated_at === null ? undefined : when(plan.updated_at)),
  ];
}

type FigureName = Extract<PlanSentence, `figure.${string}`>;

function isNothing(sum = "0"): boolean {
  return !/[1-9]/.test(sum);
}

function stepsTable({ symbol }: PlanView, steps: readonly PlanStepView[], words: Words): string {
  const say = planTextSay(words);
  const rows = steps.map(({ step, label, state, due_at, executed_volume, order_id, userref, why }) => [
    ...[
      String(step),
      label === null ? "-" : stepLabel(label, words),
      stepState(state, words),
      due_at === null ? "-" : words.when(due_at),
    ],
    executed_volume === null ? "-" : words.amount(executed_volume, stepAsset(label, symbol)),
    ...[order_id ?? "-", userref ?? "-", why === null ? "-" : words.told(why)],
  ]);
  return table(
    [
      ...[say("step.step"), say("step.label"), words.say("column.state"), say("step.due"), say("step.executed")],
      ...[words.say("column.order_id"), words.say("column.userref"), say("step.why")],
    ],
    rows,
  );
}

/** Of a plan in a list: what a write reports does not know it. */
function watchedOf({ state, terms, watched_since: since }: PlanView, words: Words, paint: Paint): readonly string[] {
  const say = planTextSay(words);
  if (!needsWatch({ state, terms })) return [];
  return [since === undefined ? paint("bad", say("plan.unwatched")) : say("plan.watched", { time: words.when(since) })];
}

function watchText(
  { watched_since: since, last_look_at: last }: PlanWatchView,
  plans: readonly PlanView[],
  words: Words,
  paint: Paint,
): string {
  const say = planTextSay(words);
  if (since !== null) return say("watch.is", { time: words.when(since) });
  if (!plans.some(({ state }) => state === "active")) return say("watch.idle");
  return paint("bad", last === null ? say("watch.none") : say("watch.last", { time: words.when(last) }));
}

function gapText({ symbol, from, to, why: given }: PlanGapView, words: Words): string {
  const say = planTextSay(words);
  const gap = { symbol, from: words.when(from), why: gapWhy(given, words) };
  return to === null ? say("gap.is", gap) : say("gap.was", { ...gap, to: words.when(to) });
}

type Commands = Pick<Desk, "command">;

/** What became of making, changing or approving one. */
export function planWriteText(desk: Commands, report: PlanWriteReport, words: Words): string {
  const { environment, error, next_action: nextAction = "", plan, rehearsal, unit, warnings } = report;
  const say = planTextSay(words);
  const instead = plan && planInstead(plan, unit, words);
  const [first = "", ...rest] =
    error === undefined ? doneLines(desk, report, words) : faultLines({ ...error, nextAction }, words);
  return [
    `${words.say(`money.${environment}`)} ${first}`,
    ...rest,
    ...(rehearsal === undefined || plan === undefined ? [] : rehearsalWords(plan.terms, rehearsal, words)),
    ...(plan === undefined ? [] : planLines(plan, unit, words)),
    ...(instead === undefined ? [] : [`  ${instead}`]),
    ...(plan === undefined || plan.kind === "alert" ? [] : [`  ${worstLine(plan, unit, words)}`]),
    ...warnings.map((text) => say("write.warning", { text: words.told(text) })),
  ].join("\n");
}

function worstLine(plan: PlanView, unit: string, words: Words): string {
  return planTextSay(words)("figure.worst", { value: worstWords(plan.terms, worstOf(plan), unit, words) });
}

const SAID = ["preview", "active", "paused", "canceled", "denied", "lapsed"] as const;

function doneLines(desk: Commands, { state, approval }: PlanWriteReport, words: Words): readonly string[] {
  const say = planTextSay(words);
  if (approval !== undefined) {
    const command = desk.command("approve", approval.id);
    return [say("write.waits", { why: words.reason(approval.why) }), say("write.approve", { command })];
  }
  const own = SAID.find((each) => each === state);
  return [own === undefined ? say("write.other", { state: planState(state ?? "", words) }) : say(`write.${own}`)];
}
