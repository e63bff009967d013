/**
 * A process that may die or stand still at any step. Everything it does to the outside passes `step` or its clock; once it is
 * dead these never come back, so that nothing it was about to do counts.
 */
import type { Point, Trouble } from "./plan.ts";
import type { Alarm, VirtualTime } from "./virtual-time.ts";

/** A new one each time: one for all would keep whatever ever waited for it. */
export const never = (): Promise<never> => new Promise(() => {});

export type Interruption = Extract<Trouble, { readonly type: "crash" | "stall" }>;

/** What interrupts the processes of one seat: passes are counted over all of them, one after another. */
export class Interruptions {
  readonly #planned = new Map<string, Interruption>();
  readonly #passes = new Map<Point, number>();

  constructor(planned: readonly Interruption[]) {
    for (const each of planned) this.#planned.set(`${each.point} ${each.nth} ${each.when}`, each);
  }

  get isNone(): boolean {
    return this.#planned.size === 0;
  }

  /** Counts a pass of the point. */
  pass(point: Point): number {
    const nth = this.#passes.get(point) ?? 0;
    this.#passes.set(point, nth + 1);
    return nth;
  }

  at(point: Point, nth: number, when: "before" | "after"): Interruption | undefined {
    return this.#planned.get(`${point} ${nth} ${when}`);
  }

  end(): void {
    this.#planned.clear();
  }
}

/** The clock all processes of the machine share; it may be set. */
export interface MachineClock {
  skewMs: number;
}

export interface ProcessParts {
  readonly name: string;
  readonly time: VirtualTime;
  readonly machine: MachineClock;
  readonly skewMs: number;
  readonly coarseMs: number;
  readonly interruptions: Interruptions;
  readonly interrupted: (by: Interruption) => void;
}

export class SimProcess {
  readonly name: string;
  readonly clock: { now(): number; rising(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };
  readonly #parts: ProcessParts;
  #alive = true;
  #frozenUntilMs = 0;
  #stoodSinceMs: number | undefined;
  readonly #ended: (() => void)[] = [];

  constructor(parts: ProcessParts) {
    this.name = parts.name;
    this.#parts = parts;
    const { time, machine, skewMs } = parts;
    this.clock = {
      now: () => time.nowMs + machine.skewMs + skewMs,
      rising: () => time.nowMs,
      sleep: (ms, signal) => (this.#alive ? this.#sleep(ms, signal) : never()),
    };
  }

  get alive(): boolean {
    return this.#alive;
  }

  die(): void {
    this.#alive = false;
    for (const tell of this.#ended.splice(0)) tell();
  }

  /** For what has to notice that it is gone. */
  onEnd(tell: () => void): void {
    this.#ended.push(tell);
  }

  /** When it began to stand still last, in true time: what it does since may rest on what it learned before. */
  get stoodSinceMs(): number | undefined {
    return this.#stoodSinceMs;
  }

  get standsStill(): boolean {
    return this.#frozenUntilMs > this.#parts.time.nowMs;
  }

  thaw(): void {
    this.#frozenUntilMs = 0;
  }

  /** Does something to the outside, unless the process dies before it; its result never comes when the process dies after it. */
  step<T>(point: Point, work: () => Promise<T>): Promise<T> {
    if (!this.#alive) return never();
    if (this.#parts.interruptions.isNone) return work();
    return this.#interruptible(point, work);
  }

  async #interruptible<T>(point: Point, work: () => Promise<T>): Promise<T> {
    const { interruptions } = this.#parts;
    const nth = interruptions.pass(point);
    await this.#meet(interruptions.at(point, nth, "before"));
    const result = await work();
    await this.#meet(interruptions.at(point, nth, "after"));
    return result;
  }

  async #meet(interruption: Interruption | undefined): Promise<void> {
    if (interruption !== undefined && this.#alive) {
      this.#parts.interrupted(interruption);
      if (interruption.type === "crash") this.die();
      else {
        this.#stoodSinceMs = this.#parts.time.nowMs;
        this.#frozenUntilMs = this.#stoodSinceMs + interruption.ms;
      }
    }
    if (!this.#alive) await never();
    if (this.standsStill) await this.whenAwake();
  }

  /** Resolves when the process does not stand still; never once it is dead. */
  whenAwake(): Promise<void> {
    const { time } = this.#parts;
    return new Promise((resolve) => {
      const look = (): void => {
        if (!this.#alive) return;
        if (this.#frozenUntilMs > time.nowMs) time.at(this.#frozenUntilMs, look);
        else resolve();
      };
      look();
    });
  }

  #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const { time } = this.#parts;
    return new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve();
        return;
      }
      let alarm: Alarm;
      const wake = (): void => {
        time.cancel(alarm);
        signal?.removeEventListener("abort", wake);
        if (this.#alive) resolve();
      };
      const ring = (): void => {
        if (this.#frozenUntilMs > time.nowMs) alarm = time.at(this.#frozenUntilMs, ring);
        else wake();
      };
      alarm = time.at(this.#whenRung(ms), ring);
      signal?.addEventListener("abort", wake, { once: true });
    });
  }

  /** Timers ring late, at the marks of a coarse grid: so does a busy machine, and whoever spins costs less here. */
  #whenRung(ms: number): number {
    const { time, coarseMs } = this.#parts;
    const dueMs = time.nowMs + Math.max(1, Math.trunc(ms));
    return Math.ceil(dueMs / coarseMs) * coarseMs;
  }
}
