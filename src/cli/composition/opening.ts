/**
 * How the parts of a composition are opened: by their first call, and shared by later ones. What passes is no reason to give up: what could
 * not be opened for want of space, or because the store's server was not there, is opened by a later call.
 */

/** A part, opened by its first call; `begun` is that call where there was one. */
export type Opening<T> = (() => Promise<T>) & { begun(): Promise<T> | undefined };

export function once<T>(step: () => Promise<T>): Opening<T> {
  let done: Promise<T> | undefined;
  const call = (): Promise<T> => {
    done ??= step();
    return done;
  };
  return Object.assign(call, { begun: () => done });
}

/** Between two attempts: as often as maintenance asks, and not for each of many calls. */
const AGAIN_MS = 500;

/** @param onOpen called when it has opened after all */
export function onceItOpens<T>(
  step: () => Promise<T>,
  onOpen: () => void = () => undefined,
  now: () => number = () => performance.now(),
): Opening<T> {
  let done: Promise<T> | undefined;
  let failedAtMs: number | undefined;
  const attempt = async (): Promise<T> => {
    const hadFailed = failedAtMs !== undefined;
    failedAtMs = undefined;
    try {
      const opened = await step();
      if (hadFailed) onOpen();
      return opened;
    } catch (error) {
      if (isPassing(error)) failedAtMs = now();
      throw error;
    }
  };
  const call = (): Promise<T> => {
    if (done === undefined || (failedAtMs !== undefined && now() - failedAtMs >= AGAIN_MS)) done = attempt();
    return done;
  };
  return Object.assign(call, { begun: () => done });
}

const PASSING: readonly unknown[] = [
  "disk_full",
  "ENOSPC",
  "EDQUOT",
  "no_server",
  "connection_lost",
  "outcome_unknown",
];

/** Whether a disk was full, whatever was done there, or the store's server was out of reach. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return PASSING.includes("code" in error ? error.code : undefined) || isPassing(error.cause);
}
