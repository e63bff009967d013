import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { START } from "../../http/venue.ts";
import { answered, BTC, type Coinone, type CoinoneClient, clearBook, openCoinone, refusal } from "./coinone-client.ts";

let coinone: Coinone;
let paper: CoinoneClient;
let maker: CoinoneClient;
let count = 0;
/** Another at each call. */
const nextId = (): string => `id-${++count}`;

beforeAll(async () => {
  coinone = await openCoinone();
  ({ paper, maker } = coinone);
});
beforeEach(() => {
  coinone.venue.clock.now = Math.max(coinone.venue.clock.now, START);
});
afterEach(() => clearBook(coinone));
afterAll(async () => {
  await coinone.venue.sandbox.close();
  expect(coinone.venue.defects).toEqual([]);
});

/** Someone else sells, and buys, at a price. */
const offer = (price: string, qty: string) => maker.order({ side: "SELL", price, qty });
const bid = (price: string, qty: string) => maker.order({ price, qty });
const placed = async (reply: ReturnType<CoinoneClient["order"]>): Promise<string> => answered(await reply).order_id;
const found = async (ids: object) => answered(await paper.detail({ ...ids })).order;
const balance = async (currency: string) =>
  answered(await paper.post("account/balance/all")).balances.find(
    (each: { currency: string }) => each.currency === currency,
  );

