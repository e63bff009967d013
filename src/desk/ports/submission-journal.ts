/**
 * The port that the journals of all submissions have in common: where what is sent once lives. The store satisfies it.
 *
 * Invariants the implementation keeps: a call returns when the fact is on disk, unless the change is lazy; an item moves only from one of
 * the states named, so of two processes one wins; every move but that of a lease stands in the audit log, written in the same transaction.
 */
import type { Result } from "../../contract/index.ts";
import type { Submission, SubmissionChange, SubmissionSend } from "../model/submission.ts";

export type Begun<Item, Refusal> = { readonly begun: Item } | { readonly refused: Refusal };

/**
 * @typeParam Usage what the account has used of the budgets that the item counts in, without the item itself; with the kill switch
 * @typeParam Sent what else the account has sent
 */
export interface SubmissionJournal<
  Item extends Submission<string, unknown>,
  Change extends SubmissionChange<Item>,
  Usage,
  Sent,
> {
  /** @returns the changed item, or undefined when it was in none of the `from` states or has another nonce */
  advance(id: string, change: Change, atMs: number): Promise<Result<Item | undefined>>;
  /**
   * Moves an item to where its request may leave, numbered and held live in the budgets, if `admit` has no objection. That is asked
   * inside the transaction, so no other process can come in between; `now`, in milliseconds, is asked there too. What was sent is known to
   * it since the moments of `send.sinceMs`.
   * @returns undefined when it was in none of the `from` states; when refused, nothing was written
   */
  begin<Refusal extends object>(
    id: string,
    send: SubmissionSend<Item>,
    admit: (usage: Usage, sent: Sent) => Refusal | undefined,
    now: () => number,
  ): Promise<Result<Begun<Item, Refusal> | undefined>>;
  byId(id: string): Promise<Result<Item | undefined>>;
  /** In any of the states, or had an effect since that nobody has acknowledged; newest first. Without an account: of all. */
  unresolvedOrUnacknowledged(
    account: string | undefined,
    states: readonly Item["state"][],
    limit: number,
  ): Promise<Result<readonly Item[]>>;
  /** Notes that what became of it was reported. Does not wait for the disk. */
  acknowledge(id: string): Promise<Result<void>>;
  /** In any of the states, oldest first. */
  inStates(account: string, states: readonly Item["state"][], limit: number): Promise<Result<readonly Item[]>>;
  /** Answers as `inStates` does, of all accounts but this one. */
  elsewhere(account: string, states: readonly Item["state"][], limit: number): Promise<Result<readonly Item[]>>;
}
