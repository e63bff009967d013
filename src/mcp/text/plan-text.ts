/**
 * Owns how plans are shown: the desk's figures with what a plan does and costs in words, and the sentences of a text. The first line of a write tells
 * the outcome and follows from `outcome` and `state` alone.
 *
 * Invariants: what is asked for is never called done; a plan that nobody watches is said to be so; the caller's note is a quotation.
 *
 * Source: decision 0108.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { quoted } from "../../contract/index.ts";
import type {
  Desk,
  PlanDesk,
  PlanGapView,
  PlansView,
  PlanView,
  PlanWatchView,
  PlanWriteReport,
} from "../../desk/index.ts";
import { planSummary, wordsFor, worstWords } from "../../words/index.ts";
import { amount, counted, isPositive } from "./amount-text.ts";
import { errorText, errorTextUnsent, lines, nextPage } from "./answer.ts";
import { bounded } from "./bounded-answer.ts";
import { warned } from "./write-text.ts";

/** Characters of a note. */
const NOTE_MAX = 200;
/** Told of a plan, for models: in English. */
const WORDS = wordsFor();

/** A plan as results have it: in place of its terms, what it does in words. */
export interface ShownPlan
  extends Omit<
    PlanView,
    | "terms"
    | "shown"
    | "floor"
    | "high"
    | "leg"
    | "left_volume"
    | "filled_volume"
    | "average_price"
    | "spent"
    | "next_turns"
    | "turns_left"
    | "asked"
    | "order_id"
    | "steps"
  > {
  readonly summary: string;
  /** What it comes to at worst, in words. */
  readonly worst_case: string;
}

export interface ShownPlans extends Omit<PlansView, "plans"> {
  readonly plans: readonly ShownPlan[];
}

/** The tools are offered by a desk that has it. */
export function plansOf({ plans }: Pick<Desk, "plans">): PlanDesk {
  if (plans === undefined) throw new Error("nothing keeps plans here");
  return plans;
}

export function shownPlan({ terms, ...view }: PlanView, unit: string): ShownPlan {
  const { shown: _shown, plan_id, kind, state, symbol, worst_case_value, trigger, ...rest } = view;
  const now = { unit, ...(trigger === undefined ? {} : { trigger }) };
  return {
    ...{ plan_id, kind, state, symbol },
    summary: planSummary(terms, now, WORDS),
    worst_case: worstWords(terms, { value: worst_case_value }, unit, WORDS),
    ...{ worst_case_value, ...rest },
    ...(trigger === undefined ? {} : { trigger }),
  };
}

export function shownPlans({ plans, ...view }: PlansView): ShownPlans {
  return { ...view, plans: plans.map((plan) => shownPlan(plan, view.unit)) };
}

type What = "created" | "changed";

/** The result of making or changing a plan. */
export function planWritten(desk: Desk, what: What, report: PlanWriteReport): CallToolResult {
  const { plan, state = "denied", ...rest } = report;
  const content = { ...rest, state, ...(plan === undefined ? {} : { plan: shownPlan(plan, report.unit) }) };
  const next = report.next_action === undefined ? undefined : `Next: ${report.next_action}`;
  // A preview, or a person who has to be asked, is an expected outcome and not an error.
  const isError = report.error !== undefined || report.outcome === "rejected" || report.outcome === "unknown";
  return bounded(
    desk,
    content,
    (shown) =>
      lines(
        writtenText(what, report),
        shown.plan === undefined ? undefined : planLine(shown.plan, desk.unit),
        ...warned(shown.warnings),
        next,
      ),
    isError,
  );
}

function writtenText(what: What, { outcome, state, error }: PlanWriteReport): string {
  const why = error === undefined ? "" : ` ${outcome === "unknown" ? errorText(error) : errorTextUnsent(error)}`;
  switch (outcome) {
    case "accepted":
      return `${what === "created" ? createdText(state) : changedText(state)}${why}`;
    case "not_sent":
    case "rejected":
      if (state === "preview" && error === undefined) return "A preview: nothing was recorded.";
      return `${what === "created" ? "Nothing was recorded." : "Nothing was changed."}${why}`;
    case "unknown":
      return `UNKNOWN: it may or may not be ${what === "created" ? "recorded" : "changed"}. Look with list_plans.${why}`;
    default:
      return outcome satisfies never;
  }
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

/** A word of a state or a kind. */
function said(word = "unknown"): string {
  return word.replaceAll("_", " ");
}

/** "- alert plan-…: active. Tell once when …". */
function planLine(plan: ShownPlan, unit: string): string {
  const { plan_id, kind, state, summary, worst_case, worst_case_value, reserved, note, why } = plan;
  const name = plan_id === null ? said(kind) : `${said(kind)} ${plan_id}`;
  const worth = amount(worst_case_value, unit);
  const worst = !isPositive(worst_case_value) || worst_case.includes(worth) ? worst_case : `${worst_case} (${worth})`;
  const parts = [
    summary,
    `At worst: ${worst}.`,
    isPositive(reserved) ? `It sets ${amount(reserved, unit)} aside.` : undefined,
    `${timesText(plan)}.`,
    plan.told_at === undefined ? undefined : `Told at ${plan.told_at}.`,
    plan.watched_since === undefined ? undefined : `Watched since ${plan.watched_since}.`,
    why === undefined ? undefined : `Why: ${why}.`,
    note === undefined ? undefined : `Note: ${quoted(note, NOTE_MAX)}.`,
  ];
  return `- ${name}: ${said(state)}. ${parts.filter((part) => part !== undefined).join(" ")}`;
}

function timesText({ until, created_at, updated_at }: ShownPlan): string {
  const made = created_at === null ? "" : `, created ${created_at}`;
  const changed = updated_at === null || updated_at === created_at ? "" : `, last change ${updated_at}`;
  return `Until ${until}${made}${changed}`;
}

/** The same in a list, which knows who watches: what a write reports does not. */
function listedLine(plan: ShownPlan, unit: string): string {
  const isUnwatched = plan.state === "active" && plan.watched_since === undefined;
  return `${planLine(plan, unit)}${isUnwatched ? " NOT watched now." : ""}`;
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
    ...plans.map((plan) => listedLine(plan, unit)),
    nextPage(next_cursor),
    watchText(watch),
    ...watch.gaps.map(gapLine),
  );
}

function watchText({ watched_since, last_look_at }: PlanWatchView): string {
  if (watched_since !== null) return `Watched since ${watched_since}, last look ${last_look_at ?? "unknown"}.`;
  const last = last_look_at === null ? "" : ` The last look was at ${last_look_at}.`;
  return `NOBODY watches: plans wait only while a hoga server of this profile runs.${last}`;
}

function gapLine({ symbol, from, to, why }: PlanGapView): string {
  return `- ${symbol} was not watched from ${from} ${to === null ? "until now" : `to ${to}`} (${why}).`;
}
