/**
 * What keeps plans from what they are there for while it lasts: an exchange that does not answer, a key that it does not accept.
 *
 * Invariants: what passes within seconds is not told; what lasts is told once, and once more when it is over; what cannot pass by itself makes the plan wait
 * for a person.
 *
 * Source: decision 0128.
 */
import { type Fault, faultKind } from "../../../contract/index.ts";
import type { DeskContext } from "../../core/context.ts";
import type { PlanRecord } from "../../model/plan.ts";
import type { PlanBook } from "../../ports/plan-book.ts";
import type { Clock } from "../../ports/runtime.ts";
import { PlanNotes } from "./plan-notes.ts";

/** What lasts for so long is told. */
export const TOLD_AFTER_MS = 15_000;
/** Of the time between looks that are further apart nothing is known. */
const APART_MS = 120_000;

/** In `PlanTold`: what it needs could not be read. */
export const UNREAD = "unread";

/** Each a sentence in which the fault stands behind its code. */
type Hindered =
  | "Its price has come, and no order of it could leave"
  | "Its time has come, and no order of it could leave"
  | "What it waits for cannot be read";

export function hinderedWhy(what: Hindered, { code, message }: Pick<Fault, "code" | "message">): string {
  return `${what} (${code}). ${message}`;
}

/** Tells whether nothing but a person can help: the key is not known, or may not do it. */
export function asksForKey({ code }: Pick<Fault, "code">): boolean {
  return code === "ELocal:No key" || faultKind(code) === "key";
}

/** For how long each plan has been kept from it without a break. */
export class LastingFaults {
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly sinceMs: number; readonly lastMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param begunMs when the look began that the fault came of, by `Clock.rising` */
  noted(planId: string, { code }: Fault, begunMs: number): "passing" | "lasting" | "for_good" {
    const nowMs = this.#clock.rising();
    const before = this.#known.get(planId);
    const sinceMs = before !== undefined && begunMs - before.lastMs < APART_MS ? before.sinceMs : begunMs;
    this.#known.set(planId, { sinceMs, lastMs: nowMs });
    if (nowMs - sinceMs < TOLD_AFTER_MS) return "passing";
    return asksForKey({ code }) ? "for_good" : "lasting";
  }

  over(planId: string): void {
    this.#known.delete(planId);
  }
}

/** Plans that wait for something that is read of the account beside the runner's round, in which it is told. */
export class UnreadPlans {
  readonly #notes: PlanNotes;
  readonly #faults: LastingFaults;
  /** What the last look came to, by plan. */
  readonly #looks = new Map<string, { readonly fault: Fault | undefined; readonly begunMs: number }>();

  constructor(context: DeskContext, book: PlanBook) {
    const { parts } = context;
    this.#notes = new PlanNotes({ context, book });
    this.#faults = new LastingFaults(parts.clock);
  }

  /** @param fault undefined where it was read @param begunMs by `Clock.rising` */
  looked(planId: string, fault: Fault | undefined, begunMs: number): void {
    this.#looks.set(planId, { fault, begunMs });
  }

  forget(): void {
    this.#looks.clear();
  }

  /** @returns the plan as it is now */
  async tell<Plan extends PlanRecord>(plan: Plan): Promise<Plan> {
    const { planId } = plan;
    const look = this.#looks.get(planId);
    if (look === undefined) return plan;
    this.#looks.delete(planId);
    const { fault, begunMs } = look;
    const { told } = plan.progress;
    if (fault === undefined) {
      this.#faults.over(planId);
      // What is told of a leg is over when its order says so.
      return told?.leg === undefined ? this.#notes.over(plan, UNREAD) : plan;
    }
    const lasts = this.#faults.noted(planId, fault, begunMs);
    const why = hinderedWhy("What it waits for cannot be read", fault);
    if (lasts === "for_good") return this.#notes.attention(plan, why);
    // Of two things that keep it from its work one is told: else each would be told anew after the other.
    const tells = lasts === "lasting" && told === undefined;
    return tells ? this.#notes.tellOnce(plan, { what: UNREAD, why }, "plan.gap", { why }) : plan;
  }
}
