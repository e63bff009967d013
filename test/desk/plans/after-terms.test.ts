/** What a buy makes of the plan that begins with it, without an exchange. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { price, quantity } from "../../../src/decimal/index.ts";
import type { IntentState } from "../../../src/desk/index.ts";
import type { OcoTerms, PlanRecord } from "../../../src/desk/model/plan.ts";
import { inForce, isAfterBuy, waitsForBuy } from "../../../src/desk/model/plan.ts";
import type { PlanRequest } from "../../../src/desk/model/plan-report.ts";
import { nextAct } from "../../../src/desk/plans/running/protection-act.ts";
import { beginningOf } from "../../../src/desk/plans/terms/after-terms.ts";
import type { Buy } from "../../../src/desk/plans/terms/bought.ts";
import { waitingPlan } from "../../../src/desk/plans/watch/waiting-plans.ts";
import { executedOf } from "../../../src/desk/risk/executed.ts";
import { tickBandsOf } from "../../../src/desk/risk/order-proposals.ts";
import { DAY_MS, drafted, FACTS, MARKET, NOW_MS, refused } from "./plan-facts.ts";

const RULES = FACTS.policy.plans;
const ASKED: PlanRequest = {
  ...{ kind: "oco", symbol: "BTC/KRW", after: "buy-1", stop_price: "-5%", take_price: "+10%" },
};

interface Executed {
  readonly volume?: string;
  readonly value?: string;
  readonly fee?: readonly [sum: string, asset: string];
}

function buyOf(
  state: IntentState,
  { volume = "0", value = "0", fee = ["0", "KRW"] }: Executed = {},
  order: Partial<Buy["body"]["order"]> = {},
): Buy {
  const sent = { symbol: "BTC/KRW", side: "buy", type: "limit", price: "100000000", volume: "0.5", ...order } as const;
  const ids = { uuid: "o-1", orderId: "o-1", txid: ["o-1"], userref: "buy-1", reject_reason: null };
  const seen = {
    ...{ ...ids, symbol: "BTC/KRW", side: "buy" as const, type: sent.type, price: sent.price ?? null, volume: "0.5" },
    ...{ amount: null, executed_volume: volume, executed_value: value, remaining_volume: null, avg_price: null },
    ...{ fee: fee[0], fee_currency: fee[1], state: "open" as const, created_at: "2026-11-30T00:00:00Z" },
  } as const;
  return { intentId: "i-1", userref: "buy-1", orderId: "o-1", state, body: { order: sent, seen } };
}

function termsFor(
  buy: Buy,
  more: Partial<PlanRequest> = {},
): OcoTerms & { readonly after: NonNullable<OcoTerms["after"]> } {
  const { terms } = drafted({ ...ASKED, ...more }, { buy });
  if (!isAfterBuy(terms)) throw new Error(terms.kind);
  return terms;
}

function begunBy(terms: ReturnType<typeof termsFor>, buy: Buy) {
  const beginning = beginningOf(terms, buy, MARKET, RULES);
  if (beginning.kind !== "begins") throw new Error("it begins with nothing");
  return beginning;
}

function planOf(terms: OcoTerms, progress: PlanRecord["progress"] = {}): PlanRecord {
  const bounds = {
    ...{ account: "main", environment: "sandbox", symbol: "BTC/KRW", side: "sell" as const, stepsMax: 9_999, over: [] },
    ...{ volumeMax: terms.volume, priceMin: terms.after?.priceMin ?? "0", untilMs: NOW_MS + DAY_MS },
  } as const;
  return {
    ...{ planId: "plan-1", account: "main", terms, state: "active", version: 1, asked: null, openStep: null, progress },
    mandate: { by: "person", digest: "d", approvedAtMs: NOW_MS, slippagePct: "3", bounds },
    ...{ replaces: null, untilMs: NOW_MS + DAY_MS, createdAtMs: NOW_MS, updatedAtMs: NOW_MS, endedAtMs: null },
  };
}

describe("the terms of a plan that begins with a buy", () => {
  it("are of all of the buy at its limit, and its lowest price is of what may still make sense", () => {
    expect(termsFor(buyOf("open"))).toMatchObject({
      ...{ volume: "0.5", stop: { stopPrice: "95000000" }, takePrice: "110000000" },
      after: { order: "buy-1", stop: "5", take: "10", price: "100000000", priceMin: "85500000" },
    });
  });

  it("have their bound at the best bid where the buy has not come to the exchange, and at the average where it has ended", () => {
    const quotes = { bid: price("90000000"), ask: price("90100000") };
    const { terms } = drafted(ASKED, { buy: buyOf("awaiting_approval"), quotes });
    expect(terms).toMatchObject({ after: { price: "100000000", priceMin: "76950000" } });
    const ended = termsFor(buyOf("canceled", { volume: "0.2", value: "18000000" }));
    expect(ended).toMatchObject({
      volume: "0.2",
      takePrice: "99000000",
      after: { price: "90000000", priceMin: "76950000" },
    });
  });

  it("take a buy by amount for as many coins as it may bring", () => {
    const buy = buyOf(
      "awaiting_approval",
      {},
      { type: "market", price: undefined, volume: undefined, amount: "10000000" },
    );
    expect(termsFor(buy)).toMatchObject({ volume: "0.1", after: { price: "100100000" } });
  });

  it.each<[string, Partial<PlanRequest>, string]>([
    ["a share that rises", { stop_price: "+5%" }, "stop_price: With after, stop_price is a percentage"],
    ["all of it", { stop_price: "-100%" }, "stop_price: Stop_price -100% is no distance"],
    ["nothing", { take_price: "+0%" }, "take_price: Take_price +0% is no distance"],
    ["two stops", { trail: "5%" }, "trail: A plan has one stop"],
  ])("are refused with %s", (_, more, message) => {
    expect(refused("oco", { ...ASKED, base_volume: undefined, ...more }, { buy: buyOf("open") })).toContain(message);
  });

  it("are refused of a draft, and of less than the market takes", () => {
    const changed = { ...ASKED, base_volume: undefined };
    expect(refused("oco", changed, { buy: buyOf("draft") })).toContain("was only previewed");
    expect(refused("oco", changed, { buy: buyOf("open", {}, { volume: "0.00001" }) })).toContain(
      "less than BTC/KRW takes",
    );
  });
});

describe("what the buy has come to", () => {
  it("is its average price, and what it brought without a fee that was taken in coins", () => {
    const terms = termsFor(buyOf("open"));
    const buy = buyOf("filled", { volume: "0.5", value: "49000000", fee: ["0.0005", "BTC"] });
    expect(begunBy(terms, buy).begins).toEqual({
      ...{ volume: "0.4995", averagePrice: "98000000", stopPrice: "93100000", takePrice: "107800000" },
    });
  });

  it("begins with nothing where it brought nothing, or less than can be sold", () => {
    const terms = termsFor(buyOf("open"));
    for (const volume of ["0", "0.00001"]) {
      const bought = buyOf("canceled", { volume, value: volume === "0" ? "0" : "1000" });
      expect(beginningOf(terms, bought, MARKET, RULES).kind).toBe("in_vain");
    }
  });

  it("has the lowest price that was approved for its floor where it executed far lower", () => {
    const terms = termsFor(buyOf("open"), { floor_price: "-8%" });
    expect(terms.after.priceMin).toBe("92000000");
    const near = begunBy(terms, buyOf("filled", { volume: "0.5", value: "49000000" }));
    expect([near.begins.floorPrice, near.trigger.toString()]).toEqual(["92000000", "93100000"]);
    const far = begunBy(terms, buyOf("filled", { volume: "0.5", value: "40000000" }));
    expect(far.floor.gte(far.trigger)).toBe(true);
  });

  it("is nothing to wait for, and nothing to sell, before it has begun", () => {
    const plan = planOf(termsFor(buyOf("open")));
    expect(waitsForBuy(plan)).toBe(true);
    expect(waitingPlan(plan, tickBandsOf(MARKET))).toBeUndefined();
    const facts = {
      leg: "stop",
      level: price("95000000"),
      market: MARKET,
      rules: RULES,
      bid: price("94000000"),
    } as const;
    const held = { available: quantity("1"), locked: quantity("0"), nowMs: NOW_MS, triedAtMs: undefined };
    expect(nextAct(plan, [], { ...facts, ...held }).kind).toBe("wait");
  });
});

it("a plan after a buy never sells more than that has brought, nor below what was approved", () => {
  const cents = fc.integer({ min: 1, max: 50 });
  const look = fc.record({
    ...{
      bid: fc.integer({ min: 60, max: 125 }),
      held: fc.integer({ min: 0, max: 200 }),
      part: fc.integer({ min: 0, max: 100 }),
    },
    leg: fc.constantFrom<"stop" | "take">("stop", "take"),
  });
  const trail = fc.option(fc.constantFrom("3%", "5000000"), { nil: undefined });
  let sales = 0;
  fc.assert(
    fc.property(
      cents,
      fc.integer({ min: 60, max: 100 }),
      trail,
      fc.array(look, { maxLength: 12 }),
      (bought, at, by, looks) => {
        const terms = termsFor(buyOf("open"), by === undefined ? {} : { stop_price: undefined, trail: by });
        const volume = bought / 100;
        const buy = buyOf("canceled", { volume: String(volume), value: String(Math.round(volume * at * 1_000_000)) });
        const { begins, high, trigger } = begunBy(terms, buy);
        let plan = planOf(terms, { begins, ...(high !== undefined && { high }) });
        const children: Parameters<typeof nextAct>[1][number][] = [];
        for (const [index, { bid, held, part, leg }] of looks.entries()) {
          const level = leg === "stop" ? trigger : price(begins.takePrice);
          const act = nextAct(plan, children, {
            ...{ leg, level, market: MARKET, rules: RULES, bid: price(`${bid}000000`), locked: quantity("0") },
            ...{ available: quantity(String(held / 100)), nowMs: NOW_MS + index * 60_000, triedAtMs: undefined },
          });
          if (act.kind !== "sell") continue;
          sales += 1;
          expect(price(act.order.price ?? "0").gte(price(terms.after.priceMin))).toBe(true);
          const executed = quantity(((Number(act.order.volume) * part) / 100).toFixed(8)).toString();
          children.push({
            body: { seen: { ...buy.body.seen, executed_volume: executed } as NonNullable<Buy["body"]["seen"]> },
          });
          plan = { ...plan, progress: act.progress };
          expect(inForce(plan).terms).toMatchObject({ volume: begins.volume });
          expect(executedOf(children).lte(quantity(String(volume)))).toBe(true);
        }
      },
    ),
  );
  expect(sales).toBeGreaterThan(10);
});
