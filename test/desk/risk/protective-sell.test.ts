import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CreateOrderBody } from "../../../src/contract/index.ts";
import { inUnit, price, quantity, rate } from "../../../src/decimal/index.ts";
import type { PlanBounds, PlanTerms } from "../../../src/desk/model/plan.ts";
import {
  checkMandate,
  checkProtective,
  type ExceptionCase,
  hasProtectiveException,
  type MandateQuestion,
  type ProtectiveCase,
  type ProtectiveQuestion,
  planDenialFault,
  protectiveSell,
} from "../../../src/desk/risk/protective-sell.ts";
import { BTC, NOW_MS } from "./policy-question.ts";

const MARKET = { ...BTC, tick_bands: [{ from_price: "0", tick_size: "1000" }] };

/** As the first order of a basket. */
const SOLD = { symbol: "BTC/KRW", side: "sell", type: "market", volume: "0.5" } as const;

const AT: ProtectiveCase = {
  market: MARKET,
  left: quantity("0.1"),
  available: quantity("0.3"),
  locked: quantity("0"),
  bid: price("95000000"),
  floor: price("85000000"),
  slippage: rate("0.03"),
};

describe("what a protection sells", () => {
  const sold = (changed: Partial<ProtectiveCase>) => protectiveSell({ ...AT, ...changed });

  it("is a limit order at once, as far below the best bid of others as the file lets it", () => {
    expect(sold({})).toEqual({ kind: "sell", price: "92150000", volume: "0.1", timeInForce: "IOC" });
    expect(sold({ bid: price("95001000") })).toMatchObject({ price: "92151000" });
  });

  it("is never below its floor", () => {
    expect(sold({ floor: price("93000000") })).toMatchObject({ kind: "sell", price: "93000000" });
    expect(sold({ floor: price("95000000") })).toMatchObject({ kind: "sell", price: "95000000" });
    expect(sold({ floor: price("95001000") })).toEqual({ kind: "below_floor", bid: "95000000", floor: "95001000" });
  });

  it("is no more than is left, nor than is free, in whole steps", () => {
    expect(sold({ available: quantity("0.05") })).toMatchObject({ volume: "0.05" });
    expect(sold({ left: quantity("0.30000001"), available: quantity("0.3") })).toMatchObject({ volume: "0.3" });
    const market = { ...MARKET, volume_decimals: 2 };
    expect(sold({ market, left: quantity("0.1"), available: quantity("0.0999") })).toMatchObject({ volume: "0.09" });
  });

  it("is nothing where nobody buys, where too little is left, and where an open order has the coins", () => {
    expect(sold({ bid: undefined })).toEqual({ kind: "no_bid" });
    expect(sold({ left: quantity("0.00009999") })).toEqual({ kind: "nothing_left" });
    expect(sold({ left: quantity("0.0001"), market: { ...MARKET, min_notional: "9216" } })).toEqual({
      kind: "nothing_left",
    });
    expect(sold({ available: quantity("0") })).toEqual({ kind: "nothing_left" });
    expect(sold({ available: quantity("0.00001"), locked: quantity("0.05") })).toEqual({
      kind: "locked",
      volume: "0.05001",
    });
  });

  it("rests at the limit that a stop was given, also where nobody buys", () => {
    const restsAt = price("94000000");
    const rests = { kind: "sell", price: "94000000", volume: "0.1", timeInForce: "GTC" };
    expect(sold({ restsAt, floor: restsAt })).toEqual(rests);
    expect(sold({ restsAt, floor: restsAt, bid: price("90000000") })).toEqual(rests);
    expect(sold({ restsAt, floor: restsAt, bid: undefined })).toEqual(rests);
  });

  it("passes the rule that it is held against, whatever floor, bid, tick and slippage are", () => {
    const prices = fc.integer({ min: 1, max: 100_000 });
    const shares = fc.integer({ min: 0, max: 100 });
    const ticks = fc.constantFrom("1", "0.5", "10", "0.00000001");
    fc.assert(
      fc.property(prices, prices, shares, shares, ticks, (bid, floor, now, approved, tick) => {
        const market = { ...MARKET, min_notional: "0", tick_bands: [{ from_price: "0", tick_size: tick }] };
        const onTick = (count: number) => price(tick).scale(rate(`${count}`));
        const [slippage, file] = [now, approved].map((share) => rate("0.01").scale(rate(`${share}`)));
        if (slippage === undefined || file === undefined) throw new Error("two shares");
        const stricter = slippage.lt(file) ? slippage : file;
        const at = { ...AT, market, bid: onTick(bid), floor: onTick(floor), slippage: stricter };
        const sell = protectiveSell(at);
        if (sell.kind !== "sell") return sell.kind === "below_floor" && bid < floor;
        const order = { ...ORDER, price: sell.price, volume: sell.volume };
        const question = { order, market, floor: at.floor, bid: at.bid, slippage: { now: slippage, approved: file } };
        return checkProtective(question) === undefined && price(sell.price).lte(at.bid) && bid >= floor;
      }),
      { numRuns: 500 },
    );
    expect(protectiveSell(AT).kind).toBe("sell");
  });
});

