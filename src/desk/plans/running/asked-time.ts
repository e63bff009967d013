/**
 * Asks the exchange for its time now and then, as between two turns of a calendar nothing else may be asked; and at once where our clock was set or the machine
 * slept, which cannot be told apart.
 *
 * Invariant: from when that is seen until the exchange has said, its time is not known.
 *
 * Source: decision 0120.
 */
import type { ReadingParts } from "../../core/context.ts";
import type { PlanRecord } from "../../model/plan.ts";
import { isOfCalendar } from "./step-order.ts";

/** By `Clock.rising`, as is the next. */
const EVERY_MS = 5 * 60_000;
/** After it was not said. */
const AGAIN_MS = 2_000;
/** Our clock was set: adjusting it gradually moves it by far less between two looks. */
const SET_MS = 1_000;

export class AskedTime {
  readonly #parts: Pick<ReadingParts, "clock" | "venue">;
  /** Our clock minus the rising one. */
  #apartMs: number;
  #isKnown = true;
  #againMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(parts: Pick<ReadingParts, "clock" | "venue">) {
    const { clock } = parts;
    this.#parts = parts;
    this.#apartMs = clock.now() - clock.rising();
  }

  /** Whether what was measured last holds. Asks beside where it does not, and of a calendar now and then. */
  isKnown(open: readonly PlanRecord[]): boolean {
    const { clock } = this.#parts;
    const risingMs = clock.rising();
    const apartMs = clock.now() - risingMs;
    if (Math.abs(apartMs - this.#apartMs) > SET_MS) {
      this.#apartMs = apartMs;
      this.#isKnown = false;
      this.#againMs = risingMs;
    }
    if ((!this.#isKnown || open.some(isOfCalendar)) && risingMs >= this.#againMs)
      this.#asking ??= this.#ask(this.#apartMs).finally(() => {
        this.#asking = undefined;
      });
    return this.#isKnown;
  }

  /** Resolves when nothing is under way. */
  async ended(): Promise<void> {
    await this.#asking;
  }

  async #ask(apartMs: number): Promise<void> {
    const { clock, venue } = this.#parts;
    const said = await venue.time();
    // Set once more meanwhile: asked anew at the next look.
    if (apartMs !== this.#apartMs) return;
    this.#isKnown ||= said.ok;
    this.#againMs = clock.rising() + (said.ok ? EVERY_MS : AGAIN_MS);
  }
}
