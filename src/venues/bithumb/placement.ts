/** An order in Bithumb's fields. What the exchange has not is said before anything is sent. Source: SOURCES.md#orders. */
import { type CreateOrderBody, ok, type Result } from "../../contract/index.ts";
import { placed } from "../placement.ts";
import { marketOf } from "../quote-first-answers.ts";

/** What the exchange takes as a `client_order_id`. */
export const NAME = { is: /^[A-Za-z0-9_-]{1,36}$/, said: "1 to 36 letters, digits, _ or -" };
/** What can be an order's id there, and travels as it is: what encoding would change may be hashed another way. */
export const ID = /^[A-Za-z0-9._-]{1,64}$/;

type Fields = Readonly<Record<string, string | undefined>> &
  Readonly<Record<"market" | "side" | "client_order_id", string>>;

export function placement(order: CreateOrderBody): Result<Fields> {
  const checked = placed(order, "Bithumb", NAME);
  if (!checked.ok) return checked;
  const { name: client_order_id, sized } = checked.value;
  const { symbol, side, price, volume } = order;
  const common = { market: marketOf(symbol), side: side === "buy" ? "bid" : "ask", client_order_id };
  if (sized.kind === "buy") return ok({ ...common, order_type: "price", price: sized.amount });
  if (sized.kind === "sell") return ok({ ...common, order_type: "market", volume: sized.volume });
  const time_in_force = sized.rests ? "post_only" : CONDITIONS[sized.condition];
  return ok({ ...common, order_type: "limit", price, volume, time_in_force });
}

const CONDITIONS = { GTC: undefined, IOC: "ioc", FOK: "fok" } as const;
