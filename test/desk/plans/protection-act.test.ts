import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { max, price, quantity, rate } from "../../../src/decimal/index.ts";
import type { IntentRecord } from "../../../src/desk/model/intent.ts";
import {
  isProtection,
  type PlanProgress,
  type PlanRecord,
  type ProtectionTerms,
} from "../../../src/desk/model/plan.ts";
import type { PlanRequest } from "../../../src/desk/model/plan-report.ts";
import type { StepState } from "../../../src/desk/model/plan-state.ts";
import {
  ATTEMPTS_MAX,
  floorOf,
  nextAct,
  type ProtectionFacts,
  type ProtectionLeg,
} from "../../../src/desk/plans/running/protection-act.ts";
import { afterProtection } from "../../../src/desk/plans/running/protection-ending.ts";
import { levelsOf } from "../../../src/desk/plans/terms/protection-levels.ts";
import { waitingPlan } from "../../../src/desk/plans/watch/waiting-plans.ts";
import { executedOf, leftOf } from "../../../src/desk/risk/executed.ts";
import { tickBandsOf } from "../../../src/desk/risk/order-proposals.ts";
import { DAY_MS, FACTS, MARKET, NOW_MS, termsOf } from "./plan-facts.ts";

const RULES = FACTS.policy.plans;
const UNTIL_MS = NOW_MS + DAY_MS;

const KINDS: Readonly<Record<string, readonly [kind: string, changed: Partial<PlanRequest>]>> = {
  "a stop": ["stop", {}],
  "a stop with a limit": ["stop", { limit_price: "94000000" }],
  "a take-profit": ["take_profit", {}],
  "a trailing stop": ["trailing_stop", {}],
  "an oco": ["oco", {}],
  "an oco that trails": ["oco", { stop_price: undefined, trail: "5%" }],
};
const KIND_NAMES = Object.keys(KINDS);

function planOf(name: string, more: Partial<PlanRecord> = {}): PlanRecord & { readonly terms: ProtectionTerms } {
  const [kind, changed] = KINDS[name] ?? ["", {}];
  const terms = termsOf(kind, changed);
  if (!isProtection(terms)) throw new Error(name);
  const priceMin = terms.kind === "take_profit" ? terms.takePrice : "85500000";
  const plan: PlanRecord = {
    ...{ planId: "plan-1", account: "main", terms, state: "active", version: 1, asked: null, openStep: null },
    mandate: {
      ...{ by: "person", digest: "d", approvedAtMs: NOW_MS, slippagePct: "3" },
      bounds: {
        ...{ account: "main", environment: "sandbox", symbol: "BTC/KRW", side: "sell", stepsMax: 9_999 },
        ...{ volumeMax: terms.volume, priceMin, untilMs: UNTIL_MS, over: [] },
      },
    },
    progress: "trail" in terms || ("stop" in terms && "trail" in terms.stop) ? { high: "100000000" } : {},
    ...{ replaces: null, untilMs: UNTIL_MS, createdAtMs: NOW_MS, updatedAtMs: NOW_MS, endedAtMs: null },
    ...more,
  };
  return { ...plan, terms };
}

function childOf(
  step: number,
  volume: string,
  more: { executed?: string; state?: IntentRecord["state"]; tif?: "IOC" | "GTC"; code?: string },
) {
  const { executed = "0", state = "canceled", tif = "IOC", code } = more;
  const order = {
    symbol: "BTC/KRW",
    side: "sell",
    type: "limit",
    price: "90000000",
    volume,
    time_in_force: tif,
  } as const;
  const seen = {
    ...{ uuid: "o", orderId: "o", txid: ["o"], symbol: "BTC/KRW", side: "sell", type: "limit", price: "90000000" },
    ...{ volume, amount: null, executed_volume: executed, remaining_volume: "0", avg_price: null },
    executed_value: quantity(executed).isZero() ? "0" : undefined,
    ...{ state: "canceled", reject_reason: null, userref: null, created_at: "2026-11-30T00:00:00Z" },
  };
  return {
    ...{ intentId: `i-${step}`, userref: "u", orderId: "o", account: "main", nonce: null, unit: "KRW", held: "0" },
    ...{ isLive: false, sentAtMs: null, createdAtMs: NOW_MS, updatedAtMs: NOW_MS, state },
    body: {
      ...{ environment: "sandbox", keyId: "k", digest: "d", order, seen },
      ...(code !== undefined && { fault: { code, message: `It said ${code}.` } }),
    },
  } as unknown as IntentRecord;
}

