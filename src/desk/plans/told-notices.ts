/**
 * What plans have told, for whoever is connected, and for how long that is kept.
 *
 * Invariant: the exchange is asked nothing: without the account nothing of it can have been told here.
 *
 * Source: decision 0116.
 */
import { ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { PlanTerms } from "../model/plan.ts";
import { inForce } from "../model/plan.ts";
import type { Notice } from "../ports/notices.ts";
import type { PlanBook } from "../ports/plan-book.ts";

/** As many as a session is told at a time. */
const TOLD_MAX = 100;
const KEPT_MS = 90 * 86_400_000;
/** Few rows at a time, so that nobody waits long for the store. */
const PRUNED_AT_ONCE = 200;
const PRUNED_TIMES = 10;

export interface ToldNotice extends Pick<Notice, "noticeId" | "type" | "planId" | "body" | "atMs"> {
  /** Of its plan; absent of one that is not kept any more. */
  readonly terms?: PlanTerms;
}

export interface ToldNotices {
  /** By the desk's clock, Unix milliseconds: what is told later has this time or a later one. */
  readonly asOfMs: number;
  /** Oldest first. */
  readonly notices: readonly ToldNotice[];
}

/** @param sinceMs undefined: nothing is read, and the time alone is told */
export async function toldNotices(
  context: DeskContext,
  book: PlanBook,
  sinceMs: number | undefined,
): Promise<Result<ToldNotices>> {
  const { parts } = context;
  const { notices, clock } = parts;
  const asOfMs = clock.now();
  if (notices === undefined || sinceMs === undefined || !context.knowsAccount) return ok({ asOfMs, notices: [] });
  const found = await notices.recent({ account: context.journalAccount(), sinceMs, limit: TOLD_MAX });
  if (!found.ok) return found;
  const told: ToldNotice[] = [];
  for (const { noticeId, type, planId, body, atMs } of found.value.toReversed()) {
    const plan = await book.byId(planId);
    if (!plan.ok) return plan;
    told.push({ noticeId, type, planId, body, atMs, ...(plan.value && { terms: inForce(plan.value).terms }) });
  }
  return ok({ asOfMs, notices: told });
}

/** Forgets what was told, and when nobody watched, after 90 days. What a store that is away keeps is forgotten later. */
export async function pruneTold(context: DeskContext, book: PlanBook): Promise<void> {
  const { parts } = context;
  const { notices, clock } = parts;
  const [account, beforeMs] = [context.journalAccount(), clock.now() - KEPT_MS];
  const inTurns = async (prune: () => Promise<Result<number>> | undefined): Promise<void> => {
    for (let times = 0; times < PRUNED_TIMES; times += 1) {
      const removed = await prune();
      if (removed?.ok !== true || removed.value < PRUNED_AT_ONCE) return;
    }
  };
  await inTurns(() => notices?.prune(account, beforeMs, PRUNED_AT_ONCE));
  await inTurns(() => book.pruneGaps(account, beforeMs, PRUNED_AT_ONCE));
}
