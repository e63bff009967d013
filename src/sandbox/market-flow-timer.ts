/**
 * Drives the simulated market flow: one `tick` command every 500 ms, divided by the speed. Entry point: `startMarketFlowTimer`.
 *
 * Invariant: when the process is busy, ticks are skipped; they never accumulate.
 */

const BASE_INTERVAL_MS = 500;
/** Timers are not more precise than this; at a higher speed one timer makes several ticks. */
const SHORTEST_INTERVAL_MS = 10;

/**
 * Starts the timer, which does not keep the process alive.
 * @param tick makes one tick; returns false when there can be no more
 * @returns stops the timer
 */
export function startMarketFlowTimer(speed: number, tick: () => boolean): () => Promise<void> {
  const tickMs = BASE_INTERVAL_MS / speed;
  const ticks = Math.max(1, Math.round(SHORTEST_INTERVAL_MS / tickMs));
  const timer = setInterval(() => {
    for (let count = 0; count < ticks; count++) if (!tick()) return clearInterval(timer);
  }, tickMs * ticks);
  timer.unref();
  return async () => clearInterval(timer);
}
