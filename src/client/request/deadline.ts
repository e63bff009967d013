/**
 * How long one call may take, over all its waits and tries, and what else ends it early: the caller, or
 * the client being closed. The signal is made only when something has to wait, as most calls never do.
 */
import type { ClientClock } from "./ports.ts";

/** One for all: making a DOMException with its stack at every call costs more than signing it. */
const ENDED = new Error("patience ended");

export class Patience {
  readonly #clock: ClientClock;
  readonly #endsAtMs: number;
  readonly #enders: readonly AbortSignal[];
  #controller: AbortController | undefined;
  readonly #end = (): void => this.#controller?.abort(ENDED);

  constructor(clock: ClientClock, forMs: number, enders: readonly AbortSignal[]) {
    this.#clock = clock;
    this.#endsAtMs = clock.now() + forMs;
    this.#enders = enders;
  }

  /** Milliseconds left, never negative. */
  get leftMs(): number {
    return Math.max(0, this.#endsAtMs - this.#clock.now());
  }

  get ended(): boolean {
    return this.leftMs === 0 || this.#enders.some((ender) => ender.aborted);
  }

  /** Fires at the end of patience, whatever ends it. */
  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal;
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    for (const ender of this.#enders) ender.addEventListener("abort", this.#end, { once: true });
    if (this.ended) this.#end();
    else this.#clock.sleep(this.leftMs, signal).then(this.#end, this.#end);
    return signal;
  }

  async sleep(ms: number): Promise<void> {
    await this.#clock.sleep(ms, this.signal);
  }

  /** What the promise brings, or undefined when patience ends first. The promise's rejection passes through. */
  async orEnd<T>(promise: Promise<T>): Promise<T | undefined> {
    return untilAborted(promise, this.signal);
  }

  /** Lets go of timers and listeners. */
  dispose(): void {
    for (const ender of this.#enders) ender.removeEventListener("abort", this.#end);
    this.#end();
  }
}

/** What the promise brings, or undefined when the signal fires first. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const end = (): void => resolve(undefined);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", end));
  });
}
