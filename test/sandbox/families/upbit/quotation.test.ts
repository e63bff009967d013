import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openUpbit, type Upbit, type UpbitClient } from "./upbit-client.ts";

let upbit: Upbit;
let paper: UpbitClient;
let maker: UpbitClient;
beforeEach(async () => {
  upbit = await openUpbit();
  ({ paper, maker } = upbit);
});
afterEach(async () => {
  await upbit.venue.sandbox.close();
  expect(upbit.venue.defects).toEqual([]);
});

/** Two trades: 0.001 at 90,000,000, and a minute later 0.002 at 90,001,000. */
async function trade(): Promise<void> {
  await maker.order({ side: "ask", price: "90000000", volume: "0.001" });
  await paper.order({ price: "90000000", volume: "0.001" });
  upbit.venue.clock.now += 60_000;
  await maker.order({ side: "ask", price: "90001000", volume: "0.002" });
  await paper.order({ price: "90001000", volume: "0.002" });
}

describe("the list of markets", () => {
  it("has codes and names, and details when they are asked for", async () => {
    const [first] = (await paper.open("market/all")).json;
    expect(first).toEqual({ market: "KRW-BTC", korean_name: "비트코인", english_name: "Bitcoin" });
    for (const name of ["is_details", "isDetails"]) {
      const [detailed] = (await paper.open(`market/all?${name}=true`)).json;
      expect(detailed).toMatchObject({ market_event: { warning: false, caution: { PRICE_FLUCTUATIONS: false } } });
    }
  });
});

describe("the numbers of quotations", () => {
  it("look as a double does in Java, and trades have ids beyond the safe integers", async () => {
    await trade();
    await maker.order({ market: "KRW-SHIB", price: "0.0005", volume: "20000000" });
    const { text } = await paper.open("orderbook?markets=KRW-SHIB");
    expect(text).toContain('"bid_price":5.0E-4,"ask_size":0.0,"bid_size":2.0E7');
    expect((await paper.open("ticker?markets=KRW-BTC")).text).toContain('"trade_price":9.0001E7,');
    const { text: trades } = await paper.open("trades/ticks?market=KRW-BTC");
    const [, id = "0"] = /"sequential_id":(\d+)/.exec(trades) ?? [];
    expect(BigInt(id)).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER));
  });

  it("are exact where a double would not be", async () => {
    await maker.order({ volume: "0.00012345" });
    expect((await paper.open("orderbook?markets=KRW-BTC")).text).toContain('"bid_size":1.2345E-4');
  });
});

describe("a ticker", () => {
  it("counts changes from the close of the day before, in UTC", async () => {
    await trade();
    upbit.venue.clock.now += 86_400_000;
    await maker.order({ side: "ask", price: "80000000", volume: "0.001" });
    await paper.order({ price: "80000000", volume: "0.001" });
    const [ticker] = (await paper.open("ticker?markets=KRW-BTC")).json;
    expect(ticker).toMatchObject({
      ...{ market: "KRW-BTC", trade_date: "20260721", trade_time: "090100", trade_date_kst: "20260721" },
      ...{ trade_time_kst: "180100", opening_price: 80_000_000, trade_price: 80_000_000 },
      ...{ prev_closing_price: 90_001_000, change: "FALL", change_price: 10_001_000 },
      ...{ signed_change_price: -10_001_000, signed_change_rate: -0.11112099, acc_trade_price: 80_000 },
      ...{ highest_52_week_price: 90_001_000, highest_52_week_date: "2026-07-20", acc_trade_volume: 0.001 },
    });
  });

  it("is there for every market of a quote", async () => {
    const { json } = await paper.open("ticker/all?quote_currencies=KRW,BTC");
    expect(json).toHaveLength((await paper.open("market/all")).json.length);
    expect((await paper.open("ticker/all?quote_currencies=BTC")).json).toEqual([]);
  });
});

describe("a book", () => {
  it("has as many pairs as asked for, thirty at most, and none of a grouping that is not supported", async () => {
    for (let level = 0; level < 31; level++) await maker.order({ price: `${90_000 + level}000`, volume: "0.0001" });
    await maker.order({ side: "ask", price: "95000000", volume: "0.5" });
    const book = async (query: string) => (await paper.open(`orderbook?markets=KRW-BTC${query}`)).json[0];
    expect(await book("&count=1")).toMatchObject({
      ...{ total_ask_size: 0.5, total_bid_size: 0.0001, level: 0 },
      orderbook_units: [{ ask_price: 95_000_000, ask_size: 0.5, bid_price: 90_030_000, bid_size: 0.0001 }],
    });
    for (const query of ["", "&count=31", "&count=0"]) expect((await book(query)).orderbook_units).toHaveLength(30);
    expect((await paper.open("orderbook?markets=KRW-BTC,KRW-ETH&level=0")).json).toHaveLength(2);
    expect((await paper.open("orderbook?markets=KRW-BTC&level=10000")).json).toEqual([]);
  });

  it("has a price unit, which is text", async () => {
    expect((await paper.open("orderbook/instruments?markets=KRW-BTC,KRW-SHIB")).json).toEqual([
      { market: "KRW-BTC", quote_currency: "KRW", tick_size: "1000", supported_levels: ["0"] },
      { market: "KRW-SHIB", quote_currency: "KRW", tick_size: "0.0001", supported_levels: ["0"] },
    ]);
  });
});

