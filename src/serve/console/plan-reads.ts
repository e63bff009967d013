/**
 * Owns what the console shows of plans: those that are there, one with its steps, and what of them waits for a person.
 *
 * Source: decision 0115.
 */
import { failed, localFault, ok, type Result } from "../../contract/index.ts";
import type { Desk, PendingPlan, PlansQuery } from "../../desk/index.ts";
import { planQuestionText } from "../../mcp/index.ts";
import { planFiguresLine, type Words } from "../../words/index.ts";
import type { ApprovalView, ConsolePlan, ConsolePlans } from "./console-api.ts";

/** More than may be open, alerts and all. */
const PLANS_SHOWN = 100;

export interface PlansPage {
  readonly which: PlansQuery["which"];
  readonly cursor?: string;
}

type DeskOfPlans = Pick<Desk, "plans" | "environment" | "unit">;

export async function plansOf(desk: DeskOfPlans, page: PlansPage): Promise<Result<ConsolePlans>> {
  return (await desk.plans?.list({ ...page, limit: PLANS_SHOWN })) ?? notKept();
}

/** With its steps; of the gaps those of its own market. */
export async function planOf(desk: DeskOfPlans, planId: string): Promise<Result<ConsolePlan>> {
  const found = (await desk.plans?.list({ planId, which: "all", limit: 1 })) ?? notKept();
  if (!found.ok) return found;
  const { plans, next_cursor: _, watch, ...stamp } = found.value;
  const [plan] = plans;
  if (plan === undefined)
    return failed(localFault("ELocal:Unknown plan", { field: "plan_id", message: "No such plan." }));
  const gaps = watch.gaps.filter(({ symbol }) => plan.symbol === null || symbol === plan.symbol);
  return ok({ plan, watch: { ...watch, gaps }, ...stamp });
}

function notKept(): Result<never> {
  return failed(localFault("ELocal:Unknown plan", { message: "Nothing keeps plans here." }));
}

/** Oldest first. */
export async function plansWaiting(
  desk: DeskOfPlans,
  account: string,
  words: Words,
): Promise<Result<readonly ApprovalView[]>> {
  const found = (await desk.plans?.pending()) ?? ok([]);
  return found.ok ? ok(found.value.map((pending) => approvalOf(pending, { desk, account, words }))) : found;
}

interface Asking {
  readonly desk: DeskOfPlans;
  readonly account: string;
  readonly words: Words;
}

function approvalOf(pending: PendingPlan, { desk, account, words }: Asking): ApprovalView {
  const { asked, plan, digest, warnings } = pending;
  const { id, action, why, asked_at, expires_at } = asked;
  return {
    ...{ kind: action === "start" ? "plan" : "plan_change", id, digest },
    ...{ question: planQuestionText(desk, account, pending, words), why, asked_at, expires_at },
    ...{ summary: planFiguresLine(plan, desk.unit, words), value: plan.worst_case_value },
    ...{ plan, plan_action: action, warnings },
  };
}
