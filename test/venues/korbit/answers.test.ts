import { describe, expect, it } from "vitest";
import {
  balanceAnswer,
  balancesOf,
  bookAnswer,
  bookOf,
  candleOf,
  candlesAnswer,
  fillOf,
  fillsAnswer,
  orderAnswer,
  orderOf,
  ordersAnswer,
  tickerOf,
  tickersAnswer,
  tradeOf,
  tradesAnswer,
} from "../../../src/venues/korbit/answers.ts";
import { ERRORS, faultIn } from "../../../src/venues/korbit/errors.ts";
import { limitsIn } from "../../../src/venues/korbit/rates.ts";
import { detail } from "./scripted.ts";

/** As from the wire, where every number is its own text. */
const wired = (data: unknown): unknown => ({
  success: true,
  data: JSON.parse(JSON.stringify(data), (_, value: unknown) => (typeof value === "number" ? String(value) : value)),
});
const read = (answer: object) => orderOf(orderAnswer.parse(wired(answer)), "btc_krw", 0);

describe("an order", () => {
  it("is shown in the house's words", () => {
    expect(read(detail)).toEqual({
      ...{ uuid: "1234", orderId: "1234", txid: ["1234"], symbol: "BTC/KRW", side: "buy", type: "limit" },
      ...{ price: "5000", volume: "10", amount: null, executed_volume: "1", remaining_volume: "9" },
      ...{ executed_value: "5000", avg_price: "5000", state: "open", reject_reason: null },
      ...{ userref: "20141231-155959-abcdef", time_in_force: "GTC", post_only: false },
      created_at: "2023-11-14T22:13:20.000Z",
    });
  });

  it.each(Object.keys(detail).filter((name) => !["orderId", "side", "status"].includes(name)))(
    "is read without %s, or with it as null or of another type",
    (name) => {
      for (const odd of [undefined, null, { odd: true }]) expect(read({ ...detail, [name]: odd }).orderId).toBe("1234");
    },
  );

  it("is of the market that was asked where a list does not say it, and says nothing of what the list leaves out", () => {
    const { symbol: _symbol, clientOrderId: _id, timeInForce: _tif, ...rest } = detail;
    const [listed] = ordersAnswer.parse(wired([rest]));
    if (listed === undefined) throw new Error("nothing listed");
    const shown = orderOf(listed, "eth_krw", 0);
    expect(shown).toMatchObject({ symbol: "ETH/KRW", userref: null });
    for (const name of ["time_in_force", "post_only", "fee", "updated_at"]) expect(shown).not.toHaveProperty(name);
  });

  it.each([
    ["pending", "open"],
    ["open", "open"],
    ["partiallyFilled", "open"],
    ["canceled", "canceled"],
    ["partiallyFilledCanceled", "canceled"],
    ["expired", "expired"],
    ["something new", "open"],
  ])("reads %s as %s", (status, state) => {
    expect(read({ ...detail, status }).state).toBe(state);
  });

  it("is filled by its quantity, not by the word", () => {
    const limit = { ...detail, timeInForce: "ioc", status: "filled" };
    expect(read({ ...limit, filledQty: "10" }).state).toBe("filled");
    expect(read({ ...limit, filledQty: "9.99999999" }).state).toBe("canceled");
    expect(read({ ...limit, filledQty: undefined })).toMatchObject({ state: "filled", executed_volume: "10" });
    const buy = { ...detail, orderType: "market", price: undefined, qty: undefined, amt: "50000", status: "filled" };
    expect(read({ ...buy, filledQty: "10", filledAmt: "50000" })).toMatchObject({ state: "filled", amount: "50000" });
    expect(read({ ...buy, filledQty: "0.0003", filledAmt: "49999.9999" }).state).toBe("filled");
    expect(read({ ...buy, filledQty: "0.0002", filledAmt: "40000" }).state).toBe("canceled");
    expect(read({ ...buy, filledQty: "0", filledAmt: "0" }).state).toBe("canceled");
  });

  it("is post-only where it is so called there", () => {
    expect(read({ ...detail, timeInForce: "po" })).toMatchObject({ time_in_force: "GTC", post_only: true });
  });
});

