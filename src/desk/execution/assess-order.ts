/** The pre-trade check, with budgets as fresh as they can be had before an order is denied for them. */
import type { Result } from "../../contract/index.ts";
import type { IntentBody } from "../model/intent.ts";
import type { OrderTracker } from "../reconciliation/order-tracker.ts";
import type { Assessment, PreTradeCheck } from "../risk/pre-trade-check.ts";

const BUDGET_RULES: readonly string[] = ["open_orders", "open_exposure", "day_budget"];

export interface AssessOrderParts {
  readonly check: PreTradeCheck;
  readonly tracker: OrderTracker;
}

/** Where a budget denies the order, orders that may have ended meanwhile are looked up, and the order is assessed once more. */
export async function assessOrder({ check, tracker }: AssessOrderParts, body: IntentBody): Promise<Result<Assessment>> {
  const assessment = await check.assess(body);
  if (!assessment.ok || assessment.value.verdict.kind !== "deny") return assessment;
  if (!BUDGET_RULES.includes(assessment.value.verdict.denial.rule)) return assessment;
  const isReleased = await tracker.refreshIfStale();
  return isReleased ? check.assess(body) : assessment;
}
