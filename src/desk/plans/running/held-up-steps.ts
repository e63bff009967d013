/**
 * Steps that are due and could not leave: when each is tried again, and of which it is to be told that it waits.
 *
 * Invariants: what is over within seconds is not told; of a step it is told once, by whichever process; a fault that asks for another key is no reason to wait.
 *
 * Source: decision 0130.
 */
import type { Fault } from "../../../contract/index.ts";
import type { PlanStep } from "../../model/plan.ts";
import type { NewNotice } from "../../ports/notices.ts";
import type { Clock } from "../../ports/runtime.ts";
import { hinderedWhy, TOLD_AFTER_MS } from "./hindrances.ts";

/** What was denied by what passes is judged again after so long, and so is what has lasted. */
const AGAIN_MS = 60_000;
/** What could not be asked is asked again after so long, until it has lasted. */
const SOON_MS = 5_000;

/** Times are by `Clock.rising`. */
interface HeldUp {
  readonly why: Fault;
  readonly sinceMs: number;
  readonly againMs: number;
}

export function unsentWhy(fault: Fault): string {
  return hinderedWhy("Its time has come, and no order of it could leave", fault);
}

export class HeldUpSteps {
  readonly #clock: Clock;
  readonly #held = new Map<string, HeldUp>();
  readonly #told = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param isDenied it was judged, by what may pass; else something could not be asked */
  hold(step: PlanStep, why: Fault, isDenied: boolean): void {
    const nowMs = this.#clock.rising();
    const sinceMs = this.#held.get(nameOf(step))?.sinceMs ?? nowMs;
    const isSoon = !isDenied && nowMs - sinceMs < TOLD_AFTER_MS;
    this.#held.set(nameOf(step), { why, sinceMs, againMs: nowMs + (isSoon ? SOON_MS : AGAIN_MS) });
  }

  waits(step: PlanStep): boolean {
    return this.#clock.rising() < (this.#held.get(nameOf(step))?.againMs ?? 0);
  }

  whyOf(step: PlanStep): Fault | undefined {
    return this.#held.get(nameOf(step))?.why;
  }

  /** That it waits, once that has lasted; undefined where it has not, or was told. */
  notice(step: PlanStep, body: NewNotice["body"]): NewNotice | undefined {
    const held = this.#held.get(nameOf(step));
    if (held === undefined || this.#told.has(nameOf(step))) return undefined;
    if (this.#clock.rising() - held.sinceMs < TOLD_AFTER_MS) return undefined;
    // Of another process it is the same.
    return { type: "plan.gap", key: `step ${step.step} waits`, body: { ...body, why: unsentWhy(held.why) } };
  }

  told(step: PlanStep): void {
    this.#told.add(nameOf(step));
  }

  over(step: PlanStep): void {
    this.#held.delete(nameOf(step));
    this.#told.delete(nameOf(step));
  }
}

function nameOf({ planId, step }: Pick<PlanStep, "planId" | "step">): string {
  return `${planId} ${step}`;
}