describe("the list of trades", () => {
  it("has the newest first, and goes on after a cursor or before a time", async () => {
    await trade();
    const list = async (query: string) => (await paper.open(`trades/ticks?market=KRW-BTC${query}`)).json;
    expect(await list("")).toHaveLength(1);
    const both = await list("&count=500");
    expect(both).toMatchObject([
      { trade_price: 90_001_000, trade_date_utc: "2026-07-20", trade_time_utc: "09:01:00", ask_bid: "BID" },
      { trade_price: 90_000_000, trade_volume: 0.001, timestamp: 1_784_538_000_000 },
    ]);
    const { text } = await paper.open("trades/ticks?market=KRW-BTC");
    const [, cursor = ""] = /"sequential_id":(\d+)/.exec(text) ?? [];
    expect(await list(`&count=5&cursor=${cursor}`)).toMatchObject([{ trade_price: 90_000_000 }]);
    expect(await list("&count=5&to=090100")).toMatchObject([{ trade_price: 90_000_000 }]);
    expect(await list("&count=5&days_ago=1")).toEqual([]);
  });
});

describe("a candle", () => {
  const candles = async (path: string) => (await paper.open(`candles/${path}`)).json;

  it("is there for each interval with a trade, the newest first", async () => {
    await trade();
    expect(await candles("minutes/1?market=KRW-BTC&count=200")).toEqual([
      {
        market: "KRW-BTC",
        ...{ candle_date_time_utc: "2026-07-20T09:01:00", candle_date_time_kst: "2026-07-20T18:01:00" },
        ...{ opening_price: 90_001_000, high_price: 90_001_000, low_price: 90_001_000, trade_price: 90_001_000 },
        ...{ timestamp: 1_784_538_060_000, candle_acc_trade_price: 180_002, candle_acc_trade_volume: 0.002, unit: 1 },
      },
      expect.objectContaining({ candle_date_time_utc: "2026-07-20T09:00:00", trade_price: 90_000_000 }),
    ]);
    expect(await candles("seconds?market=KRW-BTC&count=5")).toMatchObject([
      { candle_date_time_utc: "2026-07-20T09:01:00" },
      { candle_date_time_utc: "2026-07-20T09:00:00" },
    ]);
    expect(await candles("minutes/240?market=KRW-BTC")).toMatchObject([
      { candle_date_time_utc: "2026-07-20T08:00:00", low_price: 90_000_000, trade_price: 90_001_000, unit: 240 },
    ]);
  });

  it("is not the one that begins at `to`", async () => {
    await trade();
    for (const to of ["2026-07-20T09:01:00Z", "2026-07-20%2009:01:00", "2026-07-20T18:01:00%2B09:00"])
      expect(await candles(`minutes/1?market=KRW-BTC&count=5&to=${to}`)).toMatchObject([{ trade_price: 90_000_000 }]);
  });

  it("has its change and its period where it is long", async () => {
    await trade();
    upbit.venue.clock.now += 13 * 86_400_000;
    await trade();
    expect(await candles("days?market=KRW-BTC&count=1&converting_price_unit=KRW")).toMatchObject([
      { prev_closing_price: 90_001_000, change_price: 0, change_rate: 0, converted_trade_price: 90_001_000 },
    ]);
    expect(await candles("weeks?market=KRW-BTC&count=3")).toMatchObject([
      { candle_date_time_utc: "2026-07-27T00:00:00", first_day_of_period: "2026-07-27" },
      { candle_date_time_utc: "2026-07-20T00:00:00" },
    ]);
    expect(await candles("months?market=KRW-BTC&count=3")).toMatchObject([
      { first_day_of_period: "2026-08-01" },
      { first_day_of_period: "2026-07-01", candle_acc_trade_volume: 0.003 },
    ]);
    expect(await candles("years?market=KRW-BTC")).toMatchObject([
      { first_day_of_period: "2026-01-01", candle_acc_trade_volume: 0.006 },
    ]);
  });
});

describe("an exchange with a market flow", () => {
  it("has a past, a book and trades in every market", async () => {
    await upbit.venue.sandbox.close();
    upbit = await openUpbit({ marketMaker: true, speed: 10_000 });
    ({ paper } = upbit);
    const { json } = await paper.open("ticker/all?quote_currencies=KRW");
    for (const ticker of json) {
      expect(ticker.acc_trade_price_24h).toBeGreaterThan(0);
      expect(ticker.lowest_52_week_price).toBeLessThan(ticker.highest_52_week_price);
    }
    expect((await paper.open("candles/days?market=KRW-BTC&count=200")).json).toHaveLength(200);
    expect((await paper.open("candles/weeks?market=KRW-SHIB&count=10")).json).toHaveLength(10);
  });
});
