import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALIAS_ANSWERS } from "../../../src/contract/alias/answer.ts";
import type { AliasEndpointId } from "../../../src/contract/index.ts";
import { type Reply, send } from "../http/signed-client.ts";
import { must, openVenue, START, type Venue } from "../http/venue.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let venue: Venue;
let firstTrade: number;

/** The answer has exactly the shape of the contract: it parses, and parsing drops nothing. */
function fits(id: AliasEndpointId, reply: Reply): Reply["json"] {
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
  expect(ALIAS_ANSWERS[id].parse(reply.json)).toEqual(reply.json);
  expect(reply.headers["content-type"]).toBe("application/json");
  return reply.json;
}

const get = (target: string) => send(venue.sandbox.baseUrl, "GET", `/api/v3/${target}`);

beforeAll(async () => {
  venue = await openVenue();
  // One trade 30 hours ago; two within a minute 2 hours ago, of which one was a taker's buy; a book with both sides.
  await venue.maker.order({ side: "sell", volume: "0.5", price: "98000000" });
  await venue.paper.order({ volume: "0.01", price: "98000000" });
  venue.clock.now = START + 28 * HOUR;
  await venue.maker.delete("/v1/orders/batch");
  await venue.maker.order({ side: "sell", volume: "0.01", price: "100000000" });
  await venue.paper.order({ volume: "0.01", price: "100000000" });
  await venue.maker.order({ side: "buy", volume: "0.5", price: "99000000" });
  await venue.paper.order({ side: "sell", volume: "0.005", price: "99000000" });
  await venue.maker.order({ side: "sell", volume: "0.5", price: "101000000" });
  venue.clock.now = START + 30 * HOUR;
  const [last] = venue.sandbox.exchange.trades("BTC/KRW", 1);
  firstTrade = (last?.tradeSeq ?? 0) - 2;
});

afterAll(() => venue.sandbox.close());