describe("a fill", () => {
  const example = {
    ...{ symbol: "btc_krw", tradeId: 52, orderId: 382312, side: "buy", price: "5000", qty: "10", amt: "50000" },
    ...{ tradedAt: 1_700_000_000_000, isTaker: true, feeCurrency: "btc", feeQty: "0.015" },
  };
  const fill = (answer: object) => {
    const [only] = fillsAnswer.parse(wired([answer]));
    if (only === undefined) throw new Error("no fill");
    return fillOf(only, "btc_krw");
  };

  it("has its own fee, in its own currency, and an id of its own in the account", () => {
    expect(fill(example)).toEqual({
      ...{ trade_id: "btc_krw-52-382312", orderId: "382312", userref: null, symbol: "BTC/KRW", side: "buy" },
      ...{ price: "5000", volume: "10", value: "50000", fee: "0.015", fee_currency: "BTC", fee_exact: true },
      ...{ liquidity: "taker", time: "2023-11-14T22:13:20.000Z" },
    });
  });

  it.each(["symbol", "amt", "isTaker", "feeCurrency", "feeQty"])("is read without %s", (name) => {
    for (const odd of [undefined, null]) {
      const read = fill({ ...example, [name]: odd });
      expect(read).toMatchObject({ value: "50000", fee_exact: name !== "feeQty" });
      expect("liquidity" in read).toBe(name !== "isTaker");
    }
  });
});

describe("what is read besides", () => {
  it("are balances, with what orders and withdrawals hold", () => {
    const example = { currency: "btc", balance: "100", available: "70", tradeInUse: "20", withdrawalInUse: "10" };
    const shown = (answer: object) => balancesOf(balanceAnswer.parse(wired([answer])));
    expect(shown({ ...example, avgPrice: "5000" })).toEqual([
      { asset: "BTC", total: "100", available: "70", locked: "30" },
    ]);
    expect(shown({ ...example, withdrawalInUse: undefined })).toMatchObject([{ total: "90", locked: "20" }]);
    expect(shown({ ...example, currency: "한글" })).toEqual([]);
  });

  it("are tickers, whose change counts from the close before", () => {
    const example = {
      ...{ symbol: "btc_krw", open: "115370000", high: "116765000", low: "114412000", close: "116463000" },
      ...{ prevClose: "115304000", priceChange: "1159000", priceChangePercent: "1.01", volume: "39.25266763" },
      ...{ quoteVolume: "4549864965.49708", bestAskPrice: "116477000", bestBidPrice: "0" },
      lastTradedAt: 1_790_134_282_264,
    };
    const shown = (answer: object) => tickersAnswer.parse(wired([answer])).map((each) => tickerOf(each, 0))[0];
    expect(shown(example)).toEqual({
      ...{ symbol: "BTC/KRW", last: "116463000", open: "115304000", high: "116765000", low: "114412000" },
      ...{ volume: "39.25266763", quote_volume: "4549864965.49708", change: "1159000", change_rate: "0.0101" },
      ...{ best_bid: null, best_ask: "116477000", time: "2026-09-23T03:31:22.264Z" },
    });
    for (const name of Object.keys(example).filter((field) => field !== "symbol"))
      expect(shown({ ...example, [name]: undefined })?.symbol).toBe("BTC/KRW");
    expect(shown({ ...example, priceChangePercent: "-0.28" })?.change_rate).toBe("-0.0028");
  });

  it("are books, trades and candles, without what they do not say", () => {
    const level = (price: string, qty: string) => ({ price, qty });
    const book = { timestamp: 1_708_057_740_895, bids: [level("73303000", "0.008")], asks: [level("73304000", "0")] };
    expect(bookOf(bookAnswer.parse(wired(book)), "btc_krw", 20, 0)).toEqual({
      ...{ symbol: "BTC/KRW", seq: 1_708_057_740_895, time: "2024-02-16T04:29:00.895Z" },
      tick: { buys: [["73303000", "0.008"]], asks: [] },
    });
    const trade = {
      timestamp: 1_708_057_271_149,
      price: "70507000",
      qty: "0.00981535",
      isBuyerTaker: false,
      tradeId: 4,
    };
    expect(tradesAnswer.parse(wired([trade])).map((each) => tradeOf("BTC/KRW", each))).toMatchObject([
      { trade_id: "4", side: "sell", price: "70507000", volume: "0.00981535" },
    ]);
    const prices = { open: "71211000", high: "9999990000", low: "300000", close: "71392000" };
    const candle = { timestamp: 1_708_041_600_000, ...prices, volume: "1.932320026577213946" };
    expect(candlesAnswer.parse(wired([candle])).map(candleOf)).toEqual([
      { time: "2024-02-16T00:00:00.000Z", ...prices, volume: "1.93232003" },
    ]);
  });
});

