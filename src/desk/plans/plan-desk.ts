/** Plans put together. Entry points: `PlanDesk`, which `desk.ts` makes part of the desk, and `openPlans`, which makes one. */
import type { Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { ChildOrders, ClaimedOrders } from "../execution/place-child.ts";
import type { AskedBy } from "../model/approval-request.ts";
import type { PlanRecord } from "../model/plan.ts";
import type {
  PendingPlan,
  PlanAction,
  PlanActor,
  PlanAnswer,
  PlanAnswerRequest,
  PlanRequest,
  PlansQuery,
  PlansStanding,
  PlansView,
  PlanWriteReport,
} from "../model/plan-report.ts";
import type { ApprovalWay, PasskeyAssertion } from "../model/submission.ts";
import type { PlanBook } from "../ports/plan-book.ts";
import { PlanApprovals } from "./approve-plan.ts";
import { type CancelChild, ChangePlan } from "./change-plan.ts";
import { CreatePlan } from "./create-plan.ts";
import { waitsForLimits } from "./denied-plans.ts";
import { listPlans } from "./list-plans.ts";
import { PlanReports } from "./plan-reports.ts";
import { plansInFigures } from "./plan-standing.ts";
import { rehearsePlan } from "./rehearse-plan.ts";
import type { AccountFigures } from "./running/account-alerts.ts";
import { PlanDefects } from "./running/plan-defects.ts";
import { PlanEnds } from "./running/plan-ends.ts";
import { PlanRunner } from "./running/plan-runner.ts";
import type { ToldNotices } from "./told-notices.ts";
import { APART_MS } from "./watch/market-watch.ts";

/** What a plan is asked for with. */
export interface CreatePlanRequest extends PlanRequest {
  /** Tells what would be recorded, and records nothing. */
  readonly preview?: boolean | undefined;
  /** Tells what it would have done on past prices, and records nothing. */
  readonly rehearse?: "1d" | "7d" | "30d" | undefined;
}

/** Plans over the same desk: orders that wait, repeat or are cut in pieces, and alerts. */
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
  /** Begins to look after the plans that are active, whose order has not ended, or that wait for other limits, and ends that where none is. @param open those that have not ended */
  tend(account: string, open: readonly PlanRecord[]): Promise<void>;
  /** For good; to be awaited before the store is closed. */
  close(): Promise<void>;
}

export interface PlanDeskParts {
  readonly children: ChildOrders & ClaimedOrders;
  readonly cancelChild: CancelChild;
  /** Of the account, as the desk reads them. */
  readonly figures: AccountFigures;
}

/** What is left alone for a while after a defect. */
const RUNNER = "the looking after plans";

export function openPlans(
  context: DeskContext,
  book: PlanBook,
  { children, cancelChild, figures }: PlanDeskParts,
): OpenedPlans {
  const reports = new PlanReports(context, book);
  const creating = new CreatePlan(context, book, reports);
  const changing = new ChangePlan(context, book, reports, cancelChild);
  const approvals = new PlanApprovals(context, book, reports, changing);
  const ends = new PlanEnds(context, book, cancelChild);
  const { parts } = context;
  const defects = new PlanDefects(parts);
  let running: { readonly runner: PlanRunner; readonly ended: Promise<void> } | undefined;
  let isClosed = false;
  const begin = (account: string): void => {
    const runner = new PlanRunner({ context, book, children, ends, figures }, account);
    const ended = runner
      .run()
      // A defect, as of a store that was closed under it: where this desk goes on, it begins anew after a pause.
      .catch((error: unknown) => void defects.note(RUNNER, error))
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
      create: async ({ preview = false, rehearse, ...request }, by, session) => {
        if (rehearse !== undefined) return rehearsePlan(context, request, rehearse);
        if (preview) return creating.preview(request);
        // One that nobody answered in time is none to be taken for this one.
        await approvals.endOverdue();
        return creating.create(request, by, session);
      },
      list: (query) => listPlans(context, book, reports, query),
      change: (...asked) => changing.change(...asked),
      pending: () => approvals.pending(),
      approve: (...yes) => approvals.approve(...yes),
      deny: (planId) => approvals.deny(planId),
      sealApproval: (...question) => approvals.seal(...question),
      answerApproval: (answer) => approvals.answer(answer),
      standing: () => plansInFigures(context, book),
    },
    tend: async (account, open) => {
      if (isClosed) return;
      await approvals.expire(open);
      await changing.finish(open);
      if (open.some((plan) => plan.state === "active" || plan.openStep !== null || waitsForLimits(plan))) {
        if (running === undefined && !defects.isLeft(RUNNER)) begin(account);
        return;
      }
      await stop(true);
      await ends.expire(open, exchangeTime(context));
    },
    close: async () => {
      isClosed = true;
      await stop(false);
      await ends.ended();
    },
  };
}

/** Where no market is watched: as it was last measured. Undefined where it is not known, or for real money too far from ours. */
function exchangeTime({ parts: { clock, venue }, isPractice }: DeskContext): number | undefined {
  const offsetMs = venue.clockOffsetMs();
  if (offsetMs === undefined || (!isPractice && Math.abs(offsetMs) > APART_MS)) return undefined;
  return clock.now() + offsetMs;
}
