import { describe, expect, it } from "vitest";
import { ExchangeClock } from "../../../src/desk/plans/watch/exchange-clock.ts";

const NOW = Date.UTC(2026, 6, 20, 9);

function world() {
  const time = { risingMs: 0, setMs: 0, offsetMs: undefined as number | undefined };
  const clock = {
    now: () => NOW + time.risingMs + time.setMs,
    rising: () => time.risingMs,
    sleep: async () => undefined,
  };
  const exchange = new ExchangeClock(clock, () => time.offsetMs);
  const told = (timeMs: number, isSent = true) => ({ timeMs: NOW + timeMs, cameMs: time.risingMs, isSent });
  const read = (from?: ReturnType<typeof told>) => {
    const moment = exchange.read(from);
    return moment && [moment.nowMs - NOW, moment.leaps];
  };
  return { time, told, read };
}

describe("the time at the exchange", () => {
  it("is what it said last and what has passed since, whatever our clock is set to", () => {
    const { time, told, read } = world();
    const word = told(-40_000);
    time.risingMs = 700;
    expect(read(word)).toEqual([-39_300, 0]);
    time.setMs = 3_600_000;
    time.risingMs = 1_000;
    expect(read(word)).toEqual([-39_000, 0]);
  });

  it("does not go back for a message that was longer under way than another", () => {
    const { time, told, read } = world();
    expect(read(told(0))).toEqual([0, 0]);
    time.risingMs = 400;
    expect(read(told(390))).toEqual([390, 0]);
    time.risingMs = 500;
    expect(read(told(300))).toEqual([390, 0]);
    time.risingMs = 800;
    expect(read(told(800))).toEqual([800, 0]);
  });

  it.each<[string, number]>([
    ["ahead", 3_600_000],
    ["ahead by seconds", 2_500],
    ["back", -3_600_000],
    ["back by seconds", -2_500],
  ])("is followed where it leaps %s, and that is told", (_, leapMs) => {
    const { time, told, read } = world();
    read(told(0));
    time.risingMs = 500;
    expect(read(told(500 + leapMs))).toEqual([500 + leapMs, 1]);
    time.risingMs = 900;
    expect(read(told(900 + leapMs))).toEqual([900 + leapMs, 1]);
  });

  it("is no earlier than our clock and the measured offset say, where a message only tells when something came about", () => {
    const { time, told, read } = world();
    time.offsetMs = 2_000;
    expect(read(told(-180_000, false))).toEqual([2_000, 0]);
    expect(read(told(2_300, false))).toEqual([2_300, 0]);
  });

  it("is our clock with the measured offset where nothing was told, and unknown without one", () => {
    const { time, read } = world();
    expect(read()).toBeUndefined();
    time.offsetMs = -5_000;
    expect(read()).toEqual([-5_000, 0]);
    time.risingMs = 2_000;
    expect(read()).toEqual([-3_000, 0]);
  });
});
