/** Candles of an exchange that lists a number of them before a moment, newest first: read page by page, shown oldest first. */
import type { z } from "zod";
import { CANDLE_INTERVAL_MS, type Candle, ok, type Result } from "../contract/index.ts";
import { candleOf, type candlesAnswer } from "./quote-first-answers.ts";

const PAGE = 200;
const MAX = 500;

interface CandlePeriod {
  readonly fromMs?: number;
  readonly toMs?: number;
}

/**
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
    found.push(
      ...candles.filter(({ time }) => Date.parse(time) >= fromMs && !(Date.parse(time) > (toMs ?? Number.NaN))),
    );
    const oldest = candles.at(-1);
    if (oldest === undefined || candles.length < count || Date.parse(oldest.time) <= fromMs) break;
    beforeMs = Date.parse(oldest.time);
  }
  return ok(found.reverse());
}
