/** An order in Coinone's fields. What the exchange has not is said before anything is sent. Source: SOURCES.md#orders. */
import { type CreateOrderBody, ok, type Result } from "../../contract/index.ts";
import { notional } from "../../decimal/index.ts";
import { placed, refused } from "../placement.ts";
import { type Pair, pairOf } from "./answers.ts";

/** It takes 150 characters; capitals it refuses. */
export const NAME = { is: /^[a-z0-9._-]{1,150}$/, said: "small letters and digits" };
/** What is below is cut off by the exchange, which would be another order. */
const AMOUNT_DECIMALS = 4;

export type Placement = Pair & Readonly<Record<string, string | boolean>>;

export function placement(order: CreateOrderBody): Result<Placement> {
  const checked = placed(order, "Coinone", NAME);
  if (!checked.ok) return checked;
  const { name: user_order_id, sized } = checked.value;
  const common = { side: order.side === "buy" ? "BUY" : "SELL", ...pairOf(order.symbol) };
  if (sized.kind === "sell") return ok({ ...common, type: "MARKET", qty: sized.volume, user_order_id });
  if (sized.kind === "buy")
    return notional(sized.amount).decimals() > AMOUNT_DECIMALS
      ? refused("amount", `Coinone takes an amount with at most ${AMOUNT_DECIMALS} decimals`)
      : ok({ ...common, type: "MARKET", amount: sized.amount, user_order_id });
  const { condition, rests: post_only } = sized;
  if (condition === "IOC" && order.side === "sell")
    return ok({ ...common, type: "MARKET", qty: order.volume ?? "", limit_price: order.price ?? "", user_order_id });
  if (condition !== "GTC") return refused("time_in_force", `Coinone has no ${condition} for limit orders`);
  return ok({ ...common, type: "LIMIT", price: order.price ?? "", qty: order.volume ?? "", post_only, user_order_id });
}
