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
});
