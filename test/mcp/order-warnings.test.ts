/** What a person should know of an order before it is sent: in the preview, in the question to the person, and in the result. */
import { beforeEach, describe, expect, it } from "vitest";
import { rate } from "../../src/decimal/index.ts";
import { units } from "../fixture/desk-over-sandbox.ts";
import { changeablePolicy, LOOSE } from "../fixture/policy.ts";
import { unwrap } from "../fixture/result.ts";
import { client, openClientPerTest, seat, world } from "./client-per-test.ts";

const policy = changeablePolicy(LOOSE);
beforeEach(() => {
  // A collar that denies nothing here: the last trades are read for it.
  policy.value = { ok: true, value: { ...LOOSE, priceCollar: rate("0.5") } };
});
openClientPerTest(undefined, { policy });

const BTC = { symbol: "BTC/KRW" };
const LIMIT = { ...BTC, side: "buy", type: "limit", base_volume: "0.01", price: "100000000" };
const SELL = { ...BTC, side: "sell", type: "limit", price: "101000000" };

function book(): void {
  world.trade("100000000", "0.1");
  world.rest("buy", "99900000", "0.004");
  world.rest("sell", "100000000", "0.004");
  world.rest("sell", "104000000", "1");
}

interface Case {
  readonly what: string;
  readonly order: Record<string, unknown>;
  readonly warns: RegExp;
  /** What becomes of it, as was warned. */
  readonly becomes: Record<string, unknown>;
}

const cases: readonly Case[] = [
  {
    what: "FOK that the book does not hold",
    order: { ...LIMIT, time_in_force: "FOK" },
    warns: /^The book holds 0\.004 of 0\.01 BTC at ₩100,000,000 or better, so a FOK order would expire unfilled\.$/,
    becomes: { state: "expired", order: { executed_volume: "0" } },
  },
  {
    what: "IOC that the book holds in part",
    order: { ...LIMIT, time_in_force: "IOC" },
    warns: /^The book holds 0\.004 of 0\.01 BTC at ₩100,000,000 or better; the rest of an IOC order would expire\.$/,
    becomes: { state: "expired", order: { executed_volume: "0.004" } },
  },
  {
    what: "IOC that meets nothing",
    order: { ...LIMIT, price: "99950000", time_in_force: "IOC" },
    warns: /^The book holds 0 of 0\.01 BTC at ₩99,950,000 or better, so an IOC order would expire unfilled\.$/,
    becomes: { state: "expired", order: { executed_volume: "0" } },
  },
  {
    what: "a market order that a thin book makes dear",
    order: { ...BTC, side: "buy", type: "market", base_volume: "0.01" },
    warns: /^The book is thin for this size: the average price would be ₩102,400,000, 2\.40% from the best\.$/,
    becomes: { state: "filled" },
  },
  {
    what: "a market order that is more than the book",
    order: { ...BTC, side: "sell", type: "market", base_volume: "0.01" },
    warns: /^The book does not hold the whole size, only 0\.004 BTC; the remainder would expire unfilled\.$/,
    becomes: { state: "expired", order: { executed_volume: "0.004" } },
  },
  {
    what: "a price far from the last trades",
    order: { ...LIMIT, price: "96000000" },
    warns: /^The price ₩96,000,000 is 4\.00% below what was last traded at, ₩100,000,000\.$/,
    becomes: { state: "open" },
  },
  {
    what: "a price far through the book",
    order: { ...LIMIT, base_volume: "0.001", price: "106000000" },
    warns: /^The price ₩106,000,000 is 6\.00% above the best ask of ₩100,000,000\. Make sure that no digit is wrong\.$/,
    becomes: { state: "filled" },
  },
  {
    what: "a sell that leaves what no order can sell",
    order: { ...SELL, base_volume: "0.99999" },
    warns:
      /^It leaves 0\.00001 BTC, too little to be sold by itself: BTC\/KRW takes at least 0\.00004951 BTC\. To sell all, base_volume "100%"\.$/,
    becomes: { state: "open" },
  },
];

