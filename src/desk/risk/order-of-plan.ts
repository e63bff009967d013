/**
 * Reads what the policy needs to know of the plan that an order comes of.
 *
 * Invariant: an order that may still execute counts as if it had.
 *
 * Source: decision 0105; decision 0106.
 */
import { failed, ok, type Result } from "../../contract/index.ts";
import { inUnit, type Price, quantity } from "../../decimal/index.ts";
import { type DeskContext, exchangeNow } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import { isUnsettled } from "../model/intent-state.ts";
import type { StepOfPlan } from "../model/plan.ts";
import type { OrderOfPlan } from "../model/policy.ts";
import { mandateFault } from "./plan-in-force.ts";

/** Which step asks. */
export interface OfStep extends StepOfPlan {
  /** Of a protection: what it does not sell below now; by default the lowest price that was approved. */
  readonly floor?: Price | undefined;
}

/** @returns a fault where there is no such plan, or nobody has approved it */
export async function orderOfPlan(context: DeskContext, { planId, step, floor }: OfStep): Promise<Result<OrderOfPlan>> {
  const { isPractice, parts } = context;
  const { plans: book } = parts;
  if (book === undefined) throw new Error("an order of a plan is judged where plans are kept");
  const exchangeMs = exchangeNow(context);
  const [plan, children] = await Promise.all([book.byId(planId), book.children(planId)]);
  if (!plan.ok) return plan;
  if (!children.ok) return children;
  const { mandate, terms } = plan.value ?? {};
  if (terms === undefined || !mandate) {
    const fault = mandateFault(null, exchangeMs);
    if (fault === undefined) throw new Error("a plan that is not there denies its orders");
    return failed(fault);
  }
  const before = sumsOf(children.value.filter((child) => child.plan?.step !== step));
  return ok({ account: context.journalAccount(), step, terms, mandate, before, floor, exchangeMs, isPractice });
}

function sumsOf(children: readonly IntentRecord[]): OrderOfPlan["before"] {
  return children.reduce(
    (sum, child) => ({
      volume: sum.volume.plus(volumeOf(child)),
      value: sum.value.plus(inUnit(child.held)),
    }),
    { volume: quantity("0"), value: inUnit("0") },
  );
}

/** What it has executed, or may yet. */
function volumeOf({ state, isLive, body: { order, seen } }: IntentRecord) {
  const executed = quantity(seen?.executed_volume ?? "0");
  return (isLive || isUnsettled(state)) && order.volume !== undefined ? quantity(order.volume) : executed;
}
