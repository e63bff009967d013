/** Owns what a step of a plan is called, and whose coins and money its figures are. */
import { assetsOf } from "../amount.ts";
import type { Words } from "../words.ts";
import { planSay } from "./plan-words.ts";

/** A step of a basket is named by what it does, as its plan has no one market. */
const OF_A_BASKET = /^(buy|sell) (\S+\/\S+)$/;

/** Where it is a date, or a number, that stands as it is. */
export function stepLabel(label: string, words: Pick<Words, "locale">): string {
  const [, side, symbol = ""] = OF_A_BASKET.exec(label) ?? [];
  if (side === undefined) return label;
  return planSay(words)(side === "buy" ? "step.buy" : "step.sell", { symbol });
}

/** The coin that a step trades: its own, or its plan's. */
export function stepAsset(label: string | null | undefined, symbol: string | null): string {
  const [, , own] = OF_A_BASKET.exec(label ?? "") ?? [];
  return assetsOf(own ?? symbol ?? "/").base;
}

/** Of a plan. Without a market of its own its sums are in the unit of account. */
export function planAssets(
  { symbol }: { readonly symbol: string | null },
  unit: string,
): { readonly base: string; readonly quote: string } {
  return assetsOf(symbol ?? `/${unit}`);
}
