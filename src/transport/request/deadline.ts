/**
 * The deadline of one call, over all its waits and tries. The caller's signal, or closing the client, ends the call before it. The
 * abort signal is made only when something has to wait: most calls never do.
 */
import type { ClientClock } from "./ports.ts";

/** Serves all: making a DOMException with its stack at every call costs more than signing it. */
const DEADLINE_PASSED = new Error("the deadline has passed");

export class Deadline {
  readonly #clock: ClientClock;
  readonly #endsAtMs: number;
  readonly #signals: readonly AbortSignal[];
  #controller: AbortController | undefined;
  readonly #end = (): void => this.#controller?.abort(DEADLINE_PASSED);

  constructor(clock: ClientClock, forMs: number, signals: readonly AbortSignal[]) {
    this.#clock = clock;
    this.#endsAtMs = clock.now() + forMs;
    this.#signals = signals;
  }

  /** Never negative. Once it has fired there is none left, though the clock be set back: what waits would else wait on, on a signal that fires no more. */
  get remainingMs(): number {
    return this.#controller?.signal.aborted === true ? 0 : Math.max(0, this.#endsAtMs - this.#clock.now());
  }

  get hasPassed(): boolean {
    return this.remainingMs === 0 || this.#signals.some((abortSignal) => abortSignal.aborted);
  }

  /** Fires when the deadline passes or the call is ended before it. */
  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal;
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    for (const abortSignal of this.#signals) abortSignal.addEventListener("abort", this.#end, { once: true });
    if (this.hasPassed) this.#end();
    else this.#clock.sleep(this.remainingMs, signal).then(this.#end, this.#end);
    return signal;
  }

  async sleep(ms: number): Promise<void> {
    await this.#clock.sleep(ms, this.signal);
  }

  /** Gives what the promise resolves to, or undefined when the deadline passes first. A rejection of the promise passes through. */
  async resultBefore<T>(promise: Promise<T>): Promise<T | undefined> {
    return untilAborted(promise, this.signal);
  }

  /** Stops its timer and listeners. */
  dispose(): void {
    if (this.#controller === undefined) return;
    for (const abortSignal of this.#signals) abortSignal.removeEventListener("abort", this.#end);
    this.#end();
  }
}

/** Gives what the promise resolves to, or undefined when the signal fires first. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const end = (): void => resolve(undefined);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", end));
  });
}