function factsOf(plan: PlanRecord, more: Partial<ProtectionFacts> = {}): ProtectionFacts {
  const { terms, progress } = plan;
  if (!isProtection(terms)) throw new Error(terms.kind);
  const { leg = "stop" } = more;
  const levels = levelsOf(terms, MARKET, progress.high === undefined ? undefined : price(progress.high));
  return {
    ...{ leg, level: (leg === "stop" ? levels.stop : levels.take) ?? price("95000000"), market: MARKET, rules: RULES },
    ...{ available: quantity("0.3"), locked: quantity("0"), bid: price("94900000"), nowMs: NOW_MS },
    triedAtMs: undefined,
    ...more,
  };
}

/** What the end of an order makes of its plan. */
function ended(plan: PlanRecord, children: readonly IntentRecord[], to: StepState, exchangeMs = NOW_MS) {
  const intent = children.at(-1);
  if (intent === undefined) throw new Error("nothing has ended");
  const step = { step: children.length } as Parameters<typeof afterProtection>[0]["step"];
  return afterProtection({ plan, step, intent, to, children, exchangeMs });
}

describe("a protection whose price has come", () => {
  it("sells all of it below the best bid of others, and latches", () => {
    const plan = planOf("an oco");
    const act = nextAct(plan, [], factsOf(plan));
    expect(act).toEqual({
      kind: "sell",
      order: {
        ...{ symbol: "BTC/KRW", side: "sell", type: "limit", price: "92053000", volume: "0.1" },
        time_in_force: "IOC",
      },
      floor: "85500000",
      progress: { leg: "stop", latchedAtMs: NOW_MS },
    });
  });

  it("sells by the stricter of the file and what was approved", () => {
    const plan = planOf("a stop");
    const strict = { ...RULES, protectiveSlippage: rate("0.01") };
    expect(nextAct(plan, [], factsOf(plan, { rules: strict }))).toMatchObject({ order: { price: "93951000" } });
  });

  it("takes at its price or above, and leaves the stop as it was", () => {
    const plan = planOf("an oco");
    const taking = { leg: "take", bid: price("110500000") } as const;
    expect(nextAct(plan, [], factsOf(plan, taking))).toMatchObject({
      order: { price: "110000000", time_in_force: "IOC" },
      progress: { leg: "take" },
    });
    const high = factsOf(plan, { ...taking, bid: price("120000000") });
    expect(nextAct(plan, [], high)).toMatchObject({ order: { price: "116400000" } });
  });

  it("rests at its limit, where it has one", () => {
    const plan = planOf("a stop with a limit");
    expect(nextAct(plan, [], factsOf(plan, { bid: price("80000000") }))).toMatchObject({
      order: { price: "94000000", time_in_force: "GTC" },
    });
  });

  it.each([
    ["nobody buys", { bid: undefined }, "no_bid"],
    ["the bid is below the floor", { bid: price("85000000") }, "below_floor"],
    ["all coins are in open orders", { available: quantity("0"), locked: quantity("0.3") }, "locked"],
    ["none is held any more", { available: quantity("0") }, "nothing_left"],
    ["the last try was a second ago", { triedAtMs: NOW_MS - 1_000 }, "wait"],
    ["a take has nothing to do with it", { leg: "take" as const }, "wait"],
  ])("sends nothing where %s", (_, more, kind) => {
    const plan = planOf("a stop");
    expect(nextAct(plan, [], factsOf(plan, more)).kind).toBe(kind);
  });

  it("waits while an order of it has not ended, and while it is not active", () => {
    const [open, paused] = [planOf("a stop", { openStep: 1 }), planOf("a stop", { state: "paused" })];
    const kinds = [open, paused].map((plan) => nextAct(plan, [], factsOf(plan)).kind);
    expect(kinds).toEqual(["wait", "wait"]);
  });

  it("sells what is free of what is left", () => {
    const plan = planOf("a stop");
    const sold = [childOf(1, "0.1", { executed: "0.04" })];
    expect(nextAct(plan, sold, factsOf(plan))).toMatchObject({ order: { volume: "0.06" } });
    const few = factsOf(plan, { available: quantity("0.01"), locked: quantity("0.3") });
    expect(nextAct(plan, sold, few)).toMatchObject({ order: { volume: "0.01" } });
  });
});

