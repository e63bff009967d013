/**
 * The time of a sandbox. Entry points: `systemClock`, the machine's; `exchangeClock`, the one that everybody sees.
 * Source: service.md#exchange-clock; decision 0012.
 */
import type { Millis } from "./model/index.ts";

/** Unix milliseconds that never decrease: when the system's clock is set back, this one continues from where it was. */
export function systemClock(): () => Millis {
  let time = Date.now();
  let steady = performance.now();
  return () => {
    const wall = Date.now();
    const now = performance.now();
    time = wall >= time ? wall : time + Math.max(0, now - steady);
    steady = now;
    return Math.trunc(time);
  };
}

export interface ExchangeClock {
  /** Never earlier than anything the exchange has written down. */
  readonly now: () => Millis;
  /** Tells how far it is ahead of the machine's. */
  readonly aheadMs: () => Millis;
}

interface Kept {
  /** Tells how far the clock was put ahead on purpose. */
  readonly clockOffset: () => Millis;
  /** The time of the last command that changed something. */
  readonly lastChangeAt: () => Millis;
}

/**
 * The exchange's clock: the machine's and what it was put ahead by. Where what is kept is later than that, as after a run with the
 * machine's clock ahead, it goes on from there. It runs: a clock that only stood still until the machine has caught up would stop
 * every timer and give everything the same time.
 */
export function exchangeClock(machineTime: () => Millis, { clockOffset, lastChangeAt }: Kept): ExchangeClock {
  const leadMs = Math.max(0, lastChangeAt() - machineTime() - clockOffset());
  const aheadMs = (): Millis => clockOffset() + leadMs;
  return { now: () => machineTime() + aheadMs(), aheadMs };
}
