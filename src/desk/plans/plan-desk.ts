/** Plans put together. Entry points: `PlanDesk`, which `desk.ts` makes part of the desk, and `openPlans`, which makes one. */
import { type Fault, failed, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { AskedBy } from "../model/approval-request.ts";
import type { PlanRecord, PlanRequest } from "../model/plan.ts";
import type {
  PendingPlan,
  PlanAction,
  PlanActor,
  PlanAnswer,
  PlanAnswerRequest,
  PlansQuery,
  PlansStanding,
  PlansView,
  PlanWriteReport,
} from "../model/plan-report.ts";
import type { ApprovalWay, PasskeyAssertion } from "../model/submission.ts";
import type { PlanBook } from "../ports/plan-book.ts";
import { ChangePlan, unknownPlan } from "./change-plan.ts";
import { CreatePlan } from "./create-plan.ts";
import { listPlans } from "./list-plans.ts";
import { refusedWrite } from "./plan-view.ts";
import { rehearsePlan } from "./rehearse-plan.ts";
import { type AccountFigures, accountFigures } from "./running/account-alerts.ts";
import { expireIn, PlanRunner } from "./running/plan-runner.ts";
import type { ToldNotices } from "./told-notices.ts";
import { APART_MS } from "./watch/market-watch.ts";

/** What a plan is asked for with. */
export interface CreatePlanRequest extends PlanRequest {
  /** Tells what would be recorded, and records nothing. */
  readonly preview?: boolean | undefined;
  /** Tells what it would have done on past prices, and records nothing. */
  readonly rehearse?: "1d" | "7d" | "30d" | undefined;
}

/** Plans over the same desk: orders that wait, and alerts. So far alerts on a price alone. */
export interface PlanDesk {
  /**
   * The same request within ten minutes is the same plan. Never throws for expected outcomes.
   * @param session of the client that asks: its person alone may approve it there
   */
  create(request: CreatePlanRequest, by: PlanActor, session?: string): Promise<PlanWriteReport>;
  list(query: PlansQuery): Promise<Result<PlansView>>;
  /**
   * Doing what is done already changes nothing, and is accepted. By the assistant, what takes a protection away, or starts a plan again where money may be
   * real, waits for a person. @param by `person`: one who has proven to be, where that is needed
   */
  change(planId: string, action: PlanAction, by: PlanActor, session?: string): Promise<PlanWriteReport>;
  /** What of plans waits for a person, oldest first. */
  pending(): Promise<Result<readonly PendingPlan[]>>;
  /** @param shown `digest` of the question that the person has read @param assertion of a passkey, over that digest */
  approve(planId: string, way: ApprovalWay, shown: string, assertion?: PasskeyAssertion): Promise<PlanWriteReport>;
  /** A person's no. @returns a fault where it could not be written down: then it does not stand */
  deny(planId: string): Promise<Result<PlanWriteReport>>;
  /** Seals a question that travels through the client; a fault where no answer would count. @param shown `digest` of the question that is put */
  sealApproval(
    planId: string,
    shown: string,
    request: PlanAnswerRequest,
    session?: string,
    asked?: AskedBy,
  ): Promise<Result<string>>;
  answerApproval(answer: PlanAnswer): Promise<PlanWriteReport>;
  standing(): Promise<Result<PlansStanding>>;
  /** What was told since then, by the desk's clock; without a time, what time it is. */
  told(sinceMs?: number): Promise<Result<ToldNotices>>;
}

export interface OpenedPlans {
  readonly desk: Omit<PlanDesk, "told">;
  /** Begins to look after the plans that are active, and ends that where none is. @param open those that have not ended */
  tend(account: string, open: readonly PlanRecord[]): Promise<void>;
  /** For good; to be awaited before the store is closed. */
  close(): Promise<void>;
}

/** @param figures of the account, as the desk reads them */
export function openPlans(
  context: DeskContext,
  book: PlanBook,
  figures: AccountFigures = accountFigures(context),
): OpenedPlans {
  const creating = new CreatePlan(context, book);
  const changing = new ChangePlan(context, book);
  let running: { readonly runner: PlanRunner; readonly ended: Promise<void> } | undefined;
  let isClosed = false;
  const begin = (account: string): void => {
    const runner = new PlanRunner(context, book, account, figures);
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
      create: ({ preview = false, rehearse, ...request }, by) => {
        if (rehearse !== undefined) return rehearsePlan(context, request, rehearse);
        return preview ? creating.preview(request) : creating.create(request, by);
      },
      list: (query) => listPlans(context, book, query),
      change: (planId, action, by) => changing.change(planId, action, by),
      ...nobodyAsked(context),
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

/** Nothing waits for a person so far. */
function nobodyAsked(context: DeskContext) {
  const nothing = (planId: string): Fault => unknownPlan(planId);
  return {
    pending: async () => ok([]),
    approve: async (planId) => refusedWrite(context, nothing(planId)),
    deny: async (planId) => failed(nothing(planId)),
    sealApproval: async (planId) => failed(nothing(planId)),
    answerApproval: async () => refusedWrite(context, nothing("")),
    standing: async () =>
      ok({ active: 0, protecting: 0, attention: 0, paused: 0, waiting: 0, reserved: "0", watched_since: null }),
  } satisfies Partial<PlanDesk>;
}

/** Where no market is watched: as it was last measured. Undefined where it is not known, or for real money too far from ours. */
function exchangeTime({ parts: { clock, venue }, isPractice }: DeskContext): number | undefined {
  const offsetMs = venue.clockOffsetMs();
  if (offsetMs === undefined || (!isPractice && Math.abs(offsetMs) > APART_MS)) return undefined;
  return clock.now() + offsetMs;
}
