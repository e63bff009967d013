import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bithumb, type BithumbClient, openBithumb, refusal } from "./bithumb-client.ts";

let bithumb: Bithumb;
let paper: BithumbClient;
let maker: BithumbClient;
beforeAll(async () => {
  bithumb = await openBithumb();
  ({ paper, maker } = bithumb);
});
afterAll(async () => {
  await bithumb.venue.sandbox.close();
  expect(bithumb.venue.defects).toEqual([]);
});

const AT = "2026-07-20T18:00:00+09:00";

/** Leaves no order of anybody, whatever a test did. */
async function cleared<Found>(found: Promise<Found>): Promise<Found> {
  const done = await found;
  for (const client of [paper, maker]) {
    const { data } = (await client.get("/v2/orders/pending")).json;
    for (const { order_id: id } of data) await client.delete("/v2/order", { order_id: id });
  }
  return done;
}

const detail = async (order_id: string) => (await paper.get("/v1/order", { uuid: order_id })).json;

describe("an order", () => {
  it("is answered with its id and neither its state nor its size", async () => {
    const { status, json } = await cleared(paper.order({ client_order_id: "mine-1" }));
    expect(status).toBe(201);
    expect(json).toEqual({
      ...{ order_id: expect.stringMatching(/^C0101\d{15}$/), client_order_id: "mine-1", market: "KRW-BTC" },
      ...{ side: "bid", order_type: "limit", created_at: AT, stp_type: "cancel_taker" },
    });
  });

  it("is shown by its id or the account's own, and by its id where both are given", async () => {
    const { order_id: uuid } = (await paper.order({ client_order_id: "shown" })).json;
    const other = (await paper.order({ client_order_id: "other", volume: "0.002" })).json.order_id;
    const shown = await detail(uuid);
    expect(shown).toEqual({
      ...{ uuid, client_order_id: "shown", side: "bid", ord_type: "limit", price: "90000000", state: "wait" },
      ...{ market: "KRW-BTC", created_at: AT, volume: "0.001", remaining_volume: "0.001" },
      ...{ reserved_fee: "225", remaining_fee: "225", paid_fee: "0", locked: "90225" },
      ...{ executed_volume: "0", executed_funds: "0", trades_count: 0, stp_type: "cancel_taker", trades: [] },
    });
    expect((await paper.byName("shown")).json).toEqual(shown);
    expect((await paper.get("/v1/order", { uuid: other, client_order_id: "shown" })).json.uuid).toBe(other);
    expect(refusal(await paper.byName("nobody"))).toEqual([404, "order_not_found"]);
    expect(refusal(await cleared(paper.get("/v1/order")))).toEqual([400, "invalid_parameter"]);
  });

  it("has its trades, without a fee each", async () => {
    await maker.order({ side: "ask", volume: "0.5" });
    const { order_id: id } = (await cleared(paper.order())).json;
    expect(await detail(id)).toMatchObject({
      ...{ state: "done", remaining_volume: "0", executed_volume: "0.001", executed_funds: "90000" },
      ...{ paid_fee: "225", remaining_fee: "0", locked: "0", trades_count: 1 },
      trades: [
        {
          ...{ market: "KRW-BTC", uuid: expect.stringMatching(/^C0101\d{15}$/), price: "90000000" },
          ...{ volume: "0.001", funds: "90000", side: "bid", created_at: AT },
        },
      ],
    });
  });

  it("is canceled by either id, and then not found by another cancellation", async () => {
    const { order_id: id, created_at } = (await paper.order({ client_order_id: "short-lived" })).json;
    const canceled = await paper.delete("/v2/order", { client_order_id: "short-lived" });
    expect([canceled.status, canceled.json]).toEqual([
      200,
      { order_id: id, client_order_id: "short-lived", created_at },
    ]);
    expect(await detail(id)).toMatchObject({ state: "cancel", locked: "0", remaining_fee: "0" });
    expect(refusal(await paper.delete("/v2/order", { order_id: id }))).toEqual([404, "order_not_found"]);
    expect(refusal(await paper.delete("/v2/order", { order_id: "C0101" }))).toEqual([404, "order_not_found"]);
  });

  it("is canceled among others, of which each failure is told", async () => {
    const ids = [];
    for (const client_order_id of ["many-1", "many-2"])
      ids.push((await paper.order({ client_order_id })).json.order_id);
    const { status, json } = await paper.post("/v2/orders/cancel", { order_ids: [...ids, "C01"] });
    expect(status).toBe(200);
    expect(json).toEqual({
      success: ids.map((order_id, index) => ({ order_id, client_order_id: `many-${index + 1}`, created_at: AT })),
      fail: [{ order_id: "C01", error: { name: "order_not_found", message: expect.any(String) } }],
    });
    const again = await paper.post("/v2/orders/cancel", { client_order_ids: ["many-1"] });
    expect(again.json.fail).toMatchObject([{ client_order_id: "many-1", error: { name: "order_not_found" } }]);
    const tooMany = Array.from({ length: 31 }, (_, index) => `x${index}`);
    expect(refusal(await paper.post("/v2/orders/cancel", { order_ids: tooMany }))[1]).toBe("invalid_parameter");
  });
});

