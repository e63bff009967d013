/** A plan as it is reported, recorded or not, and since when its market is watched. */
import { defined, type Fault, localFault, type Market, quoted } from "../../contract/index.ts";
import { inUnit, price, quantity, type Value } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import { DAY_MS } from "../model/account-usage.ts";
import type { IntentRecord } from "../model/intent.ts";
import { reportError } from "../model/order-report.ts";
import {
  activeSinceMs,
  inForce,
  isAfterBuy,
  isProtection,
  type PlanAsked,
  type PlanProgress,
  type PlanRecord,
  type PlanShown,
  type PlanTerms,
  waitsForBuy,
} from "../model/plan.ts";
import type { PlanApprovalRequest, PlanView, PlanWriteReport } from "../model/plan-report.ts";
import type { PlanRules } from "../model/policy.ts";
import type { PlanGap } from "../ports/plan-book.ts";
import { waitsWhy } from "./plan-buy.ts";
import { figuresOf } from "./plan-figures.ts";
import { floorNow, levelsOf, trails } from "./terms/protection-levels.ts";
import { parseSchedule, turnsOf } from "./terms/schedule.ts";
import { coinsAt, type WorstCase } from "./terms/worst-case.ts";

/** Who looks now, as the store has it. Times are the exchange's, Unix milliseconds. */
export interface Looking {
  /** Since when one process has looked without a break; undefined while none does. */
  readonly sinceMs: number | undefined;
  /** How far the exchange's clock is ahead of ours. */
  readonly offsetMs: number;
  readonly gaps: readonly Pick<PlanGap, "symbol" | "toMs">[];
}

/** A turn or a piece that may still come. */
export interface Due {
  readonly label: string;
  readonly dueAtMs: number;
  readonly worstValue: Value;
}

/** What is said of a plan besides what its row has; what is absent is not said. */
export interface ViewFacts {
  readonly market?: Market | undefined;
  readonly rules?: Pick<PlanRules, "protectiveFloor"> | undefined;
  /** Of its steps. */
  readonly children?: readonly IntentRecord[] | undefined;
  /** The earliest first. */
  readonly due?: readonly Due[] | undefined;
  /** The exchange's time, Unix milliseconds. */
  readonly nowMs: number;
  /** Without it nothing is said of who watches. */
  readonly looking?: Looking | undefined;
}

const NEXT_MAX = 10;

/** Of a preview nobody is asked yet. */
type Viewed = Pick<PlanRecord, "terms" | "progress" | "untilMs"> & Partial<Pick<PlanRecord, "asked">>;

interface LevelFacts extends Pick<ViewFacts, "market" | "rules"> {
  readonly priceMin: string | undefined;
  readonly begins: string | undefined;
}

/** What was shown, or would be, of what it comes to. */
type Worst = Pick<PlanShown, "worstValue" | "unit" | "atLeast"> & { readonly slippagePct?: string | undefined };

type BoundedWorst = Worst &
  Partial<Pick<PlanShown, "warnings">> & {
    readonly priceMin?: string | undefined;
    readonly volumeMax?: string | undefined;
  };

/** What the terms say of it, recorded or not. */
function termsView(
  { terms, progress, untilMs, asked }: Viewed,
  worst: BoundedWorst | undefined,
  { market, rules }: ViewFacts,
) {
  return {
    ...{ kind: terms.kind, symbol: symbolOf(terms) ?? null, terms },
    // An alert trades never, and nothing comes of what ended without a yes.
    ...{ worst_case_value: worst?.worstValue ?? "0", reserved: "0", until: isoTime(untilMs) },
    ...levelsView(terms, progress, { market, rules, priceMin: worst?.priceMin, begins: beginsAt(terms, asked) }),
    ...(worst && { shown: shownView(worst) }),
    ...defined({ note: terms.note }),
  } as const;
}

function shownView({
  worstValue,
  unit,
  atLeast,
  slippagePct,
  volumeMax,
  warnings,
}: BoundedWorst): NonNullable<PlanView["shown"]> {
  return { worstValue, unit, ...defined({ atLeast, slippagePct, volumeMax, warnings }) };
}

/** What a trailing stop that has not begun would begin at: what its buy may execute at, or what was bid when a person was asked, as the digest has it. */
function beginsAt(terms: PlanTerms, asked: PlanAsked | null | undefined): string | undefined {
  return isAfterBuy(terms) ? terms.after.price : (asked?.shown?.priceSeen.bid ?? undefined);
}

