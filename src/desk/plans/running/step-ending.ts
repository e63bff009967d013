/** What the end of a step's order does to its plan: said by each kind, written by whoever settles steps. */
import type { IntentRecord } from "../../model/intent.ts";
import type { PlanProgress, PlanRecord, PlanStep } from "../../model/plan.ts";
import type { PlanState, StepState } from "../../model/plan-state.ts";
import type { NewNotice } from "../../ports/notices.ts";

/** A step whose order has ended. */
export interface EndedStep {
  readonly plan: PlanRecord;
  readonly step: PlanStep;
  readonly intent: IntentRecord;
  readonly to: StepState;
  /** The plan's intents, this one in it, oldest first: what it has sold, spent or left is their sum. */
  readonly children: readonly IntentRecord[];
  /** The exchange's time, Unix milliseconds. */
  readonly exchangeMs: number;
}

export interface StepEnding {
  /** Where that ends or stops the plan. */
  readonly planTo?: PlanState;
  readonly progress?: PlanProgress;
  readonly notices: readonly NewNotice[];
}
