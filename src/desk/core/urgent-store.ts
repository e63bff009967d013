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
import { attempt, withTimeout } from "./attempt.ts";

const PATIENCE_MS = 500;
/** Once that is used up: enough to notice that the store is there again, and how often somebody waits for that. */
const LEAST_MS = 20;
const LOOK_EVERY_MS = 250;
/** Steps kept to be written later. */
const LATE_MAX = 1_000;

type Step<T> = () => Promise<Result<T>>;
type Calls = Readonly<Record<string, (...args: readonly unknown[]) => Promise<Result<unknown>>>>;

export class UrgentStore {
  readonly #clock: Clock;
  /** Since when nothing was answered. */
  #silentSinceMs: number | undefined;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  readonly #late: Step<unknown>[] = [];
  #catchingUp: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param kept calls that are made once more when the store is back, where they were not answered or failed for want of it */
  port<Port extends object>(port: Port, kept: readonly string[] = []): Port {
    const get = (_: object, name: string | symbol) => {
      if (typeof name === "symbol" || name === "then") return undefined;
      return (...args: readonly unknown[]) => {
        const step = () => (port as Calls)[name]?.(...args) ?? Promise.resolve(failed(GONE_WITHOUT));
        return kept.includes(name) ? this.#recorded(step) : this.#within(this.#answered(step()));
      };
    };
    return new Proxy({}, { get }) as Port;
  }

  /**
   * Takes a step that may do without the store, so that its end says nothing of it.
   * @returns a fault where there was no answer in time; the step then goes on by itself
   */
  soon<T>(step: Step<T>): Promise<Result<T>> {
    return this.#within(step());
  }

  /** Takes the steps that were not taken, in their order. Never rejects. */
  catchUp(): Promise<void> {
    this.#catchingUp ??= this.#takeLate().finally(() => {
      this.#catchingUp = undefined;
    });
    return this.#catchingUp;
  }

  async #takeLate(): Promise<void> {
    // None that comes meanwhile: it may wait for these.
    for (const next of [...this.#late]) {
      const { fault } = await attempt(next);
      if (isForWantOfStore(fault)) return;
      this.#late.shift();
    }
  }

  /** The same at the end of the process, when nobody waits for long any more. */
  async catchUpSoon(): Promise<void> {
    if (this.#late.length > 0) await withTimeout(this.#clock, PATIENCE_MS, this.catchUp());
  }

  async #recorded<T>(step: Step<T>): Promise<Result<T>> {
    // Whoever it was done for is written down with it.
    const asCaller = AsyncLocalStorage.snapshot();
    // Behind what is to be written still, so that the log has everything in its order.
    const begun = this.#answered(this.#late.length === 0 ? step() : this.catchUp().then(step));
    const result = await this.#within(begun);
    if (result.ok || !isForWantOfStore(result.fault)) return result;
    if (this.#late.length < LATE_MAX) this.#late.push(unlessTaken(() => asCaller(step), begun));
    return failed({ ...result.fault, message: `${result.fault.message} ${LATER}` });
  }

  /** Sees by what comes of it, also after it was given up, whether the store is there again. */
  async #answered<T>(begun: Promise<Result<T>>): Promise<Result<T>> {
    const result = await begun;
    if (result.ok || !isForWantOfStore(result.fault)) this.#silentSinceMs = undefined;
    return result;
  }

  async #within<T>(begun: Promise<Result<T>>): Promise<Result<T>> {
    const startedAtMs = this.#clock.now();
    const result = await withTimeout(this.#clock, this.#patienceMs(startedAtMs), begun);
    if (result !== undefined) return result;
    this.#silentSinceMs ??= startedAtMs;
    begun.catch(() => undefined);
    return failed(GONE_WITHOUT);
  }

  #patienceMs(nowMs: number): number {
    const leftMs = PATIENCE_MS - Math.max(0, nowMs - (this.#silentSinceMs ?? nowMs));
    if (leftMs > 0) return Math.max(LEAST_MS, leftMs);
    if (Math.abs(nowMs - this.#lookedAtMs) < LOOK_EVERY_MS) return 0;
    this.#lookedAtMs = nowMs;
    return LEAST_MS;
  }
}

const GONE_WITHOUT: Fault = localFault("ELocal:Store unavailable", {
  message: "The store gave no answer in half a second, and this went on without it.",
  nextAction: "Look at the store; nothing has to be restarted.",
});
const LATER = "It is written down once the store is back, if this process still runs then.";

/** A step that has been begun: once more where that came to nothing for want of the store. */
function unlessTaken<T>(step: Step<T>, begun: Promise<Result<T>>): Step<T> {
  let last: Promise<Result<T>> | undefined = begun;
  return async () => {
    const before = last;
    last = undefined;
    const result = await before;
    return result === undefined || (!result.ok && isForWantOfStore(result.fault)) ? step() : result;
  };
}

/** Not opened yet, or out of reach. */
function isForWantOfStore(fault: Fault | undefined): boolean {
  return fault?.code === "ELocal:Store unavailable" || fault?.code === "ELocal:Not started";
}
