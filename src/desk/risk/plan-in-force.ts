/**
 * Whether an order of a plan may leave now, by the plan as it is in the transaction that numbers the request.
 *
 * Source: decision 0105.
 */
import { type Fault, localFault } from "../../contract/index.ts";
import type { PlanInForce } from "../model/plan.ts";
import type { ChildDenial } from "../model/policy.ts";

/**
 * @param plan null where it is gone
 * @param exchangeMs the exchange's time, Unix milliseconds: what ends by it ends by no clock of ours
 * @returns why the order may not be sent
 */
export function mandateFault(plan: PlanInForce | null, exchangeMs: number): Fault | undefined {
  const denial = planDenial(plan, exchangeMs);
  if (denial === undefined) return undefined;
  const { message, ...why } = denial;
  return localFault("ELocal:Denied by policy", {
    message: `The${message.slice("the".length)}. Nothing was sent.`,
    ...why,
    nextAction: "Leave this order. A person starts the plan again, where it stands still, or approves another.",
  });
}

/** The same as a denial by the rule `mandate`. */
export function planDenial(plan: PlanInForce | null, exchangeMs: number): ChildDenial | undefined {
  const why = whyNot(plan, exchangeMs);
  if (why === undefined) return undefined;
  const { state, planId } = plan ?? {};
  const message = `the plan ${planId === undefined ? "" : `${planId} `}of this order ${why}`;
  return { rule: "mandate", figure: state ?? "gone", limit: "active", message };
}

function whyNot(plan: PlanInForce | null, exchangeMs: number): string | undefined {
  if (plan === null) return "is not there any more";
  const { state, openStep, step, mandate, untilMs } = plan;
  if (state !== "active") return `is ${state === "attention" ? "waiting for a person" : state}`;
  if (openStep !== step) return "has gone on without it";
  if (mandate === null) return "was approved by nobody";
  return Math.min(untilMs, mandate.bounds.untilMs) <= exchangeMs ? "has come to its end" : undefined;
}