describe("a limit order", () => {
  it("is answered with its id alone, and rests", async () => {
    const user_order_id = nextId();
    const reply = await paper.order({ user_order_id });
    expect(reply.json).toEqual({
      result: "success",
      error_code: "0",
      order_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const order = await found({ order_id: reply.json.order_id });
    expect(order).toEqual({
      order_id: reply.json.order_id,
      type: "LIMIT",
      ...BTC,
      status: "LIVE",
      side: "BUY",
      fee: "0",
      fee_rate: "0.0",
      average_executed_price: "0",
      updated_at: coinone.venue.clock.now,
      ordered_at: coinone.venue.clock.now,
      price: "90000000",
      original_qty: "0.001",
      executed_qty: "0",
      canceled_qty: "0",
      remain_qty: "0.001",
      ...{ limit_price: null, traded_amount: null, original_amount: null, canceled_amount: null },
      ...{ is_triggered: null, trigger_price: null },
    });
    expect(await found({ user_order_id })).toEqual(order);
    expect(await balance("KRW")).toMatchObject({ limit: "90018", average_price: "0" });
  });

  it("goes from partly filled to filled, with its fee", async () => {
    const order_id = await placed(paper.order({ qty: "0.002" }));
    await offer("90000000", "0.0005");
    expect(await found({ order_id })).toMatchObject({
      ...{ status: "PARTIALLY_FILLED", executed_qty: "0.0005", remain_qty: "0.0015", canceled_qty: "0" },
      ...{ fee: "9", fee_rate: "0.0002", average_executed_price: "90000000" },
    });
    await offer("90000000", "0.0015");
    expect(await found({ order_id })).toMatchObject({ status: "FILLED", remain_qty: "0", fee: "36" });
    expect(await balance("BTC")).toMatchObject({ available: expect.any(String), average_price: "90000000" });
  });

  it("ends as partially canceled when it was executed in part, and nothing of it remains", async () => {
    const order_id = await placed(paper.order({ qty: "0.002" }));
    await offer("90000000", "0.0005");
    coinone.venue.clock.now += 1_000;
    expect(answered(await paper.cancel({ order_id }))).toEqual({
      order_id,
      price: "90000000.0",
      qty: "0.0015",
      remain_qty: "0.0",
      side: "BUY",
      original_qty: "0.002",
      traded_qty: "0.0005",
      canceled_qty: "0.0015",
      fee: "9.0",
      fee_rate: "0.0002",
      avg_price: "90000000",
      canceled_at: coinone.venue.clock.now,
      ordered_at: coinone.venue.clock.now - 1_000,
    });
    expect(await found({ order_id })).toMatchObject({ status: "PARTIALLY_CANCELED", remain_qty: "0" });
  });

  it("is found after it was canceled without a fill, and is canceled once", async () => {
    const user_order_id = nextId();
    const order_id = await placed(paper.order({ user_order_id }));
    answered(await paper.cancel({ user_order_id }));
    expect(await found({ order_id })).toMatchObject({ status: "CANCELED", canceled_qty: "0.001", remain_qty: "0" });
    expect(refusal(await paper.cancel({ order_id }))).toBe("117");
    await offer("90000000", "1");
    const filled = await placed(paper.order());
    expect(refusal(await paper.cancel({ order_id: filled }))).toBe("116");
  });

  it("is taken and canceled when it is post_only and would trade", async () => {
    await offer("90000000", "1");
    const order_id = await placed(paper.order({ post_only: true }));
    expect(await found({ order_id })).toMatchObject({ status: "CANCELED", executed_qty: "0" });
  });

  it("loses what of its quantity is below the market's unit", async () => {
    const order_id = await placed(paper.order({ qty: "0.001000009" }));
    expect(await found({ order_id })).toMatchObject({ original_qty: "0.001" });
    const tokens = { quote_currency: "krw", target_currency: "ada", price: "900", qty: "10.12345679" };
    const cheap = await placed(paper.order(tokens));
    const pair = { quote_currency: "KRW", target_currency: "ADA" };
    expect(answered(await paper.detail({ order_id: cheap }, pair)).order).toMatchObject({ original_qty: "10.1234567" });
    expect(refusal(await paper.detail({ order_id: cheap }))).toBe("104");
  });
});

describe("a market order", () => {
  it("spends an amount, cut off below 0.0001 won, and ends under a product's unit with dust left", async () => {
    await offer("90000000", "1");
    const order_id = await placed(paper.market({ side: "BUY", amount: "100000.99999" }));
    expect(await found({ order_id })).toMatchObject({
      ...{ type: "MARKET", status: "CANCELED_UNDER_PRODUCT_UNIT", average_fee_rate: "0.0002" },
      ...{ original_amount: "100000.9999", traded_amount: "100000.8", canceled_amount: "0.1999" },
      ...{ executed_qty: "0.00111112", price: null, original_qty: null, canceled_qty: null, remain_qty: null },
    });
  });

  it("is filled when nothing of its amount is left, and when its quantity is sold", async () => {
    await offer("90000000", "1");
    const bought = await placed(paper.market({ side: "BUY", amount: "90000" }));
    expect(await found({ order_id: bought })).toMatchObject({ status: "FILLED", canceled_amount: "0" });
    await clearBook(coinone);
    await bid("80000000", "1");
    const sold = await placed(paper.market({ side: "SELL", qty: "0.001" }));
    expect(await found({ order_id: sold })).toMatchObject({
      ...{ status: "FILLED", original_qty: "0.001", canceled_qty: "0", remain_qty: null, price: null },
      ...{ fee_rate: "0.0002", original_amount: null, traded_amount: null },
    });
  });

  it("ends without an order to trade with, in part or at all", async () => {
    const none = await placed(paper.market({ side: "BUY", amount: "90000" }));
    expect(await found({ order_id: none })).toMatchObject({
      ...{ status: "CANCELED_NO_ORDER", executed_qty: "0", canceled_amount: "90000", average_fee_rate: "0.0" },
    });
    await offer("90000000", "0.0005");
    const part = await placed(paper.market({ side: "BUY", amount: "90000" }));
    expect(await found({ order_id: part })).toMatchObject({
      ...{ status: "CANCELED_NO_ORDER", traded_amount: "45000", canceled_amount: "45000" },
    });
  });

  it("buys up to its limit price and no further", async () => {
    await offer("90000000", "0.001");
    await offer("91000000", "0.001");
    await offer("92000000", "1");
    const order_id = await placed(paper.market({ side: "BUY", amount: "500000", limit_price: "91000500" }));
    expect(await found({ order_id })).toMatchObject({
      ...{ status: "CANCELED_LIMIT_PRICE_EXCEED", executed_qty: "0.002", traded_amount: "181000" },
      ...{ original_amount: "500000", canceled_amount: "319000", limit_price: "91000500" },
    });
    const within = await placed(paper.market({ side: "BUY", amount: "92000", limit_price: "95000000" }));
    expect(await found({ order_id: within })).toMatchObject({ status: "FILLED", limit_price: "95000000" });
    const below = await placed(paper.market({ side: "BUY", amount: "92000", limit_price: "50000000" }));
    expect(await found({ order_id: below })).toMatchObject({
      ...{ status: "CANCELED_LIMIT_PRICE_EXCEED", executed_qty: "0", canceled_amount: "92000" },
    });
  });

  it("sells down to its limit price and no further", async () => {
    await bid("80000000", "0.0005");
    await bid("79000000", "1");
    const order_id = await placed(paper.market({ side: "SELL", qty: "0.001", limit_price: "79500000" }));
    expect(await found({ order_id })).toMatchObject({
      ...{ type: "MARKET", status: "CANCELED_LIMIT_PRICE_EXCEED", price: null, limit_price: "79500000" },
      ...{ original_qty: "0.001", executed_qty: "0.0005", canceled_qty: "0.0005", remain_qty: null },
    });
  });
});

describe("the list of active orders", () => {
  it("has those of all markets unless one is named, newest first", async () => {
    const first = await placed(paper.order());
    coinone.venue.clock.now += 1;
    const ada = { quote_currency: "KRW", target_currency: "ADA" };
    const second = await placed(paper.order({ ...ada, price: "900", qty: "10" }));
    const ids = async (fields: object) =>
      answered(await paper.post("order/active_orders", { ...fields })).active_orders.map(
        (each: { order_id: string }) => each.order_id,
      );
    expect((await ids({})).slice(0, 2)).toEqual([second, first]);
    expect(await ids(BTC)).toEqual([first]);
    expect(await ids({ ...BTC, order_type: ["STOP_LIMIT"] })).toEqual([]);
    expect(answered(await paper.post("order/active_orders", BTC)).active_orders).toEqual([
      {
        order_id: first,
        type: "LIMIT",
        ...BTC,
        ...{ price: "90000000", remain_qty: "0.001", original_qty: "0.001", canceled_qty: "0", executed_qty: "0" },
        ...{ side: "BUY", fee: "0", fee_rate: "0.0", average_executed_price: "0" },
        ordered_at: coinone.venue.clock.now - 1,
        ...{ is_triggered: null, trigger_price: null, triggered_at: null },
      },
    ]);
    expect(answered(await paper.post("order/cancel/all", ada))).toEqual({ canceled_count: 2, total_order_count: 2 });
    expect(await ids({})).toEqual([first]);
  });
});

describe("the list of completed orders", () => {
  const completed = async (fields: object, path = "order/completed_orders/all") =>
    answered(await paper.post(path, { size: 100, ...fields })).completed_orders;

  it("has fills alone, newest first, in pages that end before a trade", async () => {
    coinone.venue.clock.now += 60_000;
    const from_ts = coinone.venue.clock.now;
    await offer("90000000", "1");
    const first = await placed(paper.order());
    coinone.venue.clock.now += 1_000;
    const second = await placed(paper.market({ side: "BUY", amount: "45000" }));
    answered(await paper.cancel({ order_id: await placed(paper.order({ price: "80000000" })) }));
    const period = { from_ts, to_ts: from_ts + 1_000 };
    const all = await completed(period);
    expect(all).toEqual([
      expect.objectContaining({ order_id: second, order_type: "MARKET", qty: "0.0005" }),
      {
        trade_id: expect.any(String),
        order_id: first,
        ...BTC,
        ...{ order_type: "LIMIT", is_ask: false, is_maker: false, price: "90000000", qty: "0.001", timestamp: from_ts },
        ...{ fee_rate: "0.0002", fee: "18", fee_currency: "KRW" },
      },
    ]);
    expect(await completed({ ...period, size: 1 })).toEqual([all[0]]);
    expect(await completed({ ...period, size: 1, to_trade_id: all[0].trade_id })).toEqual([all[1]]);
    expect(await completed({ ...period, to_ts: from_ts })).toEqual([all[1]]);
    expect(await completed({ ...period, ...BTC }, "order/completed_orders")).toEqual(all);
    const ada = { quote_currency: "KRW", target_currency: "ADA" };
    expect(await completed({ ...period, ...ada }, "order/completed_orders")).toEqual([]);
  });

  it.each([
    ["no beginning", { from_ts: undefined }, "107"],
    ["times as text", { from_ts: "1", to_ts: "2" }, "107"],
    ["a size of 0", { size: 0 }, "317"],
    ["a size of 101", { size: 101 }, "317"],
    ["an end before its beginning", { from_ts: START, to_ts: START - 1 }, "316"],
    ["more than 90 days", { from_ts: START - 90 * 86_400_000 - 1, to_ts: START }, "316"],
    ["an end after today", { from_ts: START, to_ts: START + 86_400_000 }, "316"],
    ["a trade that is not there", { to_trade_id: "none" }, "107"],
  ])("is refused with %s", async (_, fields, code) => {
    const asked = { size: 10, from_ts: START, to_ts: START + 1, ...fields };
    expect(refusal(await paper.post("order/completed_orders/all", asked))).toBe(code);
  });
});
