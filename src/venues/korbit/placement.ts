/** An order in Korbit's fields. What the exchange has not is said before anything is sent. Source: SOURCES.md#orders. */
import { type CreateOrderBody, failed, localFault, ORDER_TRAITS, ok, type Result } from "../../contract/index.ts";
import { marketOf } from "./answers.ts";

/** As the exchange takes it; none of these letters is changed by encoding, but `:`, and that by all alike. */
const NAME = /^[0-9A-Za-z.:_-]{1,36}$/;

export function isName(text: string): boolean {
  return NAME.test(text);
}

const CONDITIONS = { GTC: "gtc", IOC: "ioc", FOK: "fok" } as const;

export function placement(order: CreateOrderBody): Result<Readonly<Record<string, string | undefined>>> {
  const { symbol, side, type, price, volume, amount, userref, time_in_force: condition } = order;
  if (order.validate_only === true) return refused("validate_only", "this would place nothing");
  if (userref === undefined || !isName(userref))
    return refused("userref", "an order needs a name of 1 to 36 letters or digits");
  const common = { symbol: marketOf(symbol), side, orderType: type, clientOrderId: userref };
  if (ORDER_TRAITS[type].isPriced) {
    const timeInForce = order.post_only === true ? "po" : CONDITIONS[condition ?? "GTC"];
    return ok({ ...common, price, qty: volume, timeInForce });
  }
  if (condition === "FOK") return refused("time_in_force", "Korbit has no fill-or-kill for market orders");
  if (side === "buy" && amount === undefined)
    return refused("amount", "Korbit takes a market buy as an amount of the quote currency");
  if (side === "sell" && volume === undefined) return refused("volume", "Korbit takes a market sell as a volume");
  return ok({ ...common, ...(side === "buy" ? { amt: amount } : { qty: volume }), timeInForce: "ioc" });
}

function refused(field: string, why: string): Result<never> {
  return failed(localFault("ELocal:Invalid input", { field, message: `${field}: ${why}. Nothing was sent.` }));
}
