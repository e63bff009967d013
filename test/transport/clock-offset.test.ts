import { describe, expect, it } from "vitest";
import { ClockOffset } from "../../src/transport/request/clock-offset.ts";

const clock = { now: () => 1_000_000, rising: () => 0, sleep: async () => undefined };

describe("the offset of the venue's clock", () => {
  it.each([Number.NaN, 0, -1, Number.POSITIVE_INFINITY])("is not taken from an answer that is no time: %s", (time) => {
    const offset = new ClockOffset(clock, async () => undefined);
    offset.note(1_000_500, 1_000_000, 1_000_000);
    offset.note(time, 1_000_000, 1_000_000);
    expect(offset.currentMs).toBe(500);
  });

  it("is not taken from a round trip in which the process stood still", () => {
    const offset = new ClockOffset(clock, async () => undefined);
    offset.note(1_000_100, 999_900, 1_000_100);
    offset.note(1_000_200, 910_000, 1_000_200);
    expect(offset.currentMs).toBe(100);
  });

  it("is moved by a long round trip as far as that proves it wrong", () => {
    const offset = new ClockOffset(clock, async () => undefined);
    offset.note(1_000_100, 999_900, 1_000_100);
    offset.note(9_000_000, 997_000, 1_000_000);
    expect(offset.currentMs).toBe(8_000_000);
    offset.note(990_000, 997_000, 1_000_000);
    expect(offset.currentMs).toBe(-7_000);
  });

  it("is at least what a long round trip proves, until it is measured", () => {
    const offset = new ClockOffset(clock, async () => undefined);
    offset.note(1_000_300, 910_000, 1_000_000);
    expect(offset.currentMs).toBe(300);
    offset.note(1_000_500, 999_900, 1_000_100);
    expect(offset.currentMs).toBe(500);
  });

  it("is no longer what a date proved before our clock was adjusted little by little", () => {
    const passing = { startMs: 1_000_000, adjustedMs: 0, passedMs: 0 };
    const now = (): number => passing.startMs + passing.adjustedMs + passing.passedMs;
    const offset = new ClockOffset({ ...clock, now, rising: () => passing.passedMs }, async () => undefined);
    const dated = (aheadMs: number) => offset.noteDate(new Date(now() + aheadMs).toUTCString());
    dated(3_000);
    expect(offset.currentMs).toBe(3_000);
    for (let minute = 0; minute < 120; minute++) {
      passing.passedMs += 60_000;
      if (passing.adjustedMs < 3_000) passing.adjustedMs += 30;
      dated(3_000 - passing.adjustedMs);
      // Never behind by more than the second that a date cuts off.
      const wrongMs = (offset.currentMs ?? 0) - (3_000 - passing.adjustedMs);
      expect(wrongMs).toBeGreaterThanOrEqual(-1_000);
      expect(wrongMs).toBeLessThanOrEqual(0);
    }
    dated(-60_000);
    expect(offset.currentMs).toBeGreaterThanOrEqual(-1_000);
  });
});
