/** Terms of an order that the exchange has no word for. */
import type { Units } from "../../model/index.ts";

export interface OrderNote {
  /** The order was of the type `best`; the exchange has it as a limit order. */
  readonly isBest?: boolean;
  /** What a buy of the type `best` may spend. */
  readonly total?: Units;
  readonly smpType?: string;
  /** What was canceled of it so that its account does not trade with itself. */
  readonly preventedVolume?: Units;
}
