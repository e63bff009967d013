/** Steps against the store as results: what a person can repair is a fault, a defect goes on as a throw. */
import type { Fault, Result } from "../../contract/index.ts";
import { failed, localFault, ok } from "../../contract/index.ts";

/** An error that knows how it is told to a caller; what the store throws when a person can repair the cause. */
interface TellableError {
  toFault(): Fault;
}

function isTellable(error: unknown): error is TellableError {
  return error instanceof Error && "toFault" in error && typeof error.toFault === "function";
}

/**
 * Runs a step against the store. A store that cannot be read or written is an expected outcome here, because the
 * order must then not be sent; a broken invariant goes on as a throw.
 */
export async function storeResult<T>(step: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await step());
  } catch (error) {
    return failed(storeFault(error));
  }
}

/** The fault that a failed store step is told as. @throws what is not a fault of the store */
export function storeFault(error: unknown): Fault {
  if (isTellable(error)) return error.toFault();
  throw error;
}

/**
 * Runs a step against the store that a cancel or a look can do without. Nothing it throws is passed on, as cancels
 * work even when the desk is broken; the fault comes back beside the missing value.
 */
export async function attempt<T>(step: () => Promise<T>): Promise<{ readonly value?: T; readonly fault?: Fault }> {
  try {
    return { value: await step() };
  } catch (error) {
    return { fault: isTellable(error) ? error.toFault() : localFault("ELocal:Store unavailable") };
  }
}
