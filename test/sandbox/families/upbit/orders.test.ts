import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openUpbit, refusal, type Upbit, type UpbitClient } from "./upbit-client.ts";

let upbit: Upbit;
let paper: UpbitClient;
let maker: UpbitClient;
beforeEach(async () => {
  upbit = await openUpbit();
  ({ paper, maker } = upbit);
});
afterEach(async () => {
  await upbit.venue.sandbox.close();
  expect(upbit.venue.defects).toEqual([]);
});

const found = async (fields: { uuid?: string; identifier?: string }) => (await paper.get("order", fields)).json;
const balance = async (currency: string) =>
  (await paper.get("accounts")).json.find((each: { currency: string }) => each.currency === currency);
/** Someone else sells at a price. */
const offer = (price: string, volume: string) => maker.order({ side: "ask", price, volume });
const bid = (price: string, volume: string) => maker.order({ price, volume });

describe("a limit order", () => {
  it("is answered with 201 as it was taken, and rests", async () => {
    const { status, json } = await paper.order({ identifier: "mine-1" });
    expect([status, json]).toEqual([
      201,
      {
        market: "KRW-BTC",
        uuid: json.uuid,
        side: "bid",
        ord_type: "limit",
        price: "90000000",
        state: "wait",
        created_at: "2026-07-20T18:00:00+09:00",
        volume: "0.001",
        remaining_volume: "0.001",
        executed_volume: "0",
        reserved_fee: "45",
        remaining_fee: "45",
        paid_fee: "0",
        locked: "90045",
        identifier: "mine-1",
        prevented_volume: "0",
        prevented_locked: "0",
        trades_count: 0,
      },
    ]);
    expect(json.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await found({ uuid: json.uuid })).toEqual({ ...json, trades: [] });
    expect(await found({ identifier: "mine-1" })).toEqual({ ...json, trades: [] });
    expect(await balance("KRW")).toMatchObject({ balance: "9909955.0", locked: "90045.0" });
  });

  it("is shown as taken even when it trades at once, and looked up as done", async () => {
    await offer("90000000", "1");
    const { json } = await paper.order();
    expect(json).toMatchObject({ state: "wait", executed_volume: "0", trades_count: 0 });
    expect(await found({ uuid: json.uuid })).toMatchObject({
      state: "done",
      executed_volume: "0.001",
      remaining_volume: "0",
      paid_fee: "45",
      remaining_fee: "0",
      locked: "0",
      trades_count: 1,
      trades: [
        {
          market: "KRW-BTC",
          price: "90000000",
          volume: "0.001",
          funds: "90000",
          side: "bid",
          created_at: "2026-07-20T18:00:00.000000+09:00",
        },
      ],
    });
    expect(await balance("BTC")).toMatchObject({ balance: "0.001", avg_buy_price: "90000000", unit_currency: "KRW" });
  });

  it("never rests when it is ioc or fok", async () => {
    await offer("90000000", "0.0004");
    const ioc = await paper.order({ time_in_force: "ioc" });
    expect(await found({ uuid: ioc.json.uuid })).toMatchObject({
      ...{ state: "cancel", executed_volume: "0.0004", remaining_volume: "0.0006", time_in_force: "ioc" },
      locked: "0",
    });
    await offer("90000000", "0.0004");
    const fok = await paper.order({ time_in_force: "fok" });
    expect(await found({ uuid: fok.json.uuid })).toMatchObject({ state: "cancel", executed_volume: "0" });
  });

  it("is taken and canceled when it is post_only and would trade, and rests where not", async () => {
    await offer("90000000", "1");
    const crossing = await paper.order({ time_in_force: "post_only" });
    expect([crossing.status, crossing.json.state]).toEqual([201, "wait"]);
    expect(await found({ uuid: crossing.json.uuid })).toMatchObject({ state: "cancel", executed_volume: "0" });
    const resting = await paper.order({ price: "89999000", time_in_force: "post_only", smp_type: "none" });
    expect(await found({ uuid: resting.json.uuid })).toMatchObject({ state: "wait", time_in_force: "post_only" });
    expect(await balance("KRW")).toMatchObject({ locked: "90043.9995" });
  });
});

