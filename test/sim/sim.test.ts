import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { drawPlan } from "./drawing.ts";
import { runRange } from "./fleet.ts";
import { BROKEN_POLICIES } from "./policy.ts";
import { replayText, runPlan, shrunkText } from "./replay.ts";
import { Storage } from "./storage.ts";
import { VENUE_NAMES } from "./wire.ts";

/** More of them: `npm run sim -- --schedules N --venue V`, as in every whole run. */
const SCHEDULES = { open: 100, trading: 40 };
/** A broken policy that is not caught by then is not caught. */
const SCHEDULES_TO_CATCH = 2_000;
const CAUGHT_OVER_BOTH = ["same-id-on-retry", "reject-after-queries", "forget-on-crash", "self-approval"];
/** Where to begin, as most schedules do not touch what a policy breaks. */
const FIRST_SEEDS: Readonly<Record<string, number>> = {
  "reject-after-queries": 200,
  "look-before-waiting": 250,
  "settled-is-told": 200,
  "forget-under-way": 1_040,
};
/** Not a bound on speed: the machine may be busy. */
const PATIENCE_MS = 120_000;

let storage: Storage;
beforeAll(async () => {
  storage = await Storage.open();
});
afterAll(() => {
  storage.close();
});

describe("a schedule", { timeout: PATIENCE_MS }, () => {
  it("is the same every time it is run, to the byte, whatever ran before it", async () => {
    const replays = Array.from({ length: 8 }, (_, index) => 500 + index).flatMap((seed) =>
      VENUE_NAMES.map((venue) => ({ seed, venue })),
    );
    const texts: string[] = [];
    for (const replay of replays) texts.push(await replayText(replay, storage));
    const other = await Storage.open();
    const again: string[] = [];
    for (const replay of replays.toReversed()) again.push(await replayText(replay, other));
    other.close();
    expect(again.reverse()).toEqual(texts);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it("asks the machine for neither time nor chance", async () => {
    const forbidden = [
      vi.spyOn(Date, "now"),
      vi.spyOn(Math, "random"),
      vi.spyOn(globalThis, "setTimeout"),
      vi.spyOn(globalThis, "setImmediate"),
      vi.spyOn(globalThis, "fetch"),
      vi.spyOn(crypto, "getRandomValues"),
      vi.spyOn(crypto, "randomUUID"),
    ];
    for (const venue of VENUE_NAMES) await runRange({ venue, from: 600, count: 10, policy: undefined }, storage);
    for (const spy of forbidden) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });
});

describe("the invariants", { timeout: PATIENCE_MS }, () => {
  const broken = [
    ...Object.keys(BROKEN_POLICIES).map((policy) => ({ policy, venue: "open" as const })),
    ...CAUGHT_OVER_BOTH.map((policy) => ({ policy, venue: "trading" as const })),
  ];

  it.each(broken)("notice $policy over the $venue venue", async ({ policy, venue }) => {
    const first = FIRST_SEEDS[policy] ?? 1;
    for (let seed = first; seed < first + SCHEDULES_TO_CATCH; seed++) {
      const { violations } = await runPlan(drawPlan(seed, venue), storage, policy);
      if (violations.length > 0) return;
    }
    expect.fail(`${policy} went unnoticed in ${SCHEDULES_TO_CATCH} schedules`);
  });

  it.each(VENUE_NAMES)("find nothing in the first schedules over the %s venue", async (venue) => {
    const { failures } = await runRange({ venue, from: 1, count: SCHEDULES[venue], policy: undefined }, storage);
    const [worst] = failures;
    expect(worst === undefined ? "" : await shrunkText({ seed: worst.seed, venue }, storage)).toBe("");
  });
});
