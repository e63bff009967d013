import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALIAS_ANSWERS } from "../../../src/contract/alias/answer.ts";
import type { AliasEndpointId } from "../../../src/contract/index.ts";
import type { Reply } from "../http/signed-client.ts";
import { must, openVenue, START, type Venue } from "../http/venue.ts";
import { AliasClient, LIMIT, refusal } from "./alias-client.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const SECOND = 1000;
let venue: Venue;
let paper: AliasClient;
let maker: AliasClient;

beforeEach(async () => {
  venue = await openVenue();
  paper = new AliasClient(venue.sandbox.baseUrl, venue.paper.credentials, venue.clock);
  maker = new AliasClient(venue.sandbox.baseUrl, venue.maker.credentials, venue.clock);
});

afterEach(() => venue.sandbox.close());

/** The answer has exactly the shape of the contract: it parses, and parsing drops nothing. */
function fits(id: AliasEndpointId, reply: Reply): Reply["json"] {
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
  expect(ALIAS_ANSWERS[id].parse(reply.json)).toEqual(reply.json);
  return reply.json;
}

const ids = (orders: readonly { readonly orderId: string }[]) => orders.map(({ orderId }) => orderId);

/** Places orders that rest at these prices, one per second. */
async function resting(client: AliasClient, ...prices: readonly string[]): Promise<readonly string[]> {
  const placed: string[] = [];
  for (const price of prices) {
    placed.push(fits("newOrder", await client.order({ price })).orderId);
    venue.clock.now += SECOND;
  }
  return placed;
}

