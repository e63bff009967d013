/**
 * Owns when something is done again that takes a while: at once when it has rested, else after its rest; never twice at the same
 * time, and however often it is asked for meanwhile, once more is enough.
 */
export interface Paced {
  readonly wake: () => void;
  readonly isOpen: () => boolean;
  readonly close: () => void;
}

/** @param restMs between the end of one time and the beginning of the next */
export function pacedBy(restMs: number, work: () => Promise<void>): Paced {
  let state: "resting" | "working" | "idle" | "closed" = "idle";
  let isWanted = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isOpen = (): boolean => state !== "closed";
  const rested = (): void => {
    state = "idle";
    if (isWanted) begin();
  };
  const begin = (): void => {
    isWanted = false;
    state = "working";
    void work().finally(() => {
      if (!isOpen()) return;
      state = "resting";
      timer = setTimeout(rested, restMs);
    });
  };
  return {
    wake() {
      if (state === "idle") begin();
      else isWanted = true;
    },
    isOpen,
    close() {
      state = "closed";
      clearTimeout(timer);
    },
  };
}
