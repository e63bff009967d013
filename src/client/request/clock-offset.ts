/**
 * How far the venue's clock is ahead of ours. Measured before the first private call, then kept fresh in the
 * background: only that first call waits for it, and a measurement that fails never stops a call. Until one succeeds, the date that any
 * answer bears has to do.
 *
 * A clock of ours that was set has not moved the venue's, so what is known is corrected by as much at once. A machine that slept looks the
 * same; then nonces lag until the next measurement, and at worst one is refused. One that ran ahead would lock everybody else on the key
 * out for as long.
 */
import type { SteadyClock } from "./ports.ts";

const REFRESH_MS = 5 * 60_000;
const RETRY_MS = 10_000;
/** The year 2100: a clock beyond it is broken, and nonces that followed it could never be taken back. */
const LATEST_MS = 4_102_444_800_000;

/** Far more than a clock is slewed by between two calls. */
const SET_MS = 1_000;

export class ClockOffset {
  readonly #clock: SteadyClock;
  readonly #measure: () => Promise<unknown>;
  #offsetMs: number | undefined;
  #isMeasured = false;
  #first: Promise<unknown> | undefined;
  /** On the steady clock. */
  #dueAtMs = Number.NEGATIVE_INFINITY;
  /** Our clock minus the steady one, when the offset was last right. */
  #apartMs: number;

  /** @param measure asks the venue for its time once, reporting through `note`; must not reject. */
  constructor(clock: SteadyClock, measure: () => Promise<unknown>) {
    this.#clock = clock;
    this.#measure = measure;
    this.#apartMs = clock.now() - clock.steady();
  }

  /** Milliseconds, as last measured. */
  get currentMs(): number | undefined {
    this.#follow();
    return this.#offsetMs;
  }

  /** Waits for the first measurement; starts a later one that is due and does not wait for it. */
  async ready(): Promise<void> {
    this.#follow();
    if (this.#first === undefined && !this.#isMeasured) this.#first = this.#start();
    else if (this.#clock.steady() >= this.#dueAtMs) void this.#start();
    await this.#first;
  }

  /** An answer of `time`: the venue's clock is taken to have been read halfway between request and answer. */
  note(serverMs: number, sentAtMs: number, answeredAtMs: number): void {
    // Set while the question was on its way: there is no telling when.
    if (this.#follow() || answeredAtMs < sentAtMs || serverMs > LATEST_MS) return;
    this.#offsetMs = Math.round(serverMs - (sentAtMs + answeredAtMs) / 2);
    this.#isMeasured = true;
    this.#apartMs = this.#clock.now() - this.#clock.steady();
    this.#dueAtMs = this.#clock.steady() + REFRESH_MS;
  }

  /** The date of any answer: whole seconds, and so old that the venue's clock is certainly not behind it. */
  noteDate(date: unknown): void {
    const serverMs = typeof date === "string" ? Date.parse(date) : Number.NaN;
    if (this.#isMeasured || !(serverMs > 0 && serverMs <= LATEST_MS)) return;
    this.#follow();
    this.#offsetMs = Math.max(this.#offsetMs ?? Number.NEGATIVE_INFINITY, Math.round(serverMs - this.#clock.now()));
  }

  /** The venue disagreed with a nonce: measure again at the next occasion. */
  expire(): void {
    this.#dueAtMs = Math.min(this.#dueAtMs, this.#clock.steady());
  }

  /** @returns whether our clock was set since the last look */
  #follow(): boolean {
    const apartMs = this.#clock.now() - this.#clock.steady();
    const setByMs = Math.round(apartMs - this.#apartMs);
    if (Math.abs(setByMs) < SET_MS) return false;
    this.#apartMs = apartMs;
    if (this.#offsetMs !== undefined) this.#offsetMs -= setByMs;
    this.expire();
    return true;
  }

  #start(): Promise<unknown> {
    this.#dueAtMs = this.#clock.steady() + RETRY_MS;
    return this.#measure();
  }
}
