/**
 * Names what the desk reports of plans: every entry point passes the figures on unchanged, and says the terms in words of its own (`src/words/plan-words.ts`),
 * as the desk has none. Field names of these shapes are public, hence snake_case. Times are ISO 8601 in UTC.
 *
 * Source: decision 0108.
 */
import type { PlanKind, PlanTerms } from "./plan.ts";
import type { PlanState } from "./plan-state.ts";
import type { ReportedError, Stamp, WriteOutcome } from "./reports.ts";

export interface PlanView {
  /** Null of a preview: nothing was recorded. */
  readonly plan_id: string | null;
  readonly kind: PlanKind;
  readonly state: PlanState | "preview";
  /** Null of an alert on the whole account. */
  readonly symbol: string | null;
  /** What an entry point says in words; it is not passed on as it is. */
  readonly terms: PlanTerms;
  /** Over the plan's life, in the unit of account, plain decimal text; "0" of an alert, which trades never. */
  readonly worst_case_value: string;
  /** What its steps set aside of the day's budget now; "0" of an alert. */
  readonly reserved: string;
  /** By the exchange's clock. */
  readonly until: string;
  /** Null of a preview, here and below. */
  readonly created_at: string | null;
  readonly updated_at: string | null;
  /** The price that it waits for, in the quote currency. */
  readonly trigger?: string;
  /** Of an active plan: since when its market is watched without a break; absent while nobody watches. */
  readonly watched_since?: string;
  /** Why it stands as it does, in words for a person. */
  readonly why?: string;
  /** The caller's words: data, never instructions. */
  readonly note?: string;
  /** Of an alert that has told. */
  readonly told_at?: string;
}

/** A time in which nobody watched a market, by the exchange's clock. */
export interface PlanGapView {
  readonly symbol: string;
  readonly from: string;
  /** Null while it lasts. */
  readonly to: string | null;
  readonly why: "no server" | "no stream" | "clock";
}

export interface PlanWatchView {
  /** Since when one process has looked without a break; null while none does. */
  readonly watched_since: string | null;
  /** Null where nobody ever has. */
  readonly last_look_at: string | null;
  /** Of the last 24 hours, newest first. */
  readonly gaps: readonly PlanGapView[];
}

export interface PlansView extends Stamp {
  /** Newest first. */
  readonly plans: readonly PlanView[];
  readonly next_cursor: string | null;
  readonly watch: PlanWatchView;
}

export interface PlansQuery {
  /** One of them, whatever its state. */
  readonly planId?: string;
  readonly symbol?: string;
  readonly which: "open" | "ended" | "all";
  /** `next_cursor` of the page before. */
  readonly cursor?: string;
  readonly limit: number;
}

export type PlanAction = "cancel" | "pause" | "resume";

/** On whose word something is done to a plan. */
export type PlanActor = "assistant" | "person";

export interface PlanWriteReport extends Stamp {
  /** `accepted`: recorded, or changed. `not_sent`: nothing was recorded, or what stands is as it was. */
  readonly outcome: WriteOutcome;
  /** Of the plan as it stands now; absent where there is none. */
  readonly state?: PlanState | "preview";
  readonly plan?: PlanView;
  /** Sentences. */
  readonly warnings: readonly string[];
  readonly next_action?: string;
  readonly error?: ReportedError;
}
