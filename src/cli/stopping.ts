/** Ends a serving process well: on Ctrl-C, SIGTERM or when asked, everything is closed once, then the process ends. */
import { fail } from "./failure.ts";

/** A close that hangs must not keep the process; longer than a write may take, so that its answer is still recorded. */
const GRACE_MS = 25_000;

/**
 * From the call on, a signal ends the process well.
 * @returns resolves when the process was asked to stop and everything is closed.
 */
export async function untilStopped(close: () => Promise<void>, ended?: Promise<unknown>): Promise<void> {
  await new Promise<void>((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
    ended?.then(() => resolve(), resolve);
  });
  setTimeout(() => process.exit(process.exitCode ?? 0), GRACE_MS).unref();
  try {
    await close();
  } catch (error) {
    fail(error);
  }
}
