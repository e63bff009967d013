/**
 * The account's fills since alerts on them are active: read from the exchange into the ledger, whoever placed the order, and looked up there.
 *
 * Invariant: a fill counts from when the alert was made, or was started again, by the exchange's clock; where that is not known, none does.
 *
 * Source: decision 0116; decision 0028.
 */
import type { Fault, Result } from "../../../contract/index.ts";
import type { DeskContext, ReadingParts } from "../../core/context.ts";
import { activeSinceMs, type PlanRecord } from "../../model/plan.ts";
import type { HistoryReader } from "../../portfolio/history-reader.ts";
import { LEDGER_PAGE, startOf } from "../../portfolio/ledger-replay.ts";
import { LedgerHere, showsFillsByOrder, syncLedger } from "../../portfolio/ledger-sync.ts";
import type { LedgerFill, LedgerPlace } from "../../ports/fill-ledger.ts";
import { symbolOf } from "../plan-view.ts";

/** What the exchange lists late is looked for so far back. */
const LATE_MS = 86_400_000;

type Alert = Pick<PlanRecord, "planId" | "account" | "terms" | "progress" | "mandate" | "createdAtMs">;

/** How far the ledger was gone through for an alert, and as what it was then. */
interface Looked {
  readonly sinceMs: number;
  readonly revision: number;
  readonly after: LedgerPlace;
}

interface FirstFills {
  readonly found: ReadonlyMap<string, LedgerFill>;
  readonly fault?: Fault;
}

export class FillsSeen {
  readonly #parts: ReadingParts;
  readonly #history: () => Pick<HistoryReader, "catchUp">;
  /** What is new is read, and never the history before it. */
  readonly #ledger: LedgerHere;
  readonly #looked = new Map<string, Looked>();

  constructor({ parts }: Pick<DeskContext, "parts">, history: () => Pick<HistoryReader, "catchUp">) {
    this.#parts = parts;
    this.#history = history;
    this.#ledger = new LedgerHere(parts.fills);
  }

  get isByOrder(): boolean {
    return showsFillsByOrder(this.#parts.venue);
  }

  forget(): void {
    this.#looked.clear();
  }

  /** The first fill that each of them waits for, by plan. What the ledger has is told also where the exchange does not answer, which `fault` says. */
  async firstOf(alerts: readonly Alert[]): Promise<FirstFills> {
    const { venue, fills: ledger } = this.#parts;
    const found = new Map<string, LedgerFill>();
    const [first] = alerts;
    if (first === undefined) return { found };
    const { account } = first;
    const aheadMs = venue.clockOffsetMs() ?? 0;
    const read = await this.#read(account, Math.min(...alerts.map((alert) => activeSinceMs(alert, aheadMs))));
    const offsetMs = venue.clockOffsetMs();
    const progress = await ledger.progress(account);
    const seen = { found, ...(!read.ok && { fault: read.fault }) };
    if (offsetMs === undefined || !progress.ok) return seen;
    for (const alert of alerts) {
      const fill = await this.#first(alert, offsetMs, progress.value.revision);
      if (fill !== undefined) found.set(alert.planId, fill);
    }
    return seen;
  }

  /** @param sinceMs of the exchange's clock */
  async #read(account: string, sinceMs: number): Promise<Result<unknown>> {
    const { venue, clock, fills } = this.#parts;
    if (this.isByOrder) return this.#history().catchUp(account);
    const known = await fills.progress(account);
    if (!known.ok) return known;
    const { doneToMs = 0 } = known.value;
    return syncLedger({ venue, clock, fills: this.#ledger }, account, Math.max(0, sinceMs, doneToMs - LATE_MS));
  }

  /** Goes through what is new, and through all of it again where a fill has come in that is older. */
  async #first(alert: Alert, offsetMs: number, revision: number): Promise<LedgerFill | undefined> {
    const { planId, account, terms } = alert;
    const sinceMs = activeSinceMs(alert, offsetMs);
    const symbol = symbolOf(terms);
    const known = this.#looked.get(planId);
    const isSame = known?.sinceMs === sinceMs && known.revision === revision;
    let after = isSame ? known.after : startOf(sinceMs + 1);
    for (;;) {
      const page = await this.#parts.fills.page(account, { after, limit: LEDGER_PAGE });
      if (!page.ok) return undefined;
      const found = page.value.find((fill) => symbol === undefined || fill.symbol === symbol);
      if (found !== undefined) return found;
      after = page.value.at(-1) ?? after;
      if (page.value.length === LEDGER_PAGE) continue;
      this.#looked.set(planId, { sinceMs, revision, after });
      return undefined;
    }
  }
}
