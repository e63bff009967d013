import { describe, expect, it } from "vitest";
import { Deadline } from "../../src/transport/request/deadline.ts";

describe("a deadline", () => {
  it("stays passed once it has fired, though the clock is set back", async () => {
    let nowMs = 1_000;
    let fire = (): void => {};
    const clock = { now: () => nowMs, sleep: () => new Promise<void>((resolve) => (fire = resolve)) };
    const deadline = new Deadline(clock, 500, []);
    const { signal } = deadline;
    expect([deadline.hasPassed, deadline.remainingMs, signal.aborted]).toEqual([false, 500, false]);
    nowMs = 1_500;
    fire();
    await Promise.resolve();
    nowMs = 100;
    expect([deadline.hasPassed, deadline.remainingMs, signal.aborted]).toEqual([true, 0, true]);
  });

  it("has the time that its clock says until it fires", () => {
    let nowMs = 1_000;
    const deadline = new Deadline({ now: () => nowMs, sleep: () => new Promise(() => {}) }, 500, []);
    nowMs = 1_400;
    expect([deadline.hasPassed, deadline.remainingMs]).toEqual([false, 100]);
    nowMs = 1_600;
    expect([deadline.hasPassed, deadline.remainingMs]).toEqual([true, 0]);
  });
});
