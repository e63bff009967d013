/** The real clock, as the desk, the client and the store want it. */
export const systemClock = {
  /** Unix milliseconds. */
  now: (): number => Date.now(),
  /** Resolves after `ms`, or at once when the signal fires. */
  sleep: (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener("abort", done, { once: true });
    }),
};
