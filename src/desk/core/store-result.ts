/** Steps against the store that a cancel or a query can do without. */
import type { Fault, Result } from "../../contract/index.ts";
import { localFault } from "../../contract/index.ts";

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
