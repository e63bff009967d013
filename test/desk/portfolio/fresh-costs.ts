/** Cost and profit from all fills at once, in memory, with nothing kept before: what a replay from marks has to agree with, to the last digit. */
import type { BalanceSighting, LedgerFill } from "../../../src/desk/index.ts";
import { basesBetween, CostBooks, type CostTotals, type Span } from "../../../src/desk/portfolio/cost-basis.ts";
import type { CostMethod } from "../../../src/desk/portfolio/lots.ts";
import type { Costs } from "../../../src/desk/portfolio/portfolio.ts";

/** One event after the other, each balance after the fills of its time. */
export function inOrder(
  fills: readonly LedgerFill[],
  sightings: readonly BalanceSighting[],
): readonly (LedgerFill | BalanceSighting)[] {
  return [...fills, ...sightings].sort((a, b) => a.atMs - b.atMs);
}

/** @param fills all there are, in the order of their times, as the balances */
export function freshCosts(
  fills: readonly LedgerFill[],
  method: CostMethod,
  { fromMs, toMs }: Span,
  sightings: readonly BalanceSighting[] = [],
): Costs {
  const books = new CostBooks(method, "KRW");
  let [opening, closing]: (CostTotals | undefined)[] = [];
  for (const event of inOrder(fills, sightings)) {
    if (event.atMs >= fromMs) opening ??= books.totals();
    if (event.atMs >= fromMs && event.atMs > toMs) closing ??= books.totals();
    if ("total" in event) books.see(event);
    else books.enter(event);
  }
  const now = books.totals();
  const bases = basesBetween(opening ?? now, closing ?? now, now);
  return { bases, without: (asset, volume) => books.without(asset, volume) };
}
