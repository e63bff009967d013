/** The port `Journal`: where intents live. The store satisfies it. */

import type { Fault, Result } from "../../contract/index.ts";
import type { AccountUsage } from "../model/account-usage.ts";
import type { IntentChange, IntentRecord, IntentSend, NewIntent } from "../model/intent.ts";
import type { IntentState } from "../model/intent-state.ts";

export type Begun = { readonly intent: IntentRecord } | { readonly refused: Fault };

/** The account's records whose requests were numbered at this time or later, but for those proven not placed. */
export type SentSince = (atMs: number) => readonly IntentRecord[];

/** Where intents live. Every call also appends the step to the audit log, in the same transaction. */
export interface Journal {
  /** @returns undefined when the account already has an intent with this userref. */
  record(intent: NewIntent): Promise<Result<IntentRecord | undefined>>;
  /** @returns the changed record, or undefined when it was in none of the `from` states or has another nonce. */
  advance(intentId: string, change: IntentChange, atMs: number): Promise<Result<IntentRecord | undefined>>;
  /**
   * Moves an intent to where its request may leave, if `admit` has no objection to how the account stands without it, and to
   * what it has sent lately. The time is asked inside the transaction too.
   * @returns undefined when it was in none of the `from` states.
   */
  begin(
    intentId: string,
    send: IntentSend,
    admit: (accountUsage: AccountUsage, sentSince: SentSince) => Fault | undefined,
    now: () => number,
  ): Promise<Result<Begun | undefined>>;
  /** How the account stands: budgets used, and the brake. */
  standing(account: string, atMs: number): Promise<Result<AccountUsage>>;
  byIntentId(intentId: string): Promise<Result<IntentRecord | undefined>>;
  byUserref(account: string, userref: string): Promise<Result<IntentRecord | undefined>>;
  byOrderId(account: string, orderId: string): Promise<Result<IntentRecord | undefined>>;
  /** Records in any of the states, or sent and known to be an order since of which nobody has heard; newest first. Without an account: of all. */
  unresolvedOrUnacknowledged(
    account: string | undefined,
    states: readonly IntentState[],
    limit: number,
  ): Promise<Result<readonly IntentRecord[]>>;
  /** Somebody has heard what became of this intent. Does not wait for the disk. */
  acknowledge(intentId: string): Promise<Result<void>>;
  /** Records in any of the states, oldest first. */
  inStates(account: string, states: readonly IntentState[], limit: number): Promise<Result<readonly IntentRecord[]>>;
  /** As `inStates`, of all accounts but this one. */
  elsewhere(account: string, states: readonly IntentState[], limit: number): Promise<Result<readonly IntentRecord[]>>;
}
