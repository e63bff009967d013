/**
 * The clock of a sandbox in real time. Entry point: `systemClock`.
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
