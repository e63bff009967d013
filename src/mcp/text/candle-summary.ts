/** Owns what a run of candles comes to in one line, and where the history that they are from begins. */
import { CANDLE_INTERVAL_MS, type Candle, type CandleInterval, ok, type Result } from "../../contract/index.ts";
import { formatPercent, max, min, price } from "../../decimal/index.ts";
import type { Desk } from "../../desk/index.ts";
import { amount, assetsOf } from "./amount-text.ts";

export interface CandleSummary {
  readonly count: number;
  /** Starts of the first and the last interval. */
  readonly from: string;
  readonly to: string;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly last: string;
  readonly change_pct: string;
  /** Tells where the history begins, when fewer were found than asked for, as there are no more. */
  readonly history_begins: string | null;
}

/** @returns undefined where there is none */
export function summaryOf(candles: readonly Candle[], history_begins: string | null): CandleSummary | undefined {
  const [first, last] = [candles[0], candles.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const [open, close] = [price(first.open), price(last.close)];
  const change = open.isZero() ? undefined : close.minus(open).ratioTo(open);
  return {
    count: candles.length,
    from: first.time,
    to: last.time,
    open: first.open,
    high: candles
      .map(({ high }) => price(high))
      .reduce((a, b) => max(a, b))
      .toString(),
    low: candles
      .map(({ low }) => price(low))
      .reduce((a, b) => min(a, b))
      .toString(),
    last: last.close,
    change_pct: change === undefined ? "0" : formatPercent(change, 2).slice(0, -1),
    history_begins,
  };
}

/** "from 2026-07-20T09:00:00.000Z to …: open ₩1, high ₩3, low ₩1, last ₩2, change +100.00%". */
export function summaryText({ from, to, open, high, low, last, change_pct }: CandleSummary, symbol: string): string {
  const { quote } = assetsOf(symbol);
  const figures = Object.entries({ open, high, low, last }).map(([name, figure]) => `${name} ${amount(figure, quote)}`);
  const change = `${change_pct.startsWith("-") ? "" : "+"}${change_pct}%`;
  return `from ${from} to ${to}: ${figures.join(", ")}, change ${change}`;
}

export interface CandleRequest {
  readonly symbol: string;
  readonly interval: CandleInterval;
  readonly fromMs?: number;
  readonly limit: number;
}

/**
 * When the history begins, where fewer candles were found than asked for because of that; null where they are as many, or where what is missing
 * are intervals without a trade. What came before the first is looked up only where a period was asked for.
 */
export async function historyBegins(
  desk: Desk,
  { symbol, interval, fromMs, limit }: CandleRequest,
  found: readonly Candle[],
): Promise<Result<string | null>> {
  const [first] = found;
  if (first === undefined || found.length >= limit) return ok(null);
  if (fromMs === undefined) return ok(first.time);
  const firstMs = Date.parse(first.time);
  if (firstMs - fromMs < CANDLE_INTERVAL_MS[interval]) return ok(null);
  const before = await desk.candles(symbol, interval, { toMs: firstMs - 1 });
  if (!before.ok) return before;
  return ok(before.value.length === 0 ? first.time : null);
}
