/**
 * Tells what everything held was worth at the end of each day of a period, by daily candles. Entry point: `equityOf`.
 *
 * Invariants: what was held on a day is what the fills had moved by then, and what had come or gone without one: that counts from when it was first
 * seen, and what was there when the account was first seen as if it had been there from the first day. What cannot be dated is said. A coin
 * without a price on a day counts at the last one before, or where there is none at the first one after.
 *
 * Source: decision 0028, decision 0059, decision 0088.
 */
import { CANDLE_INTERVAL_MS, type Candle, failed, LIMITS, ok, type Result } from "../../contract/index.ts";
import { Fraction } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { EquityPoint } from "../model/portfolio-report.ts";
import type { BalanceSighting } from "../ports/fill-ledger.ts";
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

export interface Equity {
  readonly points: readonly EquityPoint[];
  readonly warnings: readonly string[];
}

export async function equityOf(
  context: DeskContext,
  { account, positions, span, nowMs }: EquityRequest,
): Promise<Result<Equity>> {
  const { venue, fills: ledger } = context.parts;
  const markets = await context.markets();
  if (!markets.ok) return markets;
  const first = await ledger.page(account, { after: startOf(0), limit: 1 });
  if (!first.ok) return first;
  const days = daysOf({ ...span, fromMs: Math.max(span.fromMs, first.value[0]?.atMs ?? span.toMs) });
  const sums = await replay({ ledger, account, ...SUMS, at: [...days.map((day) => day + DAY_MS - 1), NOW] });
  if (!sums.ok) return sums;
  const sightings = await ledger.sightings(account);
  if (!sightings.ok) return sightings;
  const now = sums.value.totals.at(-1) ?? NO_FILLS;
  const assets = new Set([...positions.map(({ asset }) => asset), ...now.moved.keys()]);
  const prices = new Map<string, (day: number) => Fraction | undefined>();
  for (const asset of assets) {
    const market = `${asset}/${context.unit}`;
    if (!markets.value.some(({ symbol }) => symbol === market)) continue;
    const candles = await venue.candles(market, "1d", { fromMs: days[0] ?? 0, toMs: span.toMs });
    if (!candles.ok) return failed(candles.fault);
    prices.set(asset, pricesOf(candles.value));
  }
  const points = days.map((day, index): EquityPoint => {
    const then = sums.value.totals[index] ?? NO_FILLS;
    const without = then.unexplained?.last ?? now.unexplained?.atFirst;
    const values = [...assets].map((asset) => {
      const volume = (then.moved.get(asset) ?? Fraction.ZERO).plus(without?.get(asset) ?? Fraction.ZERO);
      return asset === context.unit ? volume : (prices.get(asset)?.(day)?.times(volume) ?? Fraction.ZERO);
    });
    const worth = positions.map(({ value }) => value ?? Fraction.ZERO);
    const sum = (day + DAY_MS > nowMs ? worth : values).reduce((all, each) => all.plus(each), Fraction.ZERO);
    return { date: new Date(day).toISOString().slice(0, 10), value: sum.rounded(8, "half_even") };
  });
  return ok({ points, warnings: undatedText(days[0], now, sightings.value) });
}

/** Tells what counts on days of which nobody can say whether it was there. */
function undatedText(
  firstDay: number | undefined,
  { unexplained }: SumsTotals,
  sightings: readonly BalanceSighting[],
): readonly string[] {
  if (firstDay === undefined || unexplained === undefined) return [];
  const seenAtMs = unexplained.sinceMs;
  const isEarlier = firstDay < dayOf(seenAtMs) && [...unexplained.atFirst.values()].some((by) => !by.isZero());
  // Of all assets together: they were seen at once.
  const late = new Map<number, number>();
  for (const { sinceMs, atMs } of sightings)
    if (sinceMs !== undefined && dayOf(sinceMs) < dayOf(atMs) && atMs >= firstDay) late.set(sinceMs, atMs);
  const iso = (ms: number): string => new Date(ms).toISOString();
  return [
    ...(isEarlier
      ? [
          `Deposits and withdrawals of before ${iso(seenAtMs)} are not known: what was there then counts on every day before.`,
        ]
      : []),
    ...[...late].map(
      ([sinceMs, atMs]) =>
        `What came or went without a fill between ${iso(sinceMs)} and ${iso(atMs)} counts from then on: on which day that was is not known.`,
    ),
  ];
}

function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS) * DAY_MS;
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
