/** Cost and profit from all fills at once, in memory, with nothing kept before: what a replay from marks has to agree with, to the last digit. */
import type { LedgerFill } from "../../../src/desk/index.ts";
import { basesBetween, CostBooks, type CostTotals, type Span } from "../../../src/desk/portfolio/cost-basis.ts";
import type { CostMethod } from "../../../src/desk/portfolio/lots.ts";
import type { Costs } from "../../../src/desk/portfolio/portfolio.ts";

/** @param fills all there are, in the order of their times */
export function freshCosts(fills: readonly LedgerFill[], method: CostMethod, { fromMs, toMs }: Span): Costs {
  const books = new CostBooks(method);
  let [opening, closing]: (CostTotals | undefined)[] = [];
  for (const fill of fills) {
    if (fill.atMs >= fromMs) opening ??= books.totals();
    if (fill.atMs >= fromMs && fill.atMs > toMs) closing ??= books.totals();
    books.enter(fill);
  }
  const now = books.totals();
  const bases = basesBetween(opening ?? now, closing ?? now, now);
  return { bases, without: (asset, volume) => books.without(asset, volume) };
}
