import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localTime } from "../../../src/desk/core/local-time.ts";
import { parseSchedule, scheduleText, TURNS_MAX, turnsOf } from "../../../src/desk/plans/terms/schedule.ts";

const at = (iso: string): number => Date.parse(iso);
const iso = (ms: number): string => new Date(ms).toISOString().replace(":00.000Z", "Z");
const DAY_MS = 86_400_000;

function turns(text: string, timeZone: string, after: string, until: string): string[] {
  const schedule = parseSchedule(text);
  if (schedule === undefined) throw new Error(`not read: ${text}`);
  return turnsOf(schedule, { timeZone, afterMs: at(after), untilMs: at(until) }).map(
    ({ label, dueAtMs }) => `${label} ${iso(dueAtMs)}`,
  );
}

describe("a schedule", () => {
  it.each(["daily 09:00", "weekly mon,thu 23:59", "weekly sun 00:00", "monthly 1,15 09:30", "monthly 5,last 09:00"])(
    "is read and written as %s",
    (text) => {
      const schedule = parseSchedule(text);
      expect(schedule && scheduleText(schedule)).toBe(text);
    },
  );

  it.each([
    ...["", "daily", "daily 9:00", "daily 24:00", "daily 09:60", "daily mon 09:00", "Daily 09:00", "daily 09:00 "],
    ...["weekly 09:00", "weekly monday 09:00", "weekly mon,,thu 09:00", "weekly mon,mon 09:00", "weekly 1 09:00"],
    ...["monthly 0 09:00", "monthly 32 09:00", "monthly 01 09:00", "monthly 09:00", "monthly mon 09:00"],
    ...["hourly 09:00", "monthly 31,last 09:00"],
  ])("is not read from %j", (text) => {
    expect(parseSchedule(text)).toBeUndefined();
  });
});

describe("the turns of a calendar", () => {
  it("are the days that it names, in the reader's zone", () => {
    expect(turns("weekly mon,thu 09:00", "Asia/Seoul", "2026-11-26T00:00:00Z", "2026-12-04T00:00:00Z")).toEqual([
      "2026-11-30 2026-11-30T00:00Z",
      "2026-12-03 2026-12-03T00:00Z",
    ]);
    expect(turns("daily 08:59", "Asia/Seoul", "2026-11-26T00:00:00Z", "2026-11-28T00:00:00Z")).toEqual([
      "2026-11-27 2026-11-26T23:59Z",
      "2026-11-28 2026-11-27T23:59Z",
    ]);
  });

  it("take the last day of a month that lacks one, once", () => {
    expect(turns("monthly 30,last 12:00", "UTC", "2027-01-29T00:00:00Z", "2027-04-01T00:00:00Z")).toEqual([
      "2027-01-30 2027-01-30T12:00Z",
      "2027-01-31 2027-01-31T12:00Z",
      "2027-02-28 2027-02-28T12:00Z",
      "2027-03-30 2027-03-30T12:00Z",
      "2027-03-31 2027-03-31T12:00Z",
    ]);
  });

  it("are one on a day that leaves the time out, at the end of the gap, and one where it comes twice, the first time", () => {
    const spring = turns("daily 02:30", "America/New_York", "2026-03-07T12:00:00Z", "2026-03-09T12:00:00Z");
    expect(spring).toEqual(["2026-03-08 2026-03-08T07:00Z", "2026-03-09 2026-03-09T06:30Z"]);
    const autumn = turns("daily 01:30", "America/New_York", "2026-10-31T12:00:00Z", "2026-11-02T12:00:00Z");
    expect(autumn).toEqual(["2026-11-01 2026-11-01T05:30Z", "2026-11-02 2026-11-02T06:30Z"]);
  });

  it("are none on a date that a zone leaves out", () => {
    const samoa = turns("daily 12:00", "Pacific/Apia", "2011-12-29T00:00:00Z", "2012-01-01T00:00:00Z");
    expect(samoa).toEqual([
      "2011-12-29 2011-12-29T22:00Z",
      "2011-12-31 2011-12-30T22:00Z",
      "2012-01-01 2011-12-31T22:00Z",
    ]);
  });

  it("end at the moment that is given, and are no more than a year's", () => {
    expect(turns("daily 00:00", "UTC", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")).toHaveLength(1);
    expect(turns("daily 00:00", "UTC", "2026-01-01T00:00:00Z", "2030-01-01T00:00:00Z")).toHaveLength(TURNS_MAX);
  });

  it("have one moment for each date, rising, in every zone and over both changes of the clocks", () => {
    const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
    const time = fc.constantFrom("00:00", "00:30", "01:30", "02:30", "09:00", "23:59");
    fc.assert(
      fc.property(
        zone,
        time,
        fc.integer({ min: at("2024-01-01"), max: at("2032-01-01") }),
        (timeZone, when, afterMs) => {
          const schedule = parseSchedule(`daily ${when}`);
          const found =
            schedule === undefined ? [] : turnsOf(schedule, { timeZone, afterMs, untilMs: afterMs + 20 * DAY_MS });
          expect(found.length).toBeGreaterThanOrEqual(19);
          for (const [index, { label, dueAtMs }] of found.entries()) {
            expect(localTime(dueAtMs, timeZone).local.slice(0, 10)).toBe(label);
            expect(dueAtMs).toBeGreaterThan(found[index - 1]?.dueAtMs ?? afterMs);
            expect(label > (found[index - 1]?.label ?? "")).toBe(true);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
