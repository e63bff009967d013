import { describe, expect, it } from "vitest";
import {
  activeAnswer,
  balancesAnswer,
  balancesOf,
  bookAnswer,
  bookOf,
  candleOf,
  candlesAnswer,
  feesAnswer,
  fillOf,
  fillsAnswer,
  marketsAnswer,
  namedAnswer,
  orderAnswer,
  orderOf,
  tickerOf,
  tickersAnswer,
  tradeOf,
  tradesAnswer,
  unitsAnswer,
} from "../../../src/venues/coinone/answers.ts";
import { ERRORS, faultIn, isRefusal } from "../../../src/venues/coinone/errors.ts";
import { marketsOf, withFees, withUnits } from "../../../src/venues/coinone/markets.ts";
import { limitsIn } from "../../../src/venues/coinone/rates.ts";
import { active, canceled, fill, ID, limit, marketBuy, marketSell } from "./scripted.ts";

const done = { result: "success", error_code: "0" };
/** Numbers arrive as text, as the reader of answers leaves them. */
const asRead = <T>(json: T): T =>
  JSON.parse(JSON.stringify(json), (_, value: unknown) => (typeof value === "number" ? String(value) : value));
const KNOWN = { symbol: "BTC/KRW", readAtMs: 0 };
const read = (order: object) => orderOf(orderAnswer.parse(asRead({ ...done, order })).order, KNOWN);

describe("an order", () => {
  it("is shown in the house's words, and what is not told is absent", () => {
    expect(read(limit)).toEqual({
      ...{ uuid: ID, orderId: ID, txid: [ID], symbol: "BTC/KRW", side: "buy", type: "limit", state: "canceled" },
      ...{ price: "100000", volume: "1", amount: null, executed_volume: "0", remaining_volume: "1", avg_price: null },
      ...{ executed_value: "0", fee: "0", fee_currency: "KRW", reject_reason: null, userref: null },
      ...{ created_at: "2023-03-29T00:50:59.000Z", updated_at: "2023-03-29T02:04:50.000Z" },
    });
    expect(read(marketSell)).toMatchObject({
      ...{ side: "sell", type: "market", price: null, volume: "0.001", state: "filled", executed_volume: "0.001" },
      ...{ remaining_volume: "0", avg_price: "36680000", executed_value: "36680", fee: "73.36" },
    });
  });

  it("is filled where a market buy ends with less left than buys anything", () => {
    expect(read(marketBuy)).toMatchObject({
      ...{ type: "market", state: "filled", amount: "1000000", volume: null, remaining_volume: null },
      ...{ executed_volume: "0.03337895", executed_value: "999999.963", avg_price: "29959000", fee: "1999.9999" },
    });
    expect(read({ ...marketBuy, executed_qty: "0", traded_amount: "0" }).state).toBe("canceled");
    for (const status of ["CANCELED_NO_ORDER", "CANCELED_LIMIT_PRICE_EXCEED"])
      expect(read({ ...marketBuy, status })).toMatchObject({ state: "canceled", executed_volume: "0.03337895" });
  });

  it.each(Object.keys(limit).filter((name) => !["order_id", "side"].includes(name)))(
    "is read without %s, or with it as null or of another type",
    (name) => {
      for (const odd of [undefined, null, { odd: true }]) expect(read({ ...limit, [name]: odd }).orderId).toBe(ID);
    },
  );

  it("is open in every state that is no end, and where an end in part has left something", () => {
    for (const status of ["LIVE", "PARTIALLY_FILLED", "NOT_TRIGGERED", "TRIGGERED", "SOMETHING_NEW", "constructor"])
      expect(read({ ...limit, status }).state).toBe("open");
    for (const status of ["PARTIALLY_CANCELED", "NOT_TRIGGERED_PARTIALLY_CANCELED"]) {
      expect(read({ ...limit, status, remain_qty: "0.0" }).state).toBe("canceled");
      for (const remain_qty of ["0.4", null])
        expect(read({ ...limit, status, canceled_qty: "0.6", remain_qty }).state).toBe("open");
    }
    expect(read({ ...limit, status: "NOT_TRIGGERED_CANCELED" }).state).toBe("canceled");
  });

  it("is read from the list of open ones, where it has no state", () => {
    const [order] = activeAnswer.parse(asRead({ ...done, active_orders: [active] })).active_orders;
    if (order === undefined) throw new Error("no order");
    expect(orderOf(order, { readAtMs: 0 })).toMatchObject({
      symbol: "ETH/KRW",
      state: "open",
      remaining_volume: "30.1234",
    });
  });

  it("keeps every digit that the house has, reads times in seconds, and counts what has executed where it is not told", () => {
    expect(read({ ...limit, fee: "0.12345678501" }).fee).toBe("0.12345679");
    expect(read({ ...limit, price: 5.0e-5 }).price).toBe("0.00005");
    expect(read({ ...limit, ordered_at: 1650125935 }).created_at).toBe("2022-04-16T16:18:55.000Z");
    const part = { ...limit, status: "LIVE", executed_qty: null, remain_qty: "0.3", canceled_qty: "0.5" };
    expect(read(part)).toMatchObject({ executed_volume: "0.2", remaining_volume: "0.3" });
  });

  it("is no answer where the exchange refuses, or shows none", () => {
    for (const odd of [{ result: "error", error_code: "104" }, done, { ...done, order: [] }, { order: limit }])
      expect(orderAnswer.safeParse(odd).success).toBe(false);
    expect(namedAnswer.parse(asRead({ ...done, ...canceled })).order_id).toBe(ID);
  });
});

