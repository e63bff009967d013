import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runRange } from "./fleet.ts";
import { replayText, shrunkText } from "./replay.ts";
import { Storage } from "./storage.ts";
import { VENUE_NAMES } from "./wire.ts";

/** More of them in `test/system/sim`, and by `npm run sim -- --schedules N --venue V`. */
const SCHEDULES = { open: 50, trading: 25, upbit: 8, bithumb: 8, korbit: 8, coinone: 8 };
/** One of each kind of `close-calls.ts`, in which the broken desk or the defect that it is about is noticed. */
const CLOSE_CALLS = [10, 56, 61, 139, 177];
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
      VENUE_NAMES.map((venue) => ({ seed, venue, store: seed < 502 ? ("postgres" as const) : ("sqlite" as const) })),
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
    await runRange({ venue: "open", store: "postgres", from: 600, count: 3, policy: undefined }, storage);
    for (const spy of forbidden) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });
});

describe("the invariants", { timeout: PATIENCE_MS }, () => {
  it.each(VENUE_NAMES)("find nothing in the first schedules over the %s venue", async (venue) => {
    const { failures } = await runRange({ venue, from: 1, count: SCHEDULES[venue], policy: undefined }, storage);
    const [worst] = failures;
    expect(worst === undefined ? "" : await shrunkText({ seed: worst.seed, venue }, storage)).toBe("");
  });

  it.each(CLOSE_CALLS)(
    "find nothing in a schedule that comes close to what plans are kept from: seed %s",
    async (seed) => {
      const { failures } = await runRange({ venue: "open", from: seed, count: 1, policy: undefined }, storage);
      expect(failures.length === 0 ? "" : await shrunkText({ seed, venue: "open" }, storage)).toBe("");
    },
  );

  it("find nothing in the first schedules over a store on a server", async () => {
    const { failures } = await runRange(
      { venue: "open", store: "postgres", from: 1, count: 8, policy: undefined },
      storage,
    );
    const [worst] = failures;
    const which = { seed: worst?.seed ?? 0, venue: "open", store: "postgres" } as const;
    expect(worst === undefined ? "" : await shrunkText(which, storage)).toBe("");
  });
});
