/** What the family remembers of an order besides the exchange: what it asked for, where the exchange has it as something else. */
import type { Units } from "../../model/index.ts";

export interface OrderNote {
  /** The exchange has it as a limit order. */
  readonly orderType: "market" | "best";
  /** What a buy of the type `best` may spend. */
  readonly amount: Units;
  /** The price that was asked for, where another one protects the order; null for none. */
  readonly price: Units | null;
  readonly timeInForce: string;
}
