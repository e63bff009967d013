/**
 * Owns the passing of time in an exchange nobody calls: what is due (settlements, cancel timers and the like) happens within `LOOK_EVERY_MS`.
 */

const LOOK_EVERY_MS = 100;

/**
 * Starts looking; it keeps no process alive.
 * @param passTime makes happen what is due; returns false when nothing can happen any more.
 * @returns stops it.
 */
export function startScheduleTimer(passTime: () => boolean): () => Promise<void> {
  const timer = setInterval(() => {
    if (!passTime()) clearInterval(timer);
  }, LOOK_EVERY_MS);
  timer.unref();
  return async () => clearInterval(timer);
}
