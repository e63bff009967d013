import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/cli/failure.ts";
import { localPeriod } from "../../src/cli/local-period.ts";

const iso = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms).toISOString());

describe("a period on the command line", () => {
  it.each([
    ["Asia/Seoul", "2026", "2025-12-31T15:00:00.000Z", "2026-12-31T14:59:59.999Z"],
    ["Asia/Seoul", "2026-02", "2026-01-31T15:00:00.000Z", "2026-02-28T14:59:59.999Z"],
    ["Asia/Seoul", "2024-02-29", "2024-02-28T15:00:00.000Z", "2024-02-29T14:59:59.999Z"],
    ["UTC", "2026-12", "2026-12-01T00:00:00.000Z", "2026-12-31T23:59:59.999Z"],
    // The day of 23 hours.
    ["America/New_York", "2026-03-08", "2026-03-08T05:00:00.000Z", "2026-03-09T03:59:59.999Z"],
    ["America/New_York", "2026", "2026-01-01T05:00:00.000Z", "2027-01-01T04:59:59.999Z"],
    ["America/Santiago", "2026-09-06", "2026-09-06T04:00:00.000Z", "2026-09-07T02:59:59.999Z"],
    ["Asia/Seoul", "2026-07-20T09:00", "2026-07-20T00:00:00.000Z", "2026-07-20T00:00:00.000Z"],
    ["Asia/Seoul", "2026-07-20T09:00:05.5", "2026-07-20T00:00:05.500Z", "2026-07-20T00:00:05.500Z"],
    ["Asia/Seoul", "2026-07-20T09:00:00Z", "2026-07-20T09:00:00.000Z", "2026-07-20T09:00:00.000Z"],
    ["Asia/Seoul", "2026-07-20T09:00:00.123-04:00", "2026-07-20T13:00:00.123Z", "2026-07-20T13:00:00.123Z"],
  ])("when the zone is %s, covers the whole of %s", (zone, text, first, last) => {
    const { fromMs, toMs } = localPeriod({ from: text, to: text }, zone);
    expect([iso(fromMs), iso(toMs)]).toEqual([first, last]);
  });

  it("may lack either end", () => {
    expect(localPeriod({}, "UTC")).toEqual({});
    expect(localPeriod({ to: "2026" }, "UTC")).toEqual({ toMs: Date.parse("2026-12-31T23:59:59.999Z") });
  });

  it.each([
    "",
    "26",
    "2026-13",
    "2026-00",
    "2026-02-30",
    "2026-2-3",
    "yesterday",
    "2026-02-03 09:00",
    "2026-02-03T25:00",
    "2026-02-30T09:00",
  ])("refuses %j, and says how it is written", (text) => {
    const refused = (() => {
      try {
        localPeriod({ to: text }, "Asia/Seoul");
      } catch (error) {
        return error;
      }
      return undefined;
    })();
    expect(refused).toBeInstanceOf(UsageError);
    expect(refused).toMatchObject({
      message: expect.stringContaining("--to"),
      fix: expect.stringContaining("2026-03-31T09:00"),
    });
  });

  it("refuses one that ends before it begins", () => {
    expect(() => localPeriod({ from: "2026-02", to: "2026-01" }, "UTC")).toThrow(
      "--from 2026-02 is after --to 2026-01",
    );
  });
});
