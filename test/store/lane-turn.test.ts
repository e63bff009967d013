import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decideTurn,
  type LanePaces,
  type LaneState,
  pauseLane,
  type Turn,
  UNUSED_LANE,
} from "../../src/store/lane/lane-turn.ts";
import { paceWithin, type Rank, spend } from "../../src/store/lane/pace.ts";

describe("pace", () => {
  it("never lets more than the limit through in any window, and nearly that much over time", () => {
    const calls = fc.array(
      fc.record({
        gapMs: fc.integer({ min: 0, max: 120 }),
        cost: fc.integer({ min: 1, max: 5 }),
        rank: fc.constantFrom<Rank>("urgent", "usual", "background"),
      }),
      {
        minLength: 50,
        maxLength: 300,
      },
    );
    const share = fc.double({ min: 0.05, max: 1, noNaN: true });
    fc.assert(
      fc.property(calls, fc.integer({ min: 6, max: 200 }), share, (arrivals, limit, burstShare) => {
        const pace = paceWithin(limit, 1_000, burstShare, 5);
        const passed: { atMs: number; cost: number }[] = [];
        let untilUs = 0;
        let nowMs = 1_784_538_000_000;
        for (const { gapMs, ...expense } of arrivals) {
          nowMs += gapMs;
          let spent = spend(pace, untilUs, nowMs * 1_000, expense);
          nowMs += spent.waitMs;
          if (spent.waitMs > 0) spent = spend(pace, untilUs, nowMs * 1_000, expense);
          expect(spent.waitMs).toBe(0);
          untilUs = spent.untilUs;
          passed.push({ atMs: nowMs, cost: expense.cost });
        }
        for (const { atMs } of passed) {
          const inWindow = passed.filter((call) => call.atMs >= atMs && call.atMs <= atMs + 1_000);
          expect(inWindow.reduce((sum, call) => sum + call.cost, 0)).toBeLessThanOrEqual(limit);
        }
      }),
    );
    const { intervalUs, burst } = paceWithin(30, 1_000, 1 / 6);
    expect({ burst, perSecond: Math.floor(1e6 / intervalUs) }).toEqual({ burst: 5, perSecond: 23 });
  });

  it("keeps a part for urgent calls, however much the others ask for", () => {
    const pace = paceWithin(30, 1_000, 1 / 6);
    const until = (calls: number, rank: Rank, untilUs = 0): number =>
      Array.from({ length: calls }).reduce<number>((us) => {
        const { waitMs, untilUs: next } = spend(pace, us, 1e15, { cost: 1, rank });
        expect(waitMs).toBe(0);
        return next;
      }, untilUs);
    const read = until(pace.burst - pace.kept, "usual");
    expect(pace.kept).toBeGreaterThan(0);
    expect(spend(pace, read, 1e15, { cost: 1, rank: "usual" }).waitMs).toBeGreaterThan(0);
    const spent = until(pace.kept, "urgent", read);
    expect(spend(pace, spent, 1e15, { cost: 1, rank: "urgent" }).waitMs).toBeGreaterThan(0);
    expect(() => spend(pace, 0, 1e15, { cost: pace.burst, rank: "usual" })).toThrow(/never fits/);
  });

  it("lets history have a third of the pace, and most of what may come at once stays there for the others", () => {
    const state = { ...UNUSED_LANE };
    const page = { weight: 10, clockOffsetMs: 0, rank: "background" } as const;
    const paces = { calls: paceWithin(30, 1_000, 1 / 6), weight: paceWithin(600, 60_000, 1 / 3, 10), leaseMs: 0 };
    let [lane, nowMs, pages] = [state as LaneState, 1_784_538_000_000, 0];
    const endMs = nowMs + 600_000;
    for (;;) {
      const decision = decideTurn(lane, { ...page, nowMs }, paces);
      if (decision.passes) {
        pages += 1;
        lane = decision.state;
        const left = decideTurn(lane, { ...page, weight: 78, rank: "usual", nowMs: nowMs + 1_000 }, paces);
        expect(left.passes).toBe(true);
      } else nowMs += decision.waitMs;
      if (nowMs > endMs) break;
    }
    // In ten minutes: 380 a minute refill.
    expect(pages * page.weight).toBeGreaterThan(1_100);
    expect(pages * page.weight).toBeLessThan(1_400);
  });

  it("does not wait for a clock that was set back", () => {
    const pace = paceWithin(30, 1_000, 1 / 6);
    for (const rank of ["usual", "urgent"] as const) {
      expect(spend(pace, 2e15, 1e15, { cost: 1, rank }).waitMs).toBe(0);
      const full = 1e15 + (pace.burst - (rank === "urgent" ? 0 : pace.kept)) * pace.intervalUs;
      expect(spend(pace, full, 1e15 - 500_000, { cost: 1, rank }).waitMs).toBeLessThan(600);
    }
  });
});

