/**
 * What is done of the steps of plans, beside the look at their markets: orders that have ended are settled, and what is due is taken.
 *
 * Invariants: of a plan one thing is under way at a time, and no plan waits for what the exchange says to another; a plan is acted on as it was read, so whatever
 * has changed meanwhile makes a write come to nothing; a defect with one plan keeps no other from going on.
 *
 * Source: decision 0111; decision 0121.
 */
import { onFirstUse } from "../../../contract/index.ts";
import type { PlanRecord } from "../../model/plan.ts";
import { DeniedPlans } from "../denied-plans.ts";
import { type CalendarParts, CalendarSteps, type StepsDue } from "./calendar-steps.ts";
import type { PlanDefects } from "./plan-defects.ts";
import { type SettleParts, SettleSteps } from "./settle-steps.ts";
import { isOfCalendar } from "./step-order.ts";

export class PlanSteps {
  readonly #settling: SettleSteps;
  readonly #calendar: CalendarSteps;
  readonly #denied: DeniedPlans;
  readonly #defects: PlanDefects;
  readonly #acting = new Map<string, Promise<void>>();

  constructor(parts: SettleParts & CalendarParts) {
    this.#settling = new SettleSteps(parts);
    this.#calendar = new CalendarSteps(parts);
    this.#denied = new DeniedPlans(parts);
    this.#defects = parts.defects;
  }

  /**
   * Begins with each plan of which nothing is under way.
   * @param open all that have not ended
   * @param exchangeMs the exchange's time at that moment; undefined where it is not known: then nothing is due
   * @param mayAct asked before anything leaves
   */
  begin(open: readonly PlanRecord[], exchangeMs: () => number | undefined, mayAct: () => boolean): void {
    // One read for all of them.
    const due = onFirstUse(() => this.#calendar.due(open, exchangeMs()));
    for (const plan of open) {
      const { planId } = plan;
      if (this.#acting.has(planId)) continue;
      const acting = this.#act(plan, { due, exchangeMs, mayAct })
        .catch((error: unknown) => void this.#defects.note(`steps of ${planId}`, error))
        .finally(() => this.#acting.delete(planId));
      this.#acting.set(planId, acting);
    }
  }

  /** Resolves when nothing is under way. */
  async ended(): Promise<void> {
    await Promise.all(this.#acting.values());
  }

  async #act(read: PlanRecord, at: StepsDue): Promise<void> {
    const plan = await this.#settled(read, at);
    await this.#denied.look(plan);
    if (plan.state !== "active" || !isOfCalendar(plan)) return;
    const taken = await this.#calendar.look(plan, at);
    if (taken !== undefined) await this.#settled(taken, at);
  }

  /** The plan as it is now. */
  async #settled(plan: PlanRecord, { exchangeMs }: Pick<StepsDue, "exchangeMs">): Promise<PlanRecord> {
    const what = `settling ${plan.planId}`;
    if (plan.openStep === null || this.#defects.isLeft(what)) return plan;
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