describe("a fill", () => {
  const one = (odd: object) =>
    fillsAnswer.parse(asRead({ ...done, completed_orders: [odd] })).completed_orders.map(fillOf)[0];

  it("is shown with its own fee, and who made it", () => {
    expect(one(fill)).toEqual({
      ...{ trade_id: fill.trade_id, orderId: fill.order_id, userref: null, symbol: "BTC/KRW", side: "sell" },
      ...{ price: "8420", volume: "0.1599", value: "1346.358", liquidity: "maker", fee: "162", fee_currency: "KRW" },
      time: "2022-04-29T03:14:34.230Z",
    });
    expect(one({ ...fill, is_ask: false, is_maker: false })).toMatchObject({ side: "buy", liquidity: "taker" });
  });

  it.each(["order_type", "is_maker", "fee_rate", "fee", "fee_currency"])("is read without %s", (name) => {
    expect(one({ ...fill, [name]: undefined })).toMatchObject({ trade_id: fill.trade_id });
    expect(one({ ...fill, fee: undefined })).toMatchObject({ fee: "0", fee_exact: false });
  });
});

const PAIR = { quote_currency: "krw", target_currency: "btc" };

describe("what is public", () => {
  const ticker = {
    ...{ ...PAIR, timestamp: 1499341142000, high: "3845000.0", low: "3819000.0", first: "3825000.0" },
    ...{ last: "3833000.0", quote_volume: "10000.0", target_volume: "163.3828", id: "1499341142000001" },
    ...{ best_asks: [{ price: "1200.0", qty: "1.234" }], best_bids: [{ price: "1000.0", qty: "0.123" }] },
  };
  const told = (odd: object) =>
    tickerOf(tickersAnswer.parse(asRead({ ...done, tickers: [odd] })).tickers[0] as never, 0);

  it("has a ticker with its change", () => {
    expect(told(ticker)).toEqual({
      ...{ symbol: "BTC/KRW", last: "3833000", open: "3825000", high: "3845000", low: "3819000", volume: "163.3828" },
      ...{ quote_volume: "10000", change: "8000", change_rate: "0.0020915", best_bid: "1000", best_ask: "1200" },
      time: "2017-07-06T11:39:02.000Z",
    });
    expect(told({ ...ticker, last: "3000000", first: "4000000" })).toMatchObject({
      change: "-1000000",
      change_rate: "-0.25",
    });
  });

  it.each(Object.keys(ticker).filter((name) => !(name in PAIR)))("has a ticker without %s", (name) => {
    for (const odd of [undefined, null]) expect(told({ ...ticker, [name]: odd }).symbol).toBe("BTC/KRW");
  });

  it("say of a trade at the best ask that the buyer took, as a recording of the stream has it", () => {
    // Its book of 82 ms before: 116 450 000 is bid, and 116 460 000 asked.
    const trade = { id: "1790134177835001", timestamp: 1_790_134_177_835, price: "116460000", qty: "0.00483595" };
    expect(tradeOf("BTC/KRW", { ...trade, is_seller_maker: true } as never).side).toBe("buy");
    expect(tradeOf("BTC/KRW", { ...trade, is_seller_maker: false } as never).side).toBe("sell");
  });

  it("has a book whose number is its id, trades, and candles", () => {
    const book = { timestamp: 1644488410702, id: "1644488410702001", order_book_unit: "1000.0" };
    const levels = {
      bids: [{ price: "75862000", qty: "0.5" }],
      asks: [
        { price: "75863000", qty: "22.5" },
        { price: "75865000", qty: "22" },
      ],
    };
    const shown = bookOf("BTC/KRW", bookAnswer.parse(asRead({ ...done, ...book, ...levels })), 1, 0);
    expect(shown).toMatchObject({
      seq: 1644488410702001,
      tick: { buys: [["75862000", "0.5"]], asks: [["75863000", "22.5"]] },
    });
    expect(bookOf("BTC/KRW", bookAnswer.parse({ ...done, ...levels }), 5, 7).seq).toBe(7);
    const trade = { id: "1416893212001", timestamp: 1416895634000, price: "420000", qty: "0.1", is_seller_maker: true };
    const [taken] = tradesAnswer.parse(asRead({ ...done, transactions: [trade] })).transactions;
    expect(tradeOf("BTC/KRW", taken as never)).toMatchObject({
      trade_id: trade.id,
      side: "buy",
      time: "2014-11-25T06:07:14.000Z",
    });
    const chart = {
      timestamp: 1582253100000,
      open: "15133000.0",
      high: "15133000.0",
      low: "15133000.0",
      close: "15133000.0",
    };
    const [candle] = candlesAnswer.parse(
      asRead({ ...done, chart: [{ ...chart, target_volume: "0.5", quote_volume: "7566500.0" }] }),
    ).chart;
    expect(candleOf(candle as never)).toMatchObject({
      time: "2020-02-21T02:45:00.000Z",
      close: "15133000",
      quote_volume: "7566500",
    });
  });

  const market = {
    ...{
      quote_currency: "KRW",
      target_currency: "BTC",
      price_unit: "1000",
      qty_unit: "0.0001",
      min_order_amount: "5000",
    },
    ...{ min_qty: "0.0002", order_book_units: ["1000", "5000"], maintenance_status: 0, trade_status: 1 },
  };
  const listed = (odd: object) => marketsOf(marketsAnswer.parse(asRead({ ...done, markets: [{ ...market, ...odd }] })));

  it("has markets with the steps that it tells, those of other letters left out", () => {
    expect(listed({})).toMatchObject([
      {
        symbol: "BTC/KRW",
        status: "trading",
        min_volume: "0.0002",
        min_notional: "5000",
        tick_size: "1000",
        volume_decimals: 4,
      },
    ]);
    expect(listed({ target_currency: "한글" })).toEqual([]);
    expect(listed({ qty_unit: "1.0" })).toMatchObject([{ volume_decimals: 0 }]);
    for (const closed of [{ maintenance_status: 1 }, { trade_status: 2 }, { trade_status: 0 }])
      expect(listed(closed)).toMatchObject([{ status: "halted" }]);
  });

  it.each(Object.keys(market).filter((name) => !(name in PAIR)))("has a market without %s", (name) => {
    for (const odd of [undefined, null, { odd: true }])
      expect(listed({ [name]: odd })).toMatchObject([{ status: "trading" }]);
  });

  it("has the ticks of a market by its price, and the fees of a key", () => {
    const [btc] = listed({});
    if (btc === undefined) throw new Error("no market");
    const units = [
      { range_min: 1000000, next_range_min: 10000000000, price_unit: 1000 },
      { range_min: 0, next_range_min: 1, price_unit: 0.0001 },
    ];
    const ticked = withUnits(btc, unitsAnswer.parse(asRead({ ...done, range_price_units: units })), "0.5");
    expect(ticked).toMatchObject({
      tick_bands: [
        { from_price: "0", tick_size: "0.0001" },
        { from_price: "1000000", tick_size: "1000" },
      ],
      ...{ tick_size: "0.0001", price_decimals: 4 },
    });
    expect(withUnits(btc, unitsAnswer.parse({ ...done, range_price_units: [] }), null)).toEqual(btc);
    const rates = [{ quote_currency: "KRW", target_currency: "BTC", maker: "0.001", taker: "0.0015" }];
    const priced = (fee_rates: object[]) => withFees(btc, feesAnswer.parse({ ...done, fee_rates }));
    expect(priced(rates)).toMatchObject({ maker_fee_rate: "0.001", taker_fee_rate: "0.0015" });
    expect(priced([])).toEqual(btc);
    expect(priced([{ ...rates[0], maker: "-0.001" }])).toMatchObject({ maker_fee_rate: "0" });
  });

  it("has what an account holds, coins that it never had left out", () => {
    const balances = [
      { available: "1000000.5", limit: "200.25", average_price: "0", currency: "KRW" },
      { available: "0", limit: "0", average_price: "0", currency: "BTC" },
      { available: "0.123456789", currency: "ETH" },
    ];
    expect(balancesOf(balancesAnswer.parse({ ...done, balances }))).toEqual([
      { asset: "KRW", available: "1000000.5", locked: "200.25", total: "1000200.75" },
      { asset: "ETH", available: "0.12345678", locked: "0", total: "0.12345678" },
    ]);
  });
});

