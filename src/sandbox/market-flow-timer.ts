/**
 * Owns the rhythm of the seeded market flow: one `tick` command every 500 ms, times the speed.
 *
 * Invariant: when the process is busy, ticks are left out; they never pile up.
 */

const BASE_INTERVAL_MS = 500;
/** Timers are not more exact than this; above it, several ticks share one. */
const SHORTEST_INTERVAL_MS = 10;

/**
 * Starts the flow; it keeps no process alive.
 * @param tick one step; returns false when the flow cannot go on.
 * @returns stops it.
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
