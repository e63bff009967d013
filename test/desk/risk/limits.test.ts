/** The limits as figures: what they say passes is just what the rules let through. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inUnit } from "../../../src/decimal/index.ts";
import type { AccountUsage } from "../../../src/desk/model/account-usage.ts";
import type { Policy } from "../../../src/desk/model/policy.ts";
import { type LossOfDay, largestBuy, limitsOf } from "../../../src/desk/risk/limits.ts";
import { decide } from "../../../src/desk/risk/policy-decision.ts";
import { textOf } from "../../decimal/arbitraries.ts";
import { BTC, LIMIT_BUY, NOW_MS, POLICY, QUESTION, UNUSED } from "./policy-question.ts";

const MUCH = inUnit("9000000000000000");
const iso = (atMs: number): string => new Date(atMs).toISOString();
const unused: AccountUsage = { usage: UNUSED, settled: [], killSwitch: undefined };
const loss = (lost: string | undefined, limit = "1000"): LossOfDay => ({
  limit: inUnit(limit),
  lost: lost === undefined ? undefined : inUnit(lost),
  dayEndsMs: NOW_MS + 5,
});

function largest(policy: Policy, accountUsage: AccountUsage, cash: string, lost?: LossOfDay, markets = [BTC]): string {
  const limits = limitsOf(policy, accountUsage, lost);
  return largestBuy({ policy, accountUsage, limits, markets, cash }).toString();
}

describe("the limits", () => {
  it("say what is used and left of each, and when the first part of it is free again", () => {
    const accountUsage: AccountUsage = {
      usage: { day: "6000000", open: "250000", openOrders: 3, lastMinute: 2 },
      settled: [
        { value: "100", atMs: NOW_MS - 1_000 },
        { value: "5", atMs: NOW_MS },
      ],
      killSwitch: undefined,
      firstSentAtMs: NOW_MS - 20_000,
    };
    const limits = limitsOf(POLICY, accountUsage, loss("400"));
    expect(limits.map(({ line }) => line)).toEqual([
      'max_order_krw = "1000000"',
      "max_orders_per_minute = 20",
      "max_open_orders = 50",
      'max_open_krw = "10000000"',
      'max_day_krw = "5000000"',
      'max_day_loss_krw = "off"',
    ]);
    expect(limits.map((limit) => ({ ...limit, line: undefined }))).toEqual([
      { rule: "order_size", limit: "1000000", used: "0", left: "1000000", frees_at: null },
      { rule: "orders_per_minute", limit: "20", used: "2", left: "18", frees_at: iso(NOW_MS + 40_000) },
      { rule: "open_orders", limit: "50", used: "3", left: "47", frees_at: null },
      { rule: "open_exposure", limit: "10000000", used: "250000", left: "9750000", frees_at: null },
      // Over its limit, as after a limit was lowered.
      { rule: "day_budget", limit: "5000000", used: "6000000", left: "0", frees_at: iso(NOW_MS + 86_399_000) },
      { rule: "day_loss", limit: "1000", used: "400", left: "600", frees_at: iso(NOW_MS + 5) },
    ]);
    expect(limitsOf(POLICY, unused, loss(undefined)).at(-1)).toMatchObject({ used: null, left: null });
    expect(limitsOf(POLICY, unused).filter(({ frees_at }) => frees_at !== null)).toEqual([]);
  });
});

describe("a denial for the orders of the last minute", () => {
  it("names the moment when the first of them is a minute old", () => {
    const accountUsage = { ...unused, usage: { ...UNUSED, lastMinute: 20 }, firstSentAtMs: NOW_MS - 20_000 };
    const message = expect.stringContaining(`wait until ${iso(NOW_MS + 40_000)}`) as string;
    expect(decide(POLICY, { ...QUESTION, accountUsage })).toMatchObject({
      kind: "deny",
      denial: { rule: "orders_per_minute", message },
    });
  });
});

describe("the largest buy", () => {
  it("passes, and one won more does not: by a limit, or for want of money", () => {
    const krw = (max: number) => fc.integer({ min: 0, max }).map(String);
    const policies = fc.record({ order: krw(2_000_000), day: krw(2_000_000), open: krw(2_000_000), many: fc.nat(3) });
    const usages = fc.record({ day: krw(1_500_000), open: krw(1_500_000), openOrders: fc.nat(3) });
    fc.assert(
      fc.property(policies, usages, fc.nat(3), krw(2_000_000), (limit, used, lastMinute, cash) => {
        const policy: Policy = {
          ...POLICY,
          ...{ maxOrder: inUnit(limit.order), maxDay: inUnit(limit.day), maxOpen: inUnit(limit.open) },
          ...{ maxOpenOrders: limit.many, maxOrdersPerMinute: limit.many, approvalOver: MUCH },
        };
        const accountUsage: AccountUsage = { ...unused, usage: { ...used, lastMinute } };
        // At a hundred million a coin, the least part of a coin is worth one won.
        const passes = (value: bigint): boolean => {
          const order = { ...LIMIT_BUY, volume: textOf(value) };
          const isAllowed = decide(policy, { ...QUESTION, order, accountUsage }).kind === "allow";
          return isAllowed && value >= 5000n && value * 10_005n <= BigInt(cash) * 10_000n;
        };
        const found = BigInt(largest(policy, accountUsage, cash));
        if (found > 0n) expect([passes(found), passes(found + 1n)]).toEqual([true, false]);
        else expect(passes(5_000n)).toBe(false);
      }),
    );
  });

  it("is none where a loss has reached its limit or cannot be counted, or no market is allowed", () => {
    expect(largest(POLICY, unused, "9000000", loss("999"))).toBe("1000000");
    expect(largest(POLICY, unused, "9000000", loss("1000"))).toBe("0");
    expect(largest(POLICY, unused, "9000000", loss(undefined))).toBe("0");
    expect(largest({ ...POLICY, markets: ["ETH/KRW"] }, unused, "9000000")).toBe("0");
    expect(largest(POLICY, unused, "9000000", undefined, [{ ...BTC, status: "halted" }])).toBe("0");
  });

  it("can be paid in the dearest market that is allowed", () => {
    const dear = { ...BTC, symbol: "ETH/KRW", taker_fee_rate: "0.01", maker_fee_rate: "0" };
    expect(largest(POLICY, unused, "101000", undefined, [BTC, dear])).toBe("100000");
    expect(largest({ ...POLICY, markets: ["BTC/KRW"] }, unused, "100050", undefined, [BTC, dear])).toBe("100000");
  });
});