describe("public alias operations", () => {
  it("answer a ping and return the time", async () => {
    expect(fits("ping", await get("ping"))).toEqual({});
    expect(fits("time", await get("time"))).toEqual({
      serverTime: START + 30 * HOUR,
      iso: "2026-07-21T15:00:00.000Z",
    });
  });

  it("show markets with their rules as filters, and the limits", async () => {
    const all = fits("exchangeInfo", await get("exchangeInfo"));
    expect(all.symbols).toHaveLength(venue.sandbox.exchange.markets().length);
    expect(all.rateLimits).toEqual([
      { rateLimitType: "REQUEST_WEIGHT", interval: "MINUTE", intervalNum: 1, limit: 100_000 },
      { rateLimitType: "RAW_REQUESTS", interval: "SECOND", intervalNum: 1, limit: 10_000 },
    ]);
    expect(all.exchangeFilters).toEqual([{ filterType: "EXCHANGE_MAX_NUM_ORDERS", maxNumOrders: 1000 }]);
    const [btc] = fits("exchangeInfo", await get("exchangeInfo?symbol=BTCKRW")).symbols;
    expect(btc).toMatchObject({
      symbol: "BTCKRW",
      status: "TRADING",
      baseAsset: "BTC",
      quoteAsset: "KRW",
      orderTypes: ["LIMIT", "LIMIT_MAKER", "MARKET"],
      quoteOrderQtyMarketAllowed: true,
      permissions: ["SPOT"],
    });
    expect(btc.filters).toEqual([
      { filterType: "PRICE_FILTER", minPrice: "1.00000000", maxPrice: "0.00000000", tickSize: "1000.00000000" },
      {
        filterType: "LOT_SIZE",
        minQty: "0.00001000",
        maxQty: "999999999999999999.99999999",
        stepSize: "0.00000001",
      },
      {
        filterType: "NOTIONAL",
        minNotional: "5000.00000000",
        applyMinToMarket: true,
        maxNotional: "999999999999999999.99999999",
        applyMaxToMarket: false,
        avgPriceMins: 0,
      },
    ]);
  });

  it("show the tick at the last price", async () => {
    const tick = async () => (await get("exchangeInfo?symbol=SOLKRW")).json.symbols[0].filters[0].tickSize;
    expect(await tick()).toBe("50.00000000");
    const deposit = { type: "deposit", accountId: "maker", asset: "SOL", amount: 100_000_000n } as const;
    must(venue.sandbox.exchange.apply(deposit, venue.clock.now));
    await venue.maker.order({ symbol: "SOLKRW", side: "sell", volume: "1", price: "50000" });
    await venue.paper.order({ symbol: "SOLKRW", side: "buy", volume: "1", price: "50000" });
    expect(await tick()).toBe("10.00000000");
  });

  it("show which markets accept no orders", async () => {
    const status = async () => (await get("exchangeInfo?symbol=SOLKRW")).json.symbols[0].status;
    const set = (to: "trading" | "halted" | "delisting") =>
      must(venue.sandbox.exchange.apply({ type: "setMarketStatus", symbol: "SOL/KRW", status: to }, venue.clock.now));
    set("halted");
    expect(await status()).toBe("HALT");
    set("delisting");
    expect(await status()).toBe("BREAK");
    set("trading");
    expect(await status()).toBe("TRADING");
  });

  it("accept symbols with and without a separator, in any case", async () => {
    const bids = [["99000000.00000000", "0.49500000"]];
    for (const name of ["BTCKRW", "btckrw", "BTC%2FKRW", "BTC/KRW"])
      expect(fits("depth", await get(`depth?symbol=${name}`)).bids).toEqual(bids);
    const some = fits("exchangeInfo", await get("exchangeInfo?symbols=%5B%22ETHKRW%22%2C%22BTC%2FKRW%22%5D"));
    expect(some.symbols.map(({ symbol }: { symbol: string }) => symbol)).toEqual(["BTCKRW", "ETHKRW"]);
  });

  it("show the book, to the requested depth", async () => {
    const asks = [["101000000.00000000", "0.50000000"]];
    const { seq } = venue.sandbox.exchange.book("BTC/KRW", 1);
    const whole = { lastUpdateId: seq, bids: [["99000000.00000000", "0.49500000"]], asks };
    expect(fits("depth", await get("depth?symbol=BTCKRW&limit=5001"))).toEqual(whole);
    await venue.maker.order({ side: "sell", volume: "0.1", price: "102000000" });
    expect(fits("depth", await get("depth?symbol=BTCKRW&limit=1")).asks).toEqual(asks);
    expect(fits("depth", await get("depth?symbol=BTCKRW")).asks).toHaveLength(2);
  });

  it("show public trades, oldest first", async () => {
    const trades = fits("trades", await get("trades?symbol=BTCKRW"));
    const print = { qty: "0.01000000", isBuyerMaker: false, isBestMatch: true };
    expect(trades).toEqual([
      {
        ...print,
        id: firstTrade,
        price: "98000000.00000000",
        quoteQty: "980000.00000000",
        time: START,
        traded_at: "2026-07-20T09:00:00.000Z",
      },
      {
        ...print,
        id: firstTrade + 1,
        price: "100000000.00000000",
        quoteQty: "1000000.00000000",
        time: START + 28 * HOUR,
        traded_at: "2026-07-21T13:00:00.000Z",
      },
      {
        id: firstTrade + 2,
        price: "99000000.00000000",
        qty: "0.00500000",
        quoteQty: "495000.00000000",
        time: START + 28 * HOUR,
        traded_at: "2026-07-21T13:00:00.000Z",
        isBuyerMaker: true,
        isBestMatch: true,
      },
    ]);
    expect(fits("trades", await get("trades?symbol=BTCKRW&limit=1"))).toEqual(trades.slice(-1));
  });

  it("show candles with what takers bought: after a time the oldest, otherwise the newest", async () => {
    const open = START + 28 * HOUR;
    const candle = [
      open,
      "100000000.00000000",
      "100000000.00000000",
      "99000000.00000000",
      "99000000.00000000",
      "0.01500000",
      open + HOUR - 1,
      "1495000.00000000",
      2,
      "0.01000000",
      "1000000.00000000",
      "0",
    ];
    const hours = fits("klines", await get("klines?symbol=BTCKRW&interval=1h"));
    expect(hours.map(([start]: [number]) => start)).toEqual([START, open]);
    expect(hours[1]).toEqual(candle);
    expect(fits("klines", await get("klines?symbol=BTCKRW&interval=1h&limit=1"))).toEqual([candle]);
    const starts = async (query: string) =>
      fits("klines", await get(`klines?symbol=BTCKRW&interval=30m&${query}`)).map(([start]: [number]) => start);
    expect(await starts("startTime=0")).toEqual([START, open]);
    expect(await starts("startTime=0&limit=1")).toEqual([START]);
    expect(await starts(`startTime=${START + 1}`)).toEqual([open]);
    expect(await starts(`startTime=0&endTime=${open - 1}`)).toEqual([START]);
    expect(await starts(`endTime=${open - 1}&limit=1`)).toEqual([START]);
    expect(fits("klines", await get("klines?symbol=ETHKRW&interval=1d"))).toEqual([]);
  });
});

