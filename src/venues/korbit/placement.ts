/** An order in Korbit's fields. What the exchange has not is said before anything is sent. Source: SOURCES.md#orders. */
import { type CreateOrderBody, ok, type Result } from "../../contract/index.ts";
import { placed } from "../placement.ts";
import type { Fields } from "../venue-calls.ts";
import { marketOf } from "./answers.ts";

/** As the exchange takes it; none of these letters is changed by encoding, but `:`, and that by all alike. */
export const NAME = { is: /^[0-9A-Za-z.:_-]{1,36}$/, said: "1 to 36 letters or digits" };
const CONDITIONS = { GTC: "gtc", IOC: "ioc", FOK: "fok" } as const;

export function placement(order: CreateOrderBody): Result<Fields> {
  const checked = placed(order, "Korbit", NAME);
  if (!checked.ok) return checked;
  const { name: clientOrderId, sized } = checked.value;
  const common = { symbol: marketOf(order.symbol), side: order.side, orderType: order.type, clientOrderId };
  if (sized.kind === "buy") return ok({ ...common, amt: sized.amount, timeInForce: "ioc" });
  if (sized.kind === "sell") return ok({ ...common, qty: sized.volume, timeInForce: "ioc" });
  const timeInForce = sized.rests ? "po" : CONDITIONS[sized.condition];
  return ok({ ...common, price: order.price, qty: order.volume, timeInForce });
}
