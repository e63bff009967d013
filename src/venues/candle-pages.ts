/** Candles of an exchange that lists a number of them in an answer: read page by page, shown oldest first. */
import type { z } from "zod";
import { CANDLE_INTERVAL_MS, type Candle, type CandleInterval, defined, ok, type Result } from "../contract/index.ts";
import { candleOf, type candlesAnswer } from "./quote-first-answers.ts";

const PAGE = 200;
const MAX = 500;

export interface CandlePeriod {
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** Those of a period, oldest first. */
export function within(
  candles: readonly Candle[],
  { fromMs = 0, toMs = Number.POSITIVE_INFINITY }: CandlePeriod,
): Candle[] {
  const atMs = ({ time }: Candle): number => Date.parse(time);
  const inside = candles.filter((each) => atMs(each) >= fromMs && atMs(each) <= toMs);
  return inside.sort((one, other) => atMs(one) - atMs(other));
}

/**
 * Of an exchange that lists so many before a moment, newest first.
 * @param read a page of so many before a moment, which is none of them; without it the newest
 */
export async function candlesIn(
  { fromMs = 0, toMs }: CandlePeriod,
  read: (count: number, beforeMs: number | undefined) => Promise<Result<z.output<typeof candlesAnswer>>>,
): Promise<Result<readonly Candle[]>> {
  const found: Candle[] = [];
  // What it lists ends before a moment; ours ends with one.
  let beforeMs = toMs === undefined ? undefined : toMs + CANDLE_INTERVAL_MS["1m"];
  while (found.length < MAX) {
    const count = Math.min(PAGE, MAX - found.length);
    const page = await read(count, beforeMs);
    if (!page.ok) return page;
    const candles = page.value.map(candleOf);
    found.push(...within(candles, { fromMs, ...defined({ toMs }) }));
    const oldest = candles.at(-1);
    if (oldest === undefined || candles.length < count || Date.parse(oldest.time) <= fromMs) break;
    beforeMs = Date.parse(oldest.time);
  }
  return ok(within(found, {}));
}

/** Of a market that seldom trades few are found in each. */
const SPANS_MAX = 5;

/**
 * Of an exchange that lists those between two moments, and does not say at which end a list that is too long is cut: none is asked for that could be.
 * @param inOne so many may be in one answer
 * @param read those between two moments, the second no longer, in any order
 */
export async function candlesBetween(
  { fromMs = 0, toMs }: { readonly fromMs?: number; readonly toMs: number },
  { interval, inOne }: { readonly interval: CandleInterval; readonly inOne: number },
  read: (startMs: number, endMs: number) => Promise<Result<readonly Candle[]>>,
): Promise<Result<readonly Candle[]>> {
  const span = CANDLE_INTERVAL_MS[interval] * (inOne - 1);
  const found = new Map<string, Candle>();
  let end = toMs;
  for (let asked = 0; asked < SPANS_MAX && found.size < MAX && end >= fromMs; asked++) {
    const start = Math.max(fromMs, end - span);
    const page = await read(start, end + 1);
    if (!page.ok) return page;
    for (const candle of within(page.value, { fromMs, toMs: end })) found.set(candle.time, candle);
    end = start - 1;
  }
  return ok(within([...found.values()], {}).slice(-MAX));
}
