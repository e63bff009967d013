/**
 * The port `PlanBook`: where plans and their steps live. The store satisfies it.
 *
 * Invariants the implementation keeps: a call returns when the fact is on disk, but for the watch; each write is one transaction, with its entries
 * in the audit log and its notices; it is made only while the plan has the version that was judged, which then rises. So of many processes one
 * wins. A step has one intent at most, and a plan one step at a time whose order has not ended.
 *
 * Source: decision 0105.
 */
import type { Result, Side, Unit } from "../../contract/index.ts";
import type { AccountUsage, SetAside } from "../model/account-usage.ts";
import type { IntentBody, IntentRecord, NewIntent } from "../model/intent.ts";
import type { IntentState } from "../model/intent-state.ts";
import type {
  Mandate,
  PlanAsked,
  PlanProgress,
  PlanRecord,
  PlanStep,
  PlanTerms,
  StepOfPlan,
  StepUserref,
} from "../model/plan.ts";
import type { PlanState, StepState } from "../model/plan-state.ts";
import type { AuditDetail } from "../model/submission.ts";
import type { NewNotice } from "./notices.ts";

/**
 * Why nothing was written. `changed`: there is no such plan, or it has another version or state than was judged. `halted`: trading is.
 * `underway`: the order of a step has not ended. `ended`: the plan's end has come, by the exchange's clock. `early`: the step is not due. `taken`:
 * the step was claimed or ended before, or its name is that of another intent.
 */
export type PlanBlock = "changed" | "halted" | "underway" | "ended" | "early" | "taken";

export type Written<T, Refusal = never> =
  | { readonly written: T }
  | { readonly blocked: PlanBlock }
  | { readonly refused: Refusal };

/** One that may come, a turn or a slice, or one that is claimed as it comes. */
export interface NewStep {
  /** From 1 on. */
  readonly step: number;
  readonly label?: string;
  readonly symbol: string;
  readonly side: Side;
  /** By the exchange's clock; absent of an attempt. */
  readonly dueAtMs?: number;
  readonly worstValue: string;
  readonly unit: Unit;
  readonly volume?: string;
}

export interface NewPlan {
  /** `plan-` and a UUID that rises with time. */
  readonly planId: string;
  readonly account: string;
  readonly terms: PlanTerms;
  readonly state: Extract<PlanState, "awaiting_approval" | "active">;
  /** Null while it waits, and of an alert. */
  readonly mandate: Mandate | null;
  readonly progress: PlanProgress;
  /** The question, while it waits for a person. */
  readonly asked: PlanAsked | null;
  /** What it takes the place of, as soon as it is active. */
  readonly replaces: string | null;
  readonly untilMs: number;
  readonly createdAtMs: number;
  /** All that are known: of an active one. */
  readonly steps: readonly NewStep[];
  readonly notices: readonly NewNotice[];
}

/** What a plan that is to be active is judged by, in the transaction that makes it so: the account's other plans, and what it has in use. */
export interface PlanStanding<State extends string = IntentState, Body = IntentBody> {
  readonly usage: AccountUsage;
  /** All that have not ended, but this one: also the one it replaces. */
  readonly open: readonly PlanRecord[];
  /** Of the active ones of these. */
  readonly planned: readonly PlanStep[];
  /** The intents of those that protect. */
  readonly children: readonly IntentRecord<State, Body>[];
  /** Made in the last `LATELY_MS`, whether they have ended or not, the newest first. */
  readonly lately: readonly PlanRecord[];
}

export type AdmitPlan<Refusal, State extends string = IntentState, Body = IntentBody> = (
  standing: PlanStanding<State, Body>,
) => Refusal | undefined;

/** What every write of a plan has. */
export interface PlanWrite {
  readonly planId: string;
  /** The one that was judged. */
  readonly version: number;
  /** In place of what it was. */
  readonly progress?: PlanProgress;
  readonly notices?: readonly NewNotice[];
  /** Goes into the audit log with it, such as by whom. */
  readonly detail?: AuditDetail;
  readonly atMs: number;
}

