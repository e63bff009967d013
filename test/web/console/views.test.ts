import { describe, expect, it } from "vitest";
import { withTrades } from "../../../web/console/views/candles.ts";
import { matchesMarket } from "../../../web/console/views/market-search.ts";

describe("a market is found by what a person types", () => {
  const bitcoin = { symbol: "BTC/KRW", korean_name: "비트코인", english_name: "Bitcoin" };

  it.each(["", "btc", "BTC/KRW", "btckrw", "btc-krw", "비트", "bit coin", "coin", "ＢＴＣ"])("%s", (typed) => {
    expect(matchesMarket(bitcoin, typed)).toBe(true);
  });

  it.each(["eth", "이더", "krwbtc"])("but not by %s", (typed) => {
    expect(matchesMarket(bitcoin, typed)).toBe(false);
  });
});

describe("candles go on with the trades", () => {
  const candle = (time: string, close: string) => ({
    ...{ time, open: "100", high: "110", low: "90", close },
    ...{ volume: "1", quote_volume: "100" },
  });
  const trade = (time: string, price: string) => ({
    ...({ trade_id: time, symbol: "BTC/KRW", side: "buy", volume: "1" } as const),
    ...{ time, price },
  });
  const read = [candle("2026-11-23T00:00:00.000Z", "100"), candle("2026-11-23T00:01:00.000Z", "101")];

  it("the newest reaches further, and another begins where its minute does", () => {
    const grown = withTrades(read, "1m", [
      trade("2026-11-23T00:03:59.000Z", "80"),
      trade("2026-11-23T00:03:10.000Z", "95"),
      trade("2026-11-23T00:01:30.000Z", "120"),
      trade("2026-11-23T00:00:30.000Z", "500"),
    ]);
    expect(grown).toHaveLength(3);
    expect(grown[0]).toEqual(read[0]);
    expect(grown[1]).toMatchObject({ high: "120", low: "90", close: "120" });
    expect(grown[2]).toMatchObject({
      time: "2026-11-23T00:03:00.000Z",
      open: "95",
      high: "95",
      low: "80",
      close: "80",
    });
  });

  it("a price is higher by its figure, not by its text", () => {
    expect(withTrades(read, "1m", [trade("2026-11-23T00:01:30.000Z", "99")]).at(-1)?.high).toBe("110");
  });

  it("there is nothing to go on with where nothing was read", () => {
    expect(withTrades([], "1m", [trade("2026-11-23T00:01:30.000Z", "99")])).toEqual([]);
  });
});
