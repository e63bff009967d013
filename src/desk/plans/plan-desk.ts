/** Plans put together. Entry points: `PlanDesk`, which `desk.ts` makes part of the desk, and `openPlans`, which makes one. */
import type { Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { PlanRecord } from "../model/plan.ts";
import type { PlanAction, PlanActor, PlansQuery, PlansView, PlanWriteReport } from "../model/plan-report.ts";
import type { PlanBook } from "../ports/plan-book.ts";
import { ChangePlan } from "./change-plan.ts";
import { CreatePlan } from "./create-plan.ts";
import { listPlans } from "./list-plans.ts";
import { expireIn, PlanRunner } from "./running/plan-runner.ts";
import type { PlanRequest } from "./terms/plan-request.ts";
import { APART_MS } from "./watch/market-watch.ts";

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

export interface OpenedPlans {
  readonly desk: PlanDesk;
  /** Begins to look after the plans that are active, and ends that where none is. @param open those that have not ended */
  tend(account: string, open: readonly PlanRecord[]): Promise<void>;
  /** For good; to be awaited before the store is closed. */
  close(): Promise<void>;
}

export function openPlans(context: DeskContext, book: PlanBook): OpenedPlans {
  const creating = new CreatePlan(context, book);
  const changing = new ChangePlan(context, book);
  let running: { readonly runner: PlanRunner; readonly ended: Promise<void> } | undefined;
  let isClosed = false;
  const begin = (account: string): void => {
    const runner = new PlanRunner(context, book, account);
    const ended = runner
      .run()
      // A defect, as of a store that was closed under it: where this desk goes on, the next round begins anew.
      .catch(() => undefined)
      .finally(() => {
        if (running?.runner === runner) running = undefined;
      });
    running = { runner, ended };
  };
  const stop = async (isIdle: boolean): Promise<void> => {
    const stopped = running;
    running = undefined;
    stopped?.runner.close(isIdle);
    await stopped?.ended;
  };
  return {
    desk: {
      create: ({ preview = false, ...request }, by) =>
        preview ? creating.preview(request) : creating.create(request, by),
      list: (query) => listPlans(context, book, query),
      change: (...asked) => changing.change(...asked),
    },
    tend: async (account, open) => {
      if (isClosed) return;
      if (open.some(({ state }) => state === "active")) {
        if (running === undefined) begin(account);
        return;
      }
      await stop(true);
      await expireIn(context, book, open, exchangeTime(context));
    },
    close: async () => {
      isClosed = true;
      await stop(false);
    },
  };
}

/** Where no market is watched: as it was last measured. Undefined where it is not known, or for real money too far from ours. */
function exchangeTime({ parts: { clock, venue }, isPractice }: DeskContext): number | undefined {
  const offsetMs = venue.clockOffsetMs();
  if (offsetMs === undefined || (!isPractice && Math.abs(offsetMs) > APART_MS)) return undefined;
  return clock.now() + offsetMs;
}
