/** An order in Upbit's fields. What the exchange has not is said before anything is sent. Source: SOURCES.md#orders. */
import { type CreateOrderBody, ok, type Result } from "../../contract/index.ts";
import { placed } from "../placement.ts";
import { marketOf } from "../quote-first-answers.ts";

/** Fit to travel in a query as they are: what encoding would change may be hashed another way. */
export const NAME = { is: /^[A-Za-z0-9._-]{1,64}$/, said: "1 to 64 letters or digits" };

type Fields = Readonly<Record<string, string | undefined>>;

export function placement(order: CreateOrderBody): Result<Fields> {
  const checked = placed(order, "Upbit", NAME);
  if (!checked.ok) return checked;
  const { name: identifier, sized } = checked.value;
  const { symbol, side, price, volume } = order;
  const common = { market: marketOf(symbol), side: side === "buy" ? "bid" : "ask", identifier };
  if (sized.kind === "buy") return ok({ ...common, ord_type: "price", price: sized.amount });
  if (sized.kind === "sell") return ok({ ...common, ord_type: "market", volume: sized.volume });
  // Without it an order of the account on the other side would be canceled, which is refused together with post-only.
  const handling = sized.rests
    ? { time_in_force: "post_only", smp_type: "none" }
    : { time_in_force: CONDITIONS[sized.condition] };
  return ok({ ...common, ord_type: "limit", price, volume, ...handling });
}

const CONDITIONS = { GTC: undefined, IOC: "ioc", FOK: "fok" } as const;
