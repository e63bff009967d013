/**
 * What a plan that goes by the clock comes to in all, held against what is free now: hoga sets none of it aside at the exchange, and more may come in by then,
 * so that it is said and not refused.
 *
 * Source: decision 0111.
 */
import { formatAmount, notional, quantity, rate } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import { largerFee } from "../risk/order-proposals.ts";
import type { Judged } from "./plan-question.ts";
import type { WorstCase } from "./terms/worst-case.ts";

const ONE = rate("1");

/** Sentences without a full stop; nothing where the account cannot be asked. */
export async function fundsWarnings(
  { parts: { venue } }: DeskContext,
  { terms, survey: { market } }: Judged,
  { steps }: WorstCase,
): Promise<readonly string[]> {
  if ((terms.kind !== "recurring" && terms.kind !== "slices") || market === undefined) return [];
  const accounts = await venue.accounts();
  if (!accounts.ok) return [];
  const freeOf = (asset: string): string =>
    accounts.value.balances.find((balance) => balance.asset === asset)?.available ?? "0";
  const refused = "one that comes when too little is free is refused, and told";
  const { base, quote } = market;
  if (terms.side === "sell") {
    const all = steps.reduce((sum, { size }) => sum.plus(quantity(size)), quantity("0"));
    const free = quantity(freeOf(base));
    if (all.lte(free)) return [];
    return [
      `its orders sell ${formatAmount(all, base)} in all, and ${formatAmount(free, base)} is free now: ${refused}`,
    ];
  }
  const all = steps
    .reduce((sum, { size }) => sum.plus(notional(size)), notional("0"))
    .scale(ONE.plus(largerFee(market)));
  const free = notional(freeOf(quote));
  if (all.lte(free)) return [];
  const [asked, there] = [formatAmount(all, quote), formatAmount(free, quote)];
  return [`its orders cost ${asked} in all, fees in, and ${there} is free now: ${refused}`];
}
