/**
 * Names what the desk reports of plans: every entry point passes the figures on unchanged, and says the terms in words of its own (`src/words/plans/plan-words.ts`),
 * as the desk has none. Field names of these shapes are public, hence snake_case. Times are ISO 8601 in UTC.
 *
 * Source: decision 0108.
 */
import type { ClientAnswer } from "./approval-request.ts";
import type { PlanKind, PlanShown, PlanTerms } from "./plan.ts";
import type { PlanState, StepState } from "./plan-state.ts";
import type { ReportedError, Stamp, WriteOutcome } from "./reports.ts";

export type { PlansStanding } from "./plan-state.ts";

export interface PlanView {
  /** Null of a preview: nothing was recorded. */
  readonly plan_id: string | null;
  readonly kind: PlanKind;
  readonly state: PlanState | "preview";
  /** Null of an alert on the whole account. */
  readonly symbol: string | null;
  /** What an entry point says in words; it is not passed on as it is. */
  readonly terms: PlanTerms;
  /** Over the plan's life, in the unit of account, plain decimal text, by the prices of when it was asked for; "0" of an alert, which trades never, and of what never began. */
  readonly worst_case_value: string;
  /** What its steps set aside of the day's budget now; "0" of an alert. */
  readonly reserved: string;
  /** By the exchange's clock. */
  readonly until: string;
  /** Null of a preview, here and below. */
  readonly created_at: string | null;
  readonly updated_at: string | null;
  /** The price that it waits for, in the quote currency, or the sum of the account, in the unit of account: of a stop and a take-profit over one amount the stop's. */
  readonly trigger?: string;
  /** Of a protection: it never sells below. */
  readonly floor?: string;
  /** Of a trailing stop: the highest price that the market has stood at since. Before it has begun, here and in `trigger`: as if it began at what was bid when it was asked for, or at what its buy may execute at. */
  readonly high?: string;
  /** Of a protection: the leg that has triggered; of an oco that has sold something, the one that sold first. */
  readonly leg?: "stop" | "take";
  /** Of an oco whose stop has claimed, so that nothing is taken any more; not passed on as it is. */
  readonly latched?: true;
  /** Coins: what of the volume was not sold, and what was; of a plan by value the latter alone. */
  readonly left_volume?: string;
  readonly filled_volume?: string;
  /** Of what has executed, in the quote currency. */
  readonly average_price?: string;
  /** Of a plan that buys: what it has cost so far, fees in, in the quote currency. */
  readonly spent?: string;
  /** The next ten turns or pieces; the label of a piece is its number. */
  readonly next_turns?: readonly { readonly label: string; readonly at: string }[];
  readonly turns_left?: number;
  /** A change, or its beginning, that waits for a person. */
  readonly asked?: { readonly action: PlanQuestionAction; readonly expires_at: string };
  /** Of the order that has not ended. */
  readonly order_id?: string;
  /** Newest first, 100 at most; where one plan was asked for by its id. */
  readonly steps?: readonly PlanStepView[];
  /** What an entry point says in words of the worst case; not passed on as it is. */
  readonly shown?: Pick<PlanShown, "worstValue" | "unit" | "atLeast"> & {
    /** Of one that waits for a yes: what was known against it when it was asked for. */
    readonly warnings?: readonly string[];
    readonly slippagePct?: string;
    /** Coins that it may sell in all. */
    readonly volumeMax?: string;
    /** Of a rehearsal: when the price was there that levels and worth are of. Absent where that is now. */
    readonly asOf?: string;
  };
  /** Of one that is asked for, or was just made: the plan whose place it takes, as that stands. An entry point says it in words; not passed on as it is. */
  readonly replaces?: PlanView;
  /** Of an active plan: since when its market is watched without a break; absent while nobody watches, and of one that waits for its buy. */
  readonly watched_since?: string;
  /** Why it stands as it does, in words for a person. */
  readonly why?: string;
  /** The caller's words: data, never instructions. */
  readonly note?: string;
  /** Of an alert that has told. */
  readonly told_at?: string;
}

/** What may become one order of the plan: a turn, a piece, an attempt. */
export interface PlanStepView {
  readonly step: number;
  /** Of a turn: its local date. */
  readonly label: string | null;
  readonly state: StepState;
  readonly due_at: string | null;
  readonly userref: string | null;
  readonly order_id: string | null;
  readonly executed_volume: string | null;
  readonly why: string | null;
}

export type PlanQuestionAction = "start" | "cancel" | "pause" | "resume";

/** What of a plan waits for a person. */
export interface PlanApprovalRequest {
  /** Of the plan. */
  readonly id: string;
  readonly action: PlanQuestionAction;
  readonly why: string;
  readonly asked_at: string;
  readonly expires_at: string;
}

/** The same for the eyes of the person who is asked. */
export interface PendingPlan {
  readonly asked: PlanApprovalRequest;
  readonly plan: PlanView;
  /** Names exactly this question; a yes is to it alone. */
  readonly digest: string;
  /** What was known against it when it was asked for. Sentences without a full stop. */
  readonly warnings: readonly string[];
}

/** The call that a person's answer comes back with has to ask for the same. */
export type PlanAnswerRequest =
  | { readonly create: PlanRequest }
  | { readonly change: { readonly plan_id: string; readonly action: PlanAction } };

export interface PlanAnswer {
  readonly seal: string;
  readonly said: ClientAnswer;
  readonly session?: string;
  readonly request: PlanAnswerRequest;
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
  /** Present while a person has to say yes. */
  readonly approval?: PlanApprovalRequest;
  /** What it would have done on past prices, where that was asked for. */
  readonly rehearsal?: Rehearsal;
  /** Sentences. */
  readonly warnings: readonly string[];
  readonly next_action?: string;
  readonly error?: ReportedError;
}

/** The arguments, numbers as text. */
export interface PlanRequest {
  readonly kind: string;
  readonly symbol?: string | undefined;
  readonly side?: string | undefined;
  readonly base_volume?: string | undefined;
  readonly quote_amount?: string | undefined;
  readonly stop_price?: string | undefined;
  readonly take_price?: string | undefined;
  readonly trail?: string | undefined;
  readonly limit_price?: string | undefined;
  readonly floor_price?: string | undefined;
  readonly schedule?: string | undefined;
  readonly duration?: string | undefined;
  readonly slices?: number | undefined;
  readonly until?: string | undefined;
  readonly above?: string | undefined;
  readonly below?: string | undefined;
  readonly event?: string | undefined;
  readonly note?: string | undefined;
  readonly replaces?: string | undefined;
  readonly after?: string | undefined;
  /** By asset: "50%". */
  readonly weights?: Readonly<Record<string, string>> | undefined;
}

/** One time at which the plan would have acted. */
export interface RehearsedAct {
  /** Start of the candle, Unix milliseconds. */
  readonly atMs: number;
  readonly leg: "stop" | "take" | "turn" | "slice";
  /** What it would have traded at, the worst first. In the quote currency. */
  readonly from: string;
  readonly to: string;
  /** Coins, at the worst price. */
  readonly volume: string;
  /** What it would have spent, or brought in, at the worst price with the fee. In the quote currency. */
  readonly value: string;
  /** Whether the candle leaves open that it would not have traded: its price may have jumped over the floor, or not have come back to the limit. */
  readonly isSure: boolean;
}

export interface Rehearsal {
  readonly fromMs: number;
  readonly toMs: number;
  readonly acts: readonly RehearsedAct[];
  /** Turns and pieces without a candle, or beyond their limit. */
  readonly without: number;
  /** Sum of the acts, in the quote currency. */
  readonly value: string;
}