function levelsView(
  terms: PlanTerms,
  { high, leg, latchedAtMs }: PlanProgress,
  { market, rules, priceMin, begins }: LevelFacts,
): Pick<PlanView, "trigger" | "floor" | "high" | "leg" | "latched"> {
  if (terms.kind === "alert") {
    if (terms.event === "fill") return {};
    return { trigger: "above" in terms ? terms.above : terms.below };
  }
  if (!isProtection(terms)) return {};
  // Before it has begun: as it would be.
  const from = high ?? (trails(terms) ? begins : undefined);
  const { stop, take } = levelsOf(terms, market, from === undefined ? undefined : price(from));
  const trigger = stop ?? take;
  const isKnown = trigger !== undefined && market !== undefined && rules !== undefined && priceMin !== undefined;
  const floor = isKnown ? floorNow(terms, trigger, { market, rules, priceMin: price(priceMin) }).toString() : priceMin;
  const latched = latchedAtMs === undefined ? undefined : (true as const);
  return defined({ trigger: trigger?.toString(), floor, high: high ?? from, leg, latched });
}

/** A plan that was not recorded. @param due its steps, as they would be */
export function previewView(
  plan: Pick<PlanRecord, "terms" | "progress" | "untilMs">,
  worst: BoundedWorst | undefined,
  facts: ViewFacts,
): PlanView {
  const unmade = { plan_id: null, state: "preview", created_at: null, updated_at: null } as const;
  return { ...unmade, ...termsView(plan, worst, facts), ...dueView(facts.due) };
}

export function planView(recorded: PlanRecord, facts: ViewFacts): PlanView {
  const plan = inForce(recorded);
  const { planId, state, terms, progress, asked, mandate, createdAtMs, updatedAtMs, endedAtMs } = plan;
  const { looking, due, nowMs } = facts;
  const watchedMs = looking && watchedSince(plan, looking);
  const isTold = terms.kind === "alert" && state === "done" && endedAtMs !== null;
  return {
    ...{ plan_id: planId, state, created_at: isoTime(createdAtMs), updated_at: isoTime(updatedAtMs) },
    ...termsView(plan, worstOf(recorded), facts),
    ...(state === "active" && due !== undefined && { reserved: reservedOf(due, nowMs) }),
    ...(endedAtMs === null ? dueView(due ?? turnsAhead(plan, nowMs)) : {}),
    ...(facts.children && mandate && figuresOf(plan, facts.children, facts.market)),
    ...(asked && { asked: { action: asked.action, expires_at: isoTime(asked.expiresAtMs) } }),
    ...(watchedMs !== undefined && { watched_since: isoTime(watchedMs) }),
    ...defined({ why: progress.why ?? toldWhy(plan) ?? waitingWhy(plan) }),
    ...(isTold && { told_at: isoTime(endedAtMs) }),
  };
}

/** What may come of steps that are not written yet. */
export function dueOf(steps: WorstCase["steps"]): readonly Due[] | undefined {
  return steps.length === 0
    ? undefined
    : steps.map(({ step, label, ...each }) => ({ ...each, label: label ?? String(step) }));
}

/** What was told is so as long as it stands there, and the plan goes on. */
function toldWhy({ state, progress: { told } }: PlanRecord): string | undefined {
  return state === "active" ? told?.why : undefined;
}

function waitingWhy({ state, terms }: PlanRecord): string | undefined {
  return state === "active" && isAfterBuy(terms) ? waitsWhy(terms.after.order) : undefined;
}

function worstOf(plan: PlanRecord): BoundedWorst | undefined {
  const { asked, mandate } = plan;
  const waiting = asked?.shown;
  if (waiting !== undefined) return { ...waiting, ...limitsOf(waiting.bounds) };
  if (mandate?.shown === undefined) return undefined;
  const approved = { ...mandate.shown, slippagePct: mandate.slippagePct, ...limitsOf(mandate.bounds) };
  return { ...approved, ...begunWorst(plan, mandate.shown) };
}

