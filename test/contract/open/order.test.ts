import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOrderBody, order, orderState, orderStateFilter, validatedOrder } from "../../../src/contract/index.ts";

const limit = { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.015", price: "95000000" };
const byVolume = { symbol: "BTC/KRW", side: "sell", type: "market", volume: "0.015" };
const byAmount = { symbol: "BTC/KRW", side: "buy", type: "market", amount: "50000" };
const compliance = {
  vasp_purpose_code: "P2B_TRADE",
  originator_vasp_id: "vasp-1",
  kyc_level: "TIER2",
  settlement_mode: "INSTANT_KRW",
};

/** The fields that are wrong, in the order they are told. */
function wrong(body: unknown): string[] {
  const result = createOrderBody.safeParse(body);
  return result.success ? [] : result.error.issues.map((issue) => issue.path.join("."));
}

describe("an order to create", () => {
  it.each([
    ["a limit order", limit],
    ["a market order by volume", byVolume],
    ["a market order by amount", byAmount],
    ["a market sell by amount", { ...byAmount, side: "sell" }],
    ["a market order that says IOC", { ...byAmount, time_in_force: "IOC" }],
    ["a post-only order", { ...limit, post_only: true }],
    ["a post-only order that says GTC", { ...limit, post_only: true, time_in_force: "GTC" }],
    ["a limit order until filled or killed", { ...limit, time_in_force: "FOK" }],
    ["an order with everything", { ...limit, userref: "desk-0001", validate_only: true, compliance }],
  ])("may be %s", (_, body) => {
    expect(createOrderBody.parse(body)).toEqual(body);
  });

  it.each([
    ["a limit order without volume", { ...limit, volume: undefined }, "volume"],
    ["a limit order without price", { ...limit, price: undefined }, "price"],
    ["a limit order with amount", { ...limit, amount: "50000" }, "amount"],
    ["a limit order by amount", { ...limit, volume: undefined, amount: "50000" }, "volume"],
    ["a market order with price", { ...byVolume, price: "95000000" }, "price"],
    ["a market order with neither volume nor amount", { ...byVolume, volume: undefined }, "volume"],
    ["a market order with both volume and amount", { ...byVolume, amount: "50000" }, "volume"],
    ["a market order that is post-only", { ...byVolume, post_only: true }, "post_only"],
    ["a post-only order that would not rest", { ...limit, post_only: true, time_in_force: "IOC" }, "post_only"],
  ])("is never %s, and the field is named", (_, body, field) => {
    expect(wrong(body)[0]).toBe(field);
  });

  it("reports everything that is wrong at once, each with its remedy", () => {
    const result = createOrderBody.safeParse({ symbol: "BTC/KRW", side: "buy", type: "limit", amount: "1" });
    expect(result.error?.issues.map(({ path, message }) => [path.join("."), message])).toEqual([
      ["volume", "a limit order needs volume"],
      ["price", "a limit order needs price"],
      ["amount", "a limit order takes volume and price, no amount"],
    ]);
  });

  it("has a shape that follows from type and fields alone", () => {
    const maybe = (value: string) => fc.option(fc.constant(value), { nil: undefined });
    const given = fc.record({
      type: fc.constantFrom("limit", "market"),
      side: fc.constantFrom("buy", "sell"),
      volume: maybe("0.5"),
      price: maybe("1000"),
      amount: maybe("5000"),
      post_only: fc.option(fc.boolean(), { nil: undefined }),
      time_in_force: fc.option(fc.constantFrom("GTC", "IOC", "FOK"), { nil: undefined }),
    });
    fc.assert(
      fc.property(given, ({ type, side, ...rest }) => {
        const has = (name: keyof typeof rest) => rest[name] !== undefined;
        const tif = rest.time_in_force ?? "GTC";
        const fits =
          type === "limit"
            ? has("volume") && has("price") && !has("amount") && (rest.post_only !== true || tif === "GTC")
            : has("volume") !== has("amount") && !has("price") && rest.post_only !== true;
        expect(wrong({ symbol: "BTC/KRW", side, type, ...rest }).length === 0).toBe(fits);
      }),
      { numRuns: 1000 },
    );
  });

  it("refuses a field it does not know, at every depth", () => {
    const names = (body: object) => createOrderBody.safeParse(body).error?.issues[0];
    expect(names({ ...limit, leverage: "2" })).toMatchObject({ code: "unrecognized_keys", keys: ["leverage"] });
    expect(names({ ...limit, compliance: { ...compliance, note: "x" } })).toMatchObject({
      code: "unrecognized_keys",
      keys: ["note"],
      path: ["compliance"],
    });
  });

  it.each(["volume", "price", "amount"] as const)(
    "refuses %s as a JSON number, with an exponent, or negative",
    (field) => {
      const base = field === "amount" ? byAmount : limit;
      for (const value of [1, 0.5, "1e3", "-1", "1,000", "", null])
        expect(wrong({ ...base, [field]: value })).toContain(field);
    },
  );

  it.each([
    ["side", "BUY"],
    ["side", "bid"],
    ["type", "stop"],
    ["time_in_force", "gtc"],
    ["post_only", "true"],
    ["validate_only", 1],
    ["userref", "with space"],
    ["symbol", "KRW-BTC"],
    ["compliance", {}],
  ])("refuses %s %j", (field, value) => {
    expect(wrong({ ...limit, [field]: value })[0]).toMatch(new RegExp(`^${field}`));
  });

  it.each(Object.keys(compliance))("needs %s once there is compliance metadata", (field) => {
    expect(wrong({ ...limit, compliance: { ...compliance, [field]: undefined } })).toEqual([`compliance.${field}`]);
  });
});

describe("an order as answered", () => {
  const id = "01999f3e-7a10-7c31-9a52-0c6d5b1f2a77";
  const answered = {
    ...{ uuid: id, orderId: id, txid: [id], symbol: "BTC/KRW", side: "buy", type: "market", time_in_force: "IOC" },
    ...{
      post_only: false,
      price: null,
      volume: null,
      amount: "50000",
      executed_volume: "0.0005",
      remaining_volume: null,
    },
    ...{ executed_value: "47500", avg_price: "95000000", fee: "23.75", fee_currency: "KRW", state: "expired" },
    ...{ reject_reason: "no_more_liquidity", userref: null },
    settlement: { mode: "INSTANT_KRW", expected_settle_time: "T+0", krw_account_linked: true },
    descr: { order: "buy BTC/KRW for 50000 KRW @ market" },
    created_at: "2026-07-20T09:00:00.000Z",
    updated_at: "2026-07-20T09:00:00.001Z",
  };

  it("is read, and fields of a later version are dropped at every depth", () => {
    const settlement = { ...answered.settlement, later: 1 };
    expect(order.parse({ ...answered, settlement, later: { any: "thing" } })).toEqual(answered);
  });

  it.each(["orderId", "txid", "uuid", "state", "settlement", "descr", "userref", "avg_price"])(
    "always has %s",
    (field) => {
      expect(order.safeParse({ ...answered, [field]: undefined }).success).toBe(false);
    },
  );

  it("has no number where a decimal belongs", () => {
    const decimals = ["executed_volume", "executed_value", "fee", "avg_price", "amount"];
    expect(decimals.filter((field) => order.safeParse({ ...answered, [field]: 1 }).success)).toEqual([]);
  });

  it("has five states, and may be filtered by two more words", () => {
    expect(orderState.options).toEqual(["open", "filled", "canceled", "expired", "rejected"]);
    expect(orderStateFilter.options).toEqual([...orderState.options, "closed", "all"]);
  });

  it("is only described when it was to be validated", () => {
    expect(validatedOrder.parse({ descr: answered.descr })).toEqual({ descr: answered.descr });
  });
});
