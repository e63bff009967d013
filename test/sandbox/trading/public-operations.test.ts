import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KRW_MARKETS } from "../../../src/sandbox/engine/index.ts";
import { send } from "../http/signed-client.ts";
import { START } from "../http/venue.ts";
import { FORM_TYPE, refusalOf, resultOf } from "./trading-caller.ts";
import { openTrading, type TradingVenue } from "./venue.ts";

let trading: TradingVenue;
beforeEach(async () => {
  trading = await openTrading();
});
afterEach(() => trading.venue.sandbox.close());

/** Two trades of 0.01 BTC, a day and a minute apart; then a bid and an ask. */
async function trade(): Promise<void> {
  const { maker, paper, venue } = trading;
  for (const [price, waitMs] of [
    ["100000000", 86_460_000],
    ["104000000", 0],
  ] as const) {
    await maker.add({ type: "sell", volume: "0.01", price });
    resultOf("AddOrder", await paper.add({ volume: "0.01", price }));
    venue.clock.now += waitMs;
  }
  await maker.add({ type: "sell", volume: "1.5", price: "105000000" });
  await maker.add({ volume: "0.25", price: "103000000" });
}

describe("public operations", () => {
  it("return time and status", async () => {
    expect(resultOf("Time", await trading.paper.ask("Time"))).toEqual({
      unixtime: START / 1000,
      rfc1123: "Mon, 20 Jul 2026 09:00:00 GMT",
      unix_ms: START,
      iso: "2026-07-20T09:00:00.000Z",
    });
    expect(resultOf("SystemStatus", await trading.paper.ask("SystemStatus"))).toEqual({
      status: "online",
      timestamp: "2026-07-20T09:00:00.000Z",
    });
  });

  it("list every market with its rules, or the requested ones in any spelling", async () => {
    const all = resultOf("AssetPairs", await trading.paper.ask("AssetPairs"));
    expect(Object.keys(all)).toEqual(KRW_MARKETS.map(({ symbol }) => symbol));
    expect(all["BTC/KRW"]).toMatchObject({
      altname: "BTCKRW",
      wsname: "BTC/KRW",
      base: "BTC",
      quote: "KRW",
      pair_decimals: 0,
      lot_decimals: 8,
      ordermin: "0.00001",
      costmin: "5000",
      tick_size: "1000",
      fees: [["0", "0.05"]],
      fees_maker: [["0", "0.04"]],
      status: "online",
    });
    const some = await trading.paper.ask("AssetPairs", {
      pair: "XBTKRW,eth/krw,XXRPZKRW,XDG/ZKRW,BTCKRW",
      info: "info",
    });
    expect(Object.keys(resultOf("AssetPairs", some)).toSorted()).toEqual(["BTC/KRW", "DOGE/KRW", "ETH/KRW", "XRP/KRW"]);
  });

  it("show that a halted market accepts cancels only", async () => {
    const { exchange } = trading.venue.sandbox;
    exchange.apply({ type: "setMarketStatus", symbol: "BTC/KRW", status: "halted" }, START);
    const pairs = resultOf("AssetPairs", await trading.paper.ask("AssetPairs", { pair: "BTCKRW" }));
    expect(pairs["BTC/KRW"]).toMatchObject({ status: "cancel_only", market_status: "halted" });
  });

  it("list assets by their own and the dialect's names", async () => {
    const all = resultOf("Assets", await trading.paper.ask("Assets"));
    expect(Object.keys(all)).toEqual(["KRW", ...KRW_MARKETS.map(({ base }) => base)]);
    const some = resultOf("Assets", await trading.paper.ask("Assets", { asset: "XXBT,ZKRW,DOGE", aclass: "currency" }));
    expect(Object.keys(some)).toEqual(["BTC", "KRW", "DOGE"]);
  });

  it("show today and the last 24 hours separately in a ticker, and nulls without trades", async () => {
    await trade();
    const { "BTC/KRW": btc } = resultOf("Ticker", await trading.paper.ask("Ticker", { pair: "XBT/KRW" }));
    expect(btc).toMatchObject({
      a: ["105000000", "1", "1.5"],
      b: ["103000000", "0", "0.25"],
      c: ["104000000", "0.01"],
      v: ["0.01", "0.01"],
      p: ["104000000", "104000000"],
      t: [1, 1],
      l: ["104000000", "104000000"],
      h: ["104000000", "104000000"],
      o: "104000000",
      open_24h: "104000000",
      quote_volume_24h: "1040000",
    });
    const { "ETH/KRW": eth } = resultOf("Ticker", await trading.paper.ask("Ticker", { pair: "ETHKRW" }));
    expect(eth).toMatchObject({ a: null, b: null, c: null, v: ["0", "0"], p: [null, null], o: null });
    expect(Object.keys(resultOf("Ticker", await trading.paper.ask("Ticker")))).toHaveLength(KRW_MARKETS.length);
  });

  it("return candles of any of the dialect's intervals, after a time", async () => {
    await trade();
    const day = resultOf("OHLC", await trading.paper.ask("OHLC", { pair: "BTCKRW", interval: "1440" }));
    const first = [1784505600, "100000000", "100000000", "100000000", "100000000", "100000000", "0.01", 1, "1000000"];
    const second = [1784592000, "104000000", "104000000", "104000000", "104000000", "104000000", "0.01", 1, "1040000"];
    expect(day).toEqual({ "BTC/KRW": [first, second], last: 1784505600 });
    const since = await trading.paper.ask("OHLC", { pair: "BTCKRW", interval: "1440", since: String(day.last) });
    expect(resultOf("OHLC", since)["BTC/KRW"]).toEqual([second]);
    const end = { end: "1784591999999", since: "1784505599999" };
    const until = await trading.paper.ask("OHLC", { pair: "BTCKRW", interval: "1440", ...end });
    expect(resultOf("OHLC", until)["BTC/KRW"]).toEqual([first]);
    const minutes = resultOf("OHLC", await trading.paper.ask("OHLC", { pair: "BTCKRW" }))["BTC/KRW"];
    expect(minutes.map(([time]: [number]) => time)).toEqual([START / 1000, START / 1000 + 86_460]);
  });

  it("return the book's best levels first, with its number", async () => {
    await trade();
    await trading.maker.add({ volume: "0.5", price: "102000000" });
    // Whole seconds, as the dialect has them here.
    trading.venue.clock.now += 250;
    const { "BTC/KRW": book } = resultOf("Depth", await trading.paper.ask("Depth", { pair: "BTC/KRW" }));
    const time = (START + 86_460_000) / 1000;
    expect(book.asks).toEqual([["105000000", "1.5", time]]);
    expect(book.bids).toEqual([
      ["103000000", "0.25", time],
      ["102000000", "0.5", time],
    ]);
    expect(book.seq).toBe(trading.venue.sandbox.exchange.book("BTC/KRW", 1).seq);
    const { "BTC/KRW": top } = resultOf("Depth", await trading.paper.ask("Depth", { pair: "BTC/KRW", count: "1" }));
    expect(top.bids).toHaveLength(1);
  });

  it("return the best bid and ask as the current spread", async () => {
    await trade();
    const time = (START + 86_460_000) / 1000;
    // Whole seconds, as the dialect has them here.
    trading.venue.clock.now += 250;
    const now = resultOf("Spread", await trading.paper.ask("Spread", { pair: "BTCKRW" }));
    expect(now).toEqual({ "BTC/KRW": [[time, "103000000", "105000000"]], last: time });
    const later = await trading.paper.ask("Spread", { pair: "BTCKRW", since: String(time + 1) });
    expect(resultOf("Spread", later)["BTC/KRW"]).toEqual([]);
  });

  it("can be posted as a form, with or without a content type", async () => {
    for (const headers of [FORM_TYPE, {}]) {
      const reply = await send(trading.paper.baseUrl, "POST", "/0/public/AssetPairs", headers, "pair=BTC%2FKRW");
      expect(Object.keys(resultOf("AssetPairs", reply))).toEqual(["BTC/KRW"]);
    }
    expect(resultOf("Time", await send(trading.paper.baseUrl, "POST", "/0/public/Time")).unix_ms).toBe(START);
  });
});