describe("a turn", () => {
  const paces: LanePaces = {
    calls: paceWithin(30, 1_000, 1 / 6),
    weight: paceWithin(600, 60_000, 1 / 3, 10),
    leaseMs: 500,
  };
  const turn = (nowMs: number, more: Partial<Turn> = {}): Turn => ({
    ...{ nowMs, weight: 1, clockOffsetMs: 0, rank: "usual" },
    ...more,
  });
  const pass = (state: LaneState, nowMs: number, more: Partial<Turn> = {}): LaneState => {
    const decision = decideTurn(state, turn(nowMs, more), paces);
    if (!decision.passes) throw new Error(`stopped by the ${decision.behind} for ${decision.waitMs} ms`);
    return decision.state;
  };

  it("takes the larger of the next number and the server's time", () => {
    const first = pass(UNUSED_LANE, 1_000, { clockOffsetMs: 2_000.7 });
    expect(first.lastNonce).toBe(3_000n);
    expect(pass(first, 1_600).lastNonce).toBe(3_001n);
    expect(pass(first, 9_000).lastNonce).toBe(9_000n);
    expect(pass({ ...UNUSED_LANE, lastNonce: 2n ** 80n }, 1).lastNonce).toBe(2n ** 80n + 1n);
  });

  it("waits for a lease until that ends, is given up, or has been waited for long enough", () => {
    const held = pass(UNUSED_LANE, 1_000);
    expect(decideTurn(held, turn(1_100), paces)).toEqual({ passes: false, behind: "lease", waitMs: 400 });
    expect(pass(held, 1_500).leaseId).toBe(held.leaseId + 1);
    expect(pass({ ...held, leaseUntilMs: 0 }, 1_100).leaseId).toBe(held.leaseId + 1);
    expect(pass(held, 1_100, { overdueLease: held.leaseId }).leaseId).toBe(held.leaseId + 1);
    expect(decideTurn(held, turn(1_100, { overdueLease: held.leaseId - 1 }), paces).passes).toBe(false);
  });

  it("obeys a pause, the longest of several, even beside an overdue lease", () => {
    const paused = pauseLane(pauseLane(UNUSED_LANE, 1_000, 300.2), 1_100, 50);
    expect(decideTurn(paused, turn(1_200), paces)).toEqual({ passes: false, behind: "pace", waitMs: 101 });
    expect(decideTurn(paused, turn(1_200, { overdueLease: 0 }), paces).passes).toBe(false);
    expect(pass(paused, 1_301).leaseId).toBe(1);
  });

  it("lets one urgent call through a pause at once, then one at a time far apart, and all when it is over", () => {
    const paused = pauseLane(pass(UNUSED_LANE, 1_000), 1_010, 60_000);
    const free = { ...paused, leaseUntilMs: 0 };
    const urgent = { rank: "urgent" } as const;
    expect(decideTurn(free, turn(1_020), paces)).toEqual({ passes: false, behind: "pace", waitMs: 59_990 });
    const first = { ...pass(free, 1_020, urgent), leaseUntilMs: 0 };
    // Its own answer makes the pause longer, and is no new one.
    const longer = pauseLane(first, 1_030, 60_000);
    for (const state of [first, longer])
      expect(decideTurn(state, turn(1_040, urgent), paces)).toEqual({ passes: false, behind: "pace", waitMs: 2_980 });
    const second = { ...pass(longer, 4_020, urgent), leaseUntilMs: 0 };
    expect(decideTurn(second, turn(4_021, urgent), paces).passes).toBe(false);
    expect(decideTurn(second, turn(60_000, urgent), paces).passes).toBe(true);
    const late = { ...pass(second, 60_500, urgent), leaseUntilMs: 0 };
    expect(decideTurn(late, turn(60_600, urgent), paces)).toEqual({ passes: false, behind: "pace", waitMs: 430 });
    expect(pass(late, 61_030).leaseId).toBe(late.leaseId + 1);
  });

  it("waits for nothing from before a clock was set back", () => {
    const held = pauseLane(pass(UNUSED_LANE, 9_000_000), 9_000_000, 60_000);
    expect(pass(held, 1_000).lastNonce).toBe(9_000_001n);
  });
});
