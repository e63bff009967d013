import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bithumb, openBithumb, refusal } from "./bithumb-client.ts";

let bithumb: Bithumb;
beforeAll(async () => {
  bithumb = await openBithumb();
  const { maker, paper } = bithumb;
  await maker.order({ side: "ask", volume: "0.5" });
  await paper.order({ volume: "0.001" });
  await paper.order({ market: "KRW-SHIB", price: "0.0165", volume: "400000.1" });
});
afterAll(async () => {
  await bithumb.venue.sandbox.close();
  expect(bithumb.venue.defects).toEqual([]);
});

const open = (path: string) => bithumb.paper.open(path);

describe("the list of markets", () => {
  it("has codes and names, and warnings when they are asked for", async () => {
    const plain = (await open("market/all")).json;
    expect(plain[0]).toEqual({ market: "KRW-BTC", korean_name: "비트코인", english_name: "Bitcoin" });
    expect((await open("market/all?isDetails=true")).json[0].market_warning).toBe("NONE");
  });
});

describe("numbers", () => {
  it("look as recorded: plain without a fraction, and with an exponent where they are tiny", async () => {
    const { text } = await open("ticker?markets=KRW-BTC");
    expect(text).toContain('"trade_price":90000000,');
    expect(text).toContain('"change_rate":0.4,');
    expect((await open("orderbook?markets=KRW-SHIB")).text).toContain('"bid_price":0.0165,');
    await bithumb.maker.order({ side: "ask", volume: "0.00006", price: "89000000" });
    const { order_id: id } = (await bithumb.paper.order({ volume: "0.0000600", price: "89000000" })).json;
    expect((await bithumb.paper.get("/v1/order", { uuid: id })).json.executed_volume).toBe("0.00006");
    expect((await open("trades/ticks?market=KRW-BTC")).text).toContain('"trade_volume":0.00006,');
  });
});

describe("a ticker", () => {
  it("has the dates and times of nine hours before, and the right timestamp", async () => {
    expect((await open("ticker?markets=KRW-BTC,KRW-ETH")).json[0]).toMatchObject({
      ...{ market: "KRW-BTC", trade_date: "20260720", trade_time: "000000" },
      ...{ trade_date_kst: "20260720", trade_time_kst: "090000", trade_timestamp: Date.UTC(2026, 6, 20, 9) },
    });
  });
});

describe("a book", () => {
  it("has thirty levels of one market, and fifteen of several", async () => {
    for (let level = 0; level < 31; level++)
      await bithumb.maker.order({ market: "KRW-XRP", price: String(3_000 - level), volume: "10" });
    const alone = (await open("orderbook?markets=KRW-XRP")).json[0];
    expect(alone.orderbook_units).toHaveLength(30);
    expect(alone.orderbook_units[0]).toEqual({ ask_price: 0, bid_price: 3_000, ask_size: 0, bid_size: 10 });
    expect((await open("orderbook?markets=KRW-XRP,KRW-BTC")).json[0].orderbook_units).toHaveLength(15);
  });
});

describe("trades", () => {
  it("have ids beyond the safe integers", async () => {
    const { text, json } = await open("trades/ticks?market=KRW-BTC&count=500");
    expect(json.at(-1)).toMatchObject({ trade_price: 90_000_000, trade_volume: 0.001, ask_bid: "BID" });
    expect(text).toMatch(/"sequential_id":\d{17}\}/);
  });
});

describe("candles", () => {
  it("begin with Korea's midnight where they are of four hours or a day, and with the unit's otherwise", async () => {
    const startOf = async (path: string) => (await open(`candles/${path}?market=KRW-BTC`)).json[0].candle_date_time_utc;
    expect(await startOf("minutes/1")).toBe("2026-07-20T09:00:00");
    expect(await startOf("minutes/240")).toBe("2026-07-20T07:00:00");
    expect(await startOf("days")).toBe("2026-07-19T15:00:00");
    expect(await startOf("weeks")).toBe("2026-07-20T00:00:00");
  });

  it("end before a time that is Korea's unless it says otherwise", async () => {
    const until = (to: string) => open(`candles/minutes/1?market=KRW-BTC&to=${encodeURIComponent(to)}`);
    expect((await until("2026-07-20T18:00:01")).json).toHaveLength(1);
    expect((await until("2026-07-20T18:00:00")).json).toEqual([]);
    expect((await until("2026-07-20T09:00:01Z")).json).toHaveLength(1);
  });
});

describe("what is wrong with a quotation", () => {
  it("is told with status 200 and a number for a name", async () => {
    expect(refusal(await open("ticker"))).toEqual([200, 400]);
    expect(refusal(await open("ticker?markets=KRW-NONE"))).toEqual([200, 404]);
    expect(refusal(await open("candles/days?market=KRW-BTC&count=201"))).toEqual([200, 400]);
    expect(refusal(await open("candles/days?market=KRW-BTC&to=yesterday"))).toEqual([200, 400]);
  });
});
