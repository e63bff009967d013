/**
 * Owns `Exact`, the immutable exact number every price, quantity, notional and rate in this project is.
 * Entry points: the literals and parsers in parsing.ts make values.
 *
 * Invariants: no method rounds, except `ratioTo` as documented; two kinds never mix, neither in the types (the kind
 * is invariant) nor at run time; the text form is plain and canonical, so equal values have equal text.
 *
 * Owns the arithmetic between kinds: price × quantity = notional, and its two divisions.
 *
 * Invariants: multiplication is exact; each division rounds once, to the digits and in the mode the caller names.
 *
 * Source: architecture.md#rule-6, service.md#decimal-form.
 */
import { type Decimal, divideRounded, kept, type RoundingMode, requireDecimals, roundDecimal } from "./arithmetic.ts";
import { invariant } from "./invariant.ts";

/** Quote currency per one unit of base. */
export type Price = Exact<"price">;
/** An amount of the base asset, called volume on the wire. */
export type Quantity = Exact<"quantity">;
/** An amount of the quote currency: price times quantity. */
export type Notional = Exact<"notional">;
/** A sum in a desk's unit of account, whole steps of it: what an order counts for, whatever its market's quote. */
export type Value = Exact<"value">;
/** A dimensionless factor, such as a fee rate: 0.0005 is 0.05 %. */
export type Rate = Exact<"rate">;

const RATIO_DECIMALS = 20;

/** An exact decimal of one kind. */
export class Exact<in out Kind extends string> {
  readonly kind: Kind;
  // Private to TypeScript alone: tests compare by structure, and would not see a #field.
  private readonly value: Decimal;

  private constructor(kind: Kind, value: Decimal) {
    this.kind = kind;
    this.value = kept(value);
    Object.freeze(this);
  }

  /** For this folder only: index.ts exports `Exact` as a type. @throws DecimalInvariantError beyond 80 digits. */
  static of<Kind extends string>(kind: Kind, value: Decimal): Exact<Kind> {
    return new Exact(kind, value);
  }

  /** For this folder only, like {@link Exact.of}. */
  static decimalOf<Kind extends string>(exact: Exact<Kind>): Decimal {
    return exact.value;
  }

  /** Exact sum. @throws DecimalInvariantError beyond 80 digits. */
  plus(other: Exact<Kind>): Exact<Kind> {
    return new Exact(this.kind, this.value.plus(this.#sameKind(other)));
  }
  /** Exact difference, which may be negative. @throws DecimalInvariantError beyond 80 digits. */
  minus(other: Exact<Kind>): Exact<Kind> {
    return new Exact(this.kind, this.value.minus(this.#sameKind(other)));
  }

  /** Exact product with a dimensionless rate, in the same unit as before. @throws DecimalInvariantError beyond 80 digits. */
  scale(rate: Rate): Exact<Kind> {
    invariant(rate.kind === "rate", `scale takes a rate, not a ${rate.kind}`);
    return new Exact(this.kind, this.value.times(rate.value));
  }

  /** This divided by `other`, rounded half-even at 20 fraction digits. @throws DecimalInvariantError on division by zero. */
  ratioTo(other: Exact<Kind>): Rate {
    return new Exact("rate", divideRounded(this.value, this.#sameKind(other), RATIO_DECIMALS, "half_even"));
  }

  /** -1, 0 or 1 as this is less than, equal to or greater than `other`; fits `Array.sort`. */
  cmp(other: Exact<Kind>): -1 | 0 | 1 {
    return Math.sign(this.value.cmp(this.#sameKind(other))) as -1 | 0 | 1;
  }
  eq(other: Exact<Kind>): boolean {
    return this.cmp(other) === 0;
  }
  lt(other: Exact<Kind>): boolean {
    return this.cmp(other) < 0;
  }
  lte(other: Exact<Kind>): boolean {
    return this.cmp(other) <= 0;
  }
  gt(other: Exact<Kind>): boolean {
    return this.cmp(other) > 0;
  }
  gte(other: Exact<Kind>): boolean {
    return this.cmp(other) >= 0;
  }
  isZero(): boolean {
    return this.value.isZero();
  }
  /** True below zero; zero itself is never negative. */
  isNegative(): boolean {
    return this.value.isNegative();
  }
  /** Number of fraction digits of the canonical text: 2 for 0.25, 0 for 100. */
  decimals(): number {
    return this.value.decimalPlaces();
  }

  /** Canonical plain text: no exponent, no trailing zeros, no "-0". */
  toString(): string {
    return this.value.toString();
  }
  /** Text with exactly `decimals` (0 to 20) fraction digits. @throws DecimalInvariantError when digits would be lost. */
  toFixed(decimals: number): string {
    requireDecimals(decimals);
    const fits = this.decimals() <= decimals;
    invariant(fits, `${this.toString()} does not fit in ${decimals} fraction digits; round it first`);
    return this.value.toFixed(decimals);
  }
  toJSON(): string {
    return this.toString();
  }
  /** `a < b` and `a + b` would compare or join the texts ("10" < "9"), so only `String(a)` is allowed. @throws DecimalInvariantError */
  [Symbol.toPrimitive](hint: string): string {
    invariant(hint === "string", "operators do not work on exact decimals: call lt, gt, plus or minus");
    return this.toString();
  }

  #sameKind(other: Exact<Kind>): Decimal {
    invariant(other.kind === this.kind, `cannot mix a ${this.kind} with a ${other.kind}`);
    return other.value;
  }
}

/** Tells what `quantity` (base) costs at `price` (quote per base), in quote, exactly. */
export function notionalOf(price: Price, quantity: Quantity): Notional {
  return Exact.of("notional", Exact.decimalOf(price).times(Exact.decimalOf(quantity)));
}

/**
 * The quantity (base) that `notional` (quote) buys at `price`, rounded to `decimals` (0 to 20) fraction digits. Rounded down,
 * its cost never exceeds `notional`.
 * @throws DecimalInvariantError when the price is zero.
 */
export function quantityFor(notional: Notional, price: Price, decimals: number, rounding: RoundingMode): Quantity {
  return Exact.of("quantity", divideRounded(Exact.decimalOf(notional), Exact.decimalOf(price), decimals, rounding));
}

/**
 * The price (quote per base) at which `quantity` cost `notional` on average, rounded to `decimals` (0 to 20) fraction digits.
 * @throws DecimalInvariantError when the quantity is zero; nothing executed has no average price.
 */
export function averagePrice(notional: Notional, quantity: Quantity, decimals: number, rounding: RoundingMode): Price {
  return Exact.of("price", divideRounded(Exact.decimalOf(notional), Exact.decimalOf(quantity), decimals, rounding));
}

/**
 * What `notional` counts for in a unit of account that it is in already: rounded up to `decimals` (0 to 20) fraction digits, so that no sum of
 * such values is less than what it is the sum of.
 */
export function countedUp(notional: Notional, decimals: number): Value {
  return Exact.of("value", roundDecimal(Exact.decimalOf(notional), decimals, "up"));
}
