/**
 * What open protections of a coin have left to sell, against what is held of it.
 *
 * Invariants: a plan that is to be replaced is not counted; what is in open orders is held, as is what is free.
 *
 * Source: decision 0106.
 */
import { formatAmount, type Quantity, quantity } from "../../../decimal/index.ts";
import type { PlanDenial } from "../../model/policy.ts";
import { type Covering, leftToSell } from "../../risk/protected-coins.ts";

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
const TAKE_ONE_AWAY = "cancel one of these first, or name in replaces the one that it takes the place of";
const NOTHING_TO_PROTECT = "a plan that protects is made of coins that are there";

/** The rule `plans`, of a protection: coins are promised once. */
export function checkCoverage({ base, held, open, volume, replaces }: CoverageCase): PlanDenial | undefined {
  const others = leftToSell(base, open, replaces);
  const all = others.plus(volume);
  if (all.lte(held)) return undefined;
  const shown = (each: Quantity): string => formatAmount(each, base);
  const free = others.gte(held) ? NOTHING : held.minus(others);
  const isPromised = !others.isZero() && !held.isZero();
  const what = isPromised ? `, of which open plans protect ${shown(others)}` : "";
  const fixes: string[] = free.isZero() ? [] : [`make it at most ${shown(free)}`];
  if (isPromised && volume.lte(held)) fixes.push(TAKE_ONE_AWAY);
  // To take one away would not suffice.
  else if (isPromised && free.isZero()) fixes.push(`cancel one of these first and make it at most ${shown(held)}`);
  return {
    rule: "plans",
    figure: all.toString(),
    limit: held.toString(),
    message: `the plan would protect ${shown(volume)} and ${shown(held)} is held${what}: ${fixes.join(", or ") || NOTHING_TO_PROTECT}`,
    field: "base_volume",
  };
}
