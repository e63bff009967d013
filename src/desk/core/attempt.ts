/** Steps that others can do without, or must not wait for: against the store, and against an exchange. */
import { type Fault, localFault, type Result } from "../../contract/index.ts";
import type { Clock } from "../ports/runtime.ts";

/**
 * Runs a step that a cancel or a query can do without. Not even a defect that it throws is passed on, as cancels work even when the
 * desk is broken; the fault comes back beside the missing value.
 */
export async function attempt<T>(
  step: () => Promise<Result<T>>,
): Promise<{ readonly value?: T; readonly fault?: Fault }> {
  try {
    const result = await step();
    return result.ok ? { value: result.value } : { fault: result.fault };
  } catch {
    return { fault: localFault("ELocal:Store unavailable") };
  }
}

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
