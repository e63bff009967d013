/** The decision how many calls a process may make, over any course of claims. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideShare, type GroupClaim, type ScopeState, UNUSED_SCOPE } from "../../src/store/lane/rate-share.ts";

const [LIMIT, WINDOW_MS, FLIGHT_MS] = [10, 1_000, 2_000];

const asked = (more: Partial<GroupClaim> = {}): GroupClaim => ({
  ...{ group: "g", limit: LIMIT, windowMs: WINDOW_MS, open: LIMIT, needed: 1, wanted: 1, spare: 1, isUrgent: false },
  ...{ used: [], underWay: 0, underWayMs: 0, flightMs: FLIGHT_MS, ...more },
});
const [HOUR_MS, BAN_MS] = [3_600_000, 600_000];
const ban = (state: ScopeState, nowMs: number, forMs?: number) =>
  decideShare(state, { by: "a", groups: [asked()], ban: forMs === undefined ? {} : { forMs } }, nowMs);
const look = (state: ScopeState, nowMs: number) => decideShare(state, { by: "b", groups: [asked()] }, nowMs).share;

/** One process: what it holds, and its calls, each under way from when it left. */
interface Process {
  life: number;
  hand: number;
  untilMs: number;
  readonly calls: { readonly leftMs: number; readonly overMs: number; isTold: boolean }[];
}

const step = fc.record({
  who: fc.nat(2),
  afterMs: fc.nat(400),
  wanted: fc.integer({ min: 1, max: 6 }),
  flightMs: fc.integer({ min: 1, max: FLIGHT_MS }),
  hasDied: fc.boolean(),
});

describe("the share of a process", () => {
  it("never lets more of a group be at the venue in a window than it takes, whoever asks, uses, tells and dies", () => {
    const course = (steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]): number => {
      const processes: Process[] = [0, 1, 2].map(() => ({ life: 0, hand: 0, untilMs: 0, calls: [] }));
      let state = UNUSED_SCOPE;
      let nowMs = 1_000_000;
      for (const { who, afterMs, wanted, flightMs, hasDied } of steps) {
        nowMs += afterMs;
        const process = processes[who];
        if (process === undefined) continue;
        if (process.hand === 0 || nowMs >= process.untilMs) {
          // Another has begun in its place, and tells of nothing that this one has done.
          if (hasDied) {
            process.life++;
            for (const call of process.calls) call.isTold = true;
          }
          const over = process.calls.filter(({ isTold, overMs }) => !isTold && overMs <= nowMs);
          const underWay = process.calls.filter(({ isTold, overMs }) => !isTold && overMs > nowMs);
          const claim = asked({
            wanted,
            used: over.map(({ overMs }) => [nowMs - overMs, 1]),
            underWay: underWay.length,
            underWayMs: Math.max(0, ...underWay.map(({ leftMs }) => leftMs + FLIGHT_MS - nowMs)),
          });
          const decided = decideShare(state, { by: `${who}/${process.life}`, groups: [claim] }, nowMs);
          state = JSON.parse(JSON.stringify(decided.state)) as ScopeState;
          for (const call of over) call.isTold = true;
          process.hand = decided.share.groups[0]?.granted ?? 0;
          process.untilMs = nowMs + decided.share.leaseMs;
        }
        if (process.hand === 0) continue;
        process.hand--;
        process.calls.push({ leftMs: nowMs, overMs: nowMs + flightMs, isTold: false });
      }
      const calls = processes.flatMap((each) => each.calls);
      const within = (fromMs: number) =>
        calls.filter(({ leftMs, overMs }) => overMs >= fromMs && leftMs <= fromMs + WINDOW_MS).length;
      return Math.max(0, ...calls.map(({ overMs }) => within(overMs)));
    };
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), (steps) => {
        expect(course(steps)).toBeLessThanOrEqual(LIMIT);
      }),
      { numRuns: 300 },
    );
  });

  it("leaves a part to whoever was turned away, and all of it once that one is gone", () => {
    const first = decideShare(UNUSED_SCOPE, { by: "a", groups: [asked({ wanted: LIMIT })] }, 0);
    const second = decideShare(first.state, { by: "b", groups: [asked({ wanted: LIMIT })] }, 10);
    expect(second.share.groups).toMatchObject([{ granted: 0 }]);
    const told = asked({ wanted: LIMIT, used: [[WINDOW_MS + 60, LIMIT]] });
    const again = { by: "a", groups: [told] };
    expect(decideShare(second.state, again, 100).share.groups).toMatchObject([{ granted: LIMIT / 2 }]);
    expect(decideShare(second.state, again, 5_000).share.groups).toMatchObject([{ granted: LIMIT }]);
  });

  it("guesses a longer ban each time where the venue does not say, one for all that hear of it, and forgets after a day", () => {
    const first = ban(UNUSED_SCOPE, HOUR_MS);
    expect(first.share).toMatchObject({ bannedMs: BAN_MS, groups: [{ granted: 0 }] });
    const same = ban(first.state, HOUR_MS + 1_000);
    expect(same.share.bannedMs).toBe(BAN_MS - 1_000);
    const next = ban(same.state, 2 * HOUR_MS);
    expect(next.share.bannedMs).toBe(2 * BAN_MS);
    expect(ban(next.state, 30 * HOUR_MS).share.bannedMs).toBe(BAN_MS);
  });

  it("makes nobody wait longer because the store's clock was set back", () => {
    const { state } = ban(UNUSED_SCOPE, 10 * HOUR_MS, 60_000);
    expect(look(state, HOUR_MS).bannedMs).toBe(60_000);
    const full = decideShare(UNUSED_SCOPE, { by: "a", groups: [asked({ wanted: LIMIT })] }, 10 * HOUR_MS);
    const told = decideShare(full.state, { by: "a", groups: [asked({ needed: 0, used: [[0, LIMIT]] })] }, 10 * HOUR_MS);
    const back = decideShare(told.state, { by: "b", groups: [asked()] }, HOUR_MS);
    expect(back.share.groups).toMatchObject([{ granted: 0 }]);
    expect(look(back.state, HOUR_MS + WINDOW_MS + 50).groups).toMatchObject([{ granted: 2 }]);
  });
});
