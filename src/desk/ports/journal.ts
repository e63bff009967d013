/** The port `Journal`: where intents live. The store satisfies it. */

import type { Result } from "../../contract/index.ts";
import type { AccountUsage } from "../model/account-usage.ts";
import type { IntentBody, IntentChange, IntentRecord, NewIntent } from "../model/intent.ts";
import type { IntentState } from "../model/intent-state.ts";
import type { SubmissionJournal } from "./submission-journal.ts";

/** The account's records whose requests were numbered at this time or later, but for those proven not placed. */
export type SentSince<State extends string = IntentState, Body = IntentBody> = (
  atMs: number,
) => readonly IntentRecord<State, Body>[];

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
  usage(account: string, atMs: number): Promise<Result<AccountUsage>>;
  /** Orders that are open or may be, and those that have ended since then and executed something. */
  openOrExecuted(
    account: string,
    sinceMs: number,
    limit: number,
  ): Promise<Result<readonly IntentRecord<State, Body>[]>>;
  byUserref(account: string, userref: string): Promise<Result<IntentRecord<State, Body> | undefined>>;
  byOrderId(account: string, orderId: string): Promise<Result<IntentRecord<State, Body> | undefined>>;
  /** Writes what changes nothing. @returns the fault that an order would be denied with */
  writable(): Promise<Result<void>>;
}
