/** Ends a serving process in order: on Ctrl-C, on SIGTERM, when its terminal is closed (SIGHUP) or when its client has gone, everything is closed once. */
import type { Invocation, StopSignal } from "./invocation.ts";

const STOP_SIGNALS: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

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
    for (const signal of STOP_SIGNALS) signals.once(signal, stop);
    ended?.then(stop, stop);
  });
  const deadline = setTimeout(() => run.io.exit(run.exitCode), GRACE_MS).unref();
  try {
    await close();
  } catch (error) {
    run.fail(error);
  } finally {
    clearTimeout(deadline);
    for (const signal of STOP_SIGNALS) signals.off(signal, stop);
  }
}
