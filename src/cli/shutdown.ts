/** Ends a serving process in order: on Ctrl-C, on SIGTERM or when its client has gone, everything is closed once. */
import type { Invocation } from "./invocation.ts";

/** A close that hangs must not keep the process; longer than a write may take, so that its answer is still recorded. */
const GRACE_MS = 25_000;

/**
 * From the call on, a signal ends the process in order.
 * @param ended settles when there is nobody left to serve
 * @returns resolves when the process was asked to stop and everything is closed
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
