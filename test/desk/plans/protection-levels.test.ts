import { describe, expect, it } from "vitest";
import { price } from "../../../src/decimal/index.ts";
import { isProtection, type ProtectionTerms } from "../../../src/desk/model/plan.ts";
import type { PlanRequest } from "../../../src/desk/model/plan-report.ts";
import { floorNow, isReached, levelsOf, lowestPriceOf } from "../../../src/desk/plans/terms/protection-levels.ts";
import { FACTS, MARKET, termsOf } from "./plan-facts.ts";

const RULES = FACTS.policy.plans;

function protection(kind: string, changed: Partial<PlanRequest> = {}): ProtectionTerms {
  const terms = termsOf(kind, changed);
  if (!isProtection(terms)) throw new Error(terms.kind);
  return terms;
}

const trailingOco = (): ProtectionTerms => protection("oco", { stop_price: undefined, trail: "5%" });

describe("what a protection waits for", () => {
  const levels = (terms: ProtectionTerms, high?: string) => {
    const { stop, take } = levelsOf(terms, MARKET, high === undefined ? undefined : price(high));
    return [stop?.toString(), take?.toString()];
  };

  it("is as its terms say, and below the high where it trails", () => {
    expect(levels(protection("stop"))).toEqual(["95000000", undefined]);
    expect(levels(protection("take_profit"))).toEqual([undefined, "110000000"]);
    expect(levels(protection("oco"))).toEqual(["95000000", "110000000"]);
    expect(levels(protection("trailing_stop"), "104001000")).toEqual(["98800000", undefined]);
    expect(levels(protection("trailing_stop", { trail: "3000500" }), "104001000")).toEqual(["101000000", undefined]);
    expect(levels(trailingOco(), "100000000")).toEqual(["95000000", "110000000"]);
    expect(levels(trailingOco())).toEqual([undefined, "110000000"]);
  });

  it.each([
    ["stop", "95001000", "95002000", false],
    ["stop", "95000000", "95002000", true],
    ["stop", "94000000", "95002000", true],
    ["stop", undefined, "95002000", true],
    ["take_profit", "95000000", "109999000", false],
    ["take_profit", "95000000", "110000000", true],
    ["take_profit", undefined, "109999000", false],
    ["take_profit", "95000000", undefined, true],
    ["oco", "95001000", "109999000", false],
    ["oco", "95001000", "110000000", true],
    ["trailing_stop", "50000000", undefined, false],
  ] as const)("a %s with the market at %s and %s, reached: %s", (kind, bid, ask, expected) => {
    const of = (text: string | undefined) => (text === undefined ? undefined : price(text));
    expect(isReached(protection(kind), MARKET, { bid: of(bid), ask: of(ask) })).toBe(expected);
  });
});

describe("the floor", () => {
  const now = (terms: ProtectionTerms, trigger: string, priceMin = "85500000") =>
    floorNow(terms, price(trigger), { market: MARKET, rules: RULES, priceMin: price(priceMin) }).toString();

  it("follows the trigger of a trailing stop, and is never below what was approved", () => {
    expect(now(protection("trailing_stop"), "100000000")).toBe("90000000");
    expect(now(protection("trailing_stop"), "94000000")).toBe("85500000");
  });

  it("stays where it was given", () => {
    const given = protection("trailing_stop", { floor_price: "90000000" });
    expect(now(given, "120000000", "90000000")).toBe("90000000");
    expect(now(protection("stop", { limit_price: "94000000" }), "95000000", "94000000")).toBe("94000000");
  });

  it("is at its lowest when the plan begins", () => {
    const lowest = (terms: ProtectionTerms, bid?: string) =>
      lowestPriceOf(terms, MARKET, bid === undefined ? undefined : price(bid), RULES)?.toString();
    expect(lowest(trailingOco(), "100000000")).toBe("85500000");
    expect(lowest(trailingOco())).toBeUndefined();
    expect(lowest(protection("take_profit"))).toBe("110000000");
  });
});