/** What was approved was all that its buy could bring: of what it has brought, the same prices. */
function begunWorst(
  { terms, progress: { begins } }: PlanRecord,
  { unit, atLeast }: Pick<PlanShown, "unit" | "atLeast">,
): Partial<BoundedWorst> {
  if (begins === undefined || !isAfterBuy(terms) || atLeast === undefined) return {};
  const [, quote = ""] = terms.symbol.split("/", 2);
  const [at, lowest, volume] = [price(terms.after.price), price(atLeast.price), quantity(begins.volume)];
  const coins = coinsAt({ at, lowest, volume, unit, quote });
  return {
    worstValue: coins.value.toString(),
    atLeast: { price: atLeast.price, value: coins.atLeast.value },
    volumeMax: begins.volume,
  };
}

/** How low, and how much in all. */
export function limitsOf({ priceMin, volumeMax }: PlanShown["bounds"]): Pick<BoundedWorst, "priceMin" | "volumeMax"> {
  return { priceMin, volumeMax };
}

/** Of one that waits for a person: its steps are not written before it begins. */
function turnsAhead(
  { state, terms, untilMs }: PlanRecord,
  nowMs: number,
): readonly Omit<Due, "worstValue">[] | undefined {
  const schedule = terms.kind === "recurring" ? parseSchedule(terms.schedule) : undefined;
  if (state !== "awaiting_approval" || terms.kind !== "recurring" || schedule === undefined) return undefined;
  return turnsOf(schedule, { timeZone: terms.timezone, afterMs: nowMs, untilMs });
}

function dueView(due: readonly Omit<Due, "worstValue">[] | undefined): Pick<PlanView, "next_turns" | "turns_left"> {
  if (due === undefined) return {};
  const next = due.slice(0, NEXT_MAX).map(({ label, dueAtMs }) => ({ label, at: isoTime(dueAtMs) }));
  return { next_turns: next, turns_left: due.length };
}

/** What is due within a day is set aside. */
export function reservedOf(due: readonly Due[], nowMs: number): string {
  const within = due.filter(({ dueAtMs }) => dueAtMs <= nowMs + DAY_MS);
  return within.reduce((sum, { worstValue }) => sum.plus(worstValue), inUnit("0")).toString();
}

/** What of it waits for a person; undefined where nothing does. */
export function approvalRequestOf({ planId, asked }: PlanRecord): PlanApprovalRequest | undefined {
  if (asked === null) return undefined;
  const { action, why, askedAtMs, expiresAtMs } = asked;
  return { id: planId, action, why, asked_at: isoTime(askedAtMs), expires_at: isoTime(expiresAtMs) };
}

/** A write that was not made. @param plan as it still is */
export function refusedWrite(
  context: Pick<DeskContext, "stamp">,
  fault: Fault,
  plan?: PlanView & { readonly state: PlanRecord["state"] },
): PlanWriteReport {
  return {
    ...{ outcome: "not_sent", warnings: [], next_action: fault.nextAction, error: reportError(fault) },
    ...(plan && { state: plan.state, plan }),
    ...context.stamp(),
  };
}

export function unknownPlan(planId: string): Fault {
  return localFault("ELocal:Unknown plan", {
    field: "plan_id",
    message: `The account has no plan ${quoted(planId, 60)}.`,
  });
}

/** @returns undefined while nobody watches, or nothing is to be watched */
function watchedSince(plan: PlanRecord, { sinceMs, offsetMs, gaps }: Looking): number | undefined {
  const { state, terms, progress } = plan;
  // Before its buy has ended it has no price to wait for.
  if (state !== "active" || sinceMs === undefined || waitsForBuy(plan)) return undefined;
  // It was told that nobody knows whether its price has come.
  if (progress.told !== undefined && progress.told.leg === undefined) return undefined;
  const own = gaps.filter(({ symbol }) => symbol === watchedSymbolOf(terms));
  const ends = own.flatMap(({ toMs }) => toMs ?? []);
  return ends.length < own.length ? undefined : Math.max(sinceMs, activeSinceMs(plan, offsetMs), ...ends);
}

/** The market that it is about; undefined where it is about the whole account. */
export function symbolOf(terms: PlanTerms): string | undefined {
  return "symbol" in terms ? terms.symbol : undefined;
}

/** The market that has to be watched for it: a fill is a fact, whoever looked at its market. */
export function watchedSymbolOf(terms: PlanTerms): string | undefined {
  return terms.kind === "alert" && terms.event === "fill" ? undefined : symbolOf(terms);
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
