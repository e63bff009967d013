/** A lock as PostgreSQL's advisory ones are: a queue, in which whoever waits too long gives up. */
import type { Alarm, VirtualTime } from "./virtual-time.ts";

interface Waiting<Holder> {
  readonly who: Holder;
  readonly late: Alarm;
  readonly told: (isTaken: boolean) => void;
}

export class Lock<Holder> {
  readonly #time: Pick<VirtualTime, "after" | "cancel">;
  #holder: Holder | undefined;
  #queue: readonly Waiting<Holder>[] = [];

  constructor(time: Pick<VirtualTime, "after" | "cancel">) {
    this.#time = time;
  }

  isHeldBy(who: Holder): boolean {
    return this.#holder === who;
  }

  take(who: Holder, withinMs: number, told: (isTaken: boolean) => void): void {
    if (this.#holder === undefined) {
      this.#holder = who;
      told(true);
      return;
    }
    const late = this.#time.after(withinMs, () => this.leave(who));
    this.#queue = [...this.#queue, { who, late, told }];
  }

  /** Whoever holds it or waits for it does not any more. */
  leave(who: Holder): void {
    const given = this.#queue.find((waiting) => waiting.who === who);
    if (given !== undefined) {
      this.#time.cancel(given.late);
      this.#queue = this.#queue.filter((waiting) => waiting !== given);
      given.told(false);
    }
    if (this.#holder !== who) return;
    const [next, ...rest] = this.#queue;
    this.#holder = next?.who;
    this.#queue = rest;
    if (next === undefined) return;
    this.#time.cancel(next.late);
    next.told(true);
  }
}
