/**
 * What everything held was worth at the end of each day of a period, by daily candles. Entry point: `equityOf`.
 *
 * Invariants: what was held on a day is what is held now, less what the fills since then brought and plus what they took; when money came
 * and went without a fill nobody tells, so it counts as if it had been there from the first day. A coin without a price on a day counts at the last
 * one before, or where there is none at the first one after.
 *
 * Source: decision 0028.
 */
import { CANDLE_INTERVAL_MS, type Candle, failed, LIMITS, ok, type Result } from "../../contract/index.ts";
import { Fraction } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { EquityPoint } from "../model/portfolio-report.ts";
import type { LedgerFill } from "../ports/fill-ledger.ts";
import type { Span } from "./cost-basis.ts";
import { movementsOf } from "./movements.ts";

const DAY_MS = CANDLE_INTERVAL_MS["1d"];

interface Held {
  readonly asset: string;
  readonly volume: Fraction;
  readonly value: Fraction | undefined;
}

interface EquityRequest {
  readonly fills: readonly LedgerFill[];
  readonly positions: readonly Held[];
  readonly span: Span;
  readonly nowMs: number;
}

export async function equityOf(
  context: DeskContext,
  { fills, positions, span, nowMs }: EquityRequest,
): Promise<Result<readonly EquityPoint[]>> {
  const markets = await context.markets();
  if (!markets.ok) return markets;
  const days = daysOf({ ...span, fromMs: Math.max(span.fromMs, fills[0]?.atMs ?? span.toMs) });
  const assets = new Set([
    ...positions.map(({ asset }) => asset),
    ...fills.map(({ symbol }) => symbol.split("/")[0] ?? ""),
  ]);
  const prices = new Map<string, (day: number) => Fraction | undefined>();
  for (const asset of assets) {
    if (!markets.value.some(({ symbol }) => symbol === `${asset}/KRW`)) continue;
    const candles = await context.parts.venue.candles(`${asset}/KRW`, "1d", { fromMs: days[0] ?? 0, toMs: span.toMs });
    if (!candles.ok) return failed(candles.fault);
    prices.set(asset, pricesOf(candles.value));
  }
  const volumes = new Map(positions.map(({ asset, volume }) => [asset, volume]));
  const points: EquityPoint[] = [];
  let later = fills.length;
  for (const day of days.toReversed()) {
    for (; later > 0 && (fills[later - 1]?.atMs ?? 0) >= day + DAY_MS; later -= 1) undo(volumes, fills[later - 1]);
    const isToday = day + DAY_MS > nowMs;
    const values = [...volumes].map(([asset, volume]) =>
      asset === "KRW" ? volume : (prices.get(asset)?.(day)?.times(volume) ?? Fraction.ZERO),
    );
    const now = positions.map(({ value }) => value ?? Fraction.ZERO);
    const sum = (isToday ? now : values).reduce((all, each) => all.plus(each), Fraction.ZERO);
    points.push({ date: new Date(day).toISOString().slice(0, 10), value_krw: sum.rounded(8, "half_even") });
  }
  return ok(points.toReversed());
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

/** Takes what a fill moved back out of what is held after it. */
function undo(volumes: Map<string, Fraction>, fill: LedgerFill | undefined): void {
  if (fill === undefined) return;
  for (const { asset, by } of movementsOf(fill)) volumes.set(asset, (volumes.get(asset) ?? Fraction.ZERO).minus(by));
}