describe("an order at the market's price", () => {
  it("ends as cancel when it buys for an amount and leaves dust", async () => {
    await offer("90000000", "1");
    const { status, json } = await paper.order({ ord_type: "price", price: "100000", volume: "" });
    expect([status, json]).toMatchObject([201, { ord_type: "price", price: "100000", locked: "100050" }]);
    expect(json).not.toHaveProperty("volume");
    const after = await found({ uuid: json.uuid });
    expect(after).toMatchObject({ state: "cancel", executed_volume: "0.00111111", paid_fee: "49.99995" });
    expect(after).not.toHaveProperty("remaining_volume");
  });

  it("ends as done when it buys for an amount and spends all of it", async () => {
    await offer("90000000", "1");
    const { json } = await paper.order({ ord_type: "price", price: "90000", volume: "" });
    expect(await found({ uuid: json.uuid })).toMatchObject({ state: "done", executed_volume: "0.001" });
  });

  it("has no price when it sells, and pays its fee out of the proceeds", async () => {
    await offer("90000000", "1");
    await paper.order({ volume: "0.01" });
    await bid("80000000", "1");
    const { json } = await paper.order({ side: "ask", ord_type: "market", volume: "0.004", price: "" });
    expect(json).toMatchObject({ ord_type: "market", locked: "0.004", reserved_fee: "0" });
    expect(json).not.toHaveProperty("price");
    const after = await found({ uuid: json.uuid });
    expect(after).toMatchObject({ state: "done", paid_fee: "160", trades: [{ funds: "320000", side: "ask" }] });
    expect(await balance("BTC")).toMatchObject({ balance: "0.006", avg_buy_price: "90000000" });
  });

  it("ends as cancel in an empty book", async () => {
    const { json } = await paper.order({ ord_type: "price", price: "10000", volume: "" });
    expect(await found({ uuid: json.uuid })).toMatchObject({ state: "cancel", executed_volume: "0", locked: "0" });
  });
});

describe("an order at the best price", () => {
  it("takes the best price and no other when it buys for an amount", async () => {
    await offer("90000000", "0.001");
    await offer("90001000", "1");
    const { status, json } = await paper.order({ ord_type: "best", price: "180000", volume: "", time_in_force: "ioc" });
    expect([status, json.ord_type, json.price]).toEqual([201, "best", "180000"]);
    expect(await found({ uuid: json.uuid })).toMatchObject({
      ...{ state: "cancel", ord_type: "best", executed_volume: "0.001", time_in_force: "ioc" },
    });
  });

  it("takes a volume when it sells, and all or nothing with fok", async () => {
    await offer("90000000", "1");
    await paper.order({ volume: "0.01" });
    await bid("80000000", "0.001");
    const sell = { side: "ask", ord_type: "best", price: "", time_in_force: "fok" };
    const all = await paper.order({ ...sell, volume: "0.001" });
    expect(await found({ uuid: all.json.uuid })).toMatchObject({ state: "done", volume: "0.001" });
    await bid("80000000", "0.001");
    const none = await paper.order({ ...sell, volume: "0.002" });
    expect(await found({ uuid: none.json.uuid })).toMatchObject({ state: "cancel", executed_volume: "0" });
  });

  it("ends as cancel where the other side is empty", async () => {
    const { json } = await paper.order({ ord_type: "best", price: "10000", volume: "", time_in_force: "ioc" });
    expect(await found({ uuid: json.uuid })).toMatchObject({ ord_type: "best", state: "cancel", executed_volume: "0" });
  });
});

describe("self-match prevention", () => {
  beforeEach(async () => {
    await offer("90000000", "1");
    await paper.order({ volume: "0.01" });
    await maker.delete("orders/open", {});
  });

  it("cancels the resting order unless said otherwise", async () => {
    const { json: resting } = await paper.order({ side: "ask", price: "91000000", volume: "0.002" });
    const { json } = await paper.order({ price: "91000000", volume: "0.001" });
    expect(await found({ uuid: resting.uuid })).toMatchObject({
      ...{ state: "cancel", prevented_volume: "0.002", prevented_locked: "0.002" },
    });
    expect(await found({ uuid: json.uuid })).toMatchObject({ state: "wait", prevented_volume: "0" });
  });

  it("leaves own orders that are not reached", async () => {
    await offer("91000000", "1");
    const { json: resting } = await paper.order({ side: "ask", price: "92000000", volume: "0.002" });
    await paper.order({ price: "92000000", volume: "0.001" });
    expect(await found({ uuid: resting.uuid })).toMatchObject({ state: "wait" });
  });

  it("cancels the incoming order with cancel_taker", async () => {
    const { json: resting } = await paper.order({ side: "ask", price: "91000000", volume: "0.002" });
    const { json } = await paper.order({ price: "91000000", volume: "0.001", smp_type: "cancel_taker" });
    expect(await found({ uuid: resting.uuid })).toMatchObject({ state: "wait" });
    expect(await found({ uuid: json.uuid })).toMatchObject({ state: "cancel", smp_type: "cancel_taker" });
  });
});