const ORDER: CreateOrderBody = {
  ...{ symbol: "BTC/KRW", side: "sell", type: "limit", volume: "0.1", price: "92150000", time_in_force: "IOC" },
};

describe("the rule for a protection's price", () => {
  const question: ProtectiveQuestion = {
    ...{ order: ORDER, market: MARKET, floor: price("85000000"), bid: price("95000000") },
    slippage: { now: rate("0.03"), approved: rate("0.03") },
  };
  const found = (changed: Partial<ProtectiveQuestion>) => checkProtective({ ...question, ...changed });

  it("lets pass what is at its bounds", () => {
    expect(found({})).toBeUndefined();
    expect(found({ floor: price("92150000") })).toBeUndefined();
  });

  it("denies below the floor, and further below the bid than the stricter of file and mandate", () => {
    expect(found({ floor: price("92151000") })).toMatchObject({
      rule: "protective",
      figure: "92150000",
      limit: "92151000",
    });
    const lower = { order: { ...ORDER, price: "92149000" } };
    expect(found(lower)).toMatchObject({ rule: "protective", figure: "92149000", limit: "92150000", field: "price" });
    for (const slippage of [
      { now: rate("0.02"), approved: rate("0.03") },
      { now: rate("0.03"), approved: rate("0.02") },
    ])
      expect(found({ slippage })).toMatchObject({ limit: "93100000" });
  });

  it("denies what is no limit order that sells, and what nobody bids for", () => {
    const { price: _, ...priceless } = ORDER;
    expect(found({ order: { ...priceless, type: "market" } })).toMatchObject({ rule: "protective", field: "type" });
    expect(found({ order: { ...ORDER, side: "buy" } })).toMatchObject({ rule: "protective" });
    expect(found({ bid: undefined })).toMatchObject({ rule: "protective", figure: "no bid" });
  });
});

describe("the protective exception", () => {
  const terms: PlanTerms = {
    ...{ kind: "stop", symbol: "BTC/KRW", volume: "0.1", stopPrice: "95000000", floorPrice: "85000000" },
  };
  const it0 = { terms, mandate: { by: "person" }, order: ORDER, held: quantity("0.1"), isPractice: false } as const;

  it("is of a sell of no more than is held, by a person's mandate", () => {
    expect(hasProtectiveException(it0)).toBe(true);
    expect(hasProtectiveException({ ...it0, mandate: { by: "policy" }, isPractice: true })).toBe(true);
  });

  it.each<[string, Partial<ExceptionCase>]>([
    ["by the policy where money is real", { mandate: { by: "policy" } }],
    ["of more than is held", { held: quantity("0.09999999") }],
    ["of what is held by nobody's word", { held: undefined }],
    ["that buys", { order: { ...ORDER, side: "buy" } }],
    ["in another market", { order: { ...ORDER, symbol: "ETH/KRW" } }],
    ["by an amount", { order: { symbol: "BTC/KRW", side: "sell", type: "market", amount: "5000" } }],
    [
      "of a plan that does not protect",
      {
        terms: {
          ...{ kind: "slices", symbol: "BTC/KRW", side: "sell", size: { volume: "0.1" } },
          ...{ count: 2, durationMs: 60_000 },
        },
      },
    ],
  ])("is of no order %s", (_, changed) => {
    expect(hasProtectiveException({ ...it0, ...changed })).toBe(false);
  });
});