describe("an order that is warned of", () => {
  it.each(cases)("is so by the preview and by the result: $what", async ({ order, warns, becomes }) => {
    book();
    const preview = await client.call("preview_order", order);
    expect(preview.structured).toMatchObject({ valid: true, warnings: [expect.stringMatching(warns)] });
    expect(preview.text).toContain("Warning: ");
    const placed = await client.call("place_order", order);
    expect(placed.structured).toMatchObject({
      outcome: "accepted",
      ...becomes,
      warnings: [expect.stringMatching(warns)],
    });
  });

  it("just like one of the last minutes is named with it; older ones are not", async () => {
    book();
    const order = { ...LIMIT, price: "99800000" };
    expect((await client.call("place_order", { ...order, userref: "one" })).structured["warnings"]).toEqual([]);
    const alike =
      /^An order just like this one was placed \d+ s ago, userref one \(open\)\. Place this one only if a second/;
    const preview = await client.call("preview_order", order);
    expect(preview.structured).toMatchObject({ valid: true, warnings: [expect.stringMatching(alike)] });
    const second = await client.call("place_order", { ...order, userref: "two" });
    expect(second.structured).toMatchObject({ state: "open", warnings: [expect.stringMatching(alike)] });
    const other = await client.call("preview_order", { ...order, price: "99700000" });
    expect(other.structured["warnings"]).toEqual([]);
    world.clock.skewMs += 6 * 60_000;
    expect((await client.call("preview_order", order)).structured["warnings"]).toEqual([]);
  });

  it("waits for a person with the same words", async () => {
    book();
    policy.value = { ok: true, value: { ...LOOSE, mode: "confirm" } };
    const waiting = await client.call("place_order", { ...LIMIT, time_in_force: "FOK" });
    expect(waiting.structured).toMatchObject({
      state: "awaiting_approval",
      warnings: [expect.stringContaining("FOK")],
    });
    const { pending } = await unwrap(seat.desk.pending());
    expect(pending[0]?.warnings).toEqual(waiting.structured["warnings"]);
  });
});

describe("a buy that ended with a part executed that no order can sell", () => {
  /** What is for sale: less than an order may have, as most of it was bought by others. */
  beforeEach(() => {
    const { exchange, accountId } = world.sandbox;
    exchange.apply({ type: "withdraw", accountId, asset: "BTC", amount: units("1") }, Date.now());
    world.rest("sell", "100000000", "0.0001");
    world.rest("buy", "99900000", "0.001");
    world.take("buy", "100000000", "0.00009");
  });
  const left = [
    "The account is left with 0.00001 BTC, too little to be sold by itself: BTC/KRW takes at least 0.00005 BTC.",
  ];

  const orderIdOf = ({ order }: Record<string, unknown>) => (order as { readonly orderId: string }).orderId;

  it("says so when the rest of it expired", async () => {
    const { structured } = await client.call("place_order", { ...LIMIT, time_in_force: "IOC" });
    expect(structured).toMatchObject({ state: "expired", order: { executed_volume: "0.00001" } });
    expect(structured["warnings"]).toEqual(expect.arrayContaining(left));
  });

  it("says so when the rest of it is canceled, and not while it may still be bought", async () => {
    const { structured } = await client.call("place_order", LIMIT);
    expect(structured).toMatchObject({ state: "partially_filled", warnings: [] });
    const canceled = await client.call("cancel_order", { order_id: orderIdOf(structured) });
    expect(canceled.structured).toMatchObject({ state: "canceled", warnings: left });
    expect(canceled.text).toContain(`Warning: ${left[0]}`);
  });
});

