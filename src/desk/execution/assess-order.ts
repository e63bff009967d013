/** The pre-trade check, with own orders as fresh as they can be had before an order is denied for them. */
import { defined, type Fault, failed, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import { expectedFill } from "../market/order-estimate.ts";
import type { IntentBody } from "../model/intent.ts";
import { requestOf } from "../model/order-body.ts";
import type { Rule, Verdict } from "../model/policy.ts";
import type { OrderTracker } from "../reconciliation/order-tracker.ts";
import type { OfStep } from "../risk/order-of-plan.ts";
import { postOnlyRefusal } from "../risk/order-proposals.ts";
import type { Assessment, PreTradeCheck } from "../risk/pre-trade-check.ts";
import { besideReplaced, type SeenOrder } from "./replaced-order.ts";

/** What orders count in that have ended at the exchange unnoticed: as open, and as the account's own in the book. */
const RULES_OF_OPEN_ORDERS: readonly Rule[] = [
  "price_collar",
  "slippage",
  "open_orders",
  "open_exposure",
  "day_budget",
];

export interface AssessOrderParts {
  readonly context: DeskContext;
  readonly check: PreTradeCheck;
  readonly tracker: () => OrderTracker;
}

/** `lookedAtMs`: when an order that replaces another was last seen to be able to go. */
export interface Assessed extends Assessment {
  readonly lookedAtMs?: number;
}

function brokenRules(verdict: Verdict): readonly Rule[] {
  switch (verdict.kind) {
    case "allow":
      return [];
    case "ask":
      return verdict.over;
    case "deny":
      return [verdict.denial.rule];
    default:
      return verdict satisfies never;
  }
}

function refusalBesides({ order }: IntentBody, { market, seen: { book } }: Assessment): Fault | undefined {
  const request = requestOf(order);
  const refusal = postOnlyRefusal(market, request, book, expectedFill(market, request, book));
  return refusal && { ...refusal, message: `${refusal.message}. Nothing was sent.` };
}

/**
 * Where such a rule denies the order, or a person would have to let it go over one, orders that may have ended meanwhile are looked up, and the order is assessed once more.
 * @param seen the order that it replaces, where that was found a moment ago
 * @param of the step of a plan that it comes of
 */
export async function assessOrder(
  { context, check, tracker }: AssessOrderParts,
  body: IntentBody,
  seen?: SeenOrder,
  of?: OfStep,
): Promise<Result<Assessed>> {
  const beside = await besideReplaced(context, body, seen);
  if (!beside.ok) return beside;
  const { body: judged, gone, lookedAtMs } = beside.value;
  const assessment = await check.assess(judged, gone, of);
  // The exchange would refuse it only once the old order is gone.
  const refusal = gone && assessment.ok ? refusalBesides(judged, assessment.value) : undefined;
  if (refusal !== undefined) return failed(refusal);
  const isBroken =
    assessment.ok && brokenRules(assessment.value.verdict).some((rule) => RULES_OF_OPEN_ORDERS.includes(rule));
  const isReleased = isBroken && (await tracker().refreshIfStale());
  const last = isReleased ? await check.assess(judged, gone, of) : assessment;
  return last.ok ? ok({ ...last.value, ...defined({ lookedAtMs }) }) : last;
}
