/**
 * The plans of an account: what each waits for, what became of it, and since when its market is watched.
 *
 * Invariant: a plan is said to be watched only while a process has the watch and no gap of its market lasts.
 *
 * Source: decision 0108.
 */
import { failed, localFault, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { PlanRecord } from "../model/plan.ts";
import type { PlansQuery, PlansView, PlanView, PlanWatchView } from "../model/plan-report.ts";
import type { PlanBook } from "../ports/plan-book.ts";
import type { PlanReports } from "./plan-reports.ts";
import { isoTime, type Looking, unknownPlan } from "./plan-view.ts";

/** Gaps are shown that have ended within this, or last. */
const SHOWN_MS = 86_400_000;
const GAPS_MAX = 100;
const CURSOR = /^plan-[\da-f-]{36}$/;
/** Whoever looks after plans says so every second, by a clock that may be ten seconds from ours. */
const WATCHED_MS = 15_000;

interface Page {
  readonly plans: readonly PlanRecord[];
  readonly next: string | null;
}

export async function listPlans(
  context: DeskContext,
  book: PlanBook,
  reports: PlanReports,
  query: PlansQuery,
): Promise<Result<PlansView>> {
  const account = await context.account();
  if (!account.ok) return account;
  const page =
    query.planId === undefined
      ? await pageOf(context, book, account.value, query)
      : await one(book, account.value, query.planId, query);
  if (!page.ok) return page;
  const seen = await watchOf(context, book, account.value);
  if (!seen.ok) return seen;
  const { looking, watch } = seen.value;
  const plans: PlanView[] = [];
  for (const plan of page.value.plans) {
    const view = await reports.view(plan, { looking, withSteps: query.planId !== undefined });
    if (!view.ok) return view;
    plans.push(view.value);
  }
  return ok({ plans, next_cursor: page.value.next, watch, ...context.stamp() });
}

async function one(
  book: PlanBook,
  account: string,
  planId: string,
  { symbol, cursor }: Pick<PlansQuery, "symbol" | "cursor">,
): Promise<Result<Page>> {
  const field = symbol !== undefined ? "symbol" : cursor === undefined ? undefined : "cursor";
  if (field !== undefined)
    return failed(
      localFault("ELocal:Invalid input", { field, message: `plan_id names one plan: leave ${field} or plan_id out.` }),
    );
  const found = await book.byId(planId);
  if (!found.ok) return found;
  const plan = found.value;
  return plan?.account === account ? ok({ plans: [plan], next: null }) : failed(unknownPlan(planId));
}

async function pageOf(
  context: DeskContext,
  book: PlanBook,
  account: string,
  { symbol: text, which, cursor, limit }: PlansQuery,
): Promise<Result<Page>> {
  if (cursor !== undefined && !CURSOR.test(cursor))
    return failed(
      localFault("ELocal:Invalid input", {
        field: "cursor",
        message: "cursor is not a next_cursor of a list of plans. Leave it out for the first page.",
      }),
    );
  const symbol = await context.symbol(text);
  if (!symbol.ok) return symbol;
  const found = await book.page({
    ...{ account, which, limit: limit + 1 },
    ...(symbol.value !== undefined && { symbol: symbol.value }),
    ...(cursor !== undefined && { before: cursor }),
  });
  if (!found.ok) return found;
  const plans = found.value.slice(0, limit);
  return ok({ plans, next: found.value.length > limit ? (plans.at(-1)?.planId ?? null) : null });
}

/** Who looks after the plans of the account, and when nobody did. */
export async function watchOf(
  { parts: { clock, venue } }: DeskContext,
  book: PlanBook,
  account: string,
): Promise<Result<{ readonly looking: Looking; readonly watch: PlanWatchView }>> {
  const nowMs = clock.now();
  const offsetMs = venue.clockOffsetMs() ?? 0;
  const [watch, gaps] = await Promise.all([
    book.watch(account),
    book.gaps(account, nowMs + offsetMs - SHOWN_MS, GAPS_MAX),
  ]);
  if (!watch.ok) return watch;
  if (!gaps.ok) return gaps;
  const { leaseUntilMs = 0, seenMs = 0 } = watch.value ?? {};
  const isHeld = leaseUntilMs !== 0 && Math.abs(nowMs - seenMs) < WATCHED_MS;
  const sinceMs = isHeld && watch.value !== undefined ? watch.value.sinceMs + offsetMs : undefined;
  return ok({
    looking: { sinceMs, offsetMs, gaps: gaps.value },
    watch: {
      watched_since: sinceMs === undefined ? null : isoTime(sinceMs),
      last_look_at: watch.value === undefined ? null : isoTime(watch.value.seenMs + offsetMs),
      gaps: gaps.value.map(({ symbol, fromMs, toMs, why }) => ({
        ...{ symbol, from: isoTime(fromMs), to: toMs === null ? null : isoTime(toMs), why },
      })),
    },
  });
}
