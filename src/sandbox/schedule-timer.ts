/**
 * Lets scheduled work (settlements, cancel timers and so on) happen in time while there are no commands. Entry point:
 * `startScheduleTimer`. Source: decision 0012.
 */

const INTERVAL_MS = 100;

/**
 * Starts the timer, which does not keep the process alive.
 * @param passTime carries out what is due; returns false when nothing can happen any more
 * @returns stops the timer
 */
export function startScheduleTimer(passTime: () => boolean): () => Promise<void> {
  const timer = setInterval(() => {
    if (!passTime()) clearInterval(timer);
  }, INTERVAL_MS);
  timer.unref();
  return async () => clearInterval(timer);
}
