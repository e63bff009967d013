/**
 * Owns the sentences about plans. The first line of a write tells the outcome and follows from `outcome` and `state` alone; of a plan it is said in the
 * order in which a person needs it: what it does, how it stands, where, what it has done, what may still come, and whether anybody watches.
 *
 * Invariants: what is asked for is never called done; a plan that nobody watches is said to be so; past prices are never called a forecast; the caller's note
 * is a quotation.
 *
 * Source: decisions 0108, 0113.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { defined, quoted } from "../../contract/index.ts";
import type { Desk, PlanDesk, PlanGapView, PlanWatchView, PlanWriteReport } from "../../desk/index.ts";
import { planAssets, stepAsset } from "../../words/index.ts";
import { amount, counted, exactAmount, isPositive } from "./amount-text.ts";
import { answered, errorText, errorTextUnsent, lines, nextPage, sentence } from "./answer.ts";
import {
  type ShownApproval,
  type ShownPlan,
  type ShownPlans,
  type ShownStep,
  shownApproval,
  shownInstead,
  shownMade,
  shownPlan,
  shownRehearsal,
} from "./plan-view.ts";
import { warned } from "./write-text.ts";

/** Characters of a note. */
const NOTE_MAX = 200;
const ONLY_WHILE = "Plans work only while a hoga server of this profile runs.";

/** The tools are offered by a desk that has it. */
export function plansOf({ plans }: Pick<Desk, "plans">): PlanDesk {
  if (plans === undefined) throw new Error("nothing keeps plans here");
  return plans;
}

type What = "created" | "changed";

/** The result of making or changing a plan. */
export function planWritten(desk: Desk, what: What, report: PlanWriteReport): CallToolResult {
  const { plan, approval: _asked, rehearsal: past, ...rest } = report;
  const state = stateOf(report);
  const shown = plan && shownPlan(plan, report.unit, desk.timeZone);
  const approval = shownApproval(desk, report);
  const content = {
    ...{ ...rest, state },
    ...(shown && what === "created" && { plan: shownMade(shown) }),
    ...(shown && what === "changed" && { plan_id: shown.plan_id, summary: shown.summary }),
    ...defined({
      approval,
      rehearsal: past && what === "created" ? shownRehearsal(past, shown?.symbol ?? "/") : undefined,
    }),
  };
  const next = report.next_action === undefined ? undefined : `Next: ${report.next_action}`;
  // A preview, or a person who has to be asked, is an expected outcome and not an error.
  const hasEnded = what === "created" && (state === "denied" || state === "lapsed");
  const isError =
    report.error !== undefined || hasEnded || report.outcome === "rejected" || report.outcome === "unknown";
  const text = lines(
    writtenText(desk, what, report),
    ...rehearsalLines(content.rehearsal),
    shown === undefined ? undefined : what === "created" ? madeLine(shown, desk.unit) : headOf(shown),
    // What a person is asked says it too.
    plan === undefined || approval !== undefined ? undefined : shownInstead(plan, report.unit, desk.timeZone),
    ...approvalLines(approval),
    ...warned(report.warnings),
    shown === undefined || what === "changed" ? undefined : ONLY_WHILE,
    next,
  );
  return answered(desk, text, content, isError);
}

function writtenText(
  desk: Desk,
  what: What,
  { outcome, state, plan, rehearsal, error, ...report }: PlanWriteReport,
): string {
  const why = error === undefined ? "" : ` ${outcome === "unknown" ? errorText(error) : errorTextUnsent(error)}`;
  switch (outcome) {
    case "accepted":
      return `${what === "created" ? createdText(state) : changedText(state)}${why}`;
    case "not_sent":
    case "rejected":
      if (error === undefined && rehearsal !== undefined)
        return "On past prices, which are no forecast. Nothing was recorded.";
      if (error === undefined && state === "preview") return "A preview: nothing was recorded.";
      if (error === undefined && report.approval !== undefined) return waitingText(desk, what, { state, ...report });
      return `${undoneText(what, state, plan)}${why}`;
    case "unknown":
      return `UNKNOWN: it may or may not be ${what === "created" ? "recorded" : "changed"}. Look with list_plans.${why}`;
    default:
      return outcome satisfies never;
  }
}

/** Of what was not recorded, or may not be, how it stands. */
function stateOf({ state, outcome, error }: PlanWriteReport): string {
  if (state !== undefined) return state;
  if (outcome === "unknown") return outcome;
  // Nobody was asked, so nobody has denied it.
  return error?.code === "ELocal:Not approved" ? "not_recorded" : "denied";
}

function createdText(state: PlanWriteReport["state"]): string {
  return state === "active" ? "Recorded, and active." : `Recorded: it is ${said(state)}.`;
}