export interface PlanApproval extends PlanWrite {
  /** Its bounds say when the plan ends. */
  readonly mandate: Mandate;
  readonly steps: readonly NewStep[];
  readonly exchangeMs: number;
}

/** A step is taken, and its intent recorded: allowed, under the step's own name, and not sent. */
export interface PlanClaim<State extends string = IntentState, Body = IntentBody> extends PlanWrite {
  readonly step: number;
  /** Of one that was not planned. */
  readonly adds?: Omit<NewStep, "step">;
  readonly intent: Pick<NewIntent<State, Body>, "intentId" | "state" | "body" | "unit"> & {
    readonly userref: StepUserref;
  };
  /** The first and last sample that decided. */
  readonly trigger?: AuditDetail;
  readonly exchangeMs: number;
}

export interface ClaimedStep<State extends string = IntentState, Body = IntentBody> {
  readonly plan: PlanRecord;
  readonly step: PlanStep;
  readonly intent: IntentRecord<State, Body>;
}

/** What became of the order of a step. Blocked as `underway` where it ends while its order may still be at the venue. */
export interface StepSettlement extends PlanWrite {
  readonly step: number;
  readonly to: StepState;
  readonly why?: string;
  /** Where that ends or stops the plan. */
  readonly planTo?: PlanState;
}

export interface PlanChange extends PlanWrite {
  readonly to?: PlanState;
  /** What waits for a person from now on; null: nothing. */
  readonly asked?: PlanAsked | null;
  /** Planned ones that will not come. */
  readonly dropped?: {
    readonly steps: readonly number[];
    readonly to: Extract<StepState, "missed" | "denied" | "skipped">;
    readonly why: string;
  };
  /** Needed to make it active: not once its end has come. */
  readonly exchangeMs?: number;
  /** Of an alert: the first and last sample that decided. */
  readonly trigger?: AuditDetail;
}

/** Of which market, and of which side, something is canceled; all where neither is named. */
export interface PlansMeant {
  readonly symbol?: string | undefined;
  readonly side?: Side | undefined;
}

/** What canceling everything does to the plans of an account. */
export interface PlansPaused {
  /** They may buy, and were active. */
  readonly paused: readonly PlanRecord[];
  /** They waited for a person. */
  readonly withdrawn: readonly PlanRecord[];
  /** They stay active. */
  readonly kept: readonly PlanRecord[];
}

export interface PlanPage {
  readonly account: string;
  readonly which: "open" | "ended" | "all";
  readonly symbol?: string;
  /** Only what is older than this plan. */
  readonly before?: string;
  readonly limit: number;
}

/** Sums what the planned steps of active plans may come to. */
export type Reserves = SetAside;

/** Who looks after the plans of an account. Decides nothing but that: what two do at once, one does. Times are of the holder's clock. */
export interface PlanWatch {
  readonly holder: string;
  /** 0 where its holder has left it. */
  readonly leaseUntilMs: number;
  /** Since when this holder has it without a break. */
  readonly sinceMs: number;
  /** Its last look. */
  readonly seenMs: number;
}

/** What somebody asks for the watch with. Its times are never held against those of another. */
export interface WatchClaim {
  readonly holder: string;
  readonly nowMs: number;
  readonly leaseMs: number;
  /** The caller has had it without a break so far. */
  readonly goesOn: boolean;
  /** What has stood unchanged for so long, as the caller saw, that whoever had it is gone. */
  readonly overdue: PlanWatch | undefined;
}

export interface WatchTurn {
  readonly watch: PlanWatch;
  readonly isMine: boolean;
  /** The last look of whoever had it before, by their clock, where it has just become the caller's; absent where nobody had. */
  readonly seenBeforeMs?: number;
}

