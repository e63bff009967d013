import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aggregate } from "../../../../src/sandbox/engine/market/candle-series.ts";
import { KRW_MARKETS } from "../../../../src/sandbox/engine/market/market-rules.ts";
import { Pace } from "../../../../src/sandbox/engine/market/pace.ts";
import { Past } from "../../../../src/sandbox/engine/market/past.ts";
import { notionalOf, tickAt } from "../../../../src/sandbox/engine/market/pricing.ts";
import type { CandleRecord, MarketRule } from "../../../../src/sandbox/model/index.ts";
import { T0 } from "../exchange-kit.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function pastOf(rank: number, seed = 1): { readonly past: Past; readonly rule: MarketRule } {
  const rule = KRW_MARKETS[rank];
  if (rule === undefined) throw new Error(`no market ${rank}`);
  return { rule, past: new Past(rule, new Pace(seed, rule.symbol, rank), { at: T0, price: rule.anchorPrice }) };
}

const anyRank = fc.integer({ min: 0, max: KRW_MARKETS.length - 1 });
const anyHour = fc.integer({ min: 1, max: 400 * 24 });
/** Some runs of each, as an early hour is walked to from the end. */
const options = { numRuns: 30, seed: 7 };

describe("the past of a market", () => {
  it("is the same whatever was asked for before", () => {
    const { past: asked } = pastOf(1);
    fc.assert(
      fc.property(anyHour, fc.integer({ min: 1, max: 300 }), (hour, minutes) => {
        const from = T0 - hour * HOUR - 7 * MINUTE;
        const { past: fresh } = pastOf(1);
        expect(asked.minutes(from, from + minutes * MINUTE)).toEqual(fresh.minutes(from, from + minutes * MINUTE));
        expect(asked.hours(from, from + minutes * HOUR)).toEqual(fresh.hours(from, from + minutes * HOUR));
      }),
      options,
    );
  });

  it("differs by seed, to the highest bits of it, and by market", () => {
    const shapes = [pastOf(0), pastOf(0, 2), pastOf(0, 1 + 2 ** 40), pastOf(1)].map(({ past, rule }) =>
      past
        .hours(T0 - DAY, T0)
        .map(({ close }) => (close * 1_000n) / rule.anchorPrice)
        .join(),
    );
    expect(new Set(shapes).size).toBe(shapes.length);
  });

  it("has hours that are the sum of their minutes", () => {
    fc.assert(
      fc.property(anyRank, anyHour, (rank, hour) => {
        const { past } = pastOf(rank);
        const from = T0 - hour * HOUR;
        const minutes = past.minutes(from, from + 5 * HOUR - 1);
        expect(past.hours(from, from + 5 * HOUR - 1)).toEqual(aggregate(minutes, HOUR));
      }),
      options,
    );
  });

  it("has candles as trades make them, with prices on their ticks", () => {
    fc.assert(
      fc.property(anyRank, anyHour, (rank, hour) => {
        const { past, rule } = pastOf(rank);
        const from = T0 - hour * HOUR;
        for (const candle of past.minutes(from, from + HOUR - 1)) {
          const { open, high, low, close } = candle;
          for (const price of [open, high, low, close]) expect(price % tickAt(rule, price)).toBe(0n);
          expectTraded(candle, rule);
        }
      }),
      options,
    );
  });

  it("begins at midnight 400 days before, trades in every minute of the largest market, and pauses in small ones", () => {
    const { past } = pastOf(0);
    expect(past.start).toBe(Date.UTC(2026, 6, 20) - 400 * DAY);
    expect(past.hours(0, T0 + DAY).map(({ start }) => start)).toEqual(
      Array.from({ length: (T0 - past.start) / HOUR }, (_, hour) => past.start + hour * HOUR),
    );
    expect(past.minutes(T0 - 3 * DAY, T0)).toHaveLength(3 * 24 * 60);
    const small = pastOf(KRW_MARKETS.length - 1).past.minutes(T0 - 3 * DAY, T0);
    expect(small.length).toBeGreaterThan(24 * 60);
    expect(small.length).toBeLessThan(3 * 24 * 50);
  });

  it("ends at the price at which live trading begins, without a step", () => {
    for (const rank of KRW_MARKETS.keys()) {
      const { past, rule } = pastOf(rank);
      const last = past.minutes(T0 - HOUR, T0).at(-1);
      expect(last).toMatchObject({ start: T0 - MINUTE, close: rule.anchorPrice });
      const hours = past.hours(T0 - 30 * DAY, T0);
      for (const [index, { open }] of hours.entries()) {
        const before = hours[index - 1]?.close ?? open;
        const step = open > before ? open - before : before - open;
        expect(step * 100n <= before).toBe(true);
      }
    }
  });
});

function expectTraded({ open, high, low, close, ...candle }: CandleRecord, rule: MarketRule): void {
  expect(low <= open && low <= close && open <= high && close <= high).toBe(true);
  const { volume, quoteVolume, takerBuyVolume, takerBuyQuoteVolume, trades } = candle;
  expect(volume >= BigInt(trades) * rule.minVolume).toBe(true);
  expect(quoteVolume >= notionalOf(low, volume) && quoteVolume <= notionalOf(high, volume)).toBe(true);
  expect(takerBuyVolume <= volume && takerBuyQuoteVolume <= quoteVolume).toBe(true);
  if (trades === 1) expect([open, high, low]).toEqual([close, close, close]);
}

describe("the past looks like a market's", () => {
  const { past, rule } = pastOf(0);
  const hours = past.hours(0, T0);
  const moves = hours.map(({ open, close }) => Math.abs(Number(close) / Number(open) - 1));

  it("has calm and wild stretches: a large move comes near other large ones", () => {
    const after = moves.slice(1).filter((_, index) => (moves[index] ?? 0) > 2 * mean(moves));
    expect(mean(after)).toBeGreaterThan(1.3 * mean(moves));
  });

  it("has quiet hours before dawn in Korea", () => {
    const volumes = (hour: number) =>
      hours.filter(({ start }) => new Date(start + 9 * HOUR).getUTCHours() === hour).map(({ trades }) => trades);
    expect(mean(volumes(22))).toBeGreaterThan(2 * mean(volumes(4)));
  });

  it("trades more where it moves more, and has wicks", () => {
    const minutes = past.minutes(T0 - DAY, T0);
    const sizes = minutes.map(({ open, close }) => Math.abs(Number(close - open)));
    const wild = minutes.filter((_, index) => (sizes[index] ?? 0) > mean(sizes));
    const calm = minutes.filter((_, index) => (sizes[index] ?? 0) <= mean(sizes));
    expect(mean(wild.map(({ volume }) => Number(volume)))).toBeGreaterThan(
      1.2 * mean(calm.map(({ volume }) => Number(volume))),
    );
    const wicks = minutes.filter(({ open, close, high }) => high > (open > close ? open : close));
    expect(wicks.length).toBeGreaterThan(minutes.length / 2);
  });

  it("goes far from where it ends, and not out of sight", () => {
    for (const { high, low } of hours) expect(high < 3n * rule.anchorPrice && low > rule.anchorPrice / 3n).toBe(true);
    const prices = hours.map(({ close }) => Number(close) / Number(rule.anchorPrice));
    expect(Math.max(...prices) - Math.min(...prices)).toBeGreaterThan(0.2);
  });
});

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
