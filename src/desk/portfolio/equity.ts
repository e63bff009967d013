/**
 * What everything held was worth at the end of each day of a period, by daily candles. Entry point: `equityOf`.
 *
 * Invariants: what was held on a day is what is held now, less what the fills since then brought and plus what they took; when money came
 * and went without a fill nobody tells, so it counts as if it had been there from the first day. A coin without a price on a day counts at the last
 * one before, or where there is none at the first one after.
 *
 * Source: decision 0028, decision 0059.
 */
import { CANDLE_INTERVAL_MS, type Candle, failed, LIMITS, ok, type Result } from "../../contract/index.ts";
import { Fraction } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { EquityPoint } from "../model/portfolio-report.ts";
import type { Span } from "./cost-basis.ts";
import { NO_FILLS, SUMS, type SumsTotals } from "./fill-sums.ts";
import { NOW, replay, startOf } from "./ledger-replay.ts";

const DAY_MS = CANDLE_INTERVAL_MS["1d"];

interface Held {
  readonly asset: string;
  readonly volume: Fraction;
  readonly value: Fraction | undefined;
}

interface EquityRequest {
  readonly account: string;
  readonly positions: readonly Held[];
  readonly span: Span;
  readonly nowMs: number;
}

export async function equityOf(
  context: DeskContext,
  { account, positions, span, nowMs }: EquityRequest,
): Promise<Result<readonly EquityPoint[]>> {
  const { venue, fills: ledger } = context.parts;
  const markets = await context.markets();
  if (!markets.ok) return markets;
  const first = await ledger.page(account, { after: startOf(0), limit: 1 });
  if (!first.ok) return first;
  const days = daysOf({ ...span, fromMs: Math.max(span.fromMs, first.value[0]?.atMs ?? span.toMs) });
  const sums = await replay({ ledger, account, ...SUMS, at: [...days.map((day) => day + DAY_MS - 1), NOW] });
  if (!sums.ok) return sums;
  const now = sums.value.totals.at(-1) ?? NO_FILLS;
  const assets = new Set([...positions.map(({ asset }) => asset), ...now.moved.keys()]);
  const prices = new Map<string, (day: number) => Fraction | undefined>();
  for (const asset of assets) {
    if (!markets.value.some(({ symbol }) => symbol === `${asset}/KRW`)) continue;
    const candles = await venue.candles(`${asset}/KRW`, "1d", { fromMs: days[0] ?? 0, toMs: span.toMs });
    if (!candles.ok) return failed(candles.fault);
    prices.set(asset, pricesOf(candles.value));
  }
  const held = new Map(positions.map(({ asset, volume }) => [asset, volume]));
  const points = days.map((day, index): EquityPoint => {
    const then = sums.value.totals[index] ?? NO_FILLS;
    // What the fills since then brought was not there yet.
    const values = [...assets].map((asset) => {
      const since = movedIn(now, asset).minus(movedIn(then, asset));
      const volume = (held.get(asset) ?? Fraction.ZERO).minus(since);
      return asset === "KRW" ? volume : (prices.get(asset)?.(day)?.times(volume) ?? Fraction.ZERO);
    });
    const worth = positions.map(({ value }) => value ?? Fraction.ZERO);
    const sum = (day + DAY_MS > nowMs ? worth : values).reduce((all, each) => all.plus(each), Fraction.ZERO);
    return { date: new Date(day).toISOString().slice(0, 10), value_krw: sum.rounded(8, "half_even") };
  });
  return ok(points);
}

function movedIn({ moved }: SumsTotals, asset: string): Fraction {
  return moved.get(asset) ?? Fraction.ZERO;
}

/** UTC days, as candles are; the newest, where there are more than candles of one answer. */
function daysOf({ fromMs, toMs }: Span): readonly number[] {
  const last = Math.floor(toMs / DAY_MS);
  const first = Math.max(Math.floor(fromMs / DAY_MS), last - LIMITS.candlesMax + 1);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * DAY_MS);
}

function pricesOf(candles: readonly Candle[]): (day: number) => Fraction | undefined {
  const byDay = candles.map((candle) => ({ day: Date.parse(candle.time), candle }));
  return (day) => {
    const known = byDay.findLast((each) => each.day <= day)?.candle.close ?? byDay[0]?.candle.open;
    return known === undefined ? undefined : Fraction.of(known);
  };
}
