/** The port `Notices`: what plans have to tell, each thing once. The store satisfies it. */
import type { Result } from "../../contract/index.ts";
import type { AuditDetail } from "../model/submission.ts";

export type NoticeType =
  | "plan.active"
  | "plan.triggered"
  | "plan.step_done"
  | "plan.step_missed"
  | "plan.below_floor"
  | "plan.attention"
  | "plan.paused"
  | "plan.removal_requested"
  /** A day before a protection ends. */
  | "plan.expiring"
  | "plan.ended"
  | "plan.gap"
  | "alert.fired";

/** Written in the transaction of what it tells. Of a plan there is one of a type and key: another is not written. */
export interface NewNotice {
  readonly type: NoticeType;
  /** What it is about: a step, a turn's date, the beginning of a gap, or the plan's version. */
  readonly key: string;
  /** What happened, as data; never a secret. */
  readonly body: AuditDetail;
}

/** Times in Unix milliseconds, of our clock. */
export interface Notice extends NewNotice {
  /** A UUID that follows from plan, type and key: a receiver knows by it what it was told before. */
  readonly noticeId: string;
  readonly account: string;
  readonly planId: string;
  readonly atMs: number;
  /** When it is to be delivered next; null where that was given up. */
  readonly dueAtMs: number | null;
  /** Counts deliveries that failed. */
  readonly tries: number;
  readonly deliveredAtMs: number | null;
}

export interface NoticeClaim {
  readonly account: string;
  readonly nowMs: number;
  /** How long it is the caller's: longer than a delivery may take. */
  readonly claimMs: number;
  /** Only what was written at this time or later: what is older is of no use any more. */
  readonly sinceMs: number;
  /** Others stay as they are. */
  readonly types: readonly NoticeType[];
  readonly limit: number;
}

/** Looking where nothing is due writes nothing. */
export interface Notices {
  /** Hands those that are due to one process, oldest first; to another when that one has said nothing in `claimMs`. */
  claimDue(claim: NoticeClaim): Promise<Result<readonly Notice[]>>;
  /** @returns false where it was delivered before */
  delivered(noticeId: string, nowMs: number): Promise<Result<boolean>>;
  /** It is due again after 5 s, 30 s, 2 min, 10 min, 1 h and 6 h; then it is given up. @returns undefined where it was delivered before */
  failed(noticeId: string, nowMs: number): Promise<Result<Notice | undefined>>;
  /** Those that were given up, newest first. */
  parked(account: string, limit: number): Promise<Result<readonly Notice[]>>;
  /**
   * Forgets what was told before then, oldest first, but for plans that have not ended: of them each thing is told once.
   * @returns how many were forgotten, `limit` at most
   */
  prune(account: string, beforeMs: number, limit: number): Promise<Result<number>>;
  /** What was told since then, delivered or not, newest first. */
  recent(query: {
    readonly account: string;
    readonly planId?: string;
    readonly sinceMs: number;
    readonly limit: number;
  }): Promise<Result<readonly Notice[]>>;
}
