import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Price, price } from "../../../src/decimal/index.ts";
import type { PlanTerms } from "../../../src/desk/model/plan.ts";
import { isBeyond, type Sample } from "../../../src/desk/plans/watch/trigger.ts";
import {
  type Outcome,
  trailedStop,
  type WaitingPlan,
  WaitingPlans,
  waitingPlan,
} from "../../../src/desk/plans/watch/waiting-plans.ts";

const SYMBOL = "BTC/KRW";
const AT = Date.UTC(2026, 6, 20, 9);
const BANDS = [{ from: price("0"), tick: price("0.5") }];

interface Seen {
  readonly ms: number;
  readonly print: string;
  readonly bid: string;
  readonly ask: string;
  readonly follows?: boolean;
}

function sample({ ms, print, bid, ask, follows = true }: Seen): Sample {
  const atMs = AT + ms;
  return { atMs, heardMs: atMs, print: { price: price(print), atMs }, bid: price(bid), ask: price(ask), follows };
}

const at = (ms: number, level: number): Seen => ({ ms, print: String(level), bid: String(level), ask: String(level) });

function run(plan: Omit<WaitingPlan, "planId" | "symbol">, seen: readonly Seen[]): Outcome[] {
  const plans = new WaitingPlans();
  plans.set([{ planId: "plan-1", symbol: SYMBOL, ...plan }]);
  return seen.map((each) => plans.sampled(SYMBOL, sample(each)));
}
const legs = (outcomes: readonly Outcome[]) => outcomes.flatMap(({ triggered }) => triggered.map(({ leg }) => leg));

const STOP = { stop: { price: price("100") } };
const OCO = { ...STOP, take: price("120") };
const TRAILING = { stop: { trail: { percent: "5" }, high: price("100"), bands: BANDS } };

describe("a plan that waits", () => {
  it("tells the first and the last sample that decided, and goes on telling while the price stands", () => {
    const outcomes = run(STOP, [at(0, 105), at(500, 100), at(1_500, 99), at(2_500, 98), at(3_000, 98), at(3_500, 101)]);
    expect(outcomes.map(({ triggered }) => triggered.length)).toEqual([0, 0, 0, 1, 1, 0]);
    expect(outcomes[3]?.triggered[0]).toMatchObject({
      ...{ planId: "plan-1", leg: "stop", level: { direction: "down" } },
      ...{ first: { atMs: AT + 500 }, last: { atMs: AT + 2_500 } },
    });
  });

  it("tells when what the market stands at may have stood for long enough, and nothing once it has or is left", () => {
    const outcomes = run(OCO, [at(0, 105), at(500, 100), at(1_500, 99), at(2_500, 98), at(3_000, 121), at(3_500, 105)]);
    expect(outcomes.map(({ stoodAtMs }) => stoodAtMs)).toEqual([
      ...[undefined, AT + 2_500, AT + 2_500],
      ...[undefined, AT + 5_000, undefined],
    ]);
  });

  it("has one leg at most of a stop and a take-profit, the one that the market stands at", () => {
    expect(legs(run(OCO, [at(0, 120), at(2_000, 121)]))).toEqual(["take"]);
    expect(legs(run(OCO, [at(0, 99), at(2_000, 98)]))).toEqual(["stop"]);
  });

  it("is triggered by itself where others wait for the same market", () => {
    const plans = new WaitingPlans();
    plans.set([
      { planId: "low", symbol: SYMBOL, stop: { price: price("90") } },
      { planId: "high", symbol: SYMBOL, stop: { price: price("100") } },
      { planId: "other", symbol: "ETH/KRW", stop: { price: price("100") } },
    ]);
    expect(plans.symbols).toEqual([SYMBOL, "ETH/KRW"]);
    plans.sampled(SYMBOL, sample(at(0, 95)));
    const { triggered } = plans.sampled(SYMBOL, sample(at(2_000, 95)));
    expect(triggered.map(({ planId }) => planId)).toEqual(["high"]);
  });

  it("goes on where it was when others come and go, and begins anew where it waits for something else", () => {
    const plans = new WaitingPlans();
    const [first, other] = [
      { planId: "plan-1", symbol: SYMBOL, ...STOP },
      { planId: "plan-2", symbol: SYMBOL, take: price("200") },
    ];
    plans.set([first]);
    plans.sampled(SYMBOL, sample(at(0, 99)));
    plans.set([other, { ...first, take: price("130") }]);
    expect(legs([plans.sampled(SYMBOL, sample(at(2_000, 99)))])).toEqual([]);
    plans.set([{ ...first, take: price("130") }]);
    expect(legs([plans.sampled(SYMBOL, sample(at(4_000, 99)))])).toEqual(["stop"]);
    plans.set([]);
    expect(legs([plans.sampled(SYMBOL, sample(at(4_500, 99)))])).toEqual([]);
  });
});

