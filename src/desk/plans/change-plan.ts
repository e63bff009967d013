/**
 * Pauses, resumes and cancels a plan. An alert is anybody's to change who may make one.
 *
 * Invariants: a change is of the plan as it is when it is written; what is done already is not done again; a plan that has ended stays as it is.
 *
 * Source: decision 0108.
 */
import { type Fault, localFault, quoted } from "../../contract/index.ts";
import type { DeskContext, ReadingParts } from "../core/context.ts";
import type { PlanRecord } from "../model/plan.ts";
import type { PlanAction, PlanActor, PlanWriteReport } from "../model/plan-report.ts";
import { canPlanMove, isPlanEnded, type PlanState } from "../model/plan-state.ts";
import type { PlanBlock, PlanBook, PlanChange } from "../ports/plan-book.ts";
import { planView, refusedWrite } from "./plan-view.ts";

const TO = { cancel: "canceled", pause: "paused", resume: "active" } as const satisfies Record<PlanAction, PlanState>;
const DONE = { cancel: "canceled", pause: "paused", resume: "started again" } as const;
const WHY = { cancel: "Canceled", pause: "Paused", resume: "Started again" } as const;
/** Another process may change the plan between reading and writing it. */
const TRIES_MAX = 5;

interface Asked {
  readonly plan: PlanRecord;
  readonly action: PlanAction;
  readonly by: PlanActor;
}

export class ChangePlan {
  readonly #context: DeskContext;
  readonly #parts: ReadingParts;
  readonly #book: PlanBook;

  constructor(context: DeskContext, book: PlanBook) {
    const { parts } = context;
    this.#context = context;
    this.#parts = parts;
    this.#book = book;
  }

  async change(planId: string, action: PlanAction, by: PlanActor): Promise<PlanWriteReport> {
    const account = await this.#context.account();
    if (!account.ok) return refusedWrite(this.#context, account.fault);
    for (let tries = 1; ; tries++) {
      const found = await this.#book.byId(planId);
      if (!found.ok) return refusedWrite(this.#context, found.fault);
      const plan = found.value;
      if (plan === undefined || plan.account !== account.value) return refusedWrite(this.#context, unknownPlan(planId));
      if (plan.state === TO[action])
        return this.#done(plan, [`The plan is ${plan.state} already. Nothing was changed.`]);
      const impossible = impossibleFault(plan, action);
      if (impossible !== undefined) return refusedWrite(this.#context, impossible, plan);
      // An alert that is resumed counted as open before.
      const changed = await this.#book.change(this.#changeOf({ plan, action, by }), () => undefined);
      if (!changed.ok) return refusedWrite(this.#context, changed.fault, plan);
      if ("written" in changed.value) return this.#done(changed.value.written, []);
      if (!("blocked" in changed.value)) throw new Error("nobody refuses to resume an alert");
      const { blocked } = changed.value;
      if (blocked !== "changed" || tries === TRIES_MAX) return refusedWrite(this.#context, blockedFault(blocked), plan);
    }
  }

  #changeOf({ plan: { planId, version, progress }, action, by }: Asked): PlanChange {
    const { clock, venue } = this.#parts;
    const why = `${WHY[action]} by ${by === "person" ? "a person" : "the assistant"}.`;
    const { why: _, ...kept } = progress;
    const key = String(version + 1);
    const body = { state: TO[action], why };
    const type = { cancel: "plan.ended", pause: "plan.paused", resume: "plan.active" } as const;
    return {
      ...{ planId, version, to: TO[action], atMs: clock.now(), detail: { by } },
      progress: action === "resume" ? kept : { ...kept, why },
      notices: [{ type: type[action], key, body }],
      ...(action === "resume" && { exchangeMs: clock.now() + (venue.clockOffsetMs() ?? 0) }),
    };
  }

  #done(plan: PlanRecord, warnings: readonly string[]): PlanWriteReport {
    const { state } = plan;
    return { outcome: "accepted", state, plan: planView(plan), warnings, ...this.#context.stamp() };
  }
}

export function unknownPlan(planId: string): Fault {
  return localFault("ELocal:Unknown plan", {
    field: "plan_id",
    message: `The account has no plan ${quoted(planId, 60)}.`,
  });
}

function impossibleFault({ planId, state }: PlanRecord, action: PlanAction): Fault | undefined {
  if (isPlanEnded(state))
    return localFault("ELocal:Plan ended", {
      message: `Plan ${planId} has ended: it is ${state}. Nothing was changed.`,
    });
  if (canPlanMove(state, TO[action])) return undefined;
  return localFault("ELocal:Invalid input", {
    field: "action",
    message: `A plan that is ${state} cannot be ${DONE[action]}. Nothing was changed.`,
  });
}

function blockedFault(blocked: PlanBlock): Fault {
  switch (blocked) {
    case "halted":
      return localFault("ELocal:Trading halted", {
        message: "Trading is halted, so no plan begins. Nothing was changed.",
      });
    case "ended":
      return localFault("ELocal:Plan ended", { message: "The end of the plan has come. Nothing was changed." });
    case "changed":
    case "underway":
    case "early":
    case "taken":
      return localFault("ELocal:Store unavailable", {
        message: "The plan was changed by others meanwhile. Nothing was changed.",
        nextAction: "Look at the plan, and ask again.",
      });
    default:
      return blocked satisfies never;
  }
}
