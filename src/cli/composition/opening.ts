/**
 * Opens the parts of a composition by their first call, and shared by later ones. What passes is no reason to give up: what could not be
 * opened for want of space, or because the store's server was not there, is opened by a later call.
 */

/** A part, opened by its first call; `begun` is that call where there was one. */
export type Opening<T> = (() => Promise<T>) & { begun(): Promise<T> | undefined };

/** `soon` is for what cancels: it waits for half a second from the begin of an attempt; undefined where that has not opened by then. */
export type RepeatedOpening<T> = Opening<T> & { soon(): Promise<T | undefined> };

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
/** Bounds how long after its begin another attempt is waited for, where one has failed: what hangs goes on in the background. */
const BESIDE_MS = 100;
/** Bounds how long what cancels waits for the store to open. Source: decision 0074. */
export const SOON_MS = 500;

/** @returns undefined where it was not done in time; it goes on then */
export async function within<T>(ms: number, step: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([step, late]);
  } finally {
    clearTimeout(timer);
    step.catch(() => undefined);
  }
}

/** @param onOpen called when it has opened after all */
export function onceItOpens<T>(
  step: () => Promise<T>,
  onOpen: () => void = () => undefined,
  now: () => number = () => performance.now(),
): RepeatedOpening<T> {
  let done: Promise<T> | undefined;
  let failed: { readonly atMs: number; readonly error: unknown } | undefined;
  let isGoing = false;
  let begunAtMs = 0;
  /** Counts what is left of so long after the begin of the last attempt. */
  const leftOf = (ms: number): number => Math.max(0, begunAtMs + ms - now());
  const attempt = async (): Promise<T> => {
    isGoing = true;
    begunAtMs = now();
    try {
      const opened = await step();
      if (failed !== undefined) onOpen();
      failed = undefined;
      return opened;
    } catch (error) {
      failed = isPassing(error) ? { atMs: now(), error } : undefined;
      throw error;
    } finally {
      isGoing = false;
    }
  };
  const call = async (): Promise<T> => {
    const isDue = failed !== undefined && !isGoing && now() - failed.atMs >= AGAIN_MS;
    if (done === undefined || isDue) done = attempt();
    // Another attempt may hang: then it is said once more what the last one came to.
    const before = failed;
    if (!isGoing || before === undefined) return done;
    const opened = await within(
      leftOf(BESIDE_MS),
      done.then((value) => ({ value })),
    );
    if (opened === undefined) throw before.error;
    return opened.value;
  };
  const soon = (): Promise<T | undefined> => {
    const opening = call();
    return within(leftOf(SOON_MS), opening);
  };
  return Object.assign(call, { begun: () => done, soon });
}

const PASSING: readonly unknown[] = [
  "disk_full",
  "ENOSPC",
  "EDQUOT",
  "no_server",
  "no_room",
  "no_answer",
  "login_refused",
  "connection_lost",
  "outcome_unknown",
];

/** Tells whether a disk was full, whatever was done there, or the store's server was out of reach. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return PASSING.includes("code" in error ? error.code : undefined) || isPassing(error.cause);
}