describe("what the end of its order does", () => {
  it("is that the plan is done where all of it was sold", () => {
    const plan = planOf("a stop", { openStep: 2 });
    const children = [childOf(1, "0.1", { executed: "0.04" }), childOf(2, "0.06", { executed: "0.06" })];
    const { planTo, notices } = ended(plan, children, "done");
    expect(planTo).toBe("done");
    expect(notices).toMatchObject([
      { type: "plan.step_done", key: "2", body: { volume: "0.06", average_price: "90000000", left: "0" } },
      { type: "plan.ended", key: "2", body: { state: "done", volume: "0.1", average_price: "90000000" } },
    ]);
  });

  it("is that a stop goes on with one attempt fewer, and after the fifth waits for a person with all of them", () => {
    const plan = planOf("a stop", { progress: { leg: "stop", latchedAtMs: 1, attempts: 3 } });
    const children = [childOf(1, "0.1", { executed: "0.04" })];
    const fourth = ended(plan, children, "done");
    expect(fourth.planTo).toBeUndefined();
    expect(fourth.progress).toMatchObject({ attempts: 4, latchedAtMs: 1 });
    const fifth = ended({ ...plan, progress: { ...plan.progress, attempts: 4 } }, children, "done");
    expect(fifth.planTo).toBe("attention");
    expect(fifth.progress).toEqual({
      ...{ leg: "stop", latchedAtMs: 1 },
      why: "5 orders have sold 0.04 BTC in all, and 0.06 BTC is left: nobody bought it within the limits of the plan.",
    });
  });

  it("is nothing for what a take leaves, nor for what was denied or never sent", () => {
    const take = planOf("an oco", { progress: { leg: "take" } });
    const stop = planOf("an oco", { progress: { leg: "stop", latchedAtMs: 1, attempts: 4 } });
    const child = [childOf(1, "0.1", {})];
    expect(ended(take, child, "nothing")).toEqual({ progress: take.progress, notices: [] });
    for (const to of ["denied", "not_placed"] as const)
      expect(ended(stop, child, to)).toEqual({ progress: stop.progress, notices: [] });
  });

  it("is another attempt where there were too few coins, and a person's turn where it was refused otherwise", () => {
    const plan = planOf("a stop", { progress: { leg: "stop", latchedAtMs: 1 } });
    const few = [childOf(1, "0.1", { state: "rejected", code: "EOrder:Insufficient funds" })];
    expect(ended(plan, few, "rejected")).toMatchObject({ progress: { attempts: 1 } });
    const other = [childOf(1, "0.1", { state: "rejected", code: "EOrder:Invalid price" })];
    const { planTo, notices } = ended(plan, other, "rejected");
    expect(planTo).toBe("attention");
    expect(notices).toMatchObject([
      { type: "plan.attention", body: { why: "The exchange refused its order. It said EOrder:Invalid price." } },
    ]);
  });

  it.each([
    ["canceled", "paused", "Its order was canceled. 0.07 BTC is left."],
    ["expired", "attention", "Its order has expired at the exchange. 0.07 BTC is left."],
    ["filled", "done", "Its order was filled; 0.07 BTC was not free to sell."],
  ] as const)("when a stop that rested is %s: it is %s", (state, planTo, why) => {
    const plan = planOf("a stop with a limit", { progress: { leg: "stop", latchedAtMs: 1 } });
    const end = ended(plan, [childOf(1, "0.1", { executed: "0.03", state, tif: "GTC" })], "done");
    expect(end).toMatchObject({ planTo, progress: { why } });
  });

  it("is that it has expired where its end has come meanwhile", () => {
    const plan = planOf("a stop with a limit");
    const end = ended(plan, [childOf(1, "0.1", { tif: "GTC" })], "nothing", UNTIL_MS);
    expect(end).toMatchObject({ planTo: "expired", notices: [{ type: "plan.ended", body: { state: "expired" } }] });
  });

  it("moves no plan that stands still already, and tells what was sold", () => {
    const plan = planOf("a stop", { state: "paused" });
    const end = ended(plan, [childOf(1, "0.1", { executed: "0.1" })], "done");
    expect(end.planTo).toBeUndefined();
    expect(end.notices.map(({ type }) => type)).toEqual(["plan.step_done"]);
  });
});

