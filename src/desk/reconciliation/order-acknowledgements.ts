/**
 * Which order outcomes callers have heard. An order is unacknowledged from its submission until its outcome was handed to a caller that
 * still waited for it.
 */
import { ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { Listener } from "../model/listener.ts";
import type { OrderView, WriteReport } from "../model/reports.ts";
import { Acknowledgements } from "./acknowledgements.ts";

/** Unacknowledged orders read when an order is shown. */
const LOOKED_AT = 100;

export class OrderAcknowledgements {
  readonly #context: DeskContext;
  readonly #acknowledgements: Acknowledgements;

  constructor(context: DeskContext) {
    this.#context = context;
    this.#acknowledgements = new Acknowledgements((intentId) => context.parts.journal.acknowledge(intentId));
  }

  /** A report that is about to be returned. What waits for a person has no outcome yet. */
  report(report: WriteReport, listener?: Listener): WriteReport {
    const { intent_id, outcome, state } = report;
    if (intent_id !== undefined && outcome !== "unknown" && state !== "awaiting_approval")
      this.#acknowledgements.toldTo(listener, intent_id);
    return report;
  }

  /** Whether a caller of this process has just heard the intent's outcome. */
  isAcknowledged(intentId: string): boolean {
    return this.#acknowledgements.isAcknowledged(intentId);
  }

  /** An order that was queried and is about to be shown. */
  view<T extends OrderView>(view: Result<T>, listener?: Listener): Result<T> {
    if (!view.ok || view.value.intent_id === undefined) return view;
    const { intent_id, state } = view.value;
    if (state === "unknown" || state === "awaiting_approval") return view;
    const heard = (): void => this.#shown(intent_id);
    if (listener?.whenHeard === undefined) heard();
    else listener.whenHeard(heard);
    return view;
  }

  #shown(intentId: string): void {
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
