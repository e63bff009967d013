/** An order in Coinone's fields. What the exchange has not is said before anything is sent. Source: SOURCES.md#orders. */
import { type CreateOrderBody, failed, localFault, ORDER_TRAITS, ok, type Result } from "../../contract/index.ts";
import { notional } from "../../decimal/index.ts";
import { type Pair, pairOf } from "./answers.ts";

/** It takes 150 characters; capitals it refuses. */
const NAME = /^[a-z0-9._-]{1,150}$/;
/** What is below is cut off by the exchange, which would be another order. */
const AMOUNT_DECIMALS = 4;

export function isName(text: string): boolean {
  return NAME.test(text);
}

export type Placement = Pair & Readonly<Record<string, string | boolean>>;

export function placement(order: CreateOrderBody): Result<Placement> {
  const { symbol, side, type, price = "", volume, amount, userref, time_in_force: condition = "GTC" } = order;
  if (order.validate_only === true) return refused("validate_only", "this would place nothing");
  if (userref === undefined || !isName(userref))
    return refused("userref", "an order needs a name of small letters and digits");
  const common = { side: side === "buy" ? "BUY" : "SELL", ...pairOf(symbol) };
  const named = { user_order_id: userref };
  if (ORDER_TRAITS[type].isPriced) {
    if (condition !== "GTC") return refused("time_in_force", `Coinone has no ${condition} for limit orders`);
    const size = { price, qty: volume ?? "", post_only: order.post_only ?? false };
    return ok({ ...common, type: "LIMIT", ...size, ...named });
  }
  if (condition === "FOK") return refused("time_in_force", "Coinone has no fill-or-kill for market orders");
  if (side === "sell")
    return volume === undefined
      ? refused("volume", "Coinone takes a market sell as a volume")
      : ok({ ...common, type: "MARKET", qty: volume, ...named });
  if (amount === undefined) return refused("amount", "Coinone takes a market buy as an amount of the quote currency");
  if (notional(amount).decimals() > AMOUNT_DECIMALS)
    return refused("amount", `Coinone takes an amount with at most ${AMOUNT_DECIMALS} decimals`);
  return ok({ ...common, type: "MARKET", amount, ...named });
}

function refused(field: string, why: string): Result<never> {
  return failed(localFault("ELocal:Invalid input", { field, message: `${field}: ${why}. Nothing was sent.` }));
}
