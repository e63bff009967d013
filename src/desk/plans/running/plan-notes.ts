/**
 * What is written of a plan besides its orders: that it is done, that a person has to look, what keeps it from what it is there for.
 *
 * Invariant: each is written of the plan as it was judged, with what it tells, or not at all.
 *
 * Source: decision 0112; decision 0128.
 */
import { defined } from "../../../contract/index.ts";
import type { DeskContext } from "../../core/context.ts";
import type { IntentRecord } from "../../model/intent.ts";
import type { DeniedOrder, PlanProgress, PlanRecord, PlanTold, ProtectionTerms } from "../../model/plan.ts";
import type { PlanState } from "../../model/plan-state.ts";
import type { AuditDetail } from "../../model/submission.ts";
import type { NewNotice, NoticeType } from "../../ports/notices.ts";
import type { PlanBook } from "../../ports/plan-book.ts";
import type { Clock } from "../../ports/runtime.ts";
import { executedOf, leftOf } from "../../risk/executed.ts";
import { symbolOf } from "../plan-view.ts";
import { soldBody, spentWhy } from "./protection-ending.ts";

type Protecting = PlanRecord & { readonly terms: ProtectionTerms };

interface Change {
  readonly to?: PlanState;
  readonly progress: PlanProgress;
  readonly notices?: readonly NewNotice[];
}

export class PlanNotes {
  readonly #clock: Clock;
  readonly #book: PlanBook;

  constructor({ context, book }: { readonly context: DeskContext; readonly book: PlanBook }) {
    const { parts } = context;
    this.#clock = parts.clock;
    this.#book = book;
  }

  /** @returns the plan as it is now: as it was where nothing was written, because it is another plan by now or the store is away */
  async change<Plan extends PlanRecord>(plan: Plan, change: Change): Promise<Plan> {
    const { planId, version } = plan;
    const written = await this.#book.change({ planId, version, atMs: this.#clock.now(), ...change });
    // Its terms are the same.
    return written.ok && "written" in written.value ? { ...plan, ...written.value.written, terms: plan.terms } : plan;
  }

  /** It cannot go on alone. Whoever starts it again gives it all its attempts anew. */
  async attention<Plan extends PlanRecord>(plan: Plan, why: string, denied?: DeniedOrder): Promise<Plan> {
    const { told: _told, attempts: _attempts, ...kept } = plan.progress;
    const body = { state: "attention", ...ofMarket(plan), why };
    const notices = [{ type: "plan.attention", key: nextVersion(plan), body }] as const;
    return this.change(plan, { to: "attention", progress: { ...kept, why, ...defined({ denied }) }, notices });
  }

  async spent(plan: Protecting, children: readonly IntentRecord[]): Promise<void> {
    await this.attention(plan, spentWhy(plan.terms, executedOf(children), leftOf(plan.terms.volume, children)));
  }

  async done(plan: Protecting, children: readonly IntentRecord[]): Promise<void> {
    const { told: _, ...kept } = plan.progress;
    const why = "Nothing is left to sell.";
    const body = { state: "done", symbol: plan.terms.symbol, why, ...soldBody(plan.terms, children) };
    const notices = [{ type: "plan.ended", key: nextVersion(plan), body }] as const;
    await this.change(plan, { to: "done", progress: { ...kept, why }, notices });
  }

  /** What keeps it from what it is there for. */
  async tellOnce<Plan extends PlanRecord>(
    plan: Plan,
    told: PlanTold,
    type: NoticeType,
    body: AuditDetail,
  ): Promise<Plan> {
    const { progress } = plan;
    if (progress.told?.leg === told.leg && progress.told?.what === told.what) return plan;
    const notice = { type, key: `v${nextVersion(plan)}`, body: { ...ofMarket(plan), leg: told.leg, ...body } };
    return this.change(plan, { progress: { ...progress, told }, notices: [notice] });
  }

  /** What was told is over. Of a leg whose price has come an order says so, or that the price has gone. */
  async over<Plan extends PlanRecord>(plan: Plan, what: string): Promise<Plan> {
    const { told, ...progress } = plan.progress;
    if (told?.what !== what) return plan;
    const notice = { type: "plan.gap", key: `v${nextVersion(plan)}`, body: { ...ofMarket(plan), over: true } } as const;
    return this.change(plan, { progress, ...(told.leg === undefined && { notices: [notice] }) });
  }
}

function ofMarket({ terms }: PlanRecord): { readonly symbol?: string } {
  return defined({ symbol: symbolOf(terms) });
}

function nextVersion({ version }: PlanRecord): string {
  return String(version + 1);
}
