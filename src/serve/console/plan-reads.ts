/**
 * Owns what the console shows of plans: those that are there, one with its steps, and what of them waits for a person.
 *
 * Source: decision 0115.
 */
import { failed, localFault, ok, type Result } from "../../contract/index.ts";
import { type Desk, isProtection, type PendingPlan, type PlansQuery, type PlanView } from "../../desk/index.ts";
import { assetsOf, changeQuestion, planFiguresLine, planFiguresSheet, type Words } from "../../words/index.ts";
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
  const { unit } = desk;
  const isLive = desk.environment === "live";
  const question =
    action === "start"
      ? planFiguresSheet(plan, { account, isLive, unit }, words).join("\n")
      : changeQuestion({ action, planId: id, isLive, ...protectedBy(plan) }, words);
  return {
    ...{ kind: action === "start" ? "plan" : "plan_change", id, digest, question },
    ...{ summary: planFiguresLine(plan, unit, words), value: plan.worst_case_value, why, asked_at, expires_at },
    ...{ plan, plan_action: action, warnings },
  };
}

/** How much of what it still protects. */
function protectedBy({ terms, left_volume }: PlanView): { readonly volume: string; readonly asset: string } {
  if (!isProtection(terms)) return { volume: "0", asset: "" };
  return { volume: left_volume ?? terms.volume, asset: assetsOf(terms.symbol).base };
}
