/**
 * The port `FillLedger`: the account's own fills, each once, and how far they have been read from the venue. The store satisfies it.
 *
 * Invariant the implementation keeps: fills and the progress made with them are written in one transaction, so a process that dies leaves
 * nothing that is not so.
 */
import type { Fill, Result } from "../../contract/index.ts";

/** An own execution, as the venue showed it; decimals are its texts. */
export interface LedgerFill extends Pick<Fill, "orderId" | "symbol" | "side" | "price" | "volume" | "value" | "fee"> {
  readonly tradeId: string;
  readonly feeCurrency: string;
  /** Unix milliseconds. */
  readonly atMs: number;
}

/** One reading of the venue's list, newest first, that has not come to its end. */
export interface LedgerPass {
  /** Where it ends. Unix milliseconds. */
  readonly fromMs: number;
  /** Of the newest fill that it found. */
  readonly newestMs: number;
  /** Of the next page: everything of the pass before it is kept. */
  readonly cursor: string;
}

export interface LedgerProgress {
  /** The time of the newest fill that a pass found which came to its end; undefined where none did, or none found any. */
  readonly doneToMs: number | undefined;
  /** When one last read all that it was to look through again; undefined where none did. */
  readonly wholeAtMs: number | undefined;
  /** One that did not. */
  readonly pass: LedgerPass | undefined;
}

/** What a page makes of a pass: there is more, or it has come to its end. */
export type LedgerStep =
  | { readonly pass: LedgerPass }
  | { readonly doneToMs: number | undefined; readonly wholeAtMs?: number | undefined };

export interface FillLedger {
  progress(account: string): Promise<Result<LedgerProgress>>;
  /** Keeps those that are not kept yet: a fill is known by its trade and its order. @returns how many were new */
  keep(account: string, fills: readonly LedgerFill[], step: LedgerStep): Promise<Result<number>>;
  /** All since a time (Unix milliseconds), in the order of their times. */
  fills(account: string, fromMs?: number): Promise<Result<readonly LedgerFill[]>>;
}
