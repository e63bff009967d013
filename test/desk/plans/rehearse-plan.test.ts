import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { LIMITS, type Market, ok } from "../../../src/contract/index.ts";
import type { CreatePlanRequest } from "../../../src/desk/plans/plan-desk.ts";
import { planFiguresLine, planFiguresWorst, wordsFor } from "../../../src/words/index.ts";
import { apiClass } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";
import { openPlanWorld, type PlanWorld, type Process } from "./plan-world.ts";
import { won } from "./sandbox-market.ts";

const HOUR_MS = 3_600_000;
let market: PlanWorld;
let server: Process;
beforeEach(async () => {
  market = await openPlanWorld();
  server = await market.process({ endsAfterCommand: true });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await market.close();
});

/** Others trade at these, an hour between, and it is an hour later. */
const history = (...prices: readonly number[]): void => {
  for (const at of prices) {
    market.quotes(at - 0.5, at + 0.5);
    market.print(at);
    market.clock.leap(HOUR_MS);
  }
};
const STOP = { kind: "stop", symbol: "BTC/KRW", base_volume: "0.1", stop_price: "-5%" } as const;
const rehearsed = (request: CreatePlanRequest) => server.plans.create({ rehearse: "1d", ...request }, "assistant");

describe("a rehearsal", () => {
  it("tells what a plan would have done on past candles, and records nothing", async () => {
    history(100, 99, 94, 90);
    const report = await rehearsed({ ...STOP, note: "as last week" });
    expect(report.error).toBeUndefined();
    expect(report).toMatchObject({
      outcome: "not_sent",
      state: "preview",
      plan: { plan_id: null, note: "as last week" },
    });
    const { acts = [], fromMs = 0, toMs = 0 } = report.rehearsal ?? {};
    // By the first price of the period, which the world began with: 104.5 less 5 % is 99.275.
    expect(acts).toMatchObject([{ leg: "stop", from: won(99), to: won(99), volume: "0.1", isSure: true }]);
    expect(report.plan?.terms).toMatchObject({ kind: "stop", stopPrice: "99275000" });
    expect(report.plan).toMatchObject({
      trigger: "99275000",
      floor: "89348000",
      shown: { atLeast: { price: "89348000" } },
    });
    expect(toMs - fromMs).toBeLessThanOrEqual(24 * HOUR_MS);
    const { plans } = await unwrap(server.plans.list({ which: "all", limit: 10 }));
    expect(plans).toEqual([]);
    expect(await market.notices()).toEqual([]);
  });

  it("says that a plan would have done nothing where the market never came there", async () => {
    history(100, 99);
    const report = await rehearsed({ ...STOP, stop_price: "-20%" });
    expect(report.rehearsal).toMatchObject({ acts: [], value: "0" });
  });

  it.each([
    ["1d", "1m"],
    ["7d", "15m"],
    ["30d", "1h"],
  ] as const)("reads %s in candles of %s, in three pages at most that do not overlap", async (rehearse, interval) => {
    const reading = vi.spyOn(apiClass().prototype, "candles");
    await rehearsed({ ...STOP, rehearse });
    const pages = reading.mock.calls.map(([, of, period]) => ({ of, ...period }));
    expect(new Set(pages.map(({ of }) => of))).toEqual(new Set([interval]));
    expect(pages.length).toBeLessThanOrEqual(3);
    const days = Number.parseInt(rehearse, 10);
    const lengths = pages.map(({ fromMs = 0, toMs = 0 }) => toMs + 1 - fromMs);
    expect(lengths.reduce((a, b) => a + b)).toBe(days * 24 * HOUR_MS);
    const lengthMs = { "1m": 60_000, "15m": 900_000, "1h": HOUR_MS }[interval];
    for (const each of lengths) expect(each).toBeLessThanOrEqual(LIMITS.candlesMax * lengthMs);
    for (const [index, { fromMs }] of pages.entries())
      if (index > 0) expect(fromMs).toBe((pages[index - 1]?.toMs ?? 0) + 1);
  });

  it("buys by the calendar at the highest price of each candle, fee in", async () => {
    market.clock.leap(24 * HOUR_MS);
    const at = new Date(market.clock.now() + 2 * HOUR_MS);
    const schedule = `daily ${at.toISOString().slice(11, 16)}`;
    for (let hour = 0; hour < 4; hour += 1) {
      market.quotes(99, 101);
      market.print(100);
      market.clock.leap(HOUR_MS);
    }
    const request = { kind: "recurring", symbol: "BTC/KRW", quote_amount: "50000", schedule } as const;
    const report = await rehearsed({ ...request, rehearse: "7d" });
    expect(report.error).toBeUndefined();
    expect(report.rehearsal?.acts).toMatchObject([{ leg: "turn", from: won(100), to: won(100) }]);
    expect(report.plan?.turns_left).toBeGreaterThan(80);
    expect(Number(report.rehearsal?.value)).toBeGreaterThan(50_000);
    const sells = { ...request, side: "sell", quote_amount: undefined, base_volume: "0.001" } as const;
    const { plan } = await rehearsed({ ...sells, rehearse: "7d" });
    expect(plan?.shown?.volumeMax).toBe(String((plan?.turns_left ?? 0) / 1_000));
  });

  it("reckons with the fees of the account, where the exchange tells the rules of a market one by one", async () => {
    const rules = async (ruled: Market) => ok({ ...ruled, maker_fee_rate: "0", taker_fee_rate: "0" });
    Reflect.set(apiClass().prototype, "rules", rules);
    onTestFinished(() => void Reflect.deleteProperty(apiClass().prototype, "rules"));
    history(100, 94, 90);
    const report = await rehearsed(STOP);
    expect(report.rehearsal?.acts).toMatchObject([{ volume: "0.1", from: won(94), value: "9400000" }]);
  });

  it.each([
    [
      "en",
      /^By the price of .+ UTC: .+ below its highest \(then ₩104,500,000: at ₩99,275,000\)/,
      /worth ₩10,450,000 at the price of /,
    ],
    ["ko", /^.+ UTC 시세 기준: .+ 그때 고점은 ₩104,500,000/, /UTC 시세로 이 코인의 평가 금액은 ₩10,450,000/],
  ] as const)(
    "says of when its levels and its worth are, and not that they are of now (%s)",
    async (locale, line, worst) => {
      history(104.5, 104);
      const { plan } = await rehearsed({
        kind: "trailing_stop",
        symbol: "BTC/KRW",
        base_volume: "0.1",
        trail: "5%",
      });
      if (plan === undefined) throw new Error("nothing was rehearsed");
      const words = wordsFor({ locale, timeZone: "UTC" });
      expect(planFiguresLine(plan, "KRW", words)).toMatch(line);
      expect(planFiguresWorst(plan, "KRW", words)).toMatch(worst);
      const sells = {
        kind: "recurring",
        symbol: "BTC/KRW",
        side: "sell",
        base_volume: "0.001",
        schedule: "daily 09:00",
      };
      const sold = await rehearsed({ ...sells, rehearse: "7d" });
      if (sold.plan === undefined) throw new Error("nothing was rehearsed");
      expect(planFiguresWorst(sold.plan, "KRW", words)).toMatch(/UTC|시세로/);
      expect(planFiguresWorst(sold.plan, "KRW", words)).not.toMatch(/now|현재/);
    },
  );

  it("is refused with both figures where ordinary candles reach the trigger by themselves", async () => {
    for (const at of [100, 104, 101, 104]) {
      market.quotes(at - 0.5, at + 0.5);
      market.print(at);
    }
    market.clock.leap(HOUR_MS);
    const report = await rehearsed(STOP);
    expect(report).toMatchObject({ outcome: "not_sent", error: { code: "ELocal:Cannot rehearse" } });
    expect(report.error?.message).toMatch(/the trigger is ₩[\d,]+ from the first price.*three times that, ₩[\d,]+/i);
    expect(report.rehearsal).toBeUndefined();
  });

  it("takes a share of what is held now, and a price by where the market was then", async () => {
    history(104.5);
    const half = await rehearsed({ ...STOP, base_volume: "50%" });
    expect(half.plan?.terms).toMatchObject({ volume: "0.5" });
    const there = await rehearsed({ ...STOP, stop_price: won(110) });
    expect(there.error).toMatchObject({ code: "ELocal:Invalid input", field: "stop_price" });
    expect(there.error?.message).toContain("the period began at");
    const typo = await rehearsed({ ...STOP, stop_price: "abc" });
    expect(typo.error?.message).not.toContain("the period began at");
  });

  it("is refused for an alert, which trades never, and where nothing was traded", async () => {
    const alert = await rehearsed({ kind: "alert", symbol: "BTC/KRW", above: won(110) });
    expect(alert.error).toMatchObject({ code: "ELocal:Cannot rehearse", message: expect.stringContaining("An alert") });
    const quiet = await rehearsed({ ...STOP, symbol: "ETH/KRW" });
    expect(quiet.error).toMatchObject({
      code: "ELocal:Cannot rehearse",
      message: expect.stringContaining("no candles"),
    });
  });
});
