/**
 * The port `FillLedger`: the account's own fills, each once, how far they have been read from the venue, and how far something was computed from
 * them. The store satisfies it.
 *
 * Invariants the implementation keeps: fills and the progress made with them are written in one transaction, so a process that dies leaves
 * nothing that is not so. A mark has in it what is kept up to its time, fills and balances, and nothing else: what comes in behind it takes it
 * away, in the transaction that keeps it.
 */
import type { Fill, Result } from "../../contract/index.ts";

/** An own execution, as the venue showed it; decimals are its texts. */
export interface LedgerFill extends Pick<Fill, "orderId" | "symbol" | "side" | "price" | "volume" | "value" | "fee"> {
  readonly tradeId: string;
  readonly feeCurrency: string;
  /** Unix milliseconds. */
  readonly atMs: number;
}

/** Tells where a fill is in their order; with empty ids, before all of its millisecond. */
export type LedgerPlace = Pick<LedgerFill, "atMs" | "tradeId" | "orderId">;

/** Describes one reading of the venue's list, newest first, that has not come to its end. */
export interface LedgerPass {
  /** Says where it ends. Unix milliseconds. */
  readonly fromMs: number;
  /** Dates the newest fill that it found. */
  readonly newestMs: number;
  /** Leads to the next page: everything of the pass before it is kept. */
  readonly cursor: string;
}

export interface LedgerProgress {
  /** The time of the newest fill that a pass found which came to its end; undefined where none did, or none found any. */
  readonly doneToMs: number | undefined;
  /** When one last read all that it was to look through again; undefined where none did. */
  readonly wholeAtMs: number | undefined;
  /** Holds one that did not. */
  readonly pass: LedgerPass | undefined;
  /** When its balances were last seen, to the minute. Unix milliseconds; undefined: never. */
  readonly seenMs: number | undefined;
  /** Another one whenever a fill came in that is older than one that was there, and when balances were kept. */
  readonly revision: number;
}

/**
 * Records what an account was seen to hold of an asset, kept where what the fills do not explain of it is not what it was before: something
 * came or went without a fill.
 */
export interface BalanceSighting {
  readonly asset: string;
  /** Decimal text. */
  readonly total: string;
  /** Every fill of this time and before is in it, and none that is newer. Unix milliseconds. */
  readonly atMs: number;
  /** When the account was last seen before. Unix milliseconds; undefined: never. */
  readonly sinceMs: number | undefined;
}

/** A time whose fills nobody read for as long as the venue listed them, both ends included. Unix milliseconds; `fromMs` 0: since ever. */
export interface UnreadSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Tells what a page makes of a pass: there is more, or it has come to its end, and so far back the venue did not list any more. */
export type LedgerStep =
  | { readonly pass: LedgerPass }
  | {
      readonly doneToMs: number | undefined;
      readonly wholeAtMs?: number | undefined;
      readonly unread?: UnreadSpan | undefined;
    };

/** Keeps what a computation over all fills had come to, so that it need not begin at the first one again. */
export interface LedgerMark {
  /** Names what is computed, and in which form it is written. */
  readonly kind: string;
  /** Every fill of this time and before is in it, and one that is newer was there. Unix milliseconds. */
  readonly toMs: number;
  /** Counts these. */
  readonly count: number;
  /** Holds what is computed, in its own words. */
  readonly state: string;
}

export type FilledVolume = Pick<LedgerFill, "orderId" | "volume">;

export interface LedgerRequest {
  /** Those behind it. */
  readonly after: LedgerPlace;
  readonly limit: number;
  /** Only what was bought in this market. */
  readonly bought?: string;
}

export interface FillLedger {
  progress(account: string): Promise<Result<LedgerProgress>>;
  /** In the order of their times. */
  unread(account: string): Promise<Result<readonly UnreadSpan[]>>;
  /**
   * Keeps those that are not kept yet: a fill is known by its trade and its order.
   * @param step undefined: of a reading that goes on elsewhere
   * @returns how many were new
   */
  keep(account: string, fills: readonly LedgerFill[], step: LedgerStep | undefined): Promise<Result<number>>;
  /** In the order of their times; fewer than `limit` where there are no more. */
  page(account: string, request: LedgerRequest): Promise<Result<readonly LedgerFill[]>>;
  /** The volume of each fill that is kept of these orders. */
  volumes(account: string, orderIds: readonly string[]): Promise<Result<readonly FilledVolume[]>>;
  /** In the order of their times. */
  sightings(account: string): Promise<Result<readonly BalanceSighting[]>>;
  /** @param seenMs when the balances were seen, also where there is nothing to keep of them */
  keepSightings(account: string, sightings: readonly BalanceSighting[], seenMs: number): Promise<Result<void>>;
  /** The last mark that is not beyond a time. */
  mark(account: string, kind: string, toMs: number): Promise<Result<LedgerMark | undefined>>;
  /**
   * Keeps it, unless a fill came in since that may be behind it.
   * @param revision of before the first fill was read for it
   * @param isLasting else it is there until the next one
   */
  keepMark(
    account: string,
    mark: LedgerMark,
    { revision, isLasting }: { readonly revision: number; readonly isLasting: boolean },
  ): Promise<Result<void>>;
}
