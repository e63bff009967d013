import { describe, expect, it } from "vitest";
import { localTime, startOfDay } from "../../../src/desk/core/local-time.ts";

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
