/**
 * Owns how cancels and halts wait for the store: together, for half a second, and then not at all until it has answered again. They go on without it, and
 * what they would have written down is written once it is back.
 *
 * Invariants: while the store answers, nothing is different; a step that was given up goes on by itself, and is not carried out a second time unless it has failed.
 *
 * Source: decision 0074.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { type Fault, failed, localFault, type Result } from "../../contract/index.ts";
import type { Clock } from "../ports/runtime.ts";
import { attempt } from "./store-result.ts";
import { withTimeout } from "./timeout.ts";

const PATIENCE_MS = 500;
/** Once that is used up: enough to notice that the store is there again. */
const LEAST_MS = 20;
/** Steps kept to be written later. */
const LATE_MAX = 1_000;

type Step<T> = () => Promise<Result<T>>;
type Calls = Readonly<Record<string, (...args: readonly unknown[]) => Promise<Result<unknown>>>>;

export class UrgentStore {
  readonly #clock: Clock;
  /** Since when nothing was answered. */
  #silentSinceMs: number | undefined;
  readonly #late: Step<unknown>[] = [];
  #isCatchingUp = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param kept calls that are made once more when the store is back, where they were not answered or failed for want of it */
  port<Port extends object>(port: Port, kept: readonly string[] = []): Port {
    const get = (_: object, name: string | symbol) => {
      if (typeof name === "symbol" || name === "then") return undefined;
      return (...args: readonly unknown[]) => {
        const step = () => (port as Calls)[name]?.(...args) ?? Promise.resolve(failed(GONE_WITHOUT));
        return kept.includes(name) ? this.#recorded(step) : this.soon(step);
      };
    };
    return new Proxy({}, { get }) as Port;
  }

  /** @returns a fault where there was no answer in time; the step then goes on by itself */
  soon<T>(step: Step<T>): Promise<Result<T>> {
    return this.#within(step(), () => undefined);
  }

  /** Takes the steps that were not taken, in their order. Never rejects. */
  async catchUp(): Promise<void> {
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    for (let next = this.#late[0]; next !== undefined; next = this.#late[0]) {
      const { fault } = await attempt(next);
      if (isForWantOfStore(fault)) break;
      this.#late.shift();
    }
    this.#isCatchingUp = false;
  }

  /** The same at the end of the process, when nobody waits for long any more. */
  async catchUpSoon(): Promise<void> {
    if (this.#late.length > 0) await withTimeout(this.#clock, PATIENCE_MS, this.catchUp());
  }

  async #recorded<T>(step: Step<T>): Promise<Result<T>> {
    // Whoever it was done for is written down with it.
    const asCaller = AsyncLocalStorage.snapshot();
    const keep = (): void => {
      if (this.#late.length < LATE_MAX) this.#late.push(() => asCaller(step));
    };
    const result = await this.#within(step(), (late) => {
      if (!late.ok && isForWantOfStore(late.fault)) keep();
    });
    if (result.ok || !isForWantOfStore(result.fault)) return result;
    if (result.fault !== GONE_WITHOUT) keep();
    return failed({ ...result.fault, message: `${result.fault.message} ${LATER}` });
  }

  async #within<T>(begun: Promise<Result<T>>, whenLate: (result: Result<T>) => void): Promise<Result<T>> {
    const startedAtMs = this.#clock.now();
    const silentMs = Math.max(0, startedAtMs - (this.#silentSinceMs ?? startedAtMs));
    const answered = begun.finally(() => {
      this.#silentSinceMs = undefined;
    });
    const result = await withTimeout(this.#clock, Math.max(LEAST_MS, PATIENCE_MS - silentMs), answered);
    if (result !== undefined) return result;
    this.#silentSinceMs ??= startedAtMs;
    answered.then(whenLate, () => undefined);
    return failed(GONE_WITHOUT);
  }
}

const GONE_WITHOUT: Fault = localFault("ELocal:Store unavailable", {
  message: "The store gave no answer in half a second, and this went on without it.",
  nextAction: "Look at the store; nothing has to be restarted.",
});
const LATER = "It is written down once the store is back, if this process still runs then.";

/** Not opened yet, or out of reach. */
function isForWantOfStore(fault: Fault | undefined): boolean {
  return fault?.code === "ELocal:Store unavailable" || fault?.code === "ELocal:Not started";
}