/** As the pages of placing and canceling, of errors and of signing have them; the last two of `gate` from recorded answers. */
const DOCUMENTED = {
  sure: [
    ...["NO_BALANCE", "ORDER_VALUE_TOO_SMALL", "ORDER_VALUE_TOO_LARGE", "PRICE_TICK_SIZE_INVALID", "BAD_REQUEST"],
    ...["TOO_MANY_OPEN_ORDERS", "INVALID_CURRENCY_PAIR", "INVALID_USER_STATUS", "ONLY_SELL_LIMIT_ORDERS_ALLOWED"],
    ...["PRICE_OVER_UPPER_BOUND", "PRICE_UNDER_LOWER_BOUND"],
  ],
  cancel: ["ORDER_ALREADY_CANCELED", "ORDER_ALREADY_FILLED", "ORDER_ALREADY_EXPIRED", "TRY_AGAIN"],
  gate: ["EXCEED_TIME_WINDOW", "NO_TIMESTAMP", "KEY_NOT_FOUND"],
  duplicate: ["DUPLICATE_CLIENT_ORDER_ID"],
  not_found: ["ORDER_NOT_FOUND"],
};
const PLACED = { sure: "yes", cancel: "unknown", gate: "no", duplicate: "unknown", not_found: "unknown" } as const;
const CANCELED = { sure: "yes", cancel: "yes", gate: "no", duplicate: "unknown", not_found: "yes" } as const;
const rows = Object.entries(DOCUMENTED).flatMap(([list, names]) => names.map((name) => [name, list] as const));
const said = (message: string, code = 400) => ({
  success: false,
  error: { code, message, description: "their words" },
});

describe("a refusal", () => {
  it.each(rows)("called %s is %s", (name, list) => {
    expect(ERRORS.get(name)?.[0]).toBe(list);
    const placed = faultIn({ status: 400 }, said(name), { isWrite: true, places: true });
    expect(placed.reachedVenue).toBe(PLACED[list as keyof typeof PLACED]);
    expect(placed.message).not.toContain("their words");
    expect(placed.venueText).toBe(`${name}: their words`);
    const canceled = faultIn({ status: 400 }, said(name), { isWrite: true });
    expect(canceled.reachedVenue).toBe(CANCELED[list as keyof typeof CANCELED]);
  });

  it("stands in one list, and no list has more than is documented", () => {
    expect([...ERRORS.keys()].toSorted()).toEqual(rows.map(([name]) => name).toSorted());
  });

  it.each([
    [401, "SOMETHING", "no"],
    [403, "SOMETHING", "no"],
    [429, "SOMETHING", "no"],
    [403, "INVALID_USER_STATUS", "yes"],
    [400, "SOMETHING_NEW", "unknown"],
    [404, "NOT_FOUND", "unknown"],
    [500, "NO_BALANCE", "unknown"],
    [503, "SANDBOX_MARKET_DATA_UNAVAILABLE", "unknown"],
    [302, "NO_BALANCE", "unknown"],
  ])("reads status %i and the name %s as having reached the exchange: %s", (status, name, reachedVenue) => {
    const fault = faultIn({ status }, said(name, status), { isWrite: true, places: true });
    expect(fault.reachedVenue).toBe(reachedVenue);
  });

  it.each([
    ["a page", undefined],
    ["no name", { success: false }],
    ["a name of another type", { success: false, error: { message: 7 } }],
  ])("leaves open what became of an order: %s", (_, json) => {
    expect(faultIn({ status: 400 }, json, { isWrite: true, places: true }).reachedVenue).toBe("unknown");
  });
});

describe("the limits of an answer", () => {
  const charges = [{ group: "place", weight: 1 }];
  const heard = (status: number, headers = {}) =>
    limitsIn({ kind: "answer", status, headers, body: Buffer.from("") }, charges, 0);

  it("are what is left of the second, or a pause", () => {
    expect(heard(200, { ratelimit: "limit=30, remaining=28, reset=1" })).toEqual([
      { kind: "left", group: "place", left: 28 },
    ]);
    expect(heard(429, { "retry-after": "1" })).toEqual([{ kind: "pause", group: "place", forMs: 1_000 }]);
    expect(heard(429)).toEqual([{ kind: "pause", group: "place" }]);
    expect(heard(200)).toEqual([]);
  });
});