describe("a condition", () => {
  it("ends an order of immediate execution as done when it was filled in part, and as cancel when not", async () => {
    await maker.order({ side: "ask", volume: "0.0004" });
    const part = (await paper.order({ time_in_force: "ioc" })).json;
    const none = (await paper.order({ time_in_force: "ioc" })).json;
    expect(part.time_in_force).toBe("ioc");
    expect(await detail(part.order_id)).toMatchObject({
      ...{ state: "done", executed_volume: "0.0004", remaining_volume: "0.0006", time_in_force: "ioc" },
    });
    expect(await detail(none.order_id)).toMatchObject({ state: "cancel", cancel_type: "tif_cancel" });
  });

  it("cancels what cannot be filled as a whole", async () => {
    await maker.order({ side: "ask", volume: "0.0004" });
    const { order_id: id } = (await cleared(paper.order({ time_in_force: "fok" }))).json;
    expect(await detail(id)).toMatchObject({ state: "cancel", executed_volume: "0", cancel_type: "tif_cancel" });
  });

  it("takes a post-only order at a taking price, and cancels it", async () => {
    await maker.order({ side: "ask", volume: "0.5" });
    const taken = await paper.order({ time_in_force: "post_only" });
    expect(taken.status).toBe(201);
    expect(await detail(taken.json.order_id)).toMatchObject({ state: "cancel", cancel_type: "tif_cancel" });
    const { order_id: id } = (await paper.order({ time_in_force: "post_only", price: "89000000" })).json;
    expect(await cleared(detail(id))).toMatchObject({ state: "wait", time_in_force: "post_only" });
  });
});

describe("a type", () => {
  it("buys at the market for an amount, of which a rest ends it as cancel", async () => {
    await maker.order({ side: "ask", volume: "0.5" });
    const { order_id: id } = (await paper.order({ order_type: "price", price: "100000", volume: "" })).json;
    expect(await cleared(detail(id))).toMatchObject({
      ...{ ord_type: "price", price: "100000", state: "cancel", executed_volume: "0.00111111" },
      executed_funds: "99999.9",
    });
    expect(await detail(id)).not.toHaveProperty("volume");
  });

  it("sells at the market, and buys at the best price", async () => {
    await maker.order({ volume: "0.5" });
    const sold = (await paper.order({ side: "ask", order_type: "market", price: "" })).json;
    await maker.order({ side: "ask", price: "91000000", volume: "0.5" });
    const best = { order_type: "best", price: "91000", volume: "", time_in_force: "ioc" };
    const bought = (await cleared(paper.order(best))).json;
    expect(await detail(sold.order_id)).toMatchObject({ ord_type: "market", state: "done", executed_funds: "90000" });
    expect(await detail(bought.order_id)).toMatchObject({ ord_type: "best", state: "done", executed_volume: "0.001" });
  });

  it("cancels what is left of an order that would trade with its own account", async () => {
    await paper.order({ price: "90000000" });
    const { order_id: id } = (await cleared(paper.order({ side: "ask" }))).json;
    expect(await detail(id)).toMatchObject({ state: "cancel", cancel_type: "stp_cancel", executed_volume: "0" });
  });
});

