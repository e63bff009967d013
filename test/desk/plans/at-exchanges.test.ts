/** Every kind of plan over every exchange: what its orders are there, and under which name they stand. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientIdOf } from "../../../src/desk/core/ids.ts";
import type { PlanRequest } from "../../../src/desk/index.ts";
import { userrefOfStep } from "../../../src/desk/model/plan.ts";
import { has, ONE } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { unwrap } from "../../fixture/result.ts";
import { type ExchangePlans, openExchange } from "./exchange-plans.ts";
import { OCO, SLICES, STOP, TAKE, TRAILING } from "./plan-requests.ts";
import { won } from "./sandbox-market.ts";

const LONG = 60_000;
const LOOK = /^GET \/v1\/orders\?/;

let at: ExchangePlans;
beforeEach(async () => {
  at = await openExchange();
});
afterEach(() => at.close());

const executed = (planId: string): number => at.sent(planId).reduce((sum, order) => sum + order.executed, 0);

describe("a protection, at any exchange", () => {
  it(
    "sells once by its stop, at no less than three percent below the bid",
    async () => {
      const { plan_id: id } = await at.begun(STOP);
      expect(at.sent(id)).toEqual([]);
      await at.stands(97, 99, 98, 10);
      expect(at.sent(id)).toMatchObject([{ step: 1, at: 94.09, volume: 0.4, executed: 0.4 }]);
      expect(await at.now(id)).toMatchObject({ state: "done", filled_volume: "0.4", left_volume: "0" });
      await at.stands(96, 98, 97, 6);
      expect(at.sent(id)).toHaveLength(1);
    },
    LONG,
  );

  it(
    "takes its profit at its price or better",
    async () => {
      const { plan_id: id } = await at.begun(TAKE);
      await at.stands(111, 112, 111.5, 10);
      expect(at.sent(id)).toMatchObject([{ at: 110, executed: 0.4 }]);
      expect((await at.now(id)).state).toBe("done");
    },
    LONG,
  );

  it(
    "follows the market up and sells when that has fallen by its trail",
    async () => {
      const { plan_id: id } = await at.begun(TRAILING);
      await at.stands(120, 121, 120.5, 14);
      expect(await at.now(id)).toMatchObject({ high: won(120) });
      await at.stands(112, 113, 112.5, 10);
      expect(at.sent(id)).toMatchObject([{ executed: 0.4 }]);
      expect((await at.now(id)).state).toBe("done");
    },
    LONG,
  );

  it(
    "sells one amount by either of its two ways",
    async () => {
      const { plan_id: id } = await at.begun(OCO);
      at.quotes(undefined, 112);
      at.rest("buy", 111, "0.1");
      for (let second = 0; second < 8; second++) {
        at.print(111.5);
        await at.pass(1_000);
      }
      expect(executed(id)).toBeGreaterThanOrEqual(0.1);
      expect(executed(id)).toBeLessThan(0.4);
      await at.stands(97, 99, 98, 12);
      expect(executed(id)).toBeCloseTo(0.4, 8);
      expect((await at.now(id)).state).toBe("done");
    },
    LONG,
  );

  it(
    "rests at its limit where it has one",
    async () => {
      const { plan_id: id } = await at.begun({ ...STOP, limit_price: won(99) });
      await at.stands(97, 98, 97.5, 10);
      expect(at.sent(id)).toMatchObject([{ at: 99, executed: 0, state: "open" }]);
    },
    LONG,
  );
});

describe("what goes by the clock, at any exchange", () => {
  it(
    "buys each piece for its amount",
    async () => {
      const { plan_id: id } = await at.begun({ ...SLICES, quote_amount: "200000", slices: 2, duration: "20s" });
      await at.pass(25_000);
      const sent = at.sent(id);
      expect(sent.map(({ step }) => step)).toEqual([1, 2]);
      expect(sent.every(({ executed: volume }) => volume > 0.0009 && volume <= 0.000953)).toBe(true);
      expect((await at.now(id)).state).toBe("done");
    },
    LONG,
  );

  it(
    "sells each piece as coins",
    async () => {
      const sells = { ...SLICES, side: "sell", quote_amount: undefined, base_volume: "0.02" } as const;
      const { plan_id: id } = await at.begun({ ...sells, slices: 2, duration: "20s" });
      await at.pass(25_000);
      expect(at.sent(id).map((order) => order.executed)).toEqual([0.01, 0.01]);
    },
    LONG,
  );

  it(
    "buys at its turn, once",
    async () => {
      const soon = new Date(at.clock.now() + 120_000).toISOString().slice(11, 16);
      const daily = { kind: "recurring", symbol: "BTC/KRW", quote_amount: "50000", schedule: `daily ${soon}` };
      const { plan_id: id } = await at.begun(daily);
      expect(at.sent(id)).toEqual([]);
      at.clock.leap(120_000);
      await at.pass(5_000);
      const [sent, ...others] = at.sent(id);
      expect(sent?.executed).toBeCloseTo(50_000 / 105_000_000, 5);
      expect(others).toEqual([]);
      expect(await at.now(id)).toMatchObject({ state: "active", next_turns: expect.arrayContaining([]) });
    },
    LONG,
  );
});

describe("a basket, at any exchange", () => {
  it(
    "sells first, then buys for what came in, each order once",
    async () => {
      const { world } = at;
      world.rest("buy", "3999000", "100", "ETH/KRW");
      world.rest("sell", "4001000", "100", "ETH/KRW");
      world.trade("4000000", "0.01", "ETH/KRW");
      const weights = { BTC: "89%", ETH: "2.5%", KRW: "8.5%" };
      const { plan_id: id } = await at.begun({ kind: "rebalance", weights });
      await at.pass(10_000);
      const [sold, bought, ...others] = at.sent(id);
      expect([sold?.state, bought?.state, others]).toEqual(["filled", "filled", []]);
      const { balances } = await unwrap(at.desk.balances());
      const held = Object.fromEntries(balances.map(({ asset, available }) => [asset, Number(available)]));
      const worth = { BTC: (held["BTC"] ?? 0) * 104e6, ETH: (held["ETH"] ?? 0) * 4e6, KRW: held["KRW"] ?? 0 };
      const total = worth.BTC + worth.ETH + worth.KRW;
      expect(worth.BTC / total).toBeCloseTo(0.89, 3);
      expect(worth.ETH / total).toBeCloseTo(0.025, 3);
      expect((await at.now(id)).state).toBe("done");
    },
    LONG,
  );
});

describe("a plan that begins with a buy, at any exchange", () => {
  it(
    "waits for the buy to end, and then sells what that has bought, once",
    async () => {
      const order = { symbol: "BTC/KRW", side: "buy", type: "limit", price: won(104.5), base_volume: "0.02" } as const;
      const bought = await at.desk.place(order);
      expect([bought.outcome, bought.state]).toEqual(["accepted", "open"]);
      const bracket = { symbol: "BTC/KRW", after: bought.userref, stop_price: "-5%", take_price: "+10%" };
      const { plan_id: id } = await at.begun({ kind: "oco", ...bracket });
      expect(await at.now(id)).toMatchObject({ state: "active", terms: { after: { price: won(104.5) } } });
      at.rest("sell", 104.5, "0.02");
      await at.pass(10_000);
      const begun = await at.now(id);
      expect(begun).toMatchObject({ state: "active", trigger: "99275000", left_volume: "0.02" });
      expect(begun.terms).not.toHaveProperty("after");
      await at.stands(98, 99, 98.5, 10);
      expect(at.sent(id)).toMatchObject([{ step: 1, volume: 0.02, executed: 0.02 }]);
      expect(await at.now(id)).toMatchObject({ state: "done", leg: "stop", left_volume: "0" });
    },
    LONG,
  );
});

describe("what an exchange has not", () => {
  it("is said when the plan is made, with what to do instead, and else a buy keeps to its limit", async () => {
    const limited: PlanRequest = { ...SLICES, quote_amount: "200000", slices: 2, limit_price: won(104) };
    const made = await at.plans.create(limited, "assistant");
    const lacks = !at.desk.card.time_in_force.limit.includes("IOC");
    expect([made.outcome, made.error?.field]).toEqual(lacks ? ["not_sent", "limit_price"] : ["accepted", undefined]);
    const said =
      "has no IOC for limit buy orders: it takes GTC, as a plan of kind slices would send it: leave limit_price out";
    expect(made.error?.message ?? "").toMatch(lacks ? new RegExp(said) : /^$/);
  });
});

describe("an order of a plan whose answer is lost, at any exchange", () => {
  it(
    "is looked for by the name of its step alone, and no other is sent",
    async () => {
      const { plan_id: id } = await at.begun(STOP);
      at.world.proxy.plan(ORDER_POST, "lose_reset");
      await at.stands(97, 99, 98, 20);
      expect(at.sent(id)).toMatchObject([{ step: 1, executed: 0.4 }]);
      expect(await at.now(id)).toMatchObject({ state: "done", filled_volume: "0.4" });
      const name = userrefOfStep(id, 1);
      const looked = at.world.proxy.log.flatMap(({ path }) => /[?&]userref=([^&]+)/.exec(path)?.[1] ?? []);
      expect([...new Set(looked)]).toEqual([has("names") ? name : clientIdOf(name)]);
    },
    LONG,
  );

  it(
    "stops its plan where nobody can say what became of it: at once where absence is never proven, and is settled when it is found",
    async () => {
      const { plan_id: id } = await at.begun(STOP);
      at.world.proxy.plan(ORDER_POST, "lose_reset");
      at.world.proxy.plan(LOOK, "deny", 10_000);
      await at.stands(97, 99, 98, 12);
      const told = has("proof") ? [] : ["plan.attention"];
      expect((await at.now(id)).state).toBe(has("proof") ? "active" : "attention");
      expect((await at.told("plan.attention")).map(({ type }) => type)).toEqual(told);
      at.world.proxy.heal();
      at.clock.leap(6 * 60_000);
      await at.stands(96, 98, 97, 12);
      expect(at.sent(id)).toMatchObject([{ step: 1, executed: 0.4 }]);
      expect((await at.now(id)).filled_volume).toBe("0.4");
      expect((await at.told("plan.attention")).map(({ type }) => type)).toEqual(told);
    },
    LONG,
  );

  it.runIf(!has("proof") && has("patient"))(
    "stops its plan, told once, also where the exchange has no such order until much later",
    async () => {
      const { plan_id: id } = await at.begun(STOP);
      at.world.proxy.plan(ORDER_POST, "late");
      await at.stands(97, 99, 98, 16);
      expect(at.sent(id)).toEqual([]);
      const { state, why } = await at.now(id);
      expect([state, why]).toEqual(["attention", expect.stringContaining("can never prove that it did not")]);
      await at.world.proxy.deliverLate();
      at.clock.leap(6 * 60_000);
      await at.stands(97, 99, 98, 8);
      expect(at.sent(id)).toMatchObject([{ step: 1, executed: 0.4 }]);
      expect(await at.now(id)).toMatchObject({ filled_volume: "0.4" });
      expect(await at.told("plan.attention")).toHaveLength(1);
    },
    LONG,
  );

  it(
    "is found at the exchange by a journal that was put back, which sends none",
    async () => {
      const { plan_id: id } = await at.begun(STOP);
      await at.stands(97, 99, 98, 10);
      expect(at.sent(id)).toHaveLength(1);
      at.world.sandbox.exchange.apply(
        { type: "deposit", accountId: at.world.sandbox.accountId, asset: "BTC", amount: ONE },
        at.clock.now(),
      );
      const behind = await at.putBack(id);
      await at.stands(97, 99, 98, 14);
      expect(at.sent(id)).toHaveLength(1);
      const { state, why } = await behind.now(id);
      expect([state, why]).toEqual(["attention", expect.stringContaining("already has an order under userref")]);
    },
    LONG,
  );
});
