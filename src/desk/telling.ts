/**
 * Which ends of orders somebody has heard of. An order counts as unheard of from its sending on until its end was answered to
 * a caller, so that one whose process died before it could speak is not asked for anew unawares.
 *
 * Invariant: it is noted behind the answer, never before, and nothing waits for it. This process itself knows it at once.
 */
import type { WriteReport } from "./answers.ts";
import { type DeskContext, tried } from "./context.ts";

/** Ends looked at when an order is looked up. */
const LOOKED_AT = 100;

export class Telling {
  private readonly context: DeskContext;
  private readonly besides = new WeakMap<WriteReport, string>();
  /** Answered, and not on disk: not yet, or the disk fails. */
  private readonly said = new Set<string>();

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

  /** The order of an intent was looked up and is about to be shown. */
  shown(intentId: string | undefined, state: WriteReport["state"]): void {
    if (intentId === undefined || state === "unknown") return;
    this.behind(async () => {
      const { journal } = this.context.parts;
      const unheard = await tried(() => journal.unsure(this.context.journalAccount(), [], LOOKED_AT));
      if (unheard.value?.some((each) => each.intentId === intentId) === true) await this.note([intentId]);
    });
  }

  /** Once everything that the answer is on its way through has run. */
  private behind(work: () => Promise<void>): void {
    process.nextTick(() => void work());
  }

  private async note(intentIds: readonly string[]): Promise<void> {
    const { journal } = this.context.parts;
    for (const intentId of intentIds) {
      const noted = await tried(() => journal.heard(intentId));
      if (noted.fault === undefined) this.said.delete(intentId);
    }
  }
}
