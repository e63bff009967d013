/**
 * Tells of the plans that wait for a price in a market where one side has had nobody but the account for some time: then a price neither stands nor is acted on.
 *
 * Invariants: a plan is told once for as long as it lasts, and when it is over; of a side that it does not need it is told nothing; while a market is not
 * watched nothing is known of it.
 *
 * Source: decision 0128.
 */
import type { DeskContext } from "../../core/context.ts";
import { isProtection, type PlanRecord, waitsForBuy } from "../../model/plan.ts";
import type { PlanBook } from "../../ports/plan-book.ts";
import { isoTime, symbolOf } from "../plan-view.ts";
import type { MarketWatch } from "../watch/market-watch.ts";
import type { Sample } from "../watch/trigger.ts";
import { TOLD_AFTER_MS } from "./hindrances.ts";
import { PlanNotes } from "./plan-notes.ts";

/** In `PlanTold`. */
const ONE_SIDED = "one_sided";

export class OneSidedBooks {
  readonly #notes: PlanNotes;

  constructor(parts: { readonly context: DeskContext; readonly book: PlanBook }) {
    this.#notes = new PlanNotes(parts);
  }

  /** @returns the plans as they are now */
  async look(active: readonly PlanRecord[], seen: Pick<MarketWatch, "market">): Promise<readonly PlanRecord[]> {
    const after: PlanRecord[] = [];
    for (const plan of active) after.push(await this.#looked(plan, seen.market(symbolOf(plan.terms) ?? "")));
    return after;
  }

  async #looked(plan: PlanRecord, market: ReturnType<MarketWatch["market"]>): Promise<PlanRecord> {
    const { sample, oneSidedSinceMs: sinceMs } = market ?? {};
    if (sample === undefined || plan.openStep !== null || waitsForBuy(plan)) return plan;
    const nobody = sinceMs === undefined ? undefined : nobodyOf(plan, sample);
    if (nobody === undefined || sinceMs === undefined) return this.#notes.over(plan, ONE_SIDED);
    const why = `Nobody else ${nobody} on ${symbolOf(plan.terms)}, so nothing comes of it until somebody does.`;
    const told = { what: ONE_SIDED, why };
    const { progress } = plan;
    if (progress.told?.what === ONE_SIDED)
      return progress.told.why === why ? plan : this.#notes.change(plan, { progress: { ...progress, told } });
    if (sample.atMs - sinceMs < TOLD_AFTER_MS) return plan;
    return this.#notes.tellOnce(plan, told, "plan.gap", { why, since: isoTime(sinceMs) });
  }
}

/** Who is lacking of those that the plan needs, as a verb; undefined where nobody is. */
function nobodyOf({ terms }: PlanRecord, { bid, ask }: Sample): "buys" | "sells" | "buys or sells" | undefined {
  const isAlert = terms.kind === "alert" && terms.event === "price";
  if (!isAlert && !isProtection(terms)) return undefined;
  // What falls is seen by who sells, and what is sold needs who buys.
  const needsSellers = isAlert ? "below" in terms : terms.kind !== "take_profit";
  const needsBuyers = isAlert ? "above" in terms : true;
  const lacksSellers = needsSellers && ask === undefined;
  const lacksBuyers = needsBuyers && bid === undefined;
  if (lacksBuyers) return lacksSellers ? "buys or sells" : "buys";
  return lacksSellers ? "sells" : undefined;
}
