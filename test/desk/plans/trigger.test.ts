import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { price } from "../../../src/decimal/index.ts";
import {
  type High,
  type Hold,
  hasStood,
  isBeyond,
  isOfNow,
  type Level,
  nextHigh,
  nextHold,
  PRINT_AGE_MS,
  type Sample,
} from "../../../src/desk/plans/watch/trigger.ts";

const AT = Date.parse("2026-07-20T00:00:00.000Z");
const down: Level = { direction: "down", price: price("100") };
const up: Level = { direction: "up", price: price("100") };

interface Seen {
  readonly ms: number;
  readonly print?: string | null;
  readonly bid?: string | null;
  readonly ask?: string | null;
  readonly printAgeMs?: number;
  /** How long ago the exchange spoke last. */
  readonly silentMs?: number;
  readonly follows?: boolean;
}

const of = (text: string | null | undefined, otherwise: string) =>
  text === null ? undefined : price(text ?? otherwise);

/** A market that stands at 99 and 100, where nothing else is said. */
function sample({ ms, print, bid, ask, printAgeMs = 100, silentMs = 0, follows = true }: Seen): Sample {
  const traded = of(print, "99.5");
  return {
    atMs: AT + ms,
    print: traded === undefined ? undefined : { price: traded, atMs: AT + ms - printAgeMs },
    bid: of(bid, "99"),
    ask: of(ask, "100"),
    heardMs: AT + ms - silentMs,
    follows,
  };
}

function held(level: Level, seen: readonly Seen[]): Hold | undefined {
  return seen.reduce<Hold | undefined>((hold, each) => nextHold(hold, level, sample(each)), undefined);
}
const triggers = (level: Level, seen: readonly Seen[]): boolean => {
  const hold = held(level, seen);
  return hold !== undefined && hasStood(hold);
};

