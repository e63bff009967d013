/**
 * Exact numbers: prices, quantities, notionals and rates, their text form, their rounding to tick and step.
 * Imports nothing of ours; decimal.js stays inside. Start at exact.ts (the type) and parsing.ts (the way in).
 */

export { max, min } from "./bounds.ts";
export type { Exact, Notional, Price, Quantity, Rate, Value } from "./exact.ts";
export { formatAmount, formatKrw, formatPercent } from "./format.ts";
export { Fraction } from "./fraction.ts";
export { MAX_FRACTION_DIGITS, MAX_INTEGER_DIGITS, PLAIN_DECIMAL, SIGNED_PLAIN_DECIMAL } from "./grammar.ts";
export { groupThousands } from "./grouping.ts";
export { DecimalInvariantError } from "./invariant.ts";
export { spokenNumber } from "./korean.ts";
export { averagePrice, countedUp, notionalOf, quantityFor } from "./notional.ts";
export {
  inUnit,
  notional,
  type Parsed,
  parseNotional,
  parsePrice,
  parseQuantity,
  parseRate,
  price,
  priceText,
  quantity,
  rate,
} from "./parsing.ts";
export { describeDecimalProblem } from "./problem.ts";
export { INVISIBLE, quoted } from "./quotation.ts";
export type { RoundingMode } from "./rounding.ts";
export { isShare, parseShare } from "./share.ts";
export { isOnStep, roundToStep } from "./step.ts";
export { isOnTick, roundToTick, type TickBand, tickAt } from "./tick.ts";
