/** A plan as it is reported, and since when its market is watched. */
import { defined, type Fault } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import { reportError } from "../model/order-report.ts";
import type { PlanRecord, PlanTerms } from "../model/plan.ts";
import type { PlanView, PlanWriteReport } from "../model/plan-report.ts";
import type { PlanGap } from "../ports/plan-book.ts";

/** Who looks now, as the store has it. Times are the exchange's, Unix milliseconds. */
export interface Looking {
  /** Since when one process has looked without a break; undefined while none does. */
  readonly sinceMs: number | undefined;
  /** How far the exchange's clock is ahead of ours. */
  readonly offsetMs: number;
  readonly gaps: readonly Pick<PlanGap, "symbol" | "toMs">[];
}

/** What the terms say of it, recorded or not. */
function termsView(terms: PlanTerms, untilMs: number) {
  return {
    kind: terms.kind,
    symbol: symbolOf(terms) ?? null,
    terms,
    // An alert trades never.
    ...{ worst_case_value: "0", reserved: "0", until: isoTime(untilMs) },
    ...defined({ trigger: triggerOf(terms), note: terms.note }),
  } as const;
}

/** A plan that was not recorded. */
export function previewView(terms: PlanTerms, untilMs: number): PlanView {
  return { plan_id: null, state: "preview", created_at: null, updated_at: null, ...termsView(terms, untilMs) };
}

/** @param looking without it nothing is said of who watches */
export function planView(plan: PlanRecord, looking?: Looking): PlanView {
  const { planId, state, terms, progress, untilMs, createdAtMs, updatedAtMs, endedAtMs } = plan;
  const watchedMs = looking && watchedSince(plan, looking);
  const isTold = terms.kind === "alert" && state === "done" && endedAtMs !== null;
  return {
    ...{ plan_id: planId, state, created_at: isoTime(createdAtMs), updated_at: isoTime(updatedAtMs) },
    ...termsView(terms, untilMs),
    ...(watchedMs !== undefined && { watched_since: isoTime(watchedMs) }),
    ...defined({ why: progress.why }),
    ...(isTold && { told_at: isoTime(endedAtMs) }),
  };
}

/** A write that was not made. @param plan as it still is */
export function refusedWrite(context: Pick<DeskContext, "stamp">, fault: Fault, plan?: PlanRecord): PlanWriteReport {
  return {
    ...{ outcome: "not_sent", warnings: [], next_action: fault.nextAction, error: reportError(fault) },
    ...(plan && { state: plan.state, plan: planView(plan) }),
    ...context.stamp(),
  };
}

/** @returns undefined while nobody watches */
function watchedSince(
  { state, terms, updatedAtMs }: Pick<PlanRecord, "state" | "terms" | "updatedAtMs">,
  { sinceMs, offsetMs, gaps }: Looking,
): number | undefined {
  if (state !== "active" || sinceMs === undefined) return undefined;
  const own = gaps.filter(({ symbol }) => symbol === watchedSymbolOf(terms));
  const ends = own.flatMap(({ toMs }) => toMs ?? []);
  return ends.length < own.length ? undefined : Math.max(sinceMs, updatedAtMs + offsetMs, ...ends);
}

/** The market that it is about; undefined where it is about the whole account. */
export function symbolOf(terms: PlanTerms): string | undefined {
  return "symbol" in terms ? terms.symbol : undefined;
}

/** The market that has to be watched for it: a fill is a fact, whoever looked at its market. */
export function watchedSymbolOf(terms: PlanTerms): string | undefined {
  return terms.kind === "alert" && terms.event === "fill" ? undefined : symbolOf(terms);
}

function triggerOf(terms: PlanTerms): string | undefined {
  if (terms.kind !== "alert" || terms.event === "fill") return undefined;
  return "above" in terms ? terms.above : terms.below;
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