describe("the stop of a trailing plan", () => {
  it.each([
    ["a share below", "111", { percent: "5" }, "105"],
    ["an amount below", "111.3", { amount: "1.1" }, "110"],
    ["nothing where no price is left", "100", { amount: "100" }, undefined],
  ] as const)("is %s its high, down to the tick", (_, high, trail, stop) => {
    expect(trailedStop(price(high), trail, BANDS)?.toString()).toBe(stop);
  });

  it("follows what the market has stood at, tells it at most every five seconds, and is never taken back", () => {
    const rises = Array.from({ length: 20 }, (_, n) => at(n * 1_000, 100 + n));
    const told = run(TRAILING, rises).flatMap(({ risen }) => risen.map(({ high }) => Number(high.toString())));
    expect(told.length).toBeGreaterThanOrEqual(3);
    expect(told.length).toBeLessThanOrEqual(4);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(legs(run(TRAILING, [...rises, at(20_000, 108), at(22_000, 108)]))).toEqual(["stop"]);
  });

  it("does not fall back where the store has an older high", () => {
    const plans = new WaitingPlans();
    const plan = { planId: "plan-1", symbol: SYMBOL, ...TRAILING };
    plans.set([plan]);
    for (const seen of [at(0, 120), at(2_000, 120)]) plans.sampled(SYMBOL, sample(seen));
    plans.set([plan]);
    const outcomes = [at(3_000, 113), at(5_000, 113)].map((seen) => plans.sampled(SYMBOL, sample(seen)));
    expect(legs(outcomes)).toEqual(["stop"]);
  });
});

it("waits for the take alone of an oco that trails where the ticks of its market are not known, and in that market still", () => {
  const trailing = { symbol: SYMBOL, volume: "1", trail: { percent: "5" } } as const;
  const oco: PlanTerms = {
    kind: "oco",
    symbol: SYMBOL,
    volume: "1",
    stop: { trail: trailing.trail },
    takePrice: "120",
  };
  const of = (terms: PlanTerms) => waitingPlan({ planId: "p", terms, progress: { high: "110" } }, undefined);
  expect(of(oco)).toEqual({ planId: "p", symbol: SYMBOL, take: price("120") });
  expect(of({ kind: "trailing_stop", ...trailing })).toEqual({ planId: "p", symbol: SYMBOL });
});

describe("what waits of a plan", () => {
  const of = (terms: PlanTerms, progress = {}) => {
    const { stop, take, alert } = waitingPlan({ planId: "p", terms, progress }, BANDS) ?? {};
    const kept = stop === undefined ? undefined : "trail" in stop ? `${stop.high} less` : String(stop.price);
    return [kept, take?.toString(), alert && `${alert.direction} ${alert.price}`];
  };
  const base = { symbol: SYMBOL, volume: "1" };

  it.each<[string, PlanTerms, object, readonly (string | undefined)[]]>([
    ["a stop", { kind: "stop", ...base, stopPrice: "100" }, {}, ["100", undefined, undefined]],
    ["a take-profit", { kind: "take_profit", ...base, takePrice: "120" }, {}, [undefined, "120", undefined]],
    [
      "a trailing stop, by its high",
      { kind: "trailing_stop", ...base, trail: { percent: "5" } },
      { high: "110" },
      ["110 less", undefined, undefined],
    ],
    ["both legs", { kind: "oco", ...base, stop: { stopPrice: "90" }, takePrice: "120" }, {}, ["90", "120", undefined]],
    [
      "the stop alone, where it was, once it has sold",
      { kind: "oco", ...base, stop: { trail: { amount: "5" } }, takePrice: "120" },
      { high: "100", latchedAtMs: AT },
      ["95", undefined, undefined],
    ],
    [
      "an alert above",
      { kind: "alert", event: "price", symbol: SYMBOL, above: "5" },
      {},
      [undefined, undefined, "up 5"],
    ],
    [
      "an alert below",
      { kind: "alert", event: "price", symbol: SYMBOL, below: "5" },
      {},
      [undefined, undefined, "down 5"],
    ],
    ["nothing, of an alert on fills", { kind: "alert", event: "fill" }, {}, [undefined, undefined, undefined]],
    [
      "nothing, of a calendar",
      {
        kind: "recurring",
        symbol: SYMBOL,
        side: "buy",
        size: { volume: "1" },
        schedule: "daily 09:00",
        timezone: "UTC",
      },
      {},
      [undefined, undefined, undefined],
    ],
  ])("is %s", (_, terms, progress, kept) => {
    expect(of(terms, progress)).toEqual(kept);
  });
});

