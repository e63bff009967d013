import { describe, expect, it } from "vitest";
import { Tape } from "../../../../src/sandbox/engine/market/tape.ts";
import { ONE, type TradeRecord } from "../../../../src/sandbox/model/index.ts";
import { T0 } from "../exchange-kit.ts";

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
    const { trades, minutes, hours } = JSON.parse(JSON.stringify(tapeOfFour().rows()));
    const before = { trades, minutes: minutes.map(cut), hours: hours.map(cut) };
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

function cut(row: readonly unknown[]): readonly unknown[] {
  return row.slice(0, 7);
}
