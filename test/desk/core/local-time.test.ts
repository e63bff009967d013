import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { instantOf, localTime, startOfDay, startOfYear } from "../../../src/desk/core/local-time.ts";

const at = (iso: string): number => Date.parse(iso);
const iso = (ms: number): string => new Date(ms).toISOString();

describe("the local day", () => {
  it.each([
    ["Asia/Seoul", "2026-07-20T14:59:59.999Z", "2026-07-19T15:00:00.000Z"],
    ["Asia/Seoul", "2026-07-20T15:00:00.000Z", "2026-07-20T15:00:00.000Z"],
    ["UTC", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"],
    ["America/New_York", "2026-07-20T03:00:00.000Z", "2026-07-19T04:00:00.000Z"],
    // The day on which the clocks were put forward at two, and the one on which they went back.
    ["America/New_York", "2026-03-08T20:00:00.000Z", "2026-03-08T05:00:00.000Z"],
    ["America/New_York", "2026-11-01T20:00:00.000Z", "2026-11-01T04:00:00.000Z"],
    ["Asia/Kathmandu", "2026-07-20T18:14:59.000Z", "2026-07-19T18:15:00.000Z"],
    // Where midnight is left out, and where it comes twice.
    ["America/Santiago", "2026-09-06T20:00:00.000Z", "2026-09-06T04:00:00.000Z"],
    ["America/Havana", "2026-03-08T20:00:00.000Z", "2026-03-08T05:00:00.000Z"],
    ["America/Havana", "2026-11-01T20:00:00.000Z", "2026-11-01T04:00:00.000Z"],
  ])("begins at midnight of %s: %s", (zone, now, begins) => {
    expect(iso(startOfDay(at(now), zone))).toBe(begins);
  });

  it("ends where the next begins, also where it has 23 hours", () => {
    expect(iso(startOfDay(at("2026-12-31T14:00:00.000Z"), "Asia/Seoul", 1))).toBe("2026-12-31T15:00:00.000Z");
    expect(iso(startOfDay(at("2026-03-08T20:00:00.000Z"), "America/New_York", 1))).toBe("2026-03-09T04:00:00.000Z");
  });
});

describe("a moment", () => {
  it.each([
    ["Asia/Seoul", "2026-07-21T00:00:05+09:00"],
    ["America/New_York", "2026-07-20T11:00:05-04:00"],
    ["Asia/Kathmandu", "2026-07-20T20:45:05+05:45"],
    ["UTC", "2026-07-20T15:00:05+00:00"],
  ])("is shown as clocks show it in %s", (timezone, local) => {
    const utc = "2026-07-20T15:00:05.678Z";
    expect(localTime(at(utc), timezone)).toEqual({ utc, local, timezone });
  });

  it("is shown in the machine's zone where none is named", () => {
    const { timezone, local } = localTime(at("2026-07-20T15:00:05.678Z"), undefined);
    expect(timezone).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(Date.parse(local)).toBe(at("2026-07-20T15:00:05.000Z"));
  });
});

const ZONES = Intl.supportedValuesOf("timeZone");
const DAY_MS = 86_400_000;
const FIRST = at("2024-01-01T00:00:00.000Z");
const LAST = at("2032-12-31T00:00:00.000Z");
const dateOf = (ms: number, zone: string): string => localTime(ms, zone).local.slice(0, 10);
const zone = fc.constantFrom(...ZONES);

/** Dates on which the clocks of a zone are changed, and those beside them. */
function changesOf(name: string): readonly number[] {
  const offset = (ms: number): string => localTime(ms, name).local.slice(19);
  const days = Array.from({ length: 2 * 365 }, (_, n) => at("2026-01-01T00:00:00.000Z") + n * DAY_MS);
  return days.filter((day) => offset(day - DAY_MS) !== offset(day + DAY_MS));
}

describe("in every time zone", () => {
  it("a day begins where its date does, and holds the moment", () => {
    fc.assert(
      fc.property(zone, fc.integer({ min: FIRST, max: LAST }), (name, ms) => {
        const begins = startOfDay(ms, name);
        expect(begins).toBeLessThanOrEqual(ms);
        expect(dateOf(begins, name)).toBe(dateOf(ms, name));
        expect(dateOf(begins - 1, name) < dateOf(begins, name)).toBe(true);
        expect(startOfDay(ms, name, 1)).toBeGreaterThan(ms);
        expect(dateOf(startOfYear(ms, name), name)).toBe(`${dateOf(ms, name).slice(0, 4)}-01-01`);
      }),
      { numRuns: 500 },
    );
  });

  it("what clocks show is one moment, also on the days on which they are changed", () => {
    fc.assert(
      fc.property(zone, fc.nat(), fc.constantFrom(0, 30, 90, 150), (name, index, minutes) => {
        const changes = changesOf(name);
        const day = changes[index % Math.max(1, changes.length)] ?? FIRST + (index % 3_000) * DAY_MS;
        const shown = day + minutes * 60_000;
        const moment = instantOf(shown, name);
        const shows = (ms: number): number => at(`${localTime(ms, name).local.slice(0, 19)}.000Z`);
        expect(shows(moment)).toBeGreaterThanOrEqual(shown);
        expect(shows(moment - 1_000)).toBeLessThan(shown);
        expect(instantOf(shown + DAY_MS, name)).toBeGreaterThan(moment);
        // What is left out is the end of the gap.
        if (shows(moment) !== shown) expect(shows(moment) - shows(moment - 1_000)).toBeGreaterThan(1_000);
      }),
      { numRuns: 200 },
    );
  });
});
