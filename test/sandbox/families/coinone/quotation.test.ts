import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send } from "../../http/signed-client.ts";
import { START } from "../../http/venue.ts";
import { answered, BTC, type Coinone, openCoinone, refusal } from "./coinone-client.ts";

let coinone: Coinone;
beforeAll(async () => {
  coinone = await openCoinone();
  const { maker, paper, venue } = coinone;
  for (const [price, qty] of [["90000000", "0.1"] as const, ["90001000", "1"] as const, ["91000000", "2"] as const])
    answered(await maker.order({ side: "SELL", price, qty }));
  answered(await paper.order({ qty: "0.1" }));
  venue.clock.now += 3 * 60_000;
  answered(await paper.order({ price: "90001000", qty: "0.0005" }));
  answered(await paper.order({ price: "80000000", qty: "0.001" }));
});
afterAll(async () => {
  await coinone.venue.sandbox.close();
  expect(coinone.venue.defects).toEqual([]);
});

const open = async (path: string) => answered(await coinone.paper.open(path));

describe("public data", () => {
  it("has markets with their limits as text, of a quote or one of them", async () => {
    const { markets, server_time } = await open("markets/KRW");
    expect([server_time, markets.length]).toEqual([START + 180_000, 11]);
    expect((await open("markets/krw/btc")).markets).toEqual([
      {
        ...BTC,
        ...{ price_unit: "1000.0", qty_unit: "0.00000001", min_qty: "0.00000001", max_qty: "10000000000.0" },
        ...{ min_order_amount: "5000.0", max_order_amount: "1000000000.0" },
        ...{ min_price: "1.0", max_price: "10000000000.0", order_book_units: ["0.0"] },
        ...{ maintenance_status: 0, trade_status: 1, order_types: ["limit", "market"] },
      },
    ]);
    expect((await open("markets/USDT")).markets).toEqual([]);
  });

  it("has price units as numbers that were never floating", async () => {
    const { text } = await coinone.paper.open("range_units/KRW/SHIB");
    expect(text).toContain('{"range_min":0,"next_range_min":1,"price_unit":0.0001}');
    expect(text).toContain('{"range_min":100000000,"next_range_min":10000000000,"price_unit":10000}');
    expect((await open("range_units/KRW/ADA")).range_price_units.slice(0, 2)).toEqual([
      { range_min: 0, next_range_min: 1_000, price_unit: 0.1 },
      { range_min: 1_000, next_range_min: 5_000, price_unit: 1 },
    ]);
  });

  it("has tickers in small letters, with the day before where that is asked for", async () => {
    const { tickers } = await open("ticker_new/KRW/BTC");
    expect(tickers).toEqual([
      {
        ...{ quote_currency: "krw", target_currency: "btc", timestamp: START + 180_000 },
        ...{ high: "90001000.0", low: "90000000.0", first: "90000000.0", last: "90001000.0" },
        ...{ quote_volume: "9045000.5", target_volume: "0.1005" },
        best_asks: [{ price: "90001000.0", qty: "0.9995" }],
        best_bids: [{ price: "80000000.0", qty: "0.001" }],
        id: expect.stringMatching(/^\d{16}$/),
      },
    ]);
    expect((await open("ticker_new/KRW?additional_data=true")).tickers).toContainEqual(
      expect.objectContaining({ target_currency: "eth", yesterday_last: "5200000.0", best_bids: [] }),
    );
  });

  it("has a book of five to sixteen levels, best first", async () => {
    const book = await open("orderbook/KRW/BTC?size=5");
    expect(book).toMatchObject({
      ...{ ...BTC, order_book_unit: "0.0", timestamp: START + 180_000, id: expect.stringMatching(/^\d{16}$/) },
      asks: [
        { price: "90001000", qty: "0.9995" },
        { price: "91000000", qty: "2" },
      ],
      bids: [{ price: "80000000", qty: "0.001" }],
    });
    expect((await open("orderbook/krw/btc")).id).toBe(book.id);
    answered(await coinone.maker.order({ price: "70000000" }));
    expect(BigInt((await open("orderbook/KRW/BTC")).id)).toBeGreaterThan(BigInt(book.id));
  });

  it("has trades, newest first, with who made them", async () => {
    const { transactions } = await open("trades/KRW/BTC?size=10");
    expect(transactions).toEqual([
      expect.objectContaining({ price: "90001000", qty: "0.0005", is_seller_maker: true }),
      expect.objectContaining({ price: "90000000", qty: "0.1", timestamp: START }),
    ]);
  });

  it("has candles, newest first, and those in which nothing was traded", async () => {
    const { chart, is_last } = await open("chart/KRW/BTC?interval=1m&size=4");
    const flat = { open: "90000000.0", high: "90000000.0", low: "90000000.0", close: "90000000.0" };
    expect([is_last, chart]).toEqual([
      true,
      [
        {
          timestamp: START + 180_000,
          ...{ open: "90001000.0", high: "90001000.0", low: "90001000.0", close: "90001000.0" },
          ...{ target_volume: "0.0005", quote_volume: "45000.5" },
        },
        { timestamp: START + 120_000, ...flat, target_volume: "0.0", quote_volume: "0.0" },
        { timestamp: START + 60_000, ...flat, target_volume: "0.0", quote_volume: "0.0" },
        { timestamp: START, ...flat, target_volume: "0.1", quote_volume: "9000000.0" },
      ],
    ]);
    const two = await open(`chart/KRW/BTC?interval=1m&size=2&timestamp=${START + 60_000}`);
    expect(two).toEqual({ is_last: true, chart: chart.slice(2) });
    expect((await open("chart/KRW/BTC?interval=1m&size=3")).is_last).toBe(false);
    for (const interval of ["2h", "6h", "1d", "1w", "1mon"])
      expect((await open(`chart/KRW/BTC?interval=${interval}`)).chart).toMatchObject([{ target_volume: "0.1005" }]);
  });

  it("has the coins", async () => {
    expect((await open("currencies/BTC")).currencies).toMatchObject([{ symbol: "BTC", deposit_status: "normal" }]);
  });

  it.each([
    ["a market that is not there", "orderbook/KRW/NONE", "108"],
    ["a ticker that is not there", "ticker_new/KRW/NONE", "108"],
    ["a coin that is not there", "currencies/NONE", "108"],
    ["twenty levels", "orderbook/KRW/BTC?size=20", "107"],
    ["twenty trades", "trades/KRW/BTC?size=20", "107"],
    ["candles of no length", "chart/KRW/BTC", "107"],
    ["candles of seven minutes", "chart/KRW/BTC?interval=7m", "107"],
    ["501 candles", "chart/KRW/BTC?interval=1m&size=501", "107"],
  ])("refuses %s", async (_, path, code) => {
    expect(refusal(await coinone.paper.open(path))).toBe(code);
  });

  it("shows a page of HTML where there is no path, with status 200", async () => {
    const reply = await coinone.paper.open("nope");
    expect([reply.status, reply.headers["content-type"], reply.json]).toEqual([
      200,
      "text/html; charset=utf-8",
      undefined,
    ]);
    expect((await send(coinone.paper.baseUrl, "DELETE", "/v2.1/order")).headers["content-type"]).toContain("text/html");
  });
});

describe("the account", () => {
  it("has balances of what it holds, and the rates of its fees", async () => {
    const { balances } = answered(await coinone.paper.post("account/balance/all"));
    expect(balances).toEqual([
      { available: "873174.4999", limit: "80016", average_price: "0", currency: "KRW" },
      { available: "0.1005", limit: "0", average_price: "90000004.97512438", currency: "BTC" },
    ]);
    expect(answered(await coinone.paper.post("account/balance", { currencies: ["eth"] })).balances).toEqual([
      { available: "0", limit: "0", average_price: "0", currency: "ETH" },
    ]);
    const rate = { maker: "0.0002", taker: "0.0002" };
    expect(answered(await coinone.paper.post("account/trade_fee/krw/btc")).fee_rates).toEqual([{ ...BTC, ...rate }]);
    expect(answered(await coinone.paper.post("account/trade_fee")).fee_rates).toHaveLength(11);
  });
});
