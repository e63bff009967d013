/**
 * What open protections of a coin have left to sell, against what is held of it.
 *
 * Invariants: a plan that is to be replaced is not counted; what is in open orders is held, as is what is free; coins stay free, and who sells them by
 * hand is told, not stopped.
 *
 * Source: decision 0106.
 */
import { formatAmount, type Quantity, quantity } from "../../../decimal/index.ts";
import type { PlanDenial } from "../../model/policy.ts";

/** An open protection. */
export interface Covering {
  readonly planId: string;
  readonly symbol: string;
  /** Of its volume, what was not sold. Plain decimal text. */
  readonly left: string;
}

export interface CoverageCase {
  readonly base: string;
  /** Free and in open orders. */
  readonly held: Quantity;
  readonly open: readonly Covering[];
  /** Of the plan that is to come. */
  readonly volume: Quantity;
  readonly replaces?: string | undefined;
}

const NOTHING = quantity("0");

function sells(symbol: string, base: string): boolean {
  return symbol.startsWith(`${base}/`);
}

/** What protections of the coin have left, in whatever market they sell it. */
export function leftToSell(base: string, open: readonly Covering[], replaces?: string): Quantity {
  return open
    .filter(({ planId, symbol }) => planId !== replaces && sells(symbol, base))
    .reduce((sum, { left }) => sum.plus(quantity(left)), NOTHING);
}

/** The rule `plans`, of a protection: coins are promised once. */
export function checkCoverage({ base, held, open, volume, replaces }: CoverageCase): PlanDenial | undefined {
  const others = leftToSell(base, open, replaces);
  const all = others.plus(volume);
  if (all.lte(held)) return undefined;
  const shown = (each: Quantity): string => formatAmount(each, base);
  const free = others.gte(held) ? NOTHING : held.minus(others);
  const what = others.isZero() ? "" : `, of which open plans protect ${shown(others)}`;
  const fix = free.isZero()
    ? "cancel one of these first, or name it in replaces"
    : `make it at most ${shown(free)}${others.isZero() ? "" : ", or name the plan that it takes the place of in replaces"}`;
  return {
    rule: "plans",
    figure: all.toString(),
    limit: held.toString(),
    message: `the plan would protect ${shown(volume)} and ${shown(held)} is held${what}: ${fix}`,
    field: "base_volume",
  };
}

/** What a sell by hand takes from protections. */
export interface TakenCase {
  readonly base: string;
  readonly available: Quantity;
  readonly open: readonly Covering[];
  /** Of the sell. */
  readonly volume: Quantity;
}

/** @returns the plans that protect coins which the sell leaves too few free of; none where it leaves enough */
export function plansLeftShort({ base, available, open, volume }: TakenCase): readonly string[] {
  const rest = available.minus(volume);
  if (rest.gte(leftToSell(base, open))) return [];
  return open.filter(({ symbol, left }) => sells(symbol, base) && !quantity(left).isZero()).map(({ planId }) => planId);
}
