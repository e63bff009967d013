/**
 * What an order has to have for any exchange that has no test orders and takes a market order as what is spent or sold: said before anything is
 * sent. What an exchange has not besides, and what it calls the fields, its own placement says.
 */
import { type CreateOrderBody, failed, localFault, ORDER_TRAITS, ok, type Result } from "../contract/index.ts";

/** Of a limit order its price and volume; of a market order what is spent, or the volume that is sold. */
type Sized =
  | { readonly kind: "limit"; readonly condition: "GTC" | "IOC" | "FOK"; readonly rests: boolean }
  | { readonly kind: "buy"; readonly amount: string }
  | { readonly kind: "sell"; readonly volume: string };

interface Placed {
  readonly name: string;
  readonly sized: Sized;
}

/** @param title of the exchange, as it is named to people. @param name what it takes as our id, and how that is said */
export function placed(
  { type, side, amount, volume, userref, time_in_force: condition = "GTC", ...order }: CreateOrderBody,
  title: string,
  name: { readonly is: RegExp; readonly said: string },
): Result<Placed> {
  if (order.validate_only === true) return refused("validate_only", "this would place nothing");
  if (userref === undefined || !name.is.test(userref))
    return refused("userref", `an order needs a name of ${name.said}`);
  const of = (sized: Sized) => ok({ name: userref, sized });
  if (ORDER_TRAITS[type].isPriced) return of({ kind: "limit", condition, rests: order.post_only ?? false });
  if (condition === "FOK") return refused("time_in_force", `${title} has no fill-or-kill for market orders`);
  if (side === "buy")
    return amount === undefined
      ? refused("amount", `${title} takes a market buy as an amount of the quote currency`)
      : of({ kind: "buy", amount });
  if (volume === undefined) return refused("volume", `${title} takes a market sell as a volume`);
  return of({ kind: "sell", volume });
}

export function refused(field: string, why: string): Result<never> {
  return failed(localFault("ELocal:Invalid input", { field, message: `${field}: ${why}. Nothing was sent.` }));
}
