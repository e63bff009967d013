/**
 * What is written of a protection besides its orders: that it is done, that a person has to look, why it does not sell.
 *
 * Invariant: each is written of the plan as it was judged, with what it tells, or not at all.
 *
 * Source: decision 0112.
 */
import { defined } from "../../../contract/index.ts";
import type { DeskContext } from "../../core/context.ts";
import type { IntentRecord } from "../../model/intent.ts";
import type { DeniedOrder, PlanProgress, PlanRecord, ProtectionTerms } from "../../model/plan.ts";
import type { PlanState } from "../../model/plan-state.ts";
import type { AuditDetail } from "../../model/submission.ts";
import type { NewNotice, NoticeType } from "../../ports/notices.ts";
import type { PlanBook } from "../../ports/plan-book.ts";
import type { Clock } from "../../ports/runtime.ts";
import { executedOf, leftOf } from "../../risk/executed.ts";
import { soldBody, spentWhy } from "./protection-ending.ts";

type Protecting = PlanRecord & { readonly terms: ProtectionTerms };

interface Change {
  readonly to?: PlanState;
  readonly progress: PlanProgress;
  readonly notices?: readonly NewNotice[];
}

export class ProtectionNotes {
  readonly #clock: Clock;
  readonly #book: PlanBook;

  constructor({ context, book }: { readonly context: DeskContext; readonly book: PlanBook }) {
    const { parts } = context;
    this.#clock = parts.clock;
    this.#book = book;
  }

  /** @returns undefined where nothing was written: it is another plan by now, or the store is away */
  async change({ planId, version }: Protecting, change: Change): Promise<PlanRecord | undefined> {
    const written = await this.#book.change({ planId, version, atMs: this.#clock.now(), ...change });
    return written.ok && "written" in written.value ? written.value.written : undefined;
  }

  /** It cannot go on alone. Whoever starts it again gives it all its attempts anew. */
  async attention(plan: Protecting, why: string, denied?: DeniedOrder): Promise<void> {
    const { told: _told, attempts: _attempts, ...kept } = plan.progress;
    const body = { state: "attention", symbol: plan.terms.symbol, why };
    const notices = [{ type: "plan.attention", key: nextVersion(plan), body }] as const;
    await this.change(plan, { to: "attention", progress: { ...kept, why, ...defined({ denied }) }, notices });
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

  /** Why a leg whose price has come does not sell. */
  async tellOnce(
    plan: Protecting,
    told: NonNullable<PlanProgress["told"]>,
    type: NoticeType,
    body: AuditDetail,
  ): Promise<void> {
    const { progress, terms, version } = plan;
    if (progress.told?.leg === told.leg && progress.told.what === told.what) return;
    const notice = { type, key: `v${version + 1}`, body: { symbol: terms.symbol, leg: told.leg, ...body } };
    await this.change(plan, { progress: { ...progress, told }, notices: [notice] });
  }
}

function nextVersion({ version }: PlanRecord): string {
  return String(version + 1);
}