describe("what is left where orders end otherwise", () => {
  beforeEach(() => {
    const { exchange, accountId } = world.sandbox;
    exchange.apply({ type: "withdraw", accountId, asset: "BTC", amount: units("1") }, Date.now());
    world.rest("sell", "100000000", "0.0001");
    world.rest("buy", "99900000", "0.001");
    world.take("buy", "100000000", "0.00009");
  });
  const LEFT =
    "The account is left with 0.00001 BTC, too little to be sold by itself: BTC/KRW takes at least 0.00005 BTC.";
  const BALANCE = /^GET \/v1\/accounts/;

  it("is said once by a cancel of all, whatever ends with it, and for one look at the balance", async () => {
    await client.call("place_order", LIMIT);
    world.rest("sell", "104000000", "0.1");
    world.rest("sell", "4000000", "0.01", "ETH/KRW");
    world.rest("buy", "3990000", "0.01", "ETH/KRW");
    for (const order of [
      { ...LIMIT, price: "99000000" },
      { ...LIMIT, symbol: "ETH/KRW", base_volume: "0.02", price: "3900000" },
    ])
      expect((await client.call("place_order", order)).structured).toMatchObject({ outcome: "accepted" });
    const looked = world.proxy.deliveries(BALANCE);
    const { structured, text } = await client.call("cancel_all_orders", {});
    expect(structured).toMatchObject({ outcome: "accepted", canceled: 3, warnings: [LEFT] });
    expect(text).toContain(`Warning: ${LEFT}`);
    expect(world.proxy.deliveries(BALANCE) - looked).toBe(1);
  });

  it("is not looked at where nothing was executed, nor by a halt", async () => {
    await client.call("place_order", { ...LIMIT, price: "99000000" });
    const looked = world.proxy.deliveries(BALANCE);
    expect((await client.call("cancel_all_orders", {})).structured).toMatchObject({ canceled: 1, warnings: [] });
    expect(world.proxy.deliveries(BALANCE)).toBe(looked);
    await client.call("place_order", LIMIT);
    const { structured } = await client.call("halt_trading", { reason: "lunch" });
    expect(structured).toMatchObject({ canceled: 1, warnings: [] });
  });

  it("is said by await_order when the order has ended, and not while it may go on", async () => {
    const { structured: placed } = await client.call("place_order", LIMIT);
    const name = { order_id: (placed["order"] as { readonly orderId: string }).orderId };
    const open = await client.call("await_order", { ...name, until: "any_fill" });
    expect(open.structured).toMatchObject({ reached: true, state: "partially_filled", warnings: [] });
    const waiting = client.call("await_order", { ...name, timeout_s: 20 });
    expect((await client.call("cancel_order", name)).structured).toMatchObject({ state: "canceled" });
    const { structured, text } = await waiting;
    expect(structured).toMatchObject({ reached: true, state: "canceled", warnings: [LEFT] });
    expect(text).toContain(`Warning: ${LEFT}`);
  });
});

describe("an order that nothing is wrong with", () => {
  it.each([
    ["a limit that rests", { ...LIMIT, price: "99900000" }],
    ["a market order within the first level", { ...BTC, side: "buy", type: "market", base_volume: "0.004" }],
    ["an IOC that the book holds", { ...LIMIT, base_volume: "0.004", time_in_force: "IOC" }],
    ["a sell of all", { ...SELL, base_volume: "1" }],
    ["a sell that leaves enough", { ...SELL, base_volume: "0.9" }],
  ])("has no warning: %s", async (_, order) => {
    book();
    expect((await client.call("preview_order", order)).structured).toMatchObject({ valid: true, warnings: [] });
    expect((await client.call("place_order", order)).structured).toMatchObject({ outcome: "accepted", warnings: [] });
  });

  it("is sent before the balance is looked at that only a warning is about", async () => {
    book();
    const placed = await client.call("place_order", { ...SELL, base_volume: "0.99999" });
    expect(placed.structured["warnings"]).toEqual([expect.stringContaining("It leaves 0.00001 BTC")]);
    const signed = world.proxy.log.map(({ method, path }) => `${method} ${path.split("?")[0]}`);
    expect(signed.lastIndexOf("GET /v1/accounts")).toBeGreaterThan(signed.indexOf("POST /v1/orders"));
    expect(signed.filter((line) => line === "GET /v1/accounts")).toHaveLength(2);
  });
});