describe("public trades", () => {
  it("come oldest first, and after a mark exactly those that follow, also within one millisecond", async () => {
    const { maker, paper } = trading;
    await maker.add({ type: "sell", volume: "1", price: "100000000" });
    for (let count = 0; count < 5; count++) await paper.add({ volume: `0.00${count + 1}`, price: "100000000" });
    const all = resultOf("Trades", await paper.ask("Trades", { pair: "BTCKRW" }));
    const volumes = (result: { "BTC/KRW": [string, string][] }) => result["BTC/KRW"].map(([, volume]) => volume);
    expect(all["BTC/KRW"][0]).toEqual(["100000000", "0.001", START / 1000, "b", "", "", 1]);
    expect(volumes(all)).toEqual(["0.001", "0.002", "0.003", "0.004", "0.005"]);
    const page = resultOf("Trades", await paper.ask("Trades", { pair: "BTCKRW", since: "0", count: "2" }));
    expect(volumes(page)).toEqual(["0.001", "0.002"]);
    const next = resultOf("Trades", await paper.ask("Trades", { pair: "BTCKRW", since: page.last, count: "2" }));
    expect(volumes(next)).toEqual(["0.003", "0.004"]);
    const newest = resultOf("Trades", await paper.ask("Trades", { pair: "BTCKRW", count: "1" }));
    expect(volumes(newest)).toEqual(["0.005"]);
    const none = resultOf("Trades", await paper.ask("Trades", { pair: "BTCKRW", since: newest.last }));
    expect(none).toEqual({ "BTC/KRW": [], last: newest.last });
    const bySecond = await paper.ask("Trades", { pair: "BTCKRW", since: String(START / 1000 - 1) });
    expect(volumes(resultOf("Trades", bySecond))).toHaveLength(5);
  });
});