describe("a sample", () => {
  it("says something of the market for five seconds, and nothing where the exchange's clock has gone back by more", () => {
    const seen = sample({ ms: 0 });
    expect([-5_001, -5_000, 0, 5_000, 5_001].map((ms) => isOfNow(seen, AT + ms))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });
});

describe("a market at or below a price", () => {
  it.each<[string, Seen, boolean]>([
    ["where the last print and the best ask are there", { ms: 0, print: "100", ask: "100" }, true],
    ["not by a print alone, through a thin book", { ms: 0, print: "95", ask: "101" }, false],
    ["not by quotes alone, without a print there", { ms: 0, print: "101", ask: "99" }, false],
    ["not by a print that is old", { ms: 0, printAgeMs: PRINT_AGE_MS + 1 }, false],
    [
      "not by a print from the future, as one is when the clock went back",
      { ms: 0, printAgeMs: -PRINT_AGE_MS - 1 },
      false,
    ],
    ["not where nothing was traded", { ms: 0, print: null }, false],
    ["not where nobody else asks", { ms: 0, ask: null }, false],
    ["whatever the bid is", { ms: 0, bid: null }, true],
  ])("is known %s", (_, seen, known) => {
    expect(isBeyond(down, sample(seen))).toBe(known);
  });
});

describe("a market at or above a price", () => {
  it.each<[string, Seen, boolean]>([
    ["where the last print and the best bid are there", { ms: 0, print: "100", bid: "100" }, true],
    ["not by a print alone", { ms: 0, print: "105", bid: "99" }, false],
    ["not by quotes alone", { ms: 0, print: "99", bid: "101" }, false],
    ["not where nobody else bids", { ms: 0, print: "105", bid: null }, false],
    ["whatever the ask is", { ms: 0, print: "100", bid: "100", ask: null }, true],
  ])("is known %s", (_, seen, known) => {
    expect(isBeyond(up, sample(seen))).toBe(known);
  });
});

describe("a trigger", () => {
  it.each<[string, readonly Seen[], boolean]>([
    ["once it has stood for two seconds", [{ ms: 0 }, { ms: 500 }, { ms: 2_000 }], true],
    ["by two samples, as they come without a stream", [{ ms: 0 }, { ms: 2_100 }], true],
    ["not by one, however old the print is", [{ ms: 2_000 }], false],
    ["not a moment earlier", [{ ms: 0 }, { ms: 1_999 }], false],
    ["not by a wick", [{ ms: 0 }, { ms: 500 }, { ms: 1_000, ask: "101" }, { ms: 2_000 }, { ms: 2_500 }], false],
    ["anew after a wick back", [{ ms: 0 }, { ms: 900, print: "101" }, { ms: 1_000 }, { ms: 3_000 }], true],
    ["not over a gap in the stream", [{ ms: 0 }, { ms: 1_000 }, { ms: 2_100, follows: false }], false],
    ["not while the exchange is silent", [{ ms: 0 }, { ms: 1_000 }, { ms: 3_000, silentMs: 2_500 }], false],
    [
      "once it has spoken after two seconds",
      [{ ms: 0 }, { ms: 1_000, silentMs: 1_000 }, { ms: 3_000, silentMs: 900 }],
      true,
    ],
    ["not over a time that nobody looked", [{ ms: 0 }, { ms: 6_000 }], false],
    ["not while the exchange's clock goes back", [{ ms: 5_000 }, { ms: 3_000 }, { ms: 4_900 }], false],
    ["by its clock alone, once it goes on", [{ ms: 5_000 }, { ms: 3_000 }, { ms: 5_000 }], true],
    ["not where the last print has grown old", [{ ms: 0 }, { ms: 1_000 }, { ms: 2_000, printAgeMs: 10_001 }], false],
  ])("comes %s", (_, seen, comes) => {
    expect(triggers(down, seen)).toBe(comes);
  });

  it("needs every sample of two seconds to be there, whatever else was seen", () => {
    const seen = fc.record({
      ms: fc.integer({ min: 0, max: 900 }),
      print: fc.constantFrom("98", "99.9", "100", "100.1", "103", null),
      ask: fc.constantFrom("99", "100", "100.1", "104", null),
      follows: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(seen, { minLength: 1, maxLength: 12 }), (steps) => {
        let ms = 0;
        const samples = steps.map((step) => {
          ms += step.ms;
          return sample({ ...step, ms });
        });
        const hold = samples.reduce<Hold | undefined>((before, each) => nextHold(before, down, each), undefined);
        const stood = hold !== undefined && hasStood(hold);
        const since = hold?.first.atMs ?? Number.POSITIVE_INFINITY;
        const within = samples.filter(({ atMs }) => atMs > since);
        expect(stood && !within.every((each) => isBeyond(down, each) && each.follows)).toBe(false);
        const allThere =
          samples.every((each) => isBeyond(down, each)) && samples.slice(1).every(({ follows }) => follows);
        const lasted = (samples.at(-1)?.atMs ?? 0) - (samples[0]?.atMs ?? 0) >= 2_000;
        expect(allThere && lasted && !stood).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

describe("the high of a trailing stop", () => {
  const rise = (from: string, seen: readonly Seen[]): High =>
    seen.reduce<High>((high, each) => nextHigh(high, sample(each)), { price: price(from) });
  const standing = (bid: string, ...times: readonly number[]): Seen[] =>
    times.map((ms) => ({ ms, bid, print: "110", ask: "111" }));

  it.each<[string, readonly Seen[], string]>([
    ["rises to a bid that has stood for two seconds", standing("105", 0, 1_000, 2_000), "105"],
    ["does not rise to one that has not", standing("105", 0, 1_999), "100"],
    [
      "does not rise by a bid that nothing was traded at",
      [
        { ms: 0, bid: "105" },
        { ms: 2_000, bid: "105" },
      ],
      "100",
    ],
    [
      "does not rise by a print that nobody bids",
      [
        { ms: 0, print: "120" },
        { ms: 2_000, print: "120" },
      ],
      "100",
    ],
    [
      "rises to the lowest of what it saw meanwhile",
      [...standing("107", 0), ...standing("103", 900), ...standing("109", 2_000)],
      "103",
    ],
    [
      "does not rise over a gap",
      [...standing("105", 0), { ...standing("105", 2_000)[0], ms: 2_000, follows: false }],
      "100",
    ],
    ["rises on from there", standing("105", 0, 2_000).concat(standing("108", 2_500, 4_600)), "108"],
    ["never falls", [...standing("105", 0, 2_000), ...standing("90", 3_000, 6_000)], "105"],
  ])("%s", (_, seen, high) => {
    expect(rise("100", seen).price.toString()).toBe(high);
  });
});
