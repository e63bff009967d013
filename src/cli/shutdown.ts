/** Ends a serving process well: on Ctrl-C, SIGTERM or when asked, everything is closed once, then the process ends. */
import type { Invocation } from "./invocation.ts";

/** A close that hangs must not keep the process; longer than a write may take, so that its answer is still recorded. */
const GRACE_MS = 25_000;

/**
 * From the call on, a signal ends the process well.
 * @returns resolves when the process was asked to stop and everything is closed.
 */
export async function untilStopped(
  run: Invocation,
  close: () => Promise<void>,
  ended?: Promise<unknown>,
): Promise<void> {
  const { signals } = run.io;
  let stop = (): void => {};
  await new Promise<void>((resolve) => {
    stop = resolve;
    signals.once("SIGINT", stop);
    signals.once("SIGTERM", stop);
    ended?.then(stop, stop);
  });
  const deadline = setTimeout(() => run.io.exit(run.exitCode), GRACE_MS).unref();
  try {
    await close();
  } catch (error) {
    run.fail(error);
  } finally {
    clearTimeout(deadline);
    signals.off("SIGINT", stop);
    signals.off("SIGTERM", stop);
  }
}
