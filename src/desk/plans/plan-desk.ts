/** Plans put together. Entry point: `PlanDesk`, which `desk.ts` makes part of the desk. */
import type { Result } from "../../contract/index.ts";
import type { PlanAction, PlanActor, PlansQuery, PlansView, PlanWriteReport } from "../model/plan-report.ts";
import type { PlanRequest } from "./plan-request.ts";

/** What a plan is asked for with. */
export interface CreatePlanRequest extends PlanRequest {
  /** Tells what would be recorded, and records nothing. */
  readonly preview?: boolean | undefined;
}

/** Plans over the same desk: orders that wait, and alerts. So far alerts on a price alone. */
export interface PlanDesk {
  /** The same request within ten minutes is the same plan. Never throws for expected outcomes. */
  create(request: CreatePlanRequest, by: PlanActor): Promise<PlanWriteReport>;
  list(query: PlansQuery): Promise<Result<PlansView>>;
  /** Doing what is done already changes nothing, and is accepted. */
  change(planId: string, action: PlanAction, by: PlanActor): Promise<PlanWriteReport>;
}
