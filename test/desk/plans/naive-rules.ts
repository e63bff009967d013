/** Rules that programs commonly have for when a market is at a price, to see that shapes which must not trigger are worth something. */
import type { PublicTrade } from "../../../src/contract/index.ts";
import { price } from "../../../src/decimal/index.ts";
import type { TimedBook } from "../../../src/desk/index.ts";
import { type Hold, type Level, nextHold, type Sample } from "../../../src/desk/plans/watch/trigger.ts";

export type RuleName = "ours" | "last print" | "middle" | "own clock";

/** What programs commonly go by; they see the account's own orders and trades, as anybody does. */
export class NaiveRules {
  readonly #level: Level;
  #hold: { readonly hold: Hold; readonly sinceMs: number } | undefined;

  constructor(level: Level) {
    this.#level = level;
  }

  /** Those that would act now. */
  judge(book: TimedBook | undefined, trades: readonly PublicTrade[] = []): RuleName[] {
    const { direction } = this.#level;
    const isThere = (at: string | undefined): boolean =>
      at !== undefined && (direction === "down" ? price(at).lte(this.#level.price) : price(at).gte(this.#level.price));
    const [last] = trades;
    const tick = book?.tick;
    const [bid, ask] = [tick?.buys[0]?.[0], tick?.asks[0]?.[0]];
    const middle = bid === undefined || ask === undefined ? undefined : String((Number(bid) + Number(ask)) / 2);
    return [...(isThere(last?.price) ? ["last print" as const] : []), ...(isThere(middle) ? ["middle" as const] : [])];
  }

  /** Our rule, with two seconds counted by our own clock, over whatever was missed. */
  byOwnClock(sample: Sample, nowMs: number): RuleName[] {
    const hold = nextHold(this.#hold?.hold, this.#level, { ...sample, follows: true });
    this.#hold = hold && { hold, sinceMs: this.#hold?.sinceMs ?? nowMs };
    return this.#hold !== undefined && nowMs - this.#hold.sinceMs >= 2_000 ? ["own clock"] : [];
  }
}
