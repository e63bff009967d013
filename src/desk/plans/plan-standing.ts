/** How an account's plans stand: by itself for a look, as the transaction of a plan finds it; and in figures. */
import { type Fault, ok, type Result } from "../../contract/index.ts";
import { inUnit } from "../../decimal/index.ts";
import { type DeskContext, exchangeNow } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import { isProtection, LATELY_MS, type PlanRecord, protectsNow } from "../model/plan.ts";
import type { PlansStanding } from "../model/plan-report.ts";
import type { PlanState } from "../model/plan-state.ts";
import type { PlanBook, PlanStanding } from "../ports/plan-book.ts";
import { tooManyWait } from "../submission/approve.ts";
import { watchOf } from "./list-plans.ts";

/** More steps than all plans may have planned. */
const PLANNED_MAX = 100_000;

export async function standingOf(
  { parts: { journal, clock } }: DeskContext,
  book: PlanBook,
  account: string,
): Promise<Result<PlanStanding>> {
  const nowMs = clock.now();
  const [usage, open, planned, lately] = await Promise.all([
    journal.usage(account, nowMs),
    book.open(account),
    book.due(account, Number.MAX_SAFE_INTEGER, PLANNED_MAX),
    book.lately(account, nowMs - LATELY_MS),
  ]);
  if (!usage.ok) return usage;
  if (!open.ok) return open;
  if (!planned.ok) return planned;
  if (!lately.ok) return lately;
  const children: IntentRecord[] = [];
  for (const { planId } of open.value.filter(({ terms }) => isProtection(terms))) {
    const own = await book.children(planId);
    if (!own.ok) return own;
    children.push(...own.value);
  }
  return ok({ usage: usage.value, open: open.value, planned: planned.value, children, lately: lately.value });
}

/** In figures, for whoever looks at the desk. */
export async function plansInFigures(context: DeskContext, book: PlanBook): Promise<Result<PlansStanding>> {
  const account = await context.account();
  if (!account.ok) return account;
  const nowMs = exchangeNow(context);
  const [open, reserves, seen] = await Promise.all([
    book.open(account.value),
    book.reserves(account.value, nowMs),
    watchOf(context, book, account.value),
  ]);
  if (!open.ok) return open;
  if (!reserves.ok) return reserves;
  if (!seen.ok) return seen;
  const inState = (wanted: PlanState): number => open.value.filter(({ state }) => state === wanted).length;
  return ok({
    ...{ active: inState("active"), attention: inState("attention"), paused: inState("paused") },
    protecting: open.value.filter((plan) => plan.state === "active" && protectsNow(plan)).length,
    waiting: open.value.filter(({ asked }) => asked !== null).length,
    reserved: inUnit(reserves.value.value).toString(),
    watched_since: seen.value.watch.watched_since,
  });
}

/** As many may wait as a person can read. */
export function floodOf(open: readonly PlanRecord[]): Fault | undefined {
  const flood = tooManyWait("plans", open.filter(({ asked }) => asked !== null).length);
  return flood && { ...flood, nextAction: `${flood.nextAction} Plans are withdrawn with change_plan.` };
}