describe("a mandate", () => {
  const buys: PlanBounds = {
    ...{ account: "main", environment: "live", symbol: "BTC/KRW", side: "buy", stepsMax: 3, over: [] },
    ...{ valueMax: "150000", stepValueMax: "50000", priceMax: "96000000", untilMs: NOW_MS + 1 },
  };
  const sells: PlanBounds = {
    ...{ account: "main", environment: "live", symbol: "BTC/KRW", side: "sell", stepsMax: 9_999, over: [] },
    ...{ volumeMax: "0.3", priceMin: "90000000", untilMs: NOW_MS + 1 },
  };
  const buy: MandateQuestion = {
    ...{ account: "main", environment: "live", step: 3, value: inUnit("50000"), unit: "KRW", nowMs: NOW_MS },
    order: { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.0005", price: "96000000" },
    before: { volume: quantity("0.001"), value: inUnit("100000") },
  };
  const sell: MandateQuestion = {
    ...{ ...buy, order: { ...ORDER, price: "90000000" } },
    before: { volume: quantity("0.2"), value: inUnit("999999999") },
  };

  it("lets pass what is at each of its bounds", () => {
    expect(checkMandate(buys, buy)).toBeUndefined();
    expect(checkMandate(sells, sell)).toBeUndefined();
  });

  it.each<[string, PlanBounds, Partial<MandateQuestion>, string, string]>([
    ["another account", buys, { account: "other" }, "other", "main"],
    ["another environment", buys, { environment: "sandbox" }, "sandbox", "live"],
    ["another market", buys, { order: { ...buy.order, symbol: "ETH/KRW" } }, "ETH/KRW", "BTC/KRW"],
    ["the other side", buys, { order: { ...buy.order, side: "sell" } }, "sell", "buy"],
    ["one order more", buys, { step: 4 }, "4", "3"],
    [
      "a larger order",
      buys,
      { value: inUnit("50001"), before: { ...buy.before, value: inUnit("0") } },
      "50001",
      "50000",
    ],
    ["more in all", buys, { before: { ...buy.before, value: inUnit("100001") } }, "150001", "150000"],
    ["what cannot be valued", buys, { value: undefined }, "unknown", "50000"],
    ["a higher price", buys, { order: { ...buy.order, price: "96001000" } }, "96001000", "96000000"],
    [
      "any price",
      buys,
      { order: { symbol: "BTC/KRW", side: "buy", type: "market", amount: "50000" } },
      "none",
      "96000000",
    ],
    ["more coins", sells, { ...sell, before: { ...sell.before, volume: quantity("0.20000001") } }, "0.30000001", "0.3"],
    [
      "coins that are not counted",
      sells,
      { ...sell, order: { symbol: "BTC/KRW", side: "sell", type: "market", amount: "1" } },
      "unknown",
      "0.3",
    ],
    ["a lower price", sells, { ...sell, order: { ...ORDER, price: "89999000" } }, "89999000", "90000000"],
    [
      "a time after its end",
      buys,
      { nowMs: NOW_MS + 1 },
      new Date(NOW_MS + 1).toISOString(),
      new Date(NOW_MS + 1).toISOString(),
    ],
  ])("denies %s", (_, bounds, changed, figure, limit) => {
    const { message, ...denial } = checkMandate(bounds, { ...buy, ...changed }) ?? { message: "" };
    expect(denial).toMatchObject({ rule: "mandate", figure, limit });
    expect(message).not.toBe("");
  });

  it.each<[string, Partial<MandateQuestion>, string, string]>([
    ["the order of another step", { step: 2 }, "sell BTC/KRW", "buy ETH/KRW"],
    ["another market", { order: { ...SOLD, symbol: "XRP/KRW" } }, "sell XRP/KRW", "sell BTC/KRW"],
    ["the other side", { order: { ...SOLD, side: "buy" } }, "buy BTC/KRW", "sell BTC/KRW"],
    ["a step that there is none of", { step: 3 }, "sell BTC/KRW", "nothing"],
    ["more coins", { order: { ...SOLD, volume: "0.50000001" } }, "0.50000001", "0.5"],
    ["another account", { account: "other" }, "other", "main"],
  ])("lets each step of a basket be its own order alone, and denies %s", (_, changed, figure, limit) => {
    const { symbol: _symbol, side: _side, ...all } = buys;
    const legs = [
      { symbol: "BTC/KRW", side: "sell", volumeMax: "0.5" },
      { symbol: "ETH/KRW", side: "buy", valueMax: "50000" },
    ] as const;
    const { valueMax: _value, stepValueMax: _step, priceMax: _price, ...rest } = all;
    const bounds: PlanBounds = { ...rest, legs, stepsMax: 2 };
    // What others of the plan have come to is of other coins.
    const first = { ...buy, step: 1, order: SOLD, before: { volume: quantity("9"), value: inUnit("900000") } };
    expect(checkMandate(bounds, first)).toBeUndefined();
    const bought = { symbol: "ETH/KRW", side: "buy", type: "market", amount: "50000" } as const;
    const second = { ...first, step: 2, order: bought, value: inUnit("50000") };
    expect(checkMandate(bounds, second)).toBeUndefined();
    expect(checkMandate(bounds, { ...second, value: inUnit("50001") })?.figure).toBe("50001");
    expect(checkMandate(bounds, { ...first, ...changed })).toMatchObject({ rule: "mandate", figure, limit });
  });

  it("is told as a denial by the policy, with the line of the file where one decides", () => {
    const denial = checkMandate(buys, { ...buy, step: 4 });
    if (denial === undefined) throw new Error("nothing was denied");
    expect(planDenialFault(denial)).toMatchObject({
      ...{ code: "ELocal:Denied by policy", rule: "mandate", figure: "4", limit: "3", reachedVenue: "no" },
      message: "Order 4 of a plan that was approved for 3. Nothing was sent.",
      nextAction: "Do what the message says, or leave it.",
    });
    expect(planDenialFault(denial, "max_days = 90").nextAction).toContain(
      "only a person changes the line max_days = 90",
    );
  });
});