describe("a fault in a public request", () => {
  it.each<[string, Record<string, string>, string]>([
    ["Ticker", { pair: "BTC/USD" }, "EQuery:Unknown asset pair"],
    ["AssetPairs", { pair: "BTCKRW,NOPE" }, "EQuery:Unknown asset pair"],
    ["OHLC", { pair: "NOPE" }, "EQuery:Unknown asset pair"],
    ["Depth", { pair: "NOPE" }, "EQuery:Unknown asset pair"],
    ["Trades", { pair: "NOPE" }, "EQuery:Unknown asset pair"],
    ["Spread", { pair: "NOPE" }, "EQuery:Unknown asset pair"],
    ["Assets", { asset: "NOPE" }, "EGeneral:Invalid arguments:asset"],
    ["Depth", {}, "EGeneral:Invalid arguments:pair"],
    ["Depth", { pair: "BTCKRW", count: "501" }, "EGeneral:Invalid arguments:count"],
    ["OHLC", { pair: "BTCKRW", interval: "2" }, "EGeneral:Invalid arguments:interval"],
    ["OHLC", { pair: "BTCKRW", since: "yesterday" }, "EGeneral:Invalid arguments:since"],
    ["Ticker", { pairs: "BTCKRW" }, "EGeneral:Invalid arguments:pairs"],
    ["Time", { x: "1" }, "EGeneral:Invalid arguments:x"],
    ["Nothing", {}, "EGeneral:Unknown method"],
  ])("%s %j: %s", async (operation, fields, code) => {
    expect(refusalOf(await trading.paper.ask(operation, fields))).toBe(code);
  });

  it("is reported in the same form whatever the method and path", async () => {
    const { baseUrl } = trading.paper;
    const code = async (...request: Parameters<typeof send>) => refusalOf(await send(...request));
    expect(await code(baseUrl, "DELETE", "/0/public/Time")).toBe("EGeneral:Unknown method");
    expect(await code(baseUrl, "GET", "/0/private/Balance")).toBe("EGeneral:Unknown method");
    expect(await code(baseUrl, "GET", "/0/")).toBe("EGeneral:Unknown method");
    expect(await code(baseUrl, "GET", "/0/public/Time", {}, "x=1")).toBe("EGeneral:Invalid arguments:body");
    expect(await code(baseUrl, "GET", "/0/public/Ticker?pair=BTCKRW&pair=ETHKRW")).toBe(
      "EGeneral:Invalid arguments:pair",
    );
    const json = { "Content-Type": "application/json" };
    expect(await code(baseUrl, "POST", "/0/public/Time", json, "{}")).toBe("EGeneral:Invalid arguments:Content-Type");
    expect(await code(baseUrl, "POST", "/0/public/Time", {}, "x".repeat(70_000))).toBe(
      "EGeneral:Invalid arguments:body",
    );
  });
});
