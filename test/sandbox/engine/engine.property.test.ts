import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Engine, restoreEngine } from "../../../src/sandbox/engine/index.ts";
import { stateText, testEngine } from "./exchange-kit.ts";
import { ACCOUNTS, expectSameOrders, expectSound, moves, play, type TimedCommand } from "./random-orders.ts";

const apply = (engine: Engine, commands: readonly TimedCommand[]): void =>
  commands.forEach(({ command, at }) => void engine.apply(command, at));

describe("any sequence of orders and cancels", () => {
  it("conserves every asset, holds what open orders need, never crosses the book, and fills as the naive model does", () => {
    fc.assert(
      fc.property(moves({ maxLength: 80 }), (list) => {
        const run = play(list, expectSound);
        expectSameOrders(run);
        expect(run.commands.length).toBeLessThanOrEqual(2 * list.length);
      }),
      { numRuns: 80 },
    );
  });

  it("does so over 10 000 commands", () => {
    const [list = []] = fc.sample(moves({ minLength: 10_000, maxLength: 10_000 }), { numRuns: 1, seed: 20_260_720 });
    const run = play(list, (now, step) => {
      if (step % 100 === 0) expectSound(now);
    });
    expectSound(run);
    expectSameOrders(run);
    expect(run.naive.orders.length).toBeGreaterThan(4_000);
    const reached = (all: readonly { readonly state: string }[]) => new Set(all.map(({ state }) => state)).size;
    // These states do not last: quoted, paid, in review, sent.
    expect(reached(run.transfers.payments)).toBeGreaterThanOrEqual(5);
    expect(reached(run.transfers.remittances)).toBeGreaterThanOrEqual(4);
    expect(run.engine.trades("BTC/KRW", 500)).toHaveLength(500);
  });

  it("leads to the same bytes when replayed, and when stopped and restored at any point", () => {
    fc.assert(
      fc.property(moves({ maxLength: 60 }), fc.nat({ max: 60 }), (list, cut) => {
        const { commands } = play(list, () => {});
        const [whole, again] = [testEngine(...ACCOUNTS), testEngine(...ACCOUNTS)];
        apply(whole, commands);
        apply(again, commands.slice(0, cut));
        const restored = restoreEngine(JSON.parse(stateText(again)));
        expect(stateText(restored)).toBe(stateText(again));
        apply(again, commands.slice(cut));
        apply(restored, commands.slice(cut));
        expect(stateText(again)).toBe(stateText(whole));
        expect(stateText(restored)).toBe(stateText(whole));
      }),
      { numRuns: 60 },
    );
  });
});
