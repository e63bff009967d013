/**
 * What is said of plans: reads what a view needs beside the plan's own row.
 *
 * Invariant: what cannot be read is left out of the report of a write, which has happened all the same; a list fails with it.
 *
 * Source: decision 0110.
 */
import { type Fault, ok, type Result } from "../../contract/index.ts";
import { inUnit } from "../../decimal/index.ts";
import { ApprovalInstruction } from "../approval/instruction.ts";
import { type DeskContext, exchangeNow } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import { isProtection, type PlanRecord, type PlanStep } from "../model/plan.ts";
import type { PlanView, PlanWriteReport } from "../model/plan-report.ts";
import { isPlanEnded } from "../model/plan-state.ts";
import type { PlanBook } from "../ports/plan-book.ts";
import type { PolicySource } from "../ports/runtime.ts";
import { stepViews } from "./plan-figures.ts";
import {
  approvalRequestOf,
  type Due,
  type Looking,
  planView,
  refusedWrite,
  symbolOf,
  type ViewFacts,
} from "./plan-view.ts";
import { TURNS_MAX } from "./terms/schedule.ts";

const SHOWN_STEPS_MAX = 100;

/** What a view is asked for with. */
interface Wanted {
  readonly looking?: Looking;
  readonly withSteps?: boolean;
}

export class PlanReports {
  readonly #context: DeskContext;
  readonly #book: PlanBook;
  readonly #policy: PolicySource;
  readonly #instruction: ApprovalInstruction;

  constructor(context: DeskContext, book: PlanBook) {
    const { parts } = context;
    this.#policy = parts.policy;
    this.#context = context;
    this.#book = book;
    this.#instruction = new ApprovalInstruction(context);
  }

  /** As it stands; where it waits for a person the report says how they answer. */
  async accepted(plan: PlanRecord, warnings: readonly string[] = []): Promise<PlanWriteReport> {
    return {
      outcome: "accepted",
      state: plan.state,
      plan: await this.#reported(plan),
      warnings,
      ...this.#context.stamp(),
    };
  }

  /** Waits for a person. */
  async waiting(plan: PlanRecord, warnings: readonly string[] = []): Promise<PlanWriteReport> {
    const approval = approvalRequestOf(plan);
    const report = { ...(await this.accepted(plan, warnings)), outcome: "not_sent" } as const;
    if (approval === undefined) return report;
    const then = `Then look with list_plans, plan_id ${plan.planId}. Do not ask for it again.`;
    return { ...report, approval, next_action: `${await this.#instruction.how(plan.planId)} ${then}` };
  }

  /** As it stands now, when nothing was done. */
  async asItIs(plan: PlanRecord, warnings: readonly string[] = []): Promise<PlanWriteReport> {
    if (plan.asked !== null) return this.waiting(plan, warnings);
    const report = await this.accepted(plan, warnings);
    return plan.state === "denied" || plan.state === "lapsed" ? { ...report, outcome: "not_sent" } : report;
  }

  /** @param plan as it still is */
  async refused(fault: Fault, plan?: PlanRecord): Promise<PlanWriteReport> {
    if (plan === undefined) return refusedWrite(this.#context, fault);
    const refused = refusedWrite(this.#context, fault, { ...(await this.#reported(plan)), state: plan.state });
    const approval = approvalRequestOf(plan);
    return approval === undefined ? refused : { ...refused, approval };
  }

  /** For whoever is asked: what goes when this one begins is never left out. */
  async shown(plan: PlanRecord): Promise<Result<PlanView>> {
    return this.besideReplaced(await this.#shown(plan), plan.replaces);
  }

  /** Of what waits for a person all that they read is told, as far as it can be read. */
  async #reported(plan: PlanRecord): Promise<PlanView & Pick<PlanRecord, "state">> {
    const { state } = plan;
    const read = plan.asked === null ? undefined : await this.shown(plan);
    return { ...(read?.ok === true ? read.value : await this.#shown(plan)), state };
  }

  /** With the plan whose place it takes. */
  async besideReplaced(view: PlanView, replaces: string | null): Promise<Result<PlanView>> {
    const old = replaces === null ? ok(undefined) : await this.#book.byId(replaces);
    if (!old.ok) return old;
    return ok(old.value === undefined ? view : { ...view, replaces: await this.#shown(old.value) });
  }

  async view(plan: PlanRecord, { looking, withSteps = false }: Wanted): Promise<Result<PlanView>> {
    const facts = await this.#factsOf(plan);
    if (!facts.ok) return facts;
    const view = planView(plan, { ...facts.value, looking });
    if (!withSteps || plan.terms.kind === "alert") return ok(view);
    const steps = await this.#book.steps(plan.planId, SHOWN_STEPS_MAX);
    return steps.ok ? ok({ ...view, steps: stepViews(steps.value, facts.value.children ?? []) }) : steps;
  }

  async #shown(plan: PlanRecord): Promise<PlanView> {
    const facts = await this.#factsOf(plan);
    return planView(plan, facts.ok ? facts.value : { nowMs: exchangeNow(this.#context) });
  }

  async #factsOf(plan: PlanRecord): Promise<Result<ViewFacts & { readonly children?: readonly IntentRecord[] }>> {
    const nowMs = exchangeNow(this.#context);
    if (plan.terms.kind === "alert") return ok({ nowMs });
    const [children, due] = await Promise.all([this.#book.children(plan.planId), dueOf(this.#book, plan)]);
    if (!children.ok) return children;
    if (!due.ok) return due;
    const symbol = symbolOf(plan.terms);
    const market = symbol === undefined ? undefined : await this.#context.market(symbol, "taken");
    const read = this.#policy.read();
    return ok({
      ...{ nowMs, children: children.value, due: due.value },
      market: market?.ok === true ? market.value : undefined,
      rules: read.ok ? read.value.plans : undefined,
    });
  }
}

/** What is planned still, the earliest first; undefined of what plans no steps, and of what has none to plan any more. */
async function dueOf(book: PlanBook, plan: PlanRecord): Promise<Result<readonly Due[] | undefined>> {
  const { planId, terms, state, mandate } = plan;
  if (terms.kind === "alert" || isProtection(terms) || isPlanEnded(state) || mandate === null) return ok(undefined);
  const steps = await plannedSteps(book, planId);
  if (!steps.ok) return steps;
  const due = steps.value.flatMap(({ step, label, dueAtMs, worstValue }) =>
    dueAtMs === null ? [] : [{ label: label ?? String(step), dueAtMs, worstValue: inUnit(worstValue) }],
  );
  return ok(due);
}

/** The earliest first. */
export async function plannedSteps(book: PlanBook, planId: string): Promise<Result<readonly PlanStep[]>> {
  const steps = await book.steps(planId, TURNS_MAX);
  return steps.ok ? ok(steps.value.filter(({ state }) => state === "planned").reverse()) : steps;
}
