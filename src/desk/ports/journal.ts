/** The port `Journal`: where intents live. The store satisfies it. */

import type { Result } from "../../contract/index.ts";
import type { AccountUsage, Ahead } from "../model/account-usage.ts";
import type { IntentBody, IntentChange, IntentRecord, NewIntent, OwnIntent } from "../model/intent.ts";
import type { IntentState } from "../model/intent-state.ts";
import type { AuditDetail } from "../model/submission.ts";
import type { SubmissionJournal } from "./submission-journal.ts";

/** The account's records whose requests were numbered at this time or later, but for those proven not placed. */
export type SentSince<State extends string = IntentState, Body = IntentBody> = (
  atMs: number,
) => readonly IntentRecord<State, Body>[];

/** A step of an order at the venue, such as its cancel: for the audit log, and for the order's intent where it has one. */
export interface OrderStep<State extends string = IntentState, Body = IntentBody> {
  readonly account: string;
  readonly orderId: string;
  readonly event: string;
  readonly detail: AuditDetail;
  /** Whose order the log says it is where no intent of the account has it. */
  readonly intentId?: string;
  /**
   * Says what it changes of the intent as it is then, asked inside the transaction. The log shows this change behind the step itself,
   * unless the step `concludes` it.
   */
  readonly change: (intent: IntentRecord<State, Body>) => IntentChange<State, Body> | undefined;
  readonly concludes?: boolean;
  /** Do not wait for the disk: for steps whose loss in a power cut nobody is misled by (decision 0054). */
  readonly lazy?: boolean;
}

/** Orders with an order id count as unacknowledged from when they are sent until their outcome was reported. */
export interface Journal<State extends string = IntentState, Body = IntentBody>
  extends SubmissionJournal<
    IntentRecord<State, Body>,
    IntentChange<State, Body>,
    AccountUsage,
    SentSince<State, Body>
  > {
  /** @returns undefined when the account already has an intent with this userref. */
  record(intent: NewIntent<State, Body>): Promise<Result<IntentRecord<State, Body> | undefined>>;
  /**
   * Runs as one transaction, on disk when it returns unless the step is lazy. @returns the intent as it is then; undefined where no intent
   * of the account has the order
   */
  step(step: OrderStep<State, Body>, atMs: number): Promise<Result<IntentRecord<State, Body> | undefined>>;
  /** @param ahead until when what plans are to use counts; by default as if both clocks were one */
  usage(account: string, atMs: number, ahead?: Ahead): Promise<Result<AccountUsage>>;
  /** Orders that are open or may be, and those that have ended since then and executed something. */
  openOrExecuted(account: string, sinceMs: number, limit: number): Promise<Result<readonly OwnIntent<State, Body>[]>>;
  byUserref(account: string, userref: string): Promise<Result<IntentRecord<State, Body> | undefined>>;
  byOrderId(account: string, orderId: string): Promise<Result<IntentRecord<State, Body> | undefined>>;
  /** Writes what changes nothing. @returns the fault that an order would be denied with */
  writable(): Promise<Result<void>>;
}
