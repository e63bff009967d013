/** An order in Upbit's fields. What the exchange has not is said before anything is sent. Source: SOURCES.md#orders. */
import { type CreateOrderBody, failed, localFault, ORDER_TRAITS, ok, type Result } from "../../contract/index.ts";
import { marketOf } from "../quote-first-answers.ts";

/** Fit to travel in a query as they are: what encoding would change may be hashed another way. */
const NAME = /^[A-Za-z0-9._-]{1,64}$/;

export function isName(text: string): boolean {
  return NAME.test(text);
}

type Fields = Readonly<Record<string, string | undefined>>;

export function placement(order: CreateOrderBody): Result<Fields> {
  const {
    symbol,
    side,
    type,
    price,
    volume,
    amount,
    userref,
    time_in_force: condition,
    post_only: rests = false,
  } = order;
  if (order.validate_only === true) return refused("validate_only", "this would place nothing");
  if (userref === undefined || !isName(userref))
    return refused("userref", "an order needs a name of 1 to 64 letters or digits");
  const common = { market: marketOf(symbol), side: side === "buy" ? "bid" : "ask", identifier: userref };
  if (ORDER_TRAITS[type].isPriced) {
    // Without it an order of the account on the other side would be canceled, which is refused together with post-only.
    const handling = rests
      ? { time_in_force: "post_only", smp_type: "none" }
      : { time_in_force: CONDITIONS[condition ?? "GTC"] };
    return ok({ ...common, ord_type: "limit", price, volume, ...handling });
  }
  if (condition === "FOK") return refused("time_in_force", "Upbit has no fill-or-kill for market orders");
  if (side === "buy")
    return amount === undefined
      ? refused("amount", "Upbit takes a market buy as an amount of the quote currency")
      : ok({ ...common, ord_type: "price", price: amount });
  if (volume === undefined) return refused("volume", "Upbit takes a market sell as a volume");
  return ok({ ...common, ord_type: "market", volume });
}

const CONDITIONS = { GTC: undefined, IOC: "ioc", FOK: "fok" } as const;

function refused(field: string, why: string): Result<never> {
  return failed(localFault("ELocal:Invalid input", { field, message: `${field}: ${why}. Nothing was sent.` }));
}
