/** An order in Bithumb's fields. What the exchange has not is said before anything is sent. Source: SOURCES.md#orders. */
import { type CreateOrderBody, failed, localFault, ORDER_TRAITS, ok, type Result } from "../../contract/index.ts";
import { marketOf } from "../quote-first-answers.ts";

const NAME = /^[A-Za-z0-9_-]{1,36}$/;

/** Says whether the exchange takes it as a `client_order_id`. */
export function isName(text: string): boolean {
  return NAME.test(text);
}

/** Says whether it can be an order's id there, and travels as it is: what encoding would change may be hashed another way. */
export function isOrderId(text: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(text);
}

type Fields = Readonly<Record<string, string | undefined>> &
  Readonly<Record<"market" | "side" | "client_order_id", string>>;

export function placement(order: CreateOrderBody): Result<Fields> {
  const { symbol, side, type, price, volume, amount, userref, time_in_force: condition } = order;
  if (order.validate_only === true) return refused("validate_only", "this would place nothing");
  if (userref === undefined || !isName(userref))
    return refused("userref", "an order needs a name of 1 to 36 letters, digits, _ or -");
  const common = { market: marketOf(symbol), side: side === "buy" ? "bid" : "ask" };
  const named = { client_order_id: userref };
  if (ORDER_TRAITS[type].isPriced) {
    const handling = order.post_only === true ? "post_only" : CONDITIONS[condition ?? "GTC"];
    return ok({ ...common, order_type: "limit", price, volume, time_in_force: handling, ...named });
  }
  if (condition === "FOK") return refused("time_in_force", "Bithumb has no fill-or-kill for market orders");
  if (side === "buy")
    return amount === undefined
      ? refused("amount", "Bithumb takes a market buy as an amount of the quote currency")
      : ok({ ...common, order_type: "price", price: amount, ...named });
  if (volume === undefined) return refused("volume", "Bithumb takes a market sell as a volume");
  return ok({ ...common, order_type: "market", volume, ...named });
}

const CONDITIONS = { GTC: undefined, IOC: "ioc", FOK: "fok" } as const;

function refused(field: string, why: string): Result<never> {
  return failed(localFault("ELocal:Invalid input", { field, message: `${field}: ${why}. Nothing was sent.` }));
}