describe("what is wrong", () => {
  it.each([
    [{ market: "KRW-NONE" }, "currency does not have a valid value"],
    [{ market: "" }, "invalid_parameter"],
    [{ side: "buy" }, "invalid_parameter"],
    [{ order_type: "", ord_type: "limit" }, "invalid_parameter"],
    [{ order_type: "price" }, "invalid_parameter"],
    [{ order_type: "best", price: "90000", volume: "" }, "invalid_parameter"],
    [{ order_type: "market", side: "ask", time_in_force: "ioc", price: "" }, "invalid_parameter"],
    [{ time_in_force: "gtc" }, "invalid_parameter"],
    [{ price: "90000500" }, "invalid_price_bid"],
    [{ price: "90000500", side: "ask" }, "invalid_price_ask"],
    [{ price: "9e7" }, "invalid_parameter"],
    [{ volume: "0.00005" }, "under_min_total_bid"],
    [{ volume: "1" }, "insufficient_funds_bid"],
    [{ side: "ask", volume: "5" }, "insufficient_funds_ask"],
    [{ client_order_id: "with space" }, "invalid_parameter"],
    [{ client_order_id: "x".repeat(37) }, "invalid_parameter"],
  ])("is refused: %j is %s", async (fields, name) => {
    expect(refusal(await paper.order(fields as unknown as Record<string, string>))).toEqual([400, name]);
  });

  it("is an id of the account's own that an order of it has, also when that has ended", async () => {
    await paper.order({ client_order_id: "twice" });
    expect(refusal(await paper.order({ client_order_id: "twice" }))).toEqual([400, "duplicate_client_order_id"]);
    await paper.delete("/v2/order", { client_order_id: "twice" });
    expect(refusal(await paper.order({ client_order_id: "twice" }))).toEqual([400, "duplicate_client_order_id"]);
    await paper.order({ client_order_id: "refused", volume: "1" });
    expect((await cleared(paper.order({ client_order_id: "refused" }))).status).toBe(201);
  });
});

describe("a price", () => {
  it.each([
    ["KRW-SHIB", "0.0150", "0.01505", "400000"],
    ["KRW-VTHO", "2.401", "2.4015", "3000"],
    ["KRW-HBAR", "85.01", "85.005", "100"],
    ["KRW-DOGE", "289", "289.5", "20"],
    ["KRW-XRP", "3399", "3399.5", "2"],
    ["KRW-LINK", "26990", "26995", "1"],
    ["KRW-SOL", "239900", "239950", "0.1"],
    ["KRW-BTC", "89999000", "89999500", "0.001"],
  ])("is taken on its unit and not between: in %s %s, and not %s", async (market, on, between, volume) => {
    expect((await cleared(paper.order({ market, price: on, volume }))).status).toBe(201);
    expect(refusal(await paper.order({ market, price: between, volume }))).toEqual([400, "invalid_price_bid"]);
  });
});

describe("an account", () => {
  it("has balances as text, what may be ordered, and the end of its key", async () => {
    const balances = (await maker.get("/v1/accounts")).json;
    expect(balances[0]).toMatchObject({ currency: "KRW", avg_buy_price: "0", avg_buy_price_modified: false });
    expect(balances[1]).toMatchObject({ currency: "BTC", unit_currency: "KRW", locked: "0" });
    const chance = (await maker.get("/v1/orders/chance", { market: "KRW-BTC" })).json;
    expect(chance).toMatchObject({
      ...{ bid_fee: "0.0025", ask_fee: "0.0025", maker_bid_fee: "0.0025", maker_ask_fee: "0.0025" },
      market: {
        ...{ id: "KRW-BTC", name: "BTC/KRW", order_sides: ["ask", "bid"], max_total: "1000000000", state: "active" },
        bid: { currency: "KRW", price_unit: "1000", min_total: "5000" },
        ask: { currency: "BTC", price_unit: "1000", min_total: "5000" },
      },
      bid_account: { currency: "KRW" },
      ask_account: { currency: "BTC" },
    });
    expect((await paper.get("/v1/api_keys")).json).toEqual([
      { access_key: paper.credentials.apiKey, expire_at: "2027-07-20T18:00:00+09:00" },
    ]);
  });
});