/** One look at the market, and what becomes of an order that comes of it. */
interface Event {
  readonly leg: ProtectionLeg;
  readonly bidMillions: number | undefined;
  readonly availableCents: number;
  readonly lockedCents: number;
  readonly slippagePerMille: number;
  readonly soldPercent: number;
  readonly end: "ended" | "few" | "refused" | "denied" | "not_placed" | "canceled";
  readonly passesMs: number;
  readonly isResumed: boolean;
}

const event: fc.Arbitrary<Event> = fc.record({
  leg: fc.constantFrom("stop", "take"),
  bidMillions: fc.option(fc.integer({ min: 80, max: 125 }), { nil: undefined, freq: 10 }),
  availableCents: fc.integer({ min: 0, max: 12 }),
  lockedCents: fc.integer({ min: 0, max: 3 }),
  slippagePerMille: fc.integer({ min: 0, max: 60 }),
  soldPercent: fc.constantFrom(0, 0, 10, 50, 100),
  end: fc.constantFrom("ended", "ended", "ended", "ended", "few", "refused", "denied", "not_placed", "canceled"),
  passesMs: fc.constantFrom(500, 2_000, 60_000),
  isResumed: fc.boolean(),
});

interface Sold {
  readonly leg: ProtectionLeg;
  readonly attempts: number;
}

/** Plays a plan and holds every order against what must be so of it. */
function playOut(name: string, events: readonly Event[]): readonly Sold[] {
  let plan: PlanRecord = planOf(name);
  const { terms } = planOf(name);
  const children: IntentRecord[] = [];
  const sold: Sold[] = [];
  let [nowMs, attempts, triedAtMs] = [NOW_MS, 0, undefined as number | undefined];
  for (const each of events) {
    nowMs += each.passesMs;
    if (plan.state === "done" || plan.state === "expired") break;
    if (plan.state !== "active") {
      if (!each.isResumed) continue;
      const { why: _, ...progress } = plan.progress;
      plan = { ...plan, state: "active", progress };
      attempts = 0;
    }
    const rules = { ...RULES, protectiveSlippage: rate(String(each.slippagePerMille / 1_000)) };
    const bid = each.bidMillions === undefined ? undefined : price(`${each.bidMillions}000000`);
    const available = quantity(String(each.availableCents / 100));
    const facts = factsOf(plan, { leg: each.leg, rules, bid, available, locked: quantity("0"), nowMs, triedAtMs });
    const act = nextAct(plan, children, facts);
    if (act.kind !== "sell") continue;
    const { order, progress } = act;
    const volume = quantity(order.volume ?? "0");
    expect(volume.lte(leftOf(terms.volume, children)) && volume.lte(available)).toBe(true);
    const floor = max(floorOf(terms, plan.mandate ?? never(), facts), price(plan.mandate?.bounds.priceMin ?? never()));
    expect(price(order.price ?? "0").gte(floor)).toBe(true);
    if (each.leg === "take" && "takePrice" in terms)
      expect(price(order.price ?? "0").gte(price(terms.takePrice))).toBe(true);
    if (each.leg === "take") expect(plan.progress.latchedAtMs).toBeUndefined();
    if (order.time_in_force === "IOC")
      expect(bid !== undefined && price(order.price ?? "0").gte(bid.scale(rate("0.97")))).toBe(true);
    const tif = order.time_in_force === "GTC" ? "GTC" : "IOC";
    const executed =
      each.end === "ended" || each.end === "canceled" ? part(order.volume ?? "0", each.soldPercent) : "0";
    children.push(
      childOf(children.length + 1, order.volume ?? "0", {
        executed,
        tif,
        ...endOf(each, tif, executed === order.volume),
      }),
    );
    plan = { ...plan, progress, openStep: children.length, version: plan.version + 1 };
    const to = stepStateOf(each, executed);
    if (each.leg === "stop" && (to === "done" || to === "nothing" || each.end === "few")) attempts += 1;
    sold.push({ leg: each.leg, attempts });
    const ending = ended(plan, children, to, nowMs);
    plan = {
      ...plan,
      ...(ending.progress && { progress: ending.progress as PlanProgress }),
      ...{ openStep: null, version: plan.version + 1, state: ending.planTo ?? plan.state },
    };
    triedAtMs = nowMs;
  }
  expect(executedOf(children).lte(quantity(terms.volume))).toBe(true);
  return sold;
}