/** As the exchange's page of errors has them, in the copies of it that there are. */
const DOCUMENTED = {
  sure: [
    ...[50, 52, 53, 101, 103, 105, 107, 108, 109, 111, 113, 114, 115, 116, 157, 161, 162, 163, 164, 165, 166, 167],
    ...[300, 301, 302, 303, 304, 305, 306, 307, 308, 309, 310, 311, 313, 314, 315, 316, 317],
  ],
  gate: [4, 8, 10, 11, 12, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 40, 51, 120, 121, 122, 123, 130, 133, 151],
  duplicate: [118, 312],
  maybe: [
    ...[117, 131, 132, 405, 152, 153, 154, 155, 156, 158, 159, 160, 202, 777, 1201, 1202, 1206, 3001, 3002, 3003],
    ...[3004, 3005, 3006, 3007, 3009, 3010, 3011, 3012, 3013, 3014, 3015, 3016, 3017, 3018],
  ],
  not_found: [104],
};
const REACHED = { sure: "yes", gate: "no", duplicate: "unknown", maybe: "unknown", not_found: "unknown" } as const;
const rows = Object.entries(DOCUMENTED).flatMap(([list, codes]) => codes.map((code) => [String(code), list] as const));
const placing = { isWrite: true, places: true };
const said = (error_code: string) => ({ result: "error", error_code, error_msg: "their words" });