describe("an alias order", () => {
  it("rests, and is the same order under one id in every family", async () => {
    const placed = fits("newOrder", await paper.order({ newClientOrderId: "mine-1" }));
    expect(placed).toEqual({
      symbol: "BTCKRW",
      orderId: expect.stringMatching(UUID),
      txid: [placed.orderId],
      orderListId: -1,
      clientOrderId: "mine-1",
      transactTime: START,
      created_at: "2026-07-20T09:00:00.000Z",
      updated_at: "2026-07-20T09:00:00.000Z",
      price: "90000000.00000000",
      origQty: "0.00100000",
      executedQty: "0.00000000",
      origQuoteOrderQty: "0.00000000",
      cummulativeQuoteQty: "0.00000000",
      status: "NEW",
      timeInForce: "GTC",
      type: "LIMIT",
      side: "BUY",
      selfTradePreventionMode: "EXPIRE_TAKER",
      workingTime: START,
      fills: [],
    });
    const { json } = await venue.paper.get(`/v1/orders/BTCKRW/${placed.orderId}`);
    expect(json).toMatchObject({ uuid: placed.orderId, userref: "mine-1", state: "open", volume: "0.001" });
  });

  it("always shows orderId and txid, whatever response type is requested", async () => {
    const created = [
      await paper.order({ newOrderRespType: "ACK" }),
      await paper.order({ newOrderRespType: "RESULT" }),
      await paper.order({ newOrderRespType: "FULL" }),
      await paper.order({ type: "LIMIT_MAKER", timeInForce: "" }),
    ].map((reply) => fits("newOrder", reply));
    for (const { orderId, txid } of created) expect([orderId, txid]).toEqual([expect.stringMatching(UUID), [orderId]]);
    const kinds = created.map((order) => ["status" in order, "fills" in order]);
    expect(kinds).toEqual([
      [false, false],
      [true, false],
      [true, true],
      [false, false],
    ]);
  });

  it("shows its fills with fees in the response", async () => {
    await maker.order({ side: "SELL", quantity: "0.001", price: "99000000" });
    await maker.order({ side: "SELL", quantity: "1", price: "100000000" });
    const bought = fits("newOrder", await paper.market({ quantity: "0.003" }));
    expect(bought).toMatchObject({
      type: "MARKET",
      status: "FILLED",
      price: "0.00000000",
      origQty: "0.00300000",
      executedQty: "0.00300000",
      cummulativeQuoteQty: "299000.00000000",
    });
    const [first, second] = bought.fills;
    expect(first).toMatchObject({ price: "99000000.00000000", qty: "0.00100000", commission: "49.50000000" });
    expect(second).toEqual({
      price: "100000000.00000000",
      qty: "0.00200000",
      commission: "100.00000000",
      commissionAsset: "KRW",
      tradeId: first.tradeId + 1,
    });
  });

  it("spends at most its quote amount, and may sell for it", async () => {
    await maker.order({ side: "SELL", quantity: "1", price: "100000000" });
    await maker.order({ quantity: "1", price: "98000000" });
    const bought = fits("newOrder", await paper.market({ quoteOrderQty: "250000" }));
    expect(bought).toMatchObject({
      status: "FILLED",
      origQty: "0.00250000",
      executedQty: "0.00250000",
      origQuoteOrderQty: "250000.00000000",
      cummulativeQuoteQty: "250000.00000000",
    });
    const sold = fits("newOrder", await paper.market({ side: "SELL", quoteOrderQty: "98000" }));
    expect(sold).toMatchObject({ side: "SELL", status: "FILLED", executedQty: "0.00100000" });
  });

  it("ends according to its time in force", async () => {
    await maker.order({ side: "SELL", quantity: "0.001", price: "100000000" });
    const large = { quantity: "0.002", price: "100000000" };
    const killed = fits("newOrder", await paper.order({ ...large, timeInForce: "FOK" }));
    expect(killed).toMatchObject({ status: "EXPIRED", executedQty: "0.00000000", timeInForce: "FOK" });
    const partly = fits("newOrder", await paper.order({ ...large, timeInForce: "IOC" }));
    expect(partly).toMatchObject({ status: "EXPIRED", executedQty: "0.00100000", timeInForce: "IOC" });
  });

  it("is partly filled while the rest of it is in the book", async () => {
    await maker.order({ side: "SELL", quantity: "0.001", price: "100000000" });
    const placed = fits("newOrder", await paper.order({ quantity: "0.002", price: "100000000" }));
    expect(placed).toMatchObject({ status: "PARTIALLY_FILLED", origQty: "0.00200000", executedQty: "0.00100000" });
  });

  it("expires in match when it would match an own order", async () => {
    await paper.order({ price: "90000000" });
    await maker.order({ side: "SELL", quantity: "0.001", price: "89000000" });
    await paper.order({ price: "90000000" });
    await paper.order({ side: "BUY", price: "90000000" });
    const matchingOwn = fits("newOrder", await paper.order({ side: "SELL", quantity: "0.0005", price: "90000000" }));
    expect(matchingOwn).toMatchObject({ status: "EXPIRED_IN_MATCH", executedQty: "0.00000000" });
  });

  it("can be sent as a form, or divided between query and form", async () => {
    expect(fits("newOrder", await paper.order({}, { form: true })).status).toBe("NEW");
    expect(
      fits("cancelOpenOrders", await paper.delete("openOrders", { symbol: "BTCKRW" }, { form: true })),
    ).toHaveLength(1);
  });

  it("has no effect when it is only tested", async () => {
    expect(fits("testOrder", await paper.post("order/test", LIMIT))).toEqual({});
    expect(fits("openOrders", await paper.get("openOrders"))).toEqual([]);
    expect(refusal(await paper.post("order/test", { ...LIMIT, quantity: "100" }))).toEqual([400, -2010]);
  });
});

