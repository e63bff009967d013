/**
 * The largest size that an order could have instead of the one that a limit denies.
 *
 * Source: policy.md#precedence.
 */
import { type CreateOrderBody, UNIT_DECIMALS } from "../../contract/index.ts";
import {
  inUnit,
  min,
  notional,
  notionalOf,
  price,
  type Quantity,
  quantity,
  rate,
  roundToStep,
  stepText,
  type Value,
} from "../../decimal/index.ts";
import type { PolicyCase } from "../market/judged-market.ts";
import { judgedValue } from "../market/order-value.ts";
import { counted, dayUsed } from "../model/account-usage.ts";

const HALF = rate("0.5");

/** Within every limit on what orders count for; a figure equal to its limit is within. */
export function roomOf({ policy, accountUsage }: Pick<PolicyCase, "policy" | "accountUsage">): Value {
  const open = policy.maxOpen.minus(inUnit(accountUsage.usage.open));
  const day = policy.maxDay.minus(dayUsed(accountUsage));
  return min(policy.maxOrder, min(open, day));
}

/**
 * In the unit that the order gives its size in: coins in steps of the market, or an amount in the steps of the unit of account.
 * @returns undefined where not even the least that the market takes is within the limits
 */
export function largestSize(at: PolicyCase): string | undefined {
  const { order, market } = at;
  const room = roomOf(at);
  const decimals = order.amount === undefined ? market.volume_decimals : UNIT_DECIMALS[at.policy.unit];
  const step = quantity(stepText(decimals));
  const isWithin = (size: Quantity): boolean => worth(at, sized(order, size))?.lte(room) === true;
  let least = quantity("0");
  let most = roundToStep(quantity(order.amount ?? order.volume ?? "0"), decimals, "up");
  if (isWithin(most)) return undefined;
  // What an order counts for never falls when it grows.
  while (most.minus(least).gt(step)) {
    const middle = roundToStep(least.plus(most).scale(HALF), decimals, "down");
    if (isWithin(middle)) least = middle;
    else most = middle;
  }
  return isTaken(at, least) ? least.toString() : undefined;
}

function sized(order: CreateOrderBody, size: Quantity): CreateOrderBody {
  return order.amount === undefined ? { ...order, volume: size.toString() } : { ...order, amount: size.toString() };
}

function worth({ market, whole, book, policy: { unit } }: PolicyCase, order: CreateOrderBody): Value | undefined {
  return judgedValue(market, order, whole, book, unit);
}

/** Tells whether the market takes an order as small as this. */
function isTaken(at: PolicyCase, size: Quantity): boolean {
  const { order, market } = at;
  const least = notional(market.min_notional);
  if (order.amount !== undefined) return notional(size.toString()).gte(least);
  if (size.lt(quantity(market.min_volume))) return false;
  if (order.price !== undefined) return notionalOf(price(order.price), size).gte(least);
  return worth(at, sized(order, size))?.gte(counted(least, at.policy.unit)) === true;
}
