/**
 * How the parts of a composition are opened: by their first call, and shared by later ones. A full disk is no reason to give up: what
 * could not be opened for want of space is opened by a later call.
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

/** @param onSpace called when it has opened after all */
export function onceThereIsSpace<T>(
  step: () => Promise<T>,
  onSpace: () => void = () => undefined,
  now: () => number = () => performance.now(),
): Opening<T> {
  let done: Promise<T> | undefined;
  let fullAtMs: number | undefined;
  const attempt = async (): Promise<T> => {
    const wasFull = fullAtMs !== undefined;
    fullAtMs = undefined;
    try {
      const opened = await step();
      if (wasFull) onSpace();
      return opened;
    } catch (error) {
      if (isNoSpace(error)) fullAtMs = now();
      throw error;
    }
  };
  const call = (): Promise<T> => {
    if (done === undefined || (fullAtMs !== undefined && now() - fullAtMs >= AGAIN_MS)) done = attempt();
    return done;
  };
  return Object.assign(call, { begun: () => done });
}

/** Whether a disk was full, whatever was done there. */
export function isNoSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? error.code : undefined;
  return code === "disk_full" || code === "ENOSPC" || code === "EDQUOT" || isNoSpace(error.cause);
}