describe("newClientOrderId", () => {
  it("is the userref, by which an order is found and canceled", async () => {
    const { orderId } = fits("newOrder", await paper.order({ newClientOrderId: "a.b-c_1" }));
    const which = { symbol: "BTCKRW", origClientOrderId: "a.b-c_1" };
    expect(fits("order", await paper.get("order", which)).orderId).toBe(orderId);
    expect((await venue.paper.get("/v1/orders?userref=a.b-c_1")).json.orders).toHaveLength(1);
    const canceled = fits("cancelOrder", await paper.delete("order", { ...which, newClientOrderId: "bye" }));
    expect(canceled).toMatchObject({
      orderId,
      origClientOrderId: "a.b-c_1",
      clientOrderId: "bye",
      status: "CANCELED",
      txid: [orderId],
    });
    expect(fits("order", await paper.get("order", which))).toMatchObject({ clientOrderId: "a.b-c_1" });
  });

  it("is the order's id when none was given, in this or another family", async () => {
    const { json } = await venue.paper.order();
    const own = fits("newOrder", await paper.order());
    for (const orderId of [json.uuid, own.orderId]) {
      const found = fits("order", await paper.get("order", { symbol: "BTCKRW", origClientOrderId: orderId }));
      expect(found).toMatchObject({ orderId, clientOrderId: orderId });
    }
  });

  it("is unique among open orders, and free again when its order has ended", async () => {
    await paper.order({ newClientOrderId: "once" });
    expect(refusal(await paper.order({ newClientOrderId: "once" }))).toEqual([400, -2010]);
    expect(refusal(await paper.post("order/test", { ...LIMIT, newClientOrderId: "once" }))).toEqual([400, -2010]);
    await paper.delete("order", { symbol: "BTCKRW", origClientOrderId: "once" });
    const again = fits("newOrder", await paper.order({ newClientOrderId: "once", price: "91000000" }));
    const found = await paper.get("order", { symbol: "BTCKRW", origClientOrderId: "once" });
    expect(fits("order", found)).toMatchObject({ orderId: again.orderId, status: "NEW" });
  });

  it("finds the open order with that id before a newer one that has ended", async () => {
    const { json: first } = await venue.paper.order({ userref: "twice" });
    const { json: second } = await venue.paper.order({ userref: "twice" });
    await paper.delete("order", { symbol: "BTCKRW", orderId: second.uuid });
    const which = { symbol: "BTCKRW", origClientOrderId: "twice" };
    expect(fits("cancelOrder", await paper.delete("order", which)).orderId).toBe(first.uuid);
    expect(fits("order", await paper.get("order", which)).orderId).toBe(second.uuid);
  });

  it("has to match the order id when both are given", async () => {
    const { orderId } = fits("newOrder", await paper.order({ newClientOrderId: "mine" }));
    const both = { symbol: "BTCKRW", orderId };
    expect(refusal(await paper.get("order", { ...both, origClientOrderId: "other" }))).toEqual([400, -2039]);
    expect(fits("order", await paper.get("order", { ...both, origClientOrderId: "mine" })).orderId).toBe(orderId);
  });
});

describe("alias orders of an account", () => {
  it("are listed while open, for one market or all, oldest first", async () => {
    const [first, second] = await resting(paper, "90000000", "91000000");
    const { orderId: third } = fits(
      "newOrder",
      await paper.order({ symbol: "ETH/KRW", quantity: "0.01", price: "3000000" }),
    );
    await maker.order();
    expect(ids(fits("openOrders", await paper.get("openOrders")))).toEqual([first, second, third]);
    const open = fits("openOrders", await paper.get("openOrders", { symbol: "BTCKRW" }));
    expect(ids(open)).toEqual([first, second]);
    expect(open[0]).toMatchObject({
      time: START,
      updateTime: START,
      isWorking: true,
      stopPrice: "0.00000000",
      txid: [first],
    });
  });

  it("when of one market, are canceled together; other markets are not affected", async () => {
    const placed = await resting(paper, "90000000", "91000000");
    await paper.order({ symbol: "ETHKRW", quantity: "0.01", price: "3000000" });
    const canceled = fits("cancelOpenOrders", await paper.delete("openOrders", { symbol: "BTCKRW" }));
    expect(ids(canceled)).toEqual(placed);
    expect(canceled.map(({ status }: { status: string }) => status)).toEqual(["CANCELED", "CANCELED"]);
    expect(refusal(await paper.delete("openOrders", { symbol: "BTCKRW" }))).toEqual([400, -2011]);
    expect(fits("openOrders", await paper.get("openOrders"))).toHaveLength(1);
  });

  it("are listed in the history after an order or a time, otherwise the newest", async () => {
    const placed = await resting(paper, "90000000", "91000000", "92000000", "93000000");
    const [, second = ""] = placed;
    await paper.delete("order", { symbol: "BTCKRW", orderId: second });
    const all = async (query: Record<string, string> = {}) =>
      ids(fits("allOrders", await paper.get("allOrders", { symbol: "BTCKRW", ...query })));
    expect(await all()).toEqual(placed);
    expect(await all({ limit: "2" })).toEqual(placed.slice(2));
    expect(await all({ orderId: second, limit: "2" })).toEqual(placed.slice(1, 3));
    const time = (seconds: number) => String(START + seconds * SECOND);
    expect(await all({ startTime: time(1), limit: "2" })).toEqual(placed.slice(1, 3));
    expect(await all({ endTime: time(2), limit: "2" })).toEqual(placed.slice(1, 3));
    expect(await all({ startTime: time(1), endTime: time(1) })).toEqual([second]);
    expect(ids(fits("allOrders", await paper.get("allOrders", { symbol: "ETHKRW" })))).toEqual([]);
  });

  it("are visible to their account and under their market only", async () => {
    const [orderId = ""] = await resting(paper, "90000000");
    expect(refusal(await maker.get("order", { symbol: "BTCKRW", orderId }))).toEqual([400, -2013]);
    expect(refusal(await paper.get("order", { symbol: "ETHKRW", orderId }))).toEqual([400, -2013]);
    expect(refusal(await maker.delete("order", { symbol: "BTCKRW", orderId }))).toEqual([400, -2011]);
  });
});

