/**
 * Which order outcomes the answers of this desk report. An order is unacknowledged from its submission until its outcome was reported to
 * a caller.
 */
import { ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { OrderView, WriteReport } from "../model/reports.ts";
import { Acknowledgements } from "./acknowledgements.ts";

/** Unacknowledged orders read when an order is shown. */
const LOOKED_AT = 100;

export class OrderAcknowledgements {
  readonly #context: DeskContext;
  readonly #acknowledgements: Acknowledgements;
  readonly #alsoAcknowledges = new WeakMap<WriteReport, string>();

  constructor(context: DeskContext) {
    this.#context = context;
    this.#acknowledgements = new Acknowledgements((intentId) => context.parts.journal.acknowledge(intentId));
  }

  /** A report that also gives the outcome of another order. */
  with(report: WriteReport, intentId: string | undefined): WriteReport {
    if (intentId !== undefined) this.#alsoAcknowledges.set(report, intentId);
    return report;
  }

  /** A report that is about to be returned. */
  report(report: WriteReport): WriteReport {
    const own = report.outcome === "unknown" ? undefined : report.intent_id;
    this.#acknowledgements.acknowledge(...[own, this.#alsoAcknowledges.get(report)].filter((id) => id !== undefined));
    return report;
  }

  /** Whether this process has just reported the intent's outcome. */
  isAcknowledged(intentId: string): boolean {
    return this.#acknowledgements.isAcknowledged(intentId);
  }

  /** An order that was queried and is about to be shown. */
  view<T extends OrderView>(view: Result<T>): Result<T> {
    if (view.ok) this.#shown(view.value.intent_id, view.value.state);
    return view;
  }

  #shown(intentId: string | undefined, state: WriteReport["state"]): void {
    if (intentId === undefined || state === "unknown") return;
    this.#acknowledgements.acknowledgeIfPending(intentId, async () => {
      const unacknowledged = await this.#context.parts.journal.unresolvedOrUnacknowledged(
        this.#context.journalAccount(),
        [],
        LOOKED_AT,
      );
      return unacknowledged.ok ? ok(unacknowledged.value.some((each) => each.intentId === intentId)) : unacknowledged;
    });
  }

  async flush(): Promise<void> {
    await this.#acknowledgements.flush();
  }
}
