/** Protections over the real exchange: what they sell, what they do not, and what they say of it. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { failed, localFault, ok } from "../../../src/contract/index.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { OCO, openProtected, type Protected, STOP, TAKE, TRAIL } from "./protected-market.ts";
import { won } from "./sandbox-market.ts";

const LONG = 60_000;

let at: Protected;
const policy = changeablePolicy();
beforeEach(async () => {
  policy.value = ok(LOOSE);
  at = await openProtected({}, { policy });
});
afterEach(() => at.market.close());

const sellByHand = async (volume: string, price?: string): Promise<string> => {
  const order = { symbol: "BTC/KRW", side: "sell", base_volume: volume } as const;
  const report = await at.server.desk.place(
    price === undefined ? { ...order, type: "market" } : { ...order, type: "limit", price },
  );
  if (report.outcome !== "accepted") throw new Error(JSON.stringify(report));
  return report.order?.orderId ?? "";
};

const setStatus = (status: "halted" | "trading"): void => {
  const now = at.market.clock.now();
  const { exchange } = at.market.world.sandbox;
  if (!exchange.apply({ type: "setMarketStatus", symbol: "BTC/KRW", status }, now).ok) throw new Error(status);
};

describe("a stop", () => {
  it(
    "sells once what it protects, when the market has stood at its price, within three percent of the bid",
    async () => {
      const plan = await at.begun(STOP);
      at.market.quotes(97, 99);
      at.market.print(98);
      await at.pass(1_000);
      expect(at.sent()).toEqual([]);
      await at.stands(97, 99, 98, 8);
      expect(at.sent()).toEqual([{ step: 1, at: 94.09, volume: 0.5, executed: 0.5, state: "filled" }]);
      expect(await at.now(plan)).toMatchObject({ state: "done", progress: { leg: "stop" } });
      expect(await at.told("plan.triggered", "plan.step_done", "plan.ended")).toMatchObject([
        { type: "plan.triggered", leg: "stop", below: won(100), print: won(98), ask: won(99) },
        {
          ...{ type: "plan.step_done", side: "sell", leg: "stop", volume: "0.5", value: "48500000" },
          ...{ average_price: won(97), left: "0" },
        },
        { type: "plan.ended", state: "done", why: "All of it was sold." },
      ]);
    },
    LONG,
  );

  it(
    "has in the log the samples that decided it, two seconds apart at least",
    async () => {
      await at.begun(STOP);
      await at.stands(97, 99, 98, 6);
      const account = at.market.world.sandbox.accountId;
      const rows = await unwrap(at.market.world.store.audit.recent({ account, limit: 200 }));
      const detail = rows.find(({ event }) => event === "plan_triggered")?.detail;
      expect(detail).toMatchObject({ leg: "stop", below: won(100), first: { print: won(98) }, last: { ask: won(99) } });
      const { first, last } = detail as { first: { at: string }; last: { heard_at: string } };
      expect(Date.parse(last.heard_at) - Date.parse(first.at)).toBeGreaterThanOrEqual(2_000);
    },
    LONG,
  );

  it(
    "sells only what is still held, and then has nothing left to do",
    async () => {
      const plan = await at.begun(STOP);
      await sellByHand("0.8");
      await at.stands(97, 99, 98, 9);
      expect(at.sent().map(({ volume }) => volume)).toEqual([0.2]);
      expect(await at.now(plan)).toMatchObject({ state: "done", progress: { why: "Nothing is left to sell." } });
      expect(await at.told("plan.ended")).toMatchObject([{ volume: "0.2", left: "0.3" }]);
    },
    LONG,
  );

  it(
    "sells nothing below its floor and says so, once each time, and sells when the market is back above it",
    async () => {
      const plan = await at.begun(STOP);
      await at.stands(85, 86, 85.5, 8);
      expect(at.sent()).toEqual([]);
      expect(await at.told("plan.below_floor")).toMatchObject([{ bid: won(85), floor: won(90), below: won(100) }]);
      expect((await at.now(plan)).state).toBe("active");
      await at.stands(104, 105, 104.5, 3);
      await at.stands(85, 86, 85.5, 6);
      expect(await at.told("plan.below_floor")).toHaveLength(2);
      expect(await at.steps(plan)).toBe(0);
      await at.stands(91, 92, 91.5, 6);
      expect(at.sent()).toMatchObject([{ at: 90, executed: 0.5 }]);
      expect((await at.now(plan)).state).toBe("done");
    },
    LONG,
  );

  it(
    "tries five orders, two seconds apart, where few buy, and then waits for a person",
    async () => {
      const plan = await at.begun(STOP);
      await at.thin(97, "0.02", 99, 98, 24);
      expect(at.sent().map(({ step }) => step)).toEqual([1, 2, 3, 4, 5]);
      expect(at.sent().every(({ executed }) => executed >= 0.02)).toBe(true);
      const { state, progress } = await at.now(plan);
      expect(state).toBe("attention");
      expect(progress.why).toMatch(/^5 orders have sold [\d.]+ BTC in all, and [\d.]+ BTC is left/);
      expect(await at.told("plan.attention")).toMatchObject([{ why: progress.why }]);
    },
    LONG,
  );

  it(
    "sells what is free where coins are in an open order, and names that order to a person",
    async () => {
      const orderId = await sellByHand("0.9", won(120));
      const plan = await at.begun(STOP);
      await at.stands(97, 99, 98, 9);
      expect(at.sent().map(({ volume }) => volume)).toEqual([0.1]);
      const { state, progress } = await at.now(plan);
      expect(state).toBe("attention");
      expect(progress.why).toBe(
        `0.4 BTC that it would sell is locked in open order ${orderId}: cancel that, and start the plan again.`,
      );
    },
    LONG,
  );

  it(
    "waits where nobody buys",
    async () => {
      const plan = await at.begun(STOP);
      await at.stands(undefined, 99, 98, 6);
      expect(at.sent()).toEqual([]);
      expect((await at.now(plan)).state).toBe("active");
    },
    LONG,
  );

  it(
    "sends nothing while the market is halted, says so once, and sells when it goes on",
    async () => {
      const plan = await at.begun(STOP);
      // What is known of the markets is not asked again at once.
      at.market.clock.leap(11_000);
      at.market.quotes(97, 99);
      at.market.print(98);
      setStatus("halted");
      await at.pass(8_000);
      expect(at.sent()).toEqual([]);
      expect(await at.told("plan.triggered")).toMatchObject([{ sent: false }]);
      expect(await at.steps(plan)).toBe(0);
      setStatus("trading");
      await at.stands(97, 99, 98, 14);
      expect(at.sent()).toMatchObject([{ executed: 0.5 }]);
    },
    LONG,
  );

  it(
    "goes on where the exchange refuses its order as the market has just been halted, which is one attempt",
    async () => {
      const plan = await at.begun(STOP);
      at.market.quotes(97, 99);
      at.market.print(98);
      setStatus("halted");
      await at.pass(5_000);
      expect(at.sent()).toEqual([]);
      expect(await at.steps(plan)).toBe(1);
      expect(await at.now(plan)).toMatchObject({ state: "active", progress: { attempts: 1 } });
      setStatus("trading");
      await at.stands(97, 99, 98, 14);
      expect(at.sent()).toMatchObject([{ step: 2, executed: 0.5 }]);
    },
    LONG,
  );

  it(
    "waits for a person where the file of limits does not let it sell at all, and says so once",
    async () => {
      const plan = await at.begun(STOP);
      policy.value = ok({ ...LOOSE, mode: "read-only" });
      await at.stands(97, 99, 98, 8);
      expect(at.sent()).toEqual([]);
      expect((await at.now(plan)).state).toBe("attention");
      expect(await at.told("plan.attention")).toHaveLength(1);
    },
    LONG,
  );

  it(
    "waits for a person where the file of limits could not be read for a minute",
    async () => {
      const plan = await at.begun(STOP);
      policy.value = failed(localFault("ELocal:Policy unreadable", { message: "It cannot be read." }));
      await at.stands(97, 99, 98, 20);
      expect((await at.now(plan)).state).toBe("active");
      await at.stands(97, 99, 98, 50);
      expect(at.sent()).toEqual([]);
      expect(await at.now(plan)).toMatchObject({ state: "attention" });
    },
    LONG,
  );
});

describe("a stop with a limit", () => {
  const LIMITED = { ...STOP, limit_price: won(98) };

  it(
    "rests there once, and is done when it was filled",
    async () => {
      const plan = await at.begun(LIMITED);
      await at.stands(97, 99, 97.5, 6);
      expect(at.sent()).toMatchObject([{ at: 98, state: "open", executed: 0 }]);
      expect(await at.now(plan)).toMatchObject({ state: "active", openStep: 1 });
      at.market.sweep("buy", 98, "0.5");
      // Open orders are looked at every minute.
      at.market.clock.leap(60_000);
      await at.pass(6_000);
      expect(at.sent()).toMatchObject([{ state: "filled", executed: 0.5 }]);
      expect((await at.now(plan)).state).toBe("done");
    },
    LONG,
  );

  it(
    "is paused when somebody cancels its order, and says so",
    async () => {
      const plan = await at.begun(LIMITED);
      await at.stands(97, 99, 97.5, 6);
      const [order] = at.market.world.orders().filter(({ state }) => state === "open");
      await at.market.during(at.server.desk.cancel({ orderId: order?.orderId ?? "" }));
      await at.pass(2_000);
      expect(await at.now(plan)).toMatchObject({
        ...{ state: "paused", openStep: null },
        progress: { why: "Its order was canceled. 0.5 BTC is left." },
      });
      expect(await at.told("plan.paused")).toHaveLength(1);
    },
    LONG,
  );

  it(
    "takes its order back when its end comes, and has then expired",
    async () => {
      const plan = await at.begun(LIMITED, { untilMs: at.market.clock.now() + 12_000 });
      await at.stands(97, 99, 97.5, 6);
      expect(at.sent()).toMatchObject([{ state: "open" }]);
      await at.pass(10_000);
      expect(at.sent()).toMatchObject([{ state: "canceled" }]);
      expect(await at.now(plan)).toMatchObject({ state: "expired", openStep: null });
      expect(await at.told("plan.ended")).toMatchObject([{ state: "expired", left: "0.5" }]);
    },
    LONG,
  );
});

describe("a take-profit", () => {
  it(
    "sells at its price or better when the market is there",
    async () => {
      const plan = await at.begun(TAKE);
      await at.stands(111, 112, 111.5, 6);
      expect(at.sent()).toMatchObject([{ at: 110, executed: 0.5 }]);
      expect((await at.now(plan)).state).toBe("done");
      expect(await at.told("plan.step_done")).toMatchObject([{ leg: "take", average_price: won(111) }]);
    },
    LONG,
  );

  it(
    "waits on with what few have bought, and never sells below its price",
    async () => {
      const plan = await at.begun(TAKE);
      await at.thin(111, "0.05", 112, 111.5, 4);
      const first = at.sent();
      expect(first.length).toBeGreaterThanOrEqual(1);
      await at.stands(104, 105, 104.5, 6);
      expect(await at.now(plan)).toMatchObject({ state: "active", progress: { leg: "take" } });
      await at.stands(111, 112, 111.5, 6);
      expect(at.sent().every((order) => order.at >= 110)).toBe(true);
      expect(at.sent().reduce((sum, { executed }) => sum + executed, 0)).toBeCloseTo(0.5, 8);
      expect((await at.now(plan)).state).toBe("done");
    },
    LONG,
  );
});

describe("an oco", () => {
  it(
    "sells by its stop, and leaves no take of what was not sold",
    async () => {
      const plan = await at.begun(OCO);
      await at.thin(97, "0.1", 99, 98, 4);
      const byStop = at.sent();
      expect(new Set(byStop.map(({ at: limit }) => limit))).toEqual(new Set([94.09]));
      await at.stands(111, 112, 111.5, 8);
      expect(at.sent()).toEqual(byStop);
      expect(await at.now(plan)).toMatchObject({ state: "active", progress: { leg: "stop" } });
      await at.stands(97, 99, 98, 6);
      expect(at.sent().reduce((sum, { executed }) => sum + executed, 0)).toBeCloseTo(0.5, 8);
      expect((await at.now(plan)).state).toBe("done");
    },
    LONG,
  );

  it(
    "sells by its take, and the stop sells only what that has left",
    async () => {
      const plan = await at.begun(OCO);
      await at.thin(111, "0.1", 112, 111.5, 4);
      expect((await at.told("plan.step_done"))[0]).toMatchObject({ side: "sell", leg: "take" });
      const taken = at.sent().reduce((sum, { executed }) => sum + executed, 0);
      expect(taken).toBeGreaterThanOrEqual(0.1);
      await at.stands(97, 99, 98, 6);
      expect(at.sent().at(-1)?.volume).toBeCloseTo(0.5 - taken, 8);
      expect((await at.now(plan)).state).toBe("done");
      expect((await at.told("plan.step_done")).at(-1)).toMatchObject({ side: "sell", leg: "stop", left: "0" });
      expect(at.sent().reduce((sum, { executed }) => sum + executed, 0)).toBeCloseTo(0.5, 8);
    },
    LONG,
  );
});

describe("a trailing stop", () => {
  it(
    "tells the high of its market with the price that it waited for, when that has come",
    async () => {
      await at.begun(TRAIL);
      await at.stands(109, 111, 110, 6);
      await at.stands(97, 99, 98, 6);
      expect(await at.told("plan.triggered")).toMatchObject([{ leg: "stop", high: won(109), below: won(103.55) }]);
    },
    LONG,
  );
});

describe("a protection that ends", () => {
  it(
    "says so a day before, once",
    async () => {
      const untilMs = at.market.clock.now() + 25 * 3_600_000;
      const plan = await at.begun(STOP, { untilMs });
      expect(await at.told("plan.expiring")).toEqual([]);
      at.market.clock.leap(2 * 3_600_000);
      await at.pass(6_000);
      expect(await at.told("plan.expiring")).toMatchObject([{ until: new Date(untilMs).toISOString() }]);
      expect((await at.now(plan)).state).toBe("active");
    },
    LONG,
  );
});
