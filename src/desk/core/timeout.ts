/**
 * A time limit on a step that may take minutes, where others must not wait for it.
 */
import type { Clock } from "../ports/runtime.ts";

/** Serves all: making an error with its stack each time costs more than the waiting. */
const DONE = new Error("done in time");

/** The step continues after the time limit; it must not reject. @returns undefined when it was not done in time */
export async function withTimeout<T>(clock: Clock, forMs: number, step: Promise<T>): Promise<T | undefined> {
  const done = new AbortController();
  const timeUp = clock.sleep(forMs, done.signal).then(() => undefined);
  try {
    return await Promise.race([step, timeUp]);
  } finally {
    done.abort(DONE);
  }
}