describe("fills on the alias endpoints", () => {
  it("are listed with fees, by order, trade or time", async () => {
    await resting(maker, "98000000", "97000000");
    const { accountId, exchange } = venue.sandbox;
    must(exchange.apply({ type: "deposit", accountId, asset: "BTC", amount: 100_000_000n }, venue.clock.now));
    const sell = { side: "SELL", quantity: "0.001" };
    const one = fits("newOrder", await paper.market(sell));
    venue.clock.now += SECOND;
    const two = fits("newOrder", await paper.market(sell));
    const mine = async (query: Record<string, string> = {}) =>
      fits("myTrades", await paper.get("myTrades", { symbol: "BTCKRW", ...query }));
    const trades = await mine();
    expect(ids(trades)).toEqual([one.orderId, two.orderId]);
    expect(trades[0]).toEqual({
      symbol: "BTCKRW",
      id: one.fills[0].tradeId,
      orderId: one.orderId,
      orderListId: -1,
      price: "98000000.00000000",
      qty: "0.00100000",
      quoteQty: "98000.00000000",
      commission: "49.00000000",
      commissionAsset: "KRW",
      time: START + 2 * SECOND,
      traded_at: "2026-07-20T09:00:02.000Z",
      isBuyer: false,
      isMaker: false,
      isBestMatch: true,
    });
    expect(await mine({ limit: "1" })).toEqual(trades.slice(1));
    expect(await mine({ orderId: two.orderId })).toEqual(trades.slice(1));
    expect(await mine({ orderId: one.orderId, fromId: String(trades[1].id) })).toEqual([]);
    expect(await mine({ fromId: String(trades[0].id), limit: "1" })).toEqual(trades.slice(0, 1));
    expect(await mine({ startTime: String(START), limit: "1" })).toEqual(trades.slice(0, 1));
    expect(await mine({ endTime: String(START + 2 * SECOND) })).toEqual(trades.slice(0, 1));
    expect(fits("myTrades", await paper.get("myTrades", { symbol: "ETHKRW", orderId: one.orderId }))).toEqual([]);
    const [made] = fits("myTrades", await maker.get("myTrades", { symbol: "BTCKRW" }));
    expect(made).toMatchObject({ id: trades[0].id, isBuyer: true, isMaker: true, commission: "39.20000000" });
  });
});

describe("the alias account", () => {
  it("shows free and locked balances of every asset, or of assets with a balance", async () => {
    await paper.order({ quantity: "0.01", price: "90000000" });
    const account = fits("account", await paper.get("account"));
    expect(account).toMatchObject({
      makerCommission: 5,
      takerCommission: 5,
      commissionRates: { maker: "0.00050000", taker: "0.00050000" },
      canTrade: true,
      accountType: "SPOT",
      permissions: ["SPOT"],
      uid: venue.sandbox.accountId,
    });
    const krw = { asset: "KRW", free: "9099550.00000000", locked: "900450.00000000" };
    expect(account.balances[0]).toEqual(krw);
    expect(account.balances).toContainEqual({ asset: "BTC", free: "0.00000000", locked: "0.00000000" });
    expect(account.balances).toHaveLength(venue.sandbox.exchange.markets().length + 1);
    const held = fits("account", await paper.get("account", { omitZeroBalances: "true" }));
    expect(held.balances).toEqual([krw]);
  });

  it("shows when a key may not trade", async () => {
    const { credentials } = venue.addKey({ permissions: ["query"] });
    const looking = new AliasClient(venue.sandbox.baseUrl, credentials, venue.clock);
    expect(fits("account", await looking.get("account")).canTrade).toBe(false);
  });
});
