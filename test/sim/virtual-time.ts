/**
 * The one true time of a simulation: it stands while anything can still happen without waiting, and then jumps to the next alarm.
 *
 * Invariants: alarms ring in order of time, those of one moment in the order they were set; nothing here reads the machine's clock.
 */

export interface Alarm {
  readonly atMs: number;
  readonly order: number;
  /** Undefined once it rang or was taken back. */
  ring: (() => void) | undefined;
}

/** `over`: what was waited for is reached. `stuck`: nothing is left that could happen. `late`: the limit is reached. */
export type RunEnd = "over" | "stuck" | "late";

export class VirtualTime {
  #nowMs: number;
  #set = 0;
  readonly #heap: Alarm[] = [];

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  at(atMs: number, ring: () => void): Alarm {
    const alarm: Alarm = { atMs: Math.max(atMs, this.#nowMs), order: this.#set++, ring };
    this.#heap.push(alarm);
    this.#up(this.#heap.length - 1);
    return alarm;
  }

  after(ms: number, ring: () => void): Alarm {
    return this.at(this.#nowMs + ms, ring);
  }

  cancel(alarm: Alarm): void {
    alarm.ring = undefined;
  }

  async run(isOver: () => boolean, limitMs = Number.POSITIVE_INFINITY): Promise<RunEnd> {
    for (;;) {
      await idle();
      if (isOver()) return "over";
      const next = this.#next();
      if (next === undefined) return "stuck";
      if (next.atMs > limitMs) {
        this.#nowMs = limitMs;
        return "late";
      }
      this.#take();
      this.#nowMs = next.atMs;
      const { ring } = next;
      next.ring = undefined;
      ring?.();
    }
  }

  /** The first alarm that still stands. */
  #next(): Alarm | undefined {
    while (this.#heap[0] !== undefined && this.#heap[0].ring === undefined) this.#take();
    return this.#heap[0];
  }

  #take(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#down();
  }

  #up(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfEarlier(index, parent)) return;
      index = parent;
    }
  }

  #down(): void {
    let index = 0;
    for (;;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      if (left >= this.#heap.length) return;
      const child = right < this.#heap.length && this.#isEarlier(right, left) ? right : left;
      if (!this.#swapIfEarlier(child, index)) return;
      index = child;
    }
  }

  #isEarlier(index: number, other: number): boolean {
    const [a, b] = [this.#heap[index] as Alarm, this.#heap[other] as Alarm];
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
  }

  #swapIfEarlier(child: number, parent: number): boolean {
    if (!this.#isEarlier(child, parent)) return false;
    const kept = this.#heap[parent] as Alarm;
    this.#heap[parent] = this.#heap[child] as Alarm;
    this.#heap[child] = kept;
    return true;
  }
}

/**
 * Resolves when nothing more can happen without waiting. Node runs what was put off to the next tick only once no promise is left
 * to go on, so one tick is exact however long a chain of promises is, and a quarter of the price of a turn of the event loop.
 */
function idle(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
