/**
 * Waiting for so long and no longer: for steps that may take minutes, beside what must not be held up.
 */
import type { Clock } from "../ports/runtime.ts";

/** One for all: making an error with its stack each time costs more than the waiting. */
const DONE = new Error("done in time");

/** The step goes on when the time is up; it must not reject. @returns undefined when it was not done in time */
export async function withTimeout<T>(clock: Clock, forMs: number, step: Promise<T>): Promise<T | undefined> {
  const done = new AbortController();
  const timeUp = clock.sleep(forMs, done.signal).then(() => undefined);
  try {
    return await Promise.race([step, timeUp]);
  } finally {
    done.abort(DONE);
  }
}
