import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { START } from "../../http/venue.ts";
import { deposit, type Korbit, type KorbitClient, openKorbit, refusal } from "./korbit-client.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let korbit: Korbit;
let paper: KorbitClient;
beforeAll(async () => {
  korbit = await openKorbit();
  ({ paper } = korbit);
});
afterAll(async () => {
  await korbit.venue.sandbox.close();
  expect(korbit.venue.defects).toEqual([]);
});

const read = async (path: string) => (await paper.open(path)).json.data;

describe("the time", () => {
  it("is the exchange's, as a number", async () => {
    expect((await paper.open("time")).json).toEqual({ success: true, data: { time: korbit.venue.clock.now } });
  });
});

describe("markets", () => {
  it("have the bounds of an order's value, of which some publish one or none", async () => {
    const pairs = await read("currencyPairs");
    const pairOf = (symbol: string) => pairs.find((pair: { symbol: string }) => pair.symbol === symbol);
    const btc = { symbol: "btc_krw", status: "launched", baseCurrency: "btc", quoteCurrency: "krw" };
    expect(pairOf("btc_krw")).toEqual({ ...btc, minOrderValue: "5000", maxOrderValue: "1000000000" });
    expect(pairOf("sol_krw")).toMatchObject({ minOrderValue: "5000" });
    expect(Object.keys(pairOf("sol_krw"))).not.toContain("maxOrderValue");
    expect(Object.keys(pairOf("hbar_krw"))).toEqual(["symbol", "status", "baseCurrency", "quoteCurrency"]);
    expect(refusal(await paper.order({ symbol: "hbar_krw", price: "80", qty: "10" }))[1]).toBe("ORDER_VALUE_TOO_SMALL");
  });

  it("are of coins that have a name, and the won has one too", async () => {
    const named = await read("currencies");
    expect(named).toContainEqual({ name: "btc", fullName: "Bitcoin" });
    expect(named).toContainEqual({ name: "krw", fullName: "South Korean Won" });
    expect(named).toHaveLength((await read("currencyPairs")).length + 1);
  });

  it("are stopped where they are halted, and take no orders", async () => {
    await korbit.admin.must("POST", "/markets/LINKKRW/halt");
    const stopped = (await read("currencyPairs")).filter(({ status }: { status: string }) => status === "stopped");
    expect(stopped).toMatchObject([{ symbol: "link_krw" }]);
    expect(refusal(await paper.order({ symbol: "link_krw", price: "20000", qty: "1" }))[0]).toBe(400);
  });

  it("have tick sizes by price, and levels to group a book by", async () => {
    const [{ tickSizePolicy, ...rest }] = await read("tickSizePolicy?symbol=btc_krw");
    expect(rest).toEqual({ symbol: "btc_krw", orderbookLevels: ["1000", "10000", "100000", "1000000"] });
    expect(tickSizePolicy.slice(0, 2)).toEqual([
      { priceGte: "0", tickSize: "1" },
      { priceGte: "5000", tickSize: "5" },
    ]);
    expect(tickSizePolicy.at(-1)).toEqual({ priceGte: "1000000", tickSize: "1000" });
    const [shib] = await read("tickSizePolicy?symbol=shib_krw");
    expect(shib.tickSizePolicy[0]).toEqual({ priceGte: "0", tickSize: "0.0001" });
    expect(refusal(await paper.open("tickSizePolicy"))).toEqual([400, "BAD_REQUEST"]);
  });
});

describe("tickers", () => {
  it("are of some markets or all, with amounts as text and times as numbers", async () => {
    const tickers = await read("tickers?symbol=eth_krw,btc_krw");
    expect(tickers.map(({ symbol }: { symbol: string }) => symbol)).toEqual(["eth_krw", "btc_krw"]);
    const [, btc] = tickers;
    const amounts = ["open", "high", "low", "close", "prevClose", "priceChange", "volume", "quoteVolume"];
    for (const name of [...amounts, "bestBidPrice", "bestAskPrice"]) expect(btc[name]).toMatch(/^-?\d+(\.\d+)?$/);
    expect(btc.priceChangePercent).toMatch(/^-?\d+(\.\d{1,2})?$/);
    expect(BigInt(btc.close) - BigInt(btc.prevClose)).toBe(BigInt(btc.priceChange));
    expect(btc.lastTradedAt).toEqual(expect.any(Number));
    expect(await read("tickers")).toHaveLength(11);
    expect(refusal(await paper.open("tickers?symbol=btc_krw,btc_eur"))).toEqual([400, "INVALID_CURRENCY_PAIR"]);
  });
});

