/**
 * Which ends of orders somebody has heard of. An order counts as unheard of from its sending on until its end was answered to
 * a caller, so that one whose process died before it could speak is not asked for anew unawares.
 *
 * Invariant: it is noted behind the answer, never before, and nothing waits for it. This process itself knows it at once.
 */
import type { Result } from "../contract/index.ts";
import type { OrderView, WriteReport } from "./answers.ts";
import { type DeskContext, tried } from "./context.ts";

/** Ends looked at when an order is looked up. */
const LOOKED_AT = 100;

export class Telling {
  private readonly context: DeskContext;
  private readonly besides = new WeakMap<WriteReport, string>();
  /** Answered, and not on disk: not yet, or the disk fails. */
  private readonly said = new Set<string>();
  private readonly underWay = new Set<Promise<void>>();

  constructor(context: DeskContext) {
    this.context = context;
  }

  /** A report that also tells the end of another order. */
  with(report: WriteReport, intentId: string | undefined): WriteReport {
    if (intentId !== undefined) this.besides.set(report, intentId);
    return report;
  }

  /** A report that is about to be answered. */
  report(report: WriteReport): WriteReport {
    const own = report.outcome === "unknown" ? undefined : report.intent_id;
    const ids = [own, this.besides.get(report)].filter((id) => id !== undefined);
    for (const id of ids) this.said.add(id);
    if (ids.length > 0) this.behind(() => this.note(ids));
    return report;
  }

  /** Whether this process has just answered what became of the intent. */
  hasSaid(intentId: string): boolean {
    return this.said.has(intentId);
  }

  /** An order that was looked up and is about to be shown. */
  view<T extends OrderView>(view: Result<T>): Result<T> {
    if (view.ok) this.shown(view.value.intent_id, view.value.state);
    return view;
  }

  private shown(intentId: string | undefined, state: WriteReport["state"]): void {
    if (intentId === undefined || state === "unknown") return;
    this.behind(async () => {
      const { journal } = this.context.parts;
      const unheard = await tried(() => journal.unsure(this.context.journalAccount(), [], LOOKED_AT));
      if (unheard.value?.some((each) => each.intentId === intentId) === true) await this.note([intentId]);
    });
  }

  /** Once everything that the answer is on its way through has run. */
  private behind(work: () => Promise<void>): void {
    const noting = new Promise<void>((resolve, reject) => {
      process.nextTick(() => work().then(resolve, reject));
    });
    this.underWay.add(noting);
    void noting.finally(() => this.underWay.delete(noting));
  }

  /** Resolves when all that was told is noted: a process that ends before would have it asked for anew. */
  async rest(): Promise<void> {
    await Promise.allSettled(this.underWay);
  }

  private async note(intentIds: readonly string[]): Promise<void> {
    const { journal } = this.context.parts;
    for (const intentId of intentIds) {
      const noted = await tried(() => journal.heard(intentId));
      if (noted.fault === undefined) this.said.delete(intentId);
    }
  }
}
