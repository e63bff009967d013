/**
 * When what goes by the calendar is looked after by nobody, as the exchange's clock is not known or, for real money, too far from ours: then nothing is due.
 *
 * Source: decision 0111.
 */
import { exchangeNow, type ReadingParts } from "../../core/context.ts";
import type { PlanRecord } from "../../model/plan.ts";
import { symbolOf } from "../plan-view.ts";
import type { WatchGap } from "../watch/market-watch.ts";
import { isOfCalendar, symbolsOf } from "./step-order.ts";

export class ClockGaps {
  readonly #parts: Pick<ReadingParts, "clock" | "venue">;
  readonly #lasting = new Map<string, WatchGap>();

  constructor(parts: Pick<ReadingParts, "clock" | "venue">) {
    this.#parts = parts;
  }

  /** @returns what is to be told: that one begins, or has ended. The watch of a market tells of its own. */
  look(active: readonly PlanRecord[], exchangeMs: number | undefined): readonly WatchGap[] {
    const told = [...this.#lasting.values()];
    if (exchangeMs !== undefined) {
      this.#lasting.clear();
      return told.map((gap) => ({ ...gap, toMs: Math.max(exchangeMs, gap.fromMs) }));
    }
    const fromMs = exchangeNow({ parts: this.#parts });
    const watched = new Set(active.filter((plan) => !isOfCalendar(plan)).map(({ terms }) => symbolOf(terms)));
    const symbols = new Set(active.filter(isOfCalendar).flatMap(({ terms }) => symbolsOf(terms)));
    const begun = [...symbols].filter((symbol) => !watched.has(symbol) && !this.#lasting.has(symbol));
    const gaps = begun.map((symbol) => ({ symbol, why: "clock", fromMs }) as const);
    for (const gap of gaps) this.#lasting.set(gap.symbol, gap);
    return gaps;
  }

  forget(): void {
    this.#lasting.clear();
  }
}