describe("a book", () => {
  it("has prices and quantities, best first, and amounts where it is grouped", async () => {
    const { maker } = korbit;
    for (const price of ["90000000", "90004000", "90012000"]) await maker.order({ price, qty: "0.1" });
    for (const price of ["91001000", "91009000", "91020000"]) await maker.order({ price, qty: "0.1", side: "sell" });
    const level = (price: string, qty: string) => ({ price, qty });
    expect(await read("orderbook?symbol=btc_krw")).toEqual({
      timestamp: korbit.venue.clock.now,
      bids: [level("90012000", "0.1"), level("90004000", "0.1"), level("90000000", "0.1")],
      asks: [level("91001000", "0.1"), level("91009000", "0.1"), level("91020000", "0.1")],
    });
    expect(await read("orderbook?symbol=btc_krw&level=10000")).toMatchObject({
      bids: [
        { price: "90010000", qty: "0.1", amt: "9001200" },
        { price: "90000000", qty: "0.2", amt: "18000400" },
      ],
      asks: [
        { price: "91010000", qty: "0.2" },
        { price: "91020000", qty: "0.1" },
      ],
    });
    expect(refusal(await paper.open("orderbook?symbol=btc_krw&level=7"))).toEqual([400, "BAD_REQUEST"]);
  });
});

describe("trades", () => {
  it("are newest first, with who took", async () => {
    await korbit.maker.order({ symbol: "xrp_krw", price: "3400", qty: "10" });
    await korbit.maker.order({ symbol: "xrp_krw", price: "3300", qty: "10" });
    const account = korbit.account("seller");
    deposit(korbit.venue, "seller", "XRP", 100n);
    await account.order({ symbol: "xrp_krw", side: "sell", price: "3300", qty: "15" });
    const trades = await read("trades?symbol=xrp_krw&limit=2");
    expect(trades).toMatchObject([
      { timestamp: korbit.venue.clock.now, price: "3300", qty: "5", isBuyerTaker: false },
      { price: "3400", qty: "10", isBuyerTaker: false },
    ]);
    expect(trades[0].tradeId).toBeGreaterThan(trades[1].tradeId);
    expect(refusal(await paper.open("trades?symbol=xrp_krw&limit=501"))).toEqual([400, "BAD_REQUEST"]);
  });
});

describe("candles", () => {
  const candles = async (query: string) => (await read(`candles?symbol=doge_krw&${query}`)) as readonly Candle[];
  const starts = async (query: string) => (await candles(query)).map(({ timestamp }) => timestamp);
  interface Candle {
    readonly timestamp: number;
  }

  /** A trade so many hours after a Monday's 18:00 in Korea. */
  async function tradeAfter(hours: number, price: string): Promise<void> {
    korbit.venue.clock.now = START + hours * HOUR_MS;
    await korbit.maker.order({ symbol: "doge_krw", side: "sell", price, qty: "100" });
    await korbit.account(`after-${hours}`).order({ symbol: "doge_krw", price, qty: "100" });
  }

  beforeAll(async () => {
    deposit(korbit.venue, "maker", "DOGE", 1_000n);
    await tradeAfter(0, "290");
    await tradeAfter(5, "300");
    await tradeAfter(6.5, "280");
    await tradeAfter(7 * 24, "310");
  });

  it("are oldest first, without those that had no trade, the last before the end", async () => {
    expect(await starts("interval=60&limit=200")).toEqual([0, 5, 6, 168].map((hour) => START + hour * HOUR_MS));
    expect(await starts(`interval=60&limit=2&end=${START + 6 * HOUR_MS}`)).toEqual(
      [5, 6].map((hour) => START + hour * HOUR_MS),
    );
    expect(await starts(`interval=60&limit=9&start=${START + HOUR_MS}&end=${START + 8 * HOUR_MS}`)).toHaveLength(2);
    expect((await candles("interval=60&limit=1"))[0]).toEqual({
      ...{ timestamp: START + 168 * HOUR_MS, open: "310", high: "310", low: "310", close: "310", volume: "100" },
    });
  });

  it("begin at midnight in Korea for days and weeks, those of weeks on Monday", async () => {
    const midnight = START - 18 * HOUR_MS;
    expect(await candles("interval=1D&limit=9")).toMatchObject([
      { timestamp: midnight, open: "290", high: "300", low: "290", close: "300", volume: "200" },
      { timestamp: midnight + DAY_MS, open: "280", volume: "100" },
      { timestamp: midnight + 7 * DAY_MS, open: "310" },
    ]);
    expect(await candles("interval=1W&limit=9")).toMatchObject([
      { timestamp: midnight, open: "290", high: "300", low: "280", close: "280", volume: "300" },
      { timestamp: midnight + 7 * DAY_MS, close: "310" },
    ]);
    expect(await starts("interval=1W&limit=1")).toEqual([midnight + 7 * DAY_MS]);
  });

  it.each([
    "interval=60",
    "interval=60&limit=201",
    "interval=3&limit=1",
    "limit=1",
    "interval=1&limit=1&start=9&end=9",
  ])("are refused for %s", async (query) => {
    expect(refusal(await paper.open(`candles?symbol=btc_krw&${query}`))).toEqual([400, "BAD_REQUEST"]);
  });
});
