import { describe, expect, it } from "vitest";
import { aggregate } from "../../../../src/sandbox/engine/market/candle-series.ts";
import { Pace } from "../../../../src/sandbox/engine/market/pace.ts";
import { Past } from "../../../../src/sandbox/engine/market/past.ts";
import { Tape } from "../../../../src/sandbox/engine/market/tape.ts";
import { ONE, type TradeRecord } from "../../../../src/sandbox/model/index.ts";
import { BTC, T0 } from "../exchange-kit.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Prints at a price for a volume, both in whole units; every trade of the exchange has the next number. */
function printing(tape: Tape) {
  let tradeSeq = 40;
  return (minute: number, takerSide: TradeRecord["takerSide"], price: bigint, volume: bigint): void => {
    tradeSeq += 2;
    const trade = { tradeSeq, symbol: "BTC/KRW", takerSide, price: price * ONE, volume: volume * ONE };
    tape.print({ ...trade, time: T0 + minute * MINUTE }, price * volume * ONE);
  };
}

function tapeOfFour(): Tape {
  const tape = new Tape();
  const print = printing(tape);
  print(0, "buy", 100n, 2n);
  print(0, "sell", 90n, 1n);
  print(2, "buy", 110n, 3n);
  print(2, "sell", 110n, 1n);
  return tape;
}

const counts = (tape: Tape, interval: number) =>
  tape
    .candles(interval, T0, T0 + HOUR - 1, 10)
    .map(({ trades, firstTradeSeq, takerBuyVolume, takerBuyQuoteVolume }) => [
      trades,
      firstTradeSeq,
      takerBuyVolume / ONE,
      takerBuyQuoteVolume / ONE,
    ]);

describe("the trades of a candle", () => {
  it("are counted with the number of the first, and what takers bought, in every interval", () => {
    const tape = tapeOfFour();
    expect(counts(tape, MINUTE)).toEqual([
      [2, 42, 2n, 200n],
      [2, 46, 3n, 330n],
    ]);
    for (const interval of [5 * MINUTE, HOUR]) expect(counts(tape, interval)).toEqual([[4, 42, 5n, 530n]]);
  });

  it("are restored from its rows", () => {
    const restored = Tape.fromRows("BTC/KRW", JSON.parse(JSON.stringify(tapeOfFour().rows())));
    expect(counts(restored, MINUTE)).toEqual(counts(tapeOfFour(), MINUTE));
    expect(restored.rows()).toEqual(tapeOfFour().rows());
  });

  it("are zero for rows of a version that did not count them, and are counted from then on", () => {
    const { trades, minutes, hours, days } = JSON.parse(JSON.stringify(tapeOfFour().rows()));
    const before = { trades, minutes: minutes.map(cut), hours: hours.map(cut), days: days.map(cut) };
    const tape = Tape.fromRows("BTC/KRW", before);
    expect(tape.day(T0 + HOUR)).toMatchObject({ trades: 0, firstTradeSeq: null, volume: 7n * ONE });
    printing(tape)(3, "sell", 100n, 1n);
    expect(tape.day(T0 + HOUR)).toMatchObject({ trades: 1, firstTradeSeq: 42, volume: 8n * ONE });
  });

  it("add up over the day, whose first trade leaves it after 24 hours", () => {
    const tape = tapeOfFour();
    expect(tape.day(T0 + HOUR)).toMatchObject({ trades: 4, firstTradeSeq: 42 });
    expect(tape.day(T0 + 24 * HOUR + MINUTE)).toMatchObject({ trades: 2, firstTradeSeq: 46 });
    expect(tape.day(T0 + 48 * HOUR)).toMatchObject({ trades: 0, firstTradeSeq: null, last: 110n * ONE });
  });
});

describe("candles with a past before them", () => {
  const DAY = 24 * HOUR;
  const past = new Past(BTC, new Pace(1, "BTC/KRW", 11), { at: T0, price: BTC.anchorPrice });
  const everything = Number.MAX_SAFE_INTEGER;

  /** A small market, so that some minutes have no trade; its first trade is late in its first hour. */
  function tapeOf(...minutes: readonly number[]): Tape {
    const tape = new Tape(past);
    const print = printing(tape);
    for (const minute of minutes) print(minute, "buy", 1_000n, 1n);
    return tape;
  }

  it("are one run: an hour or a day that both have a part of is the sum of both", () => {
    const tape = tapeOf(50, 70);
    const minutes = tape.candles(MINUTE, 0, everything, everything);
    for (const interval of [5 * MINUTE, HOUR, 4 * HOUR, DAY, 7 * DAY])
      expect(tape.candles(interval, 0, everything, everything)).toEqual(aggregate(minutes, interval));
    const [day] = tape.candles(DAY, T0 - (T0 % DAY), T0, 1);
    expect(day).toMatchObject({ firstTradeSeq: 42, close: 1_000n * ONE });
    expect(day?.trades).toBeGreaterThan(2);
  });

  it("are the newest or the oldest of a period, as many as asked for, whatever lies between", () => {
    const tape = tapeOf(50, 2_000);
    const [from, to] = [T0 - 90 * MINUTE, T0 + 3_000 * MINUTE];
    const all = tape.candles(MINUTE, from, to, everything);
    expect(all.length).toBeLessThan(92);
    for (const limit of [0, 1, 2, 3, 20, all.length, 500]) {
      expect(tape.candles(MINUTE, from, to, limit)).toEqual(all.slice(Math.max(0, all.length - limit)));
      expect(tape.candles(MINUTE, from, to, limit, "oldest")).toEqual(all.slice(0, limit));
    }
  });

  it("are without it once what came after it is not kept whole any more", () => {
    const [whole, cut] = [tapeOf(50, 3 * 1_440), tapeOf(50, 3 * 1_440 + 1)];
    expect(whole.candles(MINUTE, 0, everything, everything)[0]?.start).toBe(past.start);
    expect(cut.candles(MINUTE, 0, everything, everything).map(({ trades }) => trades)).toEqual([1, 1]);
    expect(cut.candles(HOUR, 0, everything, everything)[0]?.start).toBe(past.start);
  });

  it("count in the 24 hours, and give the last price until there is a trade", () => {
    const tape = tapeOf();
    const sum = past.minutes(T0 - 24 * HOUR + 5 * MINUTE, T0).reduce((trades, candle) => trades + candle.trades, 0);
    expect(tape.day(T0 + 5 * MINUTE)).toMatchObject({ last: BTC.anchorPrice, trades: sum, firstTradeSeq: null });
    expect(tape.day(T0 + 25 * HOUR)).toMatchObject({ open: null, trades: 0 });
  });
});

function cut(row: readonly unknown[]): readonly unknown[] {
  return row.slice(0, 7);
}
