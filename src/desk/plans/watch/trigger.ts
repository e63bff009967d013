/**
 * Tells when a market stands at a price: samples go in, a verdict comes out. No clock of this machine takes part.
 *
 * Invariants: the price holds in every sample for two seconds of the exchange's time, in two samples at least, and the samples follow each other
 * without a gap; those seconds are over when the exchange has spoken after them, so silence fills none; a print that is old, or that may be the
 * account's own, says nothing, nor does a side of the book where nobody else is; what was broken begins anew.
 *
 * Source: decision 0099, decision 0107.
 */
import { min, type Price } from "../../../decimal/index.ts";

/** A market at one moment, as others make it. Times are the exchange's, Unix milliseconds. */
export interface Sample {
  readonly atMs: number;
  /** The newest public trade that is not the account's own. */
  readonly print: { readonly price: Price; readonly atMs: number } | undefined;
  /** Best prices of others; undefined where a side has none. */
  readonly bid: Price | undefined;
  readonly ask: Price | undefined;
  /** How far the exchange itself has spoken: what is known of it is as of then, and `atMs` is reckoned on from there. */
  readonly heardMs: number;
  /** The look that this sample is of goes on from the one before: no reconnect, no gap, no other process has looked meanwhile. */
  readonly follows: boolean;
}

/** What is waited for: the market at this price or below it, or at it or above. */
export interface Level {
  readonly direction: "down" | "up";
  readonly price: Price;
}

/** The market stands beyond the level since the first of these. */
export interface Hold {
  readonly first: Sample;
  readonly last: Sample;
  readonly samples: number;
}

/** A print that is older says nothing of the price now; nor does one from the future, as it is from before the exchange's clock went back. */
export const PRINT_AGE_MS = 10_000;
/** For so long a price has to stand. */
export const HOLD_MS = 2_000;
/** Between two samples that are further apart anything may have been. */
const SPACING_MS = 5_000;

/** Tells whether the sample says that the market is there. A side of the book without others says that it is not known. */
export function isBeyond({ direction, price }: Level, sample: Sample): boolean {
  const { print, bid, ask, atMs } = sample;
  if (print === undefined || !isRecent(print, atMs)) return false;
  // An ask can stand there only when every bid above it is gone: a print through a thin book leaves the asks where they were.
  return direction === "down"
    ? print.price.lte(price) && ask?.lte(price) === true
    : print.price.gte(price) && bid?.gte(price) === true;
}

/** @returns undefined where the market does not stand there in this sample */
export function nextHold(hold: Hold | undefined, level: Level, sample: Sample): Hold | undefined {
  if (!isBeyond(level, sample)) return undefined;
  if (hold === undefined || !goesOn(hold.last, sample)) return { first: sample, last: sample, samples: 1 };
  return { first: hold.first, last: sample, samples: hold.samples + 1 };
}

export function hasStood({ first, last, samples }: Hold): boolean {
  return samples >= 2 && last.heardMs - first.atMs >= HOLD_MS;
}

/** Tells whether what a sample has shown says something of the market at that moment: later than the next one has to follow it does not. */
export function isOfNow({ atMs }: Sample, nowMs: number): boolean {
  return Math.abs(nowMs - atMs) <= SPACING_MS;
}

function isRecent({ atMs }: NonNullable<Sample["print"]>, nowMs: number): boolean {
  return Math.abs(nowMs - atMs) <= PRINT_AGE_MS;
}

function goesOn(last: Sample, next: Sample): boolean {
  return next.follows && next.atMs >= last.atMs && next.atMs - last.atMs <= SPACING_MS;
}

/** The highest price that a market has stood at, and the one that it may be rising to. */
export interface High {
  readonly price: Price;
  readonly rising?: { readonly price: Price; readonly first: Sample; readonly last: Sample };
}

/**
 * The high after this sample: it rises to the lowest price of those that a market had for two seconds, and never falls. A price is the lower one of the
 * last print and the best bid of others, so that neither alone lifts it.
 */
export function nextHigh({ price, rising }: High, sample: Sample): High {
  const seen = priceIn(sample);
  if (seen?.gt(price) !== true) return { price };
  if (rising === undefined || !goesOn(rising.last, sample))
    return { price, rising: { price: seen, first: sample, last: sample } };
  const lowest = min(rising.price, seen);
  if (sample.heardMs - rising.first.atMs < HOLD_MS)
    return { price, rising: { price: lowest, first: rising.first, last: sample } };
  return { price: lowest, ...(seen.gt(lowest) ? { rising: { price: seen, first: sample, last: sample } } : {}) };
}

/** Tells whether the sample may move the high: it rises already, or the market is above it. */
export function isRising({ price, rising }: High, sample: Sample): boolean {
  return rising !== undefined || priceIn(sample)?.gt(price) === true;
}

function priceIn({ print, bid, atMs }: Sample): Price | undefined {
  if (print === undefined || bid === undefined || !isRecent(print, atMs)) return undefined;
  return min(print.price, bid);
}
