/**
 * A buy that a plan begins with: whether it has ended, what it has brought, and at what price.
 *
 * Invariant: what was taken of the coins as a fee has not been brought.
 *
 * Source: decision 0124.
 */
import type { Order } from "../../../contract/index.ts";
import { averagePrice, type Price, price, type Quantity, quantity } from "../../../decimal/index.ts";
import { executedAtMost } from "../../model/account-usage.ts";
import type { IntentRecord } from "../../model/intent.ts";

/** What of a buy matters. */
export type Buy = Pick<IntentRecord, "intentId" | "userref" | "orderId" | "state"> & {
  readonly body: Pick<IntentRecord["body"], "order" | "seen">;
};

/** What a buy has brought so far. */
export interface Bought {
  /** Coins, without a fee that was taken in them. */
  readonly volume: Quantity;
  /** Undefined where nothing has executed. */
  readonly average: Price | undefined;
}

const NOTHING = quantity("0");
/** As exchanges show an average. */
const PRICE_DECIMALS = 8;

/** Tells whether nothing more can come of it; undefined of what was never asked for. */
export function hasBuyEnded({ state }: Pick<Buy, "state">): boolean | undefined {
  switch (state) {
    case "filled":
    case "canceled":
    case "expired":
    case "rejected":
    case "denied":
    case "lapsed":
    case "not_placed":
      return true;
    case "awaiting_approval":
    case "approved":
    case "submitting":
    case "unknown":
    case "accepted":
    case "open":
    case "partially_filled":
    case "cancel_requested":
      return false;
    case "draft":
    case "used":
      return undefined;
    default:
      return state satisfies never;
  }
}

export function boughtBy({ body: { seen } }: Pick<Buy, "body">, base: string): Bought {
  const executed = quantity(seen?.executed_volume ?? "0");
  if (seen === undefined || executed.isZero()) return { volume: NOTHING, average: undefined };
  const { fee, fee_currency } = seen;
  const taken = fee !== undefined && fee_currency === base ? quantity(fee) : NOTHING;
  return { volume: taken.lt(executed) ? executed.minus(taken) : NOTHING, average: averageOf(seen, executed) };
}

function averageOf(seen: Order, executed: Quantity): Price {
  const { executed_value: value, avg_price: shown } = seen;
  if (value === undefined && shown !== null) return price(shown);
  return averagePrice(executedAtMost(seen), executed, PRICE_DECIMALS, "half_even");
}
