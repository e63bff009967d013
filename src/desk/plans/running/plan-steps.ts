/**
 * What is done of the steps of plans, beside the look at their markets: orders that have ended are settled, and what is due is taken.
 *
 * Invariants: one round at a time; a plan is acted on as it was read, so whatever has changed meanwhile makes a write come to nothing; a defect with one plan
 * keeps no other from going on.
 *
 * Source: decision 0111; decision 0121.
 */
import type { PlanRecord } from "../../model/plan.ts";
import { DeniedPlans } from "../denied-plans.ts";
import { type CalendarParts, CalendarSteps } from "./calendar-steps.ts";
import type { PlanDefects } from "./plan-defects.ts";
import { type SettleParts, SettleSteps } from "./settle-steps.ts";
import { isOfCalendar } from "./step-order.ts";

export class PlanSteps {
  readonly #settling: SettleSteps;
  readonly #calendar: CalendarSteps;
  readonly #denied: DeniedPlans;
  readonly #defects: PlanDefects;
  #round: Promise<void> | undefined;

  constructor(parts: SettleParts & CalendarParts) {
    this.#settling = new SettleSteps(parts);
    this.#calendar = new CalendarSteps(parts);
    this.#denied = new DeniedPlans(parts);
    this.#defects = parts.defects;
  }

  /**
   * Begins a round, unless one is under way.
   * @param open all that have not ended
   * @param exchangeMs the exchange's time; undefined where it is not known: then nothing is due
   * @param mayAct asked before anything leaves
   */
  begin(open: readonly PlanRecord[], exchangeMs: number | undefined, mayAct: () => boolean): void {
    this.#round ??= this.#work(open, exchangeMs, mayAct)
      .catch((error: unknown) => void this.#defects.note("steps", error))
      .finally(() => {
        this.#round = undefined;
      });
  }

  /** Resolves when nothing is under way. */
  async ended(): Promise<void> {
    await this.#round;
  }

  async #work(open: readonly PlanRecord[], exchangeMs: number | undefined, mayAct: () => boolean): Promise<void> {
    const settled: PlanRecord[] = [];
    for (const plan of open) settled.push(plan.openStep === null ? plan : await this.#settled(plan, exchangeMs));
    await this.#denied.look(settled);
    if (exchangeMs === undefined) return;
    const active = settled.filter(({ state }) => state === "active").filter(isOfCalendar);
    for (const plan of await this.#calendar.look(active, exchangeMs, mayAct)) await this.#settled(plan, exchangeMs);
  }

  /** The plan as it is now. */
  async #settled(plan: PlanRecord, exchangeMs: number | undefined): Promise<PlanRecord> {
    const what = `settling ${plan.planId}`;
    if (this.#defects.isLeft(what)) return plan;
    try {
      const after = await this.#settling.settle(plan, exchangeMs);
      this.#defects.clear(what);
      return after;
    } catch (error) {
      this.#defects.note(what, error);
      return plan;
    }
  }
}