describe("alias tickers", () => {
  it("show the last 24 hours", async () => {
    const at = START + 30 * HOUR;
    const mini = {
      symbol: "BTCKRW",
      openPrice: "100000000.00000000",
      highPrice: "100000000.00000000",
      lowPrice: "99000000.00000000",
      lastPrice: "99000000.00000000",
      volume: "0.01500000",
      quoteVolume: "1495000.00000000",
      openTime: at - DAY,
      opened_at: new Date(at - DAY).toISOString(),
      closeTime: at,
      closed_at: new Date(at).toISOString(),
      firstId: firstTrade + 1,
      lastId: firstTrade + 2,
      count: 2,
    };
    expect(fits("day", await get("ticker/24hr?symbol=BTCKRW&type=MINI"))).toEqual(mini);
    expect(fits("day", await get("ticker/24hr?symbol=BTCKRW"))).toEqual({
      ...mini,
      priceChange: "-1000000.00000000",
      priceChangePercent: "-1.00000000",
      weightedAvgPrice: "99666666.66666667",
      prevClosePrice: "98000000.00000000",
      lastQty: "0.00500000",
      bidPrice: "99000000.00000000",
      bidQty: "0.49500000",
      askPrice: "101000000.00000000",
      askQty: "0.50000000",
    });
  });

  it("are zero where there were no trades", async () => {
    const untraded = fits("day", await get("ticker/24hr?symbol=ETHKRW&type=FULL"));
    expect(untraded).toMatchObject({ lastPrice: "0.00000000", weightedAvgPrice: "0.00000000", count: 0 });
    expect(untraded).toMatchObject({ firstId: -1, lastId: -1, priceChangePercent: "0.00000000", bidQty: "0.00000000" });
    expect(fits("price", await get("ticker/price?symbol=ETHKRW"))).toEqual({ symbol: "ETHKRW", price: "0.00000000" });
  });

  it("are an object for one market, an array for several or all", async () => {
    const btc = { symbol: "BTCKRW", price: "99000000.00000000" };
    expect(fits("price", await get("ticker/price?symbol=BTCKRW"))).toEqual(btc);
    expect(fits("price", await get('ticker/price?symbols=["BTCKRW"]'))).toEqual([btc]);
    expect(fits("price", await get("ticker/price"))).toHaveLength(venue.sandbox.exchange.markets().length);
    const touch = fits("bookTicker", await get('ticker/bookTicker?symbols=["ETHKRW","BTCKRW"]'));
    expect(touch).toEqual([
      {
        symbol: "ETHKRW",
        bidPrice: "0.00000000",
        bidQty: "0.00000000",
        askPrice: "0.00000000",
        askQty: "0.00000000",
      },
      {
        symbol: "BTCKRW",
        bidPrice: "99000000.00000000",
        bidQty: "0.49500000",
        askPrice: "101000000.00000000",
        askQty: "0.50000000",
      },
    ]);
    expect(fits("day", await get('ticker/24hr?symbols=["BTCKRW","ETHKRW"]&type=MINI'))).toHaveLength(2);
  });
});