describe("an identifier", () => {
  it("can be used once, by an order that was taken", async () => {
    expect((await paper.order({ identifier: "once" })).status).toBe(201);
    expect(refusal(await paper.order({ identifier: "once" }))).toEqual([400, "duplicated_identifier"]);
    await paper.delete("order", { identifier: "once" });
    expect(refusal(await paper.order({ identifier: "once" }))).toEqual([400, "duplicated_identifier"]);
  });

  it("is used up by an order that was refused, and finds nothing", async () => {
    expect(refusal(await paper.order({ identifier: "burned", volume: "1" }))[1]).toBe("insufficient_funds_bid");
    expect(refusal(await paper.order({ identifier: "burned" }))).toEqual([400, "duplicated_identifier"]);
    expect(refusal(await paper.get("order", { identifier: "burned" }))).toEqual([404, "order_not_found"]);
  });

  it("belongs to its account", async () => {
    expect((await paper.order({ identifier: "shared" })).status).toBe(201);
    expect((await maker.order({ identifier: "shared" })).status).toBe(201);
    expect(refusal(await maker.get("order", { uuid: (await found({ identifier: "shared" })).uuid }))[0]).toBe(404);
  });

  it("is not used up by a test, nor by a request that was not let in", async () => {
    const body = { market: "KRW-BTC", side: "bid", volume: "0.001", price: "90000000", ord_type: "limit" };
    const tested = await paper.post("orders/test", { ...body, identifier: "tried" });
    expect([tested.status, tested.json.state]).toEqual([201, "wait"]);
    expect(refusal(await paper.get("order", { uuid: tested.json.uuid }))).toEqual([404, "order_not_found"]);
    await paper.order({ identifier: "tried" }, { secret: "wrong" });
    expect((await paper.order({ identifier: "tried" })).status).toBe(201);
  });
});

describe("a cancellation", () => {
  it("is answered with the order as it was, and then it is canceled", async () => {
    const { json } = await paper.order();
    const canceled = await paper.delete("order", { uuid: json.uuid });
    expect([canceled.status, canceled.json]).toEqual([200, json]);
    expect(await found({ uuid: json.uuid })).toMatchObject({ state: "cancel", locked: "0", remaining_volume: "0.001" });
    expect(refusal(await paper.delete("order", { uuid: json.uuid }))).toEqual([404, "order_not_found"]);
    expect(await balance("KRW")).toMatchObject({ balance: "10000000.0", locked: "0.0" });
  });

  it("says which of several were canceled and which were not", async () => {
    const [one, two] = [(await paper.order({ identifier: "one" })).json, (await paper.order()).json];
    await paper.delete("order", { uuid: two.uuid });
    expect((await paper.delete("orders/uuids", { uuids: [one.uuid, two.uuid] })).json).toEqual({
      success: { count: 1, orders: [{ uuid: one.uuid, market: "KRW-BTC", identifier: "one" }] },
      failed: { count: 1, orders: [{ uuid: two.uuid, market: "KRW-BTC" }] },
    });
  });

  it("takes the newest twenty of all, of a side, of markets and not of others", async () => {
    for (let count = 0; count < 23; count++) await paper.order({ volume: "0.0001" });
    await paper.order({ market: "KRW-ETH", price: "1000000", volume: "0.01" });
    const counts = async (fields: Record<string, string>) =>
      (await paper.delete("orders/open", fields)).json.success.count;
    expect(await counts({ cancel_side: "ask" })).toBe(0);
    expect(await counts({ quote_currencies: "BTC,USDT" })).toBe(0);
    expect(await counts({ pairs: "KRW-XRP" })).toBe(0);
    expect(await counts({ excluded_pairs: "KRW-BTC" })).toBe(1);
    expect(await counts({})).toBe(20);
    expect(await counts({ count: "300", cancel_side: "bid", quote_currencies: "KRW" })).toBe(3);
  });
});