function never(): never {
  throw new Error("a protection has a mandate");
}

function part(volume: string, percent: number): string {
  return percent === 100
    ? volume
    : quantity(volume)
        .scale(rate(String(percent / 100)))
        .toString();
}

function stepStateOf({ end }: Event, executed: string): StepState {
  if (end === "few" || end === "refused") return "rejected";
  if (end === "denied" || end === "not_placed") return end;
  return quantity(executed).isZero() ? "nothing" : "done";
}

function endOf({ end }: Event, tif: "IOC" | "GTC", isFilled: boolean) {
  if (end === "few") return { state: "rejected", code: "EOrder:Insufficient funds" } as const;
  if (end === "refused") return { state: "rejected", code: "EOrder:Invalid price" } as const;
  return { state: isFilled || (tif === "GTC" && end === "ended") ? "filled" : "canceled" } as const;
}

describe("whatever the market and the exchange do, a protection", () => {
  it("sells no more than its amount, no lower than its floor, takes nothing once its stop has claimed, and tries five orders at most", () => {
    const played = { orders: 0, stopped: 0 };
    fc.assert(
      fc.property(fc.constantFrom(...KIND_NAMES), fc.array(event, { maxLength: 40 }), (name, events) => {
        const sold = playOut(name, events);
        const first = sold.findIndex(({ leg }) => leg === "stop");
        const legs = first < 0 ? [] : sold.slice(first).map(({ leg }) => leg);
        expect(new Set(legs).has("take")).toBe(false);
        expect(Math.max(0, ...sold.map(({ attempts }) => attempts))).toBeLessThanOrEqual(ATTEMPTS_MAX);
        played.orders += sold.length;
        played.stopped += first < 0 ? 0 : 1;
      }),
      { numRuns: 1_000 },
    );
    // Else the property says little.
    expect(played.orders).toBeGreaterThan(1_000);
    expect(played.stopped).toBeGreaterThan(200);
  });

  it("waits for no price to take once its stop has claimed, and follows the market no more", () => {
    const bands = tickBandsOf(MARKET);
    const before = waitingPlan(planOf("an oco that trails"), bands);
    expect(before).toMatchObject({ take: price("110000000"), stop: { trail: { percent: "5" } } });
    const latched = planOf("an oco that trails", { progress: { high: "100000000", leg: "stop", latchedAtMs: 1 } });
    expect(waitingPlan(latched, bands)).toEqual({
      ...{ planId: "plan-1", symbol: "BTC/KRW" },
      stop: { price: price("95000000") },
    });
  });
});
