/**
 * Owns the text form of a decimal on every wire; the schemas of the contract use these patterns too.
 *
 * Invariants: ASCII digits, at most 18 before and 8 after the point; no exponent, separator, space or leading zero.
 * Both patterns are anchored and have no nested repetition, so matching takes linear time on any input.
 *
 * Source: service.md#decimal-form.
 */

/** Most digits before the point. */
export const MAX_INTEGER_DIGITS = 18;
/** Most digits after the point. */
export const MAX_FRACTION_DIGITS = 8;

/** An amount, price, quantity or rate: zero or positive, without a sign. */
export const PLAIN_DECIMAL: RegExp = /^(0|[1-9]\d{0,17})(\.\d{1,8})?$/;

/** The same with an optional minus, for differences such as a price change; "-0" is not written. */
export const SIGNED_PLAIN_DECIMAL: RegExp = /^(?!-0(\.0+)?$)-?(0|[1-9]\d{0,17})(\.\d{1,8})?$/;
