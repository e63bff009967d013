/**
 * Owns the clock of a sandbox in real time.
 */
import type { Millis } from "./model/index.ts";

/** Unix milliseconds that never step back: when the system's clock does, this one goes on at its own pace from where it was. */
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
