/**
 * Which outcomes of what is sent once a caller has heard. One whose process died before it could answer, or whose caller had
 * gone, stays unacknowledged, so that the same request made again is not sent as a new one.
 *
 * Invariant: an acknowledgement is stored after the answer, never before, and nothing waits for it. This process knows it at once.
 *
 * Which order outcomes callers have heard. An order is unacknowledged from its submission until its outcome was handed to a caller that
 * still waited for it.
 *
 * Source: decision 0017.
 */
import { ok, type Result } from "../../contract/index.ts";
import { attempt } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import type { Listener } from "../model/listener.ts";
import type { OrderView, WriteReport } from "../model/reports.ts";

export class Acknowledgements {
  /** Reported, and not on disk: not yet, or the disk fails. */
  readonly #acknowledged = new Set<string>();
  readonly #pending = new Set<Promise<void>>();
  readonly #store: (id: string) => Promise<Result<void>>;

  /** @param store writes an acknowledgement to disk */
  constructor(store: (id: string) => Promise<Result<void>>) {
    this.#store = store;
  }

  /** As `acknowledge`, once the listener has been told. */
  toldTo(listener: Listener | undefined, ...ids: readonly string[]): void {
    const heard = (): void => this.acknowledge(...ids);
    if (listener?.whenHeard === undefined) heard();
    else if (ids.length > 0) listener.whenHeard(heard);
  }

  /** The outcomes of these were reported. */
  acknowledge(...ids: readonly string[]): void {
    for (const id of ids) this.#acknowledged.add(id);
    if (ids.length > 0) this.#behind(() => this.#record(ids));
  }

  /** As `acknowledge`, where it may be on disk already: most of what is shown was reported long ago. */
  acknowledgeIfPending(id: string, isUnacknowledged: () => Promise<Result<boolean>>): void {
    this.#acknowledged.add(id);
    this.#behind(async () => {
      const { value } = await attempt(isUnacknowledged);
      if (value === true) await this.#record([id]);
      else if (value === false) this.#acknowledged.delete(id);
    });
  }

  /** Whether this process has just reported its outcome. */
  isAcknowledged(id: string): boolean {
    return this.#acknowledged.has(id);
  }

  /** Starts the work in a later tick, after the answer was handed on. */
  #behind(work: () => Promise<void>): void {
    const storing = new Promise<void>((resolve, reject) => {
      process.nextTick(() => work().then(resolve, reject));
    });
    this.#pending.add(storing);
    void storing.finally(() => this.#pending.delete(storing));
  }

  async #record(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const stored = await attempt(() => this.#store(id));
      if (stored.fault === undefined) this.#acknowledged.delete(id);
    }
  }

  /** Resolves when all acknowledgements are stored: a process that ends before leaves outcomes unacknowledged. */
  async flush(): Promise<void> {
    await Promise.allSettled(this.#pending);
  }
}

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