/** A time in which nobody watched, by the exchange's clock. */
export interface PlanGap {
  readonly account: string;
  readonly symbol: string;
  readonly fromMs: number;
  /** Null while it lasts. */
  readonly toMs: number | null;
  readonly why: "no server" | "no stream" | "clock";
}

export interface PlanBook<State extends string = IntentState, Body = IntentBody> {
  record<Refusal extends object>(
    plan: NewPlan,
    admit: AdmitPlan<Refusal, State, Body>,
  ): Promise<Result<Written<PlanRecord, Refusal>>>;
  /** Makes one that waits active, with its steps; what it replaces ends in the same transaction. */
  approve<Refusal extends object>(
    approval: PlanApproval,
    admit: AdmitPlan<Refusal, State, Body>,
  ): Promise<Result<Written<PlanRecord, Refusal>>>;
  claim(claim: PlanClaim<State, Body>): Promise<Result<Written<ClaimedStep<State, Body>>>>;
  settleStep(settlement: StepSettlement): Promise<Result<Written<PlanRecord>>>;
  /** @param admit asked where it becomes active again, or is to stay so: in that transaction */
  change<Refusal extends object>(
    change: PlanChange,
    admit?: AdmitPlan<Refusal, State, Body>,
  ): Promise<Result<Written<PlanRecord, Refusal>>>;
  pauseAll(account: string, why: string, atMs: number, meant?: PlansMeant): Promise<Result<PlansPaused>>;

  byId(planId: string): Promise<Result<PlanRecord | undefined>>;
  /** All that have not ended, oldest first. */
  open(account: string): Promise<Result<readonly PlanRecord[]>>;
  /** Those that were made since then, whether they have ended or not, newest first. */
  lately(account: string, sinceMs: number): Promise<Result<readonly PlanRecord[]>>;
  /** Newest first. */
  page(page: PlanPage): Promise<Result<readonly PlanRecord[]>>;
  /** Newest first. @param before only those with a lower number */
  steps(planId: string, limit: number, before?: number): Promise<Result<readonly PlanStep[]>>;
  /** Planned steps of active plans that are due by then, oldest first. */
  due(account: string, byMs: number, limit: number): Promise<Result<readonly PlanStep[]>>;
  /** The intents of its steps, oldest first: what it has sold, spent or left is their sum. */
  children(planId: string): Promise<Result<readonly IntentRecord<State, Body>[]>>;
  /** Of steps that are due within a day. @param exchangeMs now @param except the step that asks */
  reserves(account: string, exchangeMs: number, except?: StepOfPlan): Promise<Result<Reserves>>;

  /** Takes the watch where it is free, or renews it. Does not wait for the disk. */
  takeWatch(account: string, claim: WatchClaim): Promise<Result<WatchTurn>>;
  leaveWatch(account: string, holder: string): Promise<Result<void>>;
  watch(account: string): Promise<Result<PlanWatch | undefined>>;

  /**
   * Nothing is written where one of that market lasts already.
   * @param notices by the plan that is told
   */
  beginGap(
    gap: Omit<PlanGap, "toMs">,
    notices: ReadonlyMap<string, readonly NewNotice[]>,
    atMs: number,
  ): Promise<Result<PlanGap>>;
  /** @returns false where it has ended before, or never began */
  endGap(
    gap: Pick<PlanGap, "account" | "symbol" | "fromMs"> & { readonly toMs: number },
    notices: ReadonlyMap<string, readonly NewNotice[]>,
    atMs: number,
  ): Promise<Result<boolean>>;
  /** Those that have not ended by then, newest first. */
  gaps(account: string, sinceMs: number, limit: number): Promise<Result<readonly PlanGap[]>>;
  /** Forgets those that have ended before then. @returns how many were forgotten, `limit` at most */
  pruneGaps(account: string, beforeMs: number, limit: number): Promise<Result<number>>;
}