describe("whatever the market does", () => {
  /** It stays where it is for a few samples, at the stop, at the take-profit, or anywhere. */
  const stretch = fc
    .tuple(fc.constantFrom([94, 100], [120, 126], [94, 126]), fc.integer({ min: 1, max: 8 }))
    .chain(([[least = 0, most = 0], count]) => {
      const prices = fc.integer({ min: least, max: most }).map(String);
      const follows = fc.integer({ min: 0, max: 19 }).map((n) => n > 0);
      const step = fc.record({
        apartMs: fc.integer({ min: 1, max: 900 }),
        print: prices,
        bid: prices,
        ask: prices,
        follows,
      });
      return fc.array(step, { minLength: count, maxLength: count });
    });
  const steps = fc.array(stretch, { minLength: 1, maxLength: 8 }).map((stretches) => stretches.flat());
  const timed = (list: readonly (Omit<Seen, "ms"> & { readonly apartMs: number })[]): Seen[] => {
    let ms = 0;
    return list.map(({ apartMs, ...seen }) => {
      ms += apartMs;
      return { ...seen, ms };
    });
  };

  it("a leg that is triggered was stood at in every sample of two seconds, one after the other, and never two legs at once", () => {
    let found = 0;
    fc.assert(
      fc.property(steps, (list) => {
        const seen = timed(list);
        const samples = seen.map(sample);
        for (const [index, { triggered }] of run(OCO, seen).entries()) {
          expect(triggered.length).toBeLessThanOrEqual(1);
          found += triggered.length;
          for (const { level, first, last } of triggered) {
            const within = samples.slice(0, index + 1).filter(({ atMs }) => atMs >= first.atMs);
            expect(last.atMs - first.atMs).toBeGreaterThanOrEqual(2_000);
            expect(within.length).toBeGreaterThanOrEqual(2);
            expect(within.every((each) => isBeyond(level, each))).toBe(true);
            expect(within.slice(1).every(({ follows }) => follows)).toBe(true);
          }
        }
      }),
      { numRuns: 500 },
    );
    expect(found).toBeGreaterThan(20);
  });

  it("one sample that is beyond, among others that are not, triggers nothing", () => {
    const still = fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 3, maxLength: 20 });
    fc.assert(
      fc.property(still, fc.nat(), fc.constantFrom(80, 99, 120, 500), (apart, place, outlier) => {
        let ms = 0;
        const seen = apart.map((each, index) => {
          ms += each;
          return at(ms, index === place % apart.length ? outlier : 110);
        });
        expect(legs(run(OCO, seen))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("a high is never above what was printed and bid, and never falls", () => {
    let rises = 0;
    fc.assert(
      fc.property(steps, (list) => {
        const seen = timed(list);
        let [highest, last]: [number, Price] = [100, price("100")];
        for (const [index, { risen }] of run(TRAILING, seen).entries()) {
          highest = Math.max(highest, Math.min(Number(seen[index]?.print), Number(seen[index]?.bid)));
          for (const { high } of risen) {
            rises += 1;
            expect(high.gt(last)).toBe(true);
            last = high;
          }
        }
        expect(Number(last.toString())).toBeLessThanOrEqual(highest);
      }),
      { numRuns: 500 },
    );
    expect(rises).toBeGreaterThan(20);
  });
});