describe("a refusal", () => {
  it.each(rows)("coded %s is %s", (code, list) => {
    expect(ERRORS.get(code)?.[0]).toBe(list);
    const fault = faultIn({ status: 200 }, said(code), placing);
    expect(fault.reachedVenue).toBe(code === "116" ? "unknown" : REACHED[list as keyof typeof REACHED]);
    expect(fault.message).not.toContain("their words");
    expect(fault.venueText).toBe(`${code}: their words`);
    expect(faultIn({ status: 400 }, said(code), placing).reachedVenue).toBe(fault.reachedVenue);
  });

  it("stands in one list, and no list has more than is documented", () => {
    expect([...ERRORS.keys()].toSorted()).toEqual(rows.map(([code]) => code).toSorted());
  });

  it("is none where the id is a repeated one, whatever the call", () => {
    for (const code of ["312", "118"])
      expect(faultIn({ status: 200 }, said(code), { isWrite: true })).toMatchObject({
        ...{ code: "EOrder:Duplicate client id", reachedVenue: "unknown", retry: "never" },
      });
  });

  it("says of a cancel that the order has ended, or that there is none", () => {
    const canceling = (code: string) => faultIn({ status: 200 }, said(code), { isWrite: true });
    expect(canceling("116")).toMatchObject({ code: "EOrder:Order already closed", reachedVenue: "yes" });
    // A second delivery of the same cancel is answered so, too.
    expect(canceling("117")).toMatchObject({ code: "EOrder:Order already closed", reachedVenue: "unknown" });
    expect(canceling("104")).toMatchObject({ code: "EOrder:Unknown order", reachedVenue: "yes" });
  });

  it.each([
    ["an unlisted code", 200, said("54")],
    ["no code", 200, { result: "error" }],
    ["a failure", 500, said("103")],
    ["a page", 403, undefined],
    ["a redirect", 302, said("103")],
  ])("leaves open what became of an order: %s", (_, status, json) => {
    expect(faultIn({ status }, json, placing).reachedVenue).toBe("unknown");
  });

  it("is told from an answer by its result, and read in the older spelling too", () => {
    expect(isRefusal(said("103"))).toBe(true);
    for (const answer of [done, undefined, [], "error"]) expect(isRefusal(answer)).toBe(false);
    const older = { result: "error", errorCode: "4", errorMsg: "Blocked user access" };
    expect(faultIn({ status: 200 }, older, placing)).toMatchObject({
      code: "EAPI:Rate limit exceeded",
      reachedVenue: "no",
    });
  });
});

describe("the limits of an answer", () => {
  const charges = [{ group: "order", weight: 1 }];
  const news = (status: number, body: string, headers = {}) =>
    limitsIn({ kind: "answer", status, headers, body: Buffer.from(body) }, charges, 0);

  it("are what is left in its own group, or a pause where it was too much", () => {
    const left = { "private-order-ratelimit-remaining": "7", "private-ratelimit-remaining": "79" };
    expect(news(200, "{}", left)).toEqual([{ kind: "left", group: "order", left: 7 }]);
    expect(news(200, "{}")).toEqual([]);
    const pause = [{ kind: "pause", group: "order" }];
    expect(news(200, '{"result":"error","error_code":"4","error_msg":"Blocked user access"}')).toEqual(pause);
    expect(news(200, '{"result":"error","errorCode": "4"}', left)).toEqual(pause);
    expect(news(429, "")).toEqual(pause);
    expect(news(200, '{"result":"error","error_code":"40"}', left)).toEqual([
      { kind: "left", group: "order", left: 7 },
    ]);
  });
});