const CHANGED: Readonly<Record<string, string>> = {
  canceled: "Canceled: nothing comes of it any more.",
  paused: "Paused: nothing comes of it until it is resumed.",
  active: "Active: it waits.",
};

function changedText(state: PlanWriteReport["state"]): string {
  return CHANGED[state ?? ""] ?? `It is ${said(state)}.`;
}

/** A person still has to say yes; where, `next_action` says, or else the command. */
function waitingText(
  { command }: Pick<Desk, "command">,
  what: What,
  {
    state,
    approval,
    next_action,
  }: Pick<PlanWriteReport, "approval" | "next_action"> & { readonly state: PlanWriteReport["state"] },
): string {
  const where =
    next_action === undefined ? `on a terminal with \`${command("approve", approval?.id ?? "")}\`` : "as Next says";
  return what === "created" && state === "awaiting_approval"
    ? `WAITING FOR A PERSON: recorded, and it does nothing until a person approves it, ${where}.`
    : `WAITING FOR A PERSON: not done, and the plan stays ${said(state)} until a person approves it, ${where}.`;
}

/** @param plan as it stands; absent where nothing was recorded */
function undoneText(what: What, state: PlanWriteReport["state"], plan: PlanWriteReport["plan"]): string {
  if (what === "changed")
    return plan === undefined ? "Nothing was changed." : `Nothing was changed: the plan is ${said(state)}.`;
  if (state === "denied" && plan !== undefined) return "Withdrawn by a person's no: nothing comes of it.";
  if (state === "awaiting_approval") return "Nothing was done: it still waits for a person.";
  return plan === undefined || plan.plan_id === null
    ? "Nothing was recorded."
    : `It is ${said(state)}: nothing comes of it.`;
}

/** A word of a state or a kind. */
function said(word = "unknown"): string {
  return word.replaceAll("_", " ");
}

/** What a person is asked, as it is put to them. */
function approvalLines(approval: ShownApproval | undefined): readonly string[] {
  if (approval === undefined) return [];
  const { id, action, why, asked_at, expires_at, text } = approval;
  return [
    `A person is asked to ${action} ${id}, since ${asked_at}; it lapses at ${expires_at}. Why: ${sentence(why)} They read:`,
    text,
  ];
}

function rehearsalLines(rehearsal: ReturnType<typeof shownRehearsal> | undefined): readonly string[] {
  if (rehearsal === undefined) return [];
  const [whole, ...acts] = rehearsal;
  return [
    whole,
    ...acts.map((act) => `- ${act}`),
    "Candles know neither the order of prices within, nor what others bid and asked.",
  ];
}

/** "- alert plan-…: active. Tell once when …". */
function headOf({ plan_id, kind, state, summary }: Pick<ShownPlan, "plan_id" | "kind" | "state" | "summary">): string {
  const name = plan_id === null ? said(kind) : `${said(kind)} ${plan_id}`;
  return `- ${name}: ${said(state)}. ${summary}`;
}

/** What a plan does, and may still do. @param done what it has done so far */
function planLine(plan: ShownPlan, unit: string, done: readonly (string | undefined)[] = []): string {
  const { reserved, why, note } = plan;
  const parts = [
    levelsText(plan, unit),
    ...done,
    turnsText(plan),
    worstText(plan, unit),
    isPositive(reserved) ? `It sets ${amount(reserved, unit)} aside.` : undefined,
    `${timesText(plan)}.`,
    why === undefined ? undefined : `Why: ${sentence(why)}`,
    note === undefined ? undefined : `Note: ${quoted(note, NOTE_MAX)}.`,
  ];
  return [headOf(plan), ...parts.filter((part) => part !== undefined)].join(" ");
}

/** Of a plan that was just made, as far as its result has it. */
function madeLine(plan: ShownPlan, unit: string): string {
  const { note: _note, why: _why, next_turns: _turns, turns_left: _left, high: _high, ...made } = plan;
  return planLine(made, unit);
}

/** The prices that its summary has not said. */
function levelsText({ summary, trigger, floor, high, ...plan }: ShownPlan, unit: string): string | undefined {
  const { quote } = planAssets(plan, unit);
  const told = Object.entries({ Trigger: trigger, floor, high }).flatMap(([name, price]) => {
    const shown = price === undefined ? "" : exactAmount(price, quote);
    return shown === "" || summary.includes(shown) ? [] : [`${name} ${shown}`];
  });
  return told.length === 0 ? undefined : `${capital(told.join(", "))}.`;
}

function worstText({ kind, worst_case, worst_case_value }: ShownPlan, unit: string): string {
  const worth = amount(worst_case_value, unit);
  if (!isPositive(worst_case_value) || worst_case.includes(worth)) return `At worst: ${worst_case}.`;
  const isClocked = kind === "recurring" || kind === "slices" || kind === "rebalance";
  const counts = isClocked
    ? `It counts for ${worth}`
    : `By the price when it was asked for these coins are worth ${worth}`;
  return `At worst: ${worst_case}. ${counts}.`;
}

