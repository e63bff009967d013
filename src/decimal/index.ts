/**
 * Exact numbers: prices, quantities, notionals and rates, their text form, their rounding to tick and step.
 * Imports nothing of ours; decimal.js stays inside. Start at exact.ts (the type) and parsing.ts (the way in).
 */

export type { RoundingMode } from "./arithmetic.ts";
export { max, min } from "./bounds.ts";
export {
  averagePrice,
  countedUp,
  type Exact,
  type Notional,
  notionalOf,
  type Price,
  type Quantity,
  quantityFor,
  type Rate,
  type Value,
} from "./exact.ts";
export { plainNumber, wireNumber } from "./foreign-number.ts";
export { formatAmount, formatKrw, formatPercent } from "./format.ts";
export { Fraction } from "./fraction.ts";
export { MAX_FRACTION_DIGITS, MAX_INTEGER_DIGITS, PLAIN_DECIMAL, SIGNED_PLAIN_DECIMAL } from "./grammar.ts";
export { groupThousands } from "./grouping.ts";
export { DecimalInvariantError } from "./invariant.ts";
export { spokenNumber } from "./korean.ts";
export {
  inUnit,
  isShare,
  notional,
  type Parsed,
  parseNotional,
  parsePrice,
  parseQuantity,
  parseRate,
  parseShare,
  price,
  priceText,
  quantity,
  rate,
} from "./parsing.ts";
export { describeDecimalProblem } from "./problem.ts";
export { INVISIBLE, quoted } from "./quotation.ts";
export { isOnStep, isOnTick, roundToStep, roundToTick, stepText, type TickBand, tickAt } from "./tick.ts";
