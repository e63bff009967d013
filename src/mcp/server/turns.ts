/**
 * Owns in which order requests that were let in are begun, as one thread carries all of them out.
 *
 * Invariants: what is urgent is begun at once; while anything urgent is under way nothing that only looks is begun, for three seconds at most;
 * of what is heavy a caller has a little under way, by its weight, and the rest waits behind that; whatever changes something waits for nobody.
 *
 * Source: decision 0071.
 */

/** Bounds one caller's looks that weigh more than one: together so much, or a single one. */
const HEAVY_MAX = 12;
/** A halt that the exchange keeps waiting is not to stop others from looking. */
const HELD_MS = 3_000;

export interface Burden {
  /** It halts or cancels: nothing stands before it. */
  readonly isUrgent: boolean;
  /** It only looks, so that it can wait for what is urgent. */
  readonly isLook: boolean;
  /** In calls that read one price; by CPU time. */
  readonly weight: number;
}

interface Turn {
  readonly caller: string;
  readonly weight: number;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  readonly begin: () => void;
  isHeld: boolean;
}

export class Turns {
  #urgent = 0;
  readonly #heavy = new Map<string, number>();
  /** In the order in which they came. */
  readonly #waiting = new Set<Turn>();
  #isScheduled = false;

  /** @param ended resolves when it has ended */
  urgent(ended: Promise<void>): void {
    this.#urgent += 1;
    void ended.then(() => {
      this.#urgent -= 1;
      this.#schedule();
    });
  }

  /** @returns when it may begin; undefined where that is now. @param ended resolves when it has ended, begun or not */
  look(caller: string, weight: number, ended: Promise<void>): Promise<void> | undefined {
    const turn = { caller, weight, ended, isHeld: true };
    if (this.#waiting.size === 0 && this.#mayBegin(turn)) {
      this.#begun(turn);
      return undefined;
    }
    return new Promise((resolve) => {
      const waiting: Turn = { ...turn, begin: resolve };
      this.#waiting.add(waiting);
      const timer = setTimeout(() => {
        waiting.isHeld = false;
        this.#schedule();
      }, HELD_MS).unref();
      void ended.then(() => {
        clearTimeout(timer);
        if (this.#waiting.delete(waiting)) resolve();
      });
      this.#schedule();
    });
  }

  /** The same for one call from its begin to its end, where nothing before it has arranged that. */
  async run<Done>({ isUrgent, isLook, weight }: Burden, caller: string, work: () => Promise<Done>): Promise<Done> {
    const isAlone = this.#urgent === 0 && this.#waiting.size === 0;
    // Nobody waits for the end of it.
    if (!isUrgent && (!isLook || (weight <= 1 && isAlone))) return work();
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    try {
      if (isUrgent) this.urgent(ended);
      else await this.look(caller, weight, ended);
      return await work();
    } finally {
      end();
    }
  }

  #mayBegin({ caller, weight, isHeld }: Pick<Turn, "caller" | "weight" | "isHeld">): boolean {
    if (this.#urgent > 0 && isHeld) return false;
    const underWay = this.#heavy.get(caller) ?? 0;
    return weight <= 1 || underWay === 0 || underWay + weight <= HEAVY_MAX;
  }

  #begun({ caller, weight, ended }: Pick<Turn, "caller" | "weight" | "ended">): void {
    if (weight <= 1) return;
    this.#heavy.set(caller, (this.#heavy.get(caller) ?? 0) + weight);
    void ended.then(() => {
      const left = (this.#heavy.get(caller) ?? weight) - weight;
      if (left > 0) this.#heavy.set(caller, left);
      else this.#heavy.delete(caller);
      this.#schedule();
    });
  }

  /** Lets one go in each turn of the event loop: what is urgent may have come meanwhile. */
  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      for (const waiting of this.#waiting) {
        if (!this.#mayBegin(waiting)) continue;
        this.#waiting.delete(waiting);
        this.#begun(waiting);
        waiting.begin();
        this.#schedule();
        return;
      }
    });
  }
}