function turnsText({ next_turns: turns = [], turns_left: left }: ShownPlan): string | undefined {
  if (left === undefined && turns.length === 0) return undefined;
  const next = turns.map(({ label, at }) => `${label} at ${at}`).join(", ");
  const many = left === undefined ? "" : ` of ${left} left`;
  return turns.length === 0 ? "No turn is left." : `Next${many}: ${next}.`;
}

function timesText({ until, created_at, updated_at }: ShownPlan): string {
  const made = created_at === null ? "" : `, created ${created_at}`;
  const changed = updated_at === null || updated_at === created_at ? "" : `, last change ${updated_at}`;
  return `Until ${until}${made}${changed}`;
}

/** What it has done, as a list knows it. */
function doneTexts(plan: ShownPlan, unit: string): readonly (string | undefined)[] {
  const { filled_volume: filled, left_volume: left, average_price: average, spent } = plan;
  const { base, quote } = planAssets(plan, unit);
  const each = average === undefined ? "" : ` at ${exactAmount(average, quote)} each on average`;
  return [
    legText(plan),
    filled === undefined || !isPositive(filled) ? undefined : `Executed ${amount(filled, base)}${each}.`,
    spent === undefined || !isPositive(spent) ? undefined : `Spent ${amount(spent, quote)}.`,
    left === undefined ? undefined : `Left ${amount(left, base)}.`,
    plan.order_id === undefined ? undefined : `Its order is open: order_id ${plan.order_id}.`,
    plan.told_at === undefined ? undefined : `Told at ${plan.told_at}.`,
    plan.asked === undefined
      ? undefined
      : `A person is asked to ${plan.asked.action} it until ${plan.asked.expires_at}.`,
  ];
}

function legText({ kind, leg, filled_volume: filled }: ShownPlan): string | undefined {
  if (leg === undefined) return undefined;
  const hasSoldFirst = kind === "oco" && filled !== undefined && isPositive(filled);
  return `The ${leg === "take" ? "take-profit" : leg} has ${hasSoldFirst ? "sold first" : "triggered"}.`;
}

function stepLine(
  { step, label, state, due_at, userref, order_id, executed_volume, why }: ShownStep,
  symbol: string | null,
): string {
  const parts = [
    label,
    due_at && `due ${due_at}`,
    executed_volume && `executed ${amount(executed_volume, stepAsset(label, symbol))}`,
    order_id && `order_id ${order_id}`,
    userref && `userref ${userref}`,
    why && `why: ${why}`,
  ];
  return `  - step ${step}: ${[said(state), ...parts.filter((part) => part !== undefined)].join(", ")}`;
}

/** The same in a list, which knows who watches: what a write reports does not. */
function listedLines(plan: ShownPlan, unit: string): readonly string[] {
  const { state, watched_since: since, steps = [], symbol, kind, left_volume: left } = plan;
  // One that waits for its buy has no coins yet, and no price.
  const isBlind = state === "active" && !(kind === "oco" && left === undefined);
  const watched = since === undefined ? (isBlind ? " NOT watched now." : "") : ` Watched since ${since}.`;
  return [`${planLine(plan, unit, doneTexts(plan, unit))}${watched}`, ...steps.map((step) => stepLine(step, symbol))];
}

/** What was asked for, for the head of a list. */
export interface AskedPlans {
  readonly which: "open" | "ended" | "all";
  readonly symbol?: string | undefined;
}

export function plansText({ plans, next_cursor, watch, unit }: ShownPlans, { which, symbol }: AskedPlans): string {
  const noun = which === "all" ? "plan" : `${which} plan`;
  const where = symbol === undefined ? "" : ` in ${quoted(symbol)}`;
  return lines(
    `${counted(plans.length, noun)}${where}.`,
    ...plans.flatMap((plan) => listedLines(plan, unit)),
    nextPage(next_cursor),
    watchText(watch, plans),
    ...watch.gaps.map(gapLine),
  );
}

function watchText({ watched_since, last_look_at }: PlanWatchView, plans: ShownPlans["plans"]): string {
  if (watched_since !== null)
    return `Watched since ${watched_since}, last look ${last_look_at ?? "unknown"}. ${ONLY_WHILE}`;
  if (!plans.some(({ state }) => state === "active"))
    return `No active plan is listed, so nothing is to be watched. ${ONLY_WHILE}`;
  const last = last_look_at === null ? "" : ` The last look was at ${last_look_at}.`;
  return `NOBODY watches.${last} ${ONLY_WHILE}`;
}

function gapLine({ symbol, from, to, why }: PlanGapView): string {
  return `- ${symbol} was not watched from ${from} ${to === null ? "until now" : `to ${to}`} (${why}).`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
