import { describe, expect, it } from "vitest";
import type { z } from "zod";
import {
  CANDLE_INTERVAL_MS,
  candleInterval,
  ENDPOINT_IDS,
  ENDPOINTS,
  type Endpoint,
  market,
  orderbook,
  ticker,
} from "../../../src/contract/index.ts";

/** Arguments that fit, per schema of a request. */
const FITTING: Readonly<Record<string, object>> = {
  "orderbook.params": { symbol: "BTCKRW" },
  "trades.params": { symbol: "BTC/KRW" },
  "candles.params": { symbol: "btc/krw" },
  "cancelOrder.params": { symbol: "BTC/KRW", uuid: "01999f3e-7a10-7c31-9a52-0c6d5b1f2a77" },
  "order.params": { symbol: "BTC/KRW", uuid: "01999f3e-7a10-7c31-9a52-0c6d5b1f2a77" },
  "createOrder.body": { symbol: "BTC/KRW", side: "buy", type: "market", amount: "50000" },
};

const requests = ENDPOINT_IDS.flatMap((id) => {
  const endpoint: Endpoint = ENDPOINTS[id];
  return (["params", "query", "body"] as const).flatMap((part) => {
    const schema: z.ZodType | undefined = endpoint[part];
    return schema === undefined ? [] : [{ name: `${id}.${part}`, schema }];
  });
});

describe("the schema of a request", () => {
  it("exists for every part that takes fields", () => {
    expect(requests.map(({ name }) => name)).toEqual([
      ...["tickers.query", "orderbook.params", "orderbook.query", "trades.params", "trades.query", "candles.params"],
      ...[
        "candles.query",
        "createOrder.body",
        "orders.query",
        "cancelOrder.params",
        "fills.query",
        "cancelBatch.query",
      ],
      "order.params",
    ]);
  });

  it.each(requests)("$name takes what fits and refuses a field it does not know", ({ name, schema }) => {
    const fitting = FITTING[name] ?? {};
    expect(schema.safeParse(fitting).success).toBe(true);
    const refused = schema.safeParse({ ...fitting, unheard_of: "1" });
    expect(refused.error?.issues).toMatchObject([{ code: "unrecognized_keys", keys: ["unheard_of"] }]);
  });

  it("covers every placeholder of the path", () => {
    for (const id of ENDPOINT_IDS) {
      const endpoint: Endpoint = ENDPOINTS[id];
      const placeholders = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const shape = endpoint.params === undefined ? {} : (endpoint.params as unknown as { shape: object }).shape;
      expect({ id, fields: Object.keys(shape) }).toEqual({ id, fields: placeholders });
    }
  });

  it.each(["orderbook.query depth", "trades.query limit", "fills.query limit", "orders.query limit"])(
    "%s goes from 1 to 500",
    (where) => {
      const [name = "", field = ""] = where.split(" ");
      const schema = requests.find((request) => request.name === name)?.schema;
      const takes = (value: unknown) => schema?.safeParse({ [field]: value }).success;
      expect([takes("1"), takes("500")]).toEqual([true, true]);
      expect([takes("0"), takes("501"), takes("1.5"), takes("-1"), takes(""), takes(5)]).toEqual(Array(6).fill(false));
    },
  );
});

describe("market data", () => {
  const book = {
    symbol: "BTC/KRW",
    seq: 7,
    tick: { buys: [["95000000", "0.1"]], asks: [["95001000", "0.2"]] },
    time: "2026-07-20T09:00:00.000Z",
  };

  it("is read without the fields of a later version", () => {
    expect(orderbook.parse({ ...book, checksum: 1, tick: { ...book.tick, later: [] } })).toEqual(book);
  });

  it("has levels of exactly price and volume, as text", () => {
    for (const level of [["1"], ["1", "2", "3"], [1, "2"], ["1", "1e-3"]])
      expect(orderbook.safeParse({ ...book, tick: { ...book.tick, buys: [level] } }).success).toBe(false);
  });

  it("has a sequence of whole numbers", () => {
    for (const seq of [-1, 1.5, "7"]) expect(orderbook.safeParse({ ...book, seq }).success).toBe(false);
  });

  it("names the fields of an asset pair", () => {
    expect(Object.keys(market.shape)).toEqual([
      ...[
        "symbol",
        "base",
        "quote",
        "korean_name",
        "english_name",
        "status",
        "min_volume",
        "min_notional",
        "tick_size",
      ],
      ...["tick_bands", "price_decimals", "volume_decimals", "maker_fee_rate", "taker_fee_rate"],
    ]);
    expect(market.shape.status.options).toEqual(["trading", "halted", "delisting"]);
  });

  it("shows a fall as a negative change, and nothing where nothing traded", () => {
    const prices = { last: null, open: null, high: null, low: null, best_bid: null, best_ask: null };
    const quiet = {
      symbol: "BTC/KRW",
      ...prices,
      volume: "0",
      quote_volume: "0",
      change: null,
      change_rate: null,
      time: book.time,
    };
    expect(ticker.safeParse(quiet).success).toBe(true);
    expect(ticker.safeParse({ ...quiet, change: "-1000", change_rate: "-0.01" }).success).toBe(true);
    expect(ticker.safeParse({ ...quiet, last: "-1000" }).success).toBe(false);
  });

  it("has six candle intervals, with their lengths", () => {
    expect(candleInterval.options).toEqual(["1m", "5m", "15m", "1h", "4h", "1d"]);
    expect(Object.keys(CANDLE_INTERVAL_MS)).toEqual(candleInterval.options);
    expect(Object.values(CANDLE_INTERVAL_MS).map((ms) => ms / 60_000)).toEqual([1, 5, 15, 60, 240, 1440]);
  });
});
