/**
 * Owns exact fractions: what a division leaves is kept whole, and rounded once, when it is shown. For sums over a history, such as an
 * average cost; amounts on the wire and in orders are `Exact`.
 *
 * Invariants: no operation rounds but `rounded` and `bounded`, as documented; the denominator is positive. Fractions are not reduced to
 * lowest terms, as that takes longer than all else; a denominator that another is a multiple of does not grow it.
 */

import { type RoundingMode, requireDecimals } from "./arithmetic.ts";
import { MAX_FRACTION_DIGITS, PLAIN_DECIMAL } from "./grammar.ts";
import { DecimalInvariantError, invariant } from "./invariant.ts";
import { quoted } from "./quotation.ts";

/** Bits of a denominator up to which a fraction stays whole: some hundred divisions by amounts of eight decimals, one upon the other. */
const BOUND_BITS = 8_192n;
/** Decimals that are kept of one beyond. */
const BOUND_DECIMALS = 64n;

const SMALLEST = 10n ** BigInt(MAX_FRACTION_DIGITS);

export class Fraction {
  static readonly ZERO: Fraction = new Fraction(0n, 1n);
  readonly #numerator: bigint;
  readonly #denominator: bigint;

  private constructor(numerator: bigint, denominator: bigint) {
    this.#numerator = numerator;
    this.#denominator = denominator;
  }

  /** Reads a trusted amount: plain decimal text, as on the wire. @throws DecimalInvariantError on bad text. */
  static of(text: string): Fraction {
    if (!PLAIN_DECIMAL.test(text)) throw new DecimalInvariantError(`no plain decimal: ${quoted(text)}`);
    const [whole = "0", decimals = ""] = text.split(".");
    // All decimals that an amount may have, so that most denominators are one and the same.
    return new Fraction(BigInt(`${whole}${decimals.padEnd(MAX_FRACTION_DIGITS, "0")}`), SMALLEST);
  }

  /** Reads what `exactText` wrote. @throws SyntaxError on another text. */
  static ofExactText(text: string): Fraction {
    const [sign, above = "", below = ""] = text.startsWith("-")
      ? [-1n, ...text.slice(1).split("/")]
      : [1n, ...text.split("/")];
    return new Fraction(sign * BigInt(`0x${above}`), BigInt(`0x${below}`));
  }

  plus(other: Fraction): Fraction {
    const [a, b] = [this.#denominator, other.#denominator];
    if (a === b) return new Fraction(this.#numerator + other.#numerator, a);
    if (a % b === 0n) return new Fraction(this.#numerator + other.#numerator * (a / b), a);
    if (b % a === 0n) return new Fraction(this.#numerator * (b / a) + other.#numerator, b);
    return new Fraction(this.#numerator * b + other.#numerator * a, a * b);
  }

  minus(other: Fraction): Fraction {
    return this.plus(new Fraction(-other.#numerator, other.#denominator));
  }

  times(other: Fraction): Fraction {
    return new Fraction(this.#numerator * other.#numerator, this.#denominator * other.#denominator);
  }

  /** Times `part / whole`. @throws DecimalInvariantError when `whole` is zero. */
  share(part: Fraction, whole: Fraction): Fraction {
    invariant(!whole.isZero(), "division by zero");
    const sign = whole.#numerator < 0n ? -1n : 1n;
    const above = sign * part.#numerator * whole.#denominator;
    const below = sign * whole.#numerator * part.#denominator;
    const common = greatestCommonDivisor(above, below);
    return this.times(new Fraction(above / common, below / common));
  }

  /** -1, 0 or 1 as this is less than, equal to or greater than `other`. */
  cmp(other: Fraction): -1 | 0 | 1 {
    const difference = this.minus(other).#numerator;
    return difference > 0n ? 1 : difference < 0n ? -1 : 0;
  }

  isZero(): boolean {
    return this.#numerator === 0n;
  }

  isNegative(): boolean {
    return this.#numerator < 0n;
  }

  /** Canonical plain text, as of `Exact`, rounded to `decimals` (0 to 20) fraction digits. */
  rounded(decimals: number, mode: RoundingMode): string {
    requireDecimals(decimals);
    const units = this.#units(10n ** BigInt(decimals), mode);
    const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0");
    const [whole, rest] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)];
    const fraction = rest.replace(/0+$/, "");
    return `${units < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
  }

  /** All of it, for `ofExactText`: hexadecimal, so that it takes no time that grows faster than its length. */
  exactText(): string {
    return `${this.#numerator.toString(16)}/${this.#denominator.toString(16)}`;
  }

  /** The same while its denominator is not too long to calculate with, else half-even at 64 fraction digits. */
  bounded(): Fraction {
    if (this.#denominator >> BOUND_BITS === 0n) return this;
    const scale = 10n ** BOUND_DECIMALS;
    return new Fraction(this.#units(scale, "half_even"), scale);
  }

  /** Counts how many times `1 / scale` this is, rounded. */
  #units(scale: bigint, mode: RoundingMode): bigint {
    const numerator = this.#numerator * scale;
    const truncated = numerator / this.#denominator;
    const left = numerator - truncated * this.#denominator;
    if (left === 0n) return truncated;
    const floor = left < 0n ? truncated - 1n : truncated;
    switch (mode) {
      case "down":
        return floor;
      case "up":
        return floor + 1n;
      case "half_even": {
        const twice = 2n * (numerator - floor * this.#denominator);
        if (twice === this.#denominator) return floor % 2n === 0n ? floor : floor + 1n;
        return twice < this.#denominator ? floor : floor + 1n;
      }
      default:
        return mode satisfies never;
    }
  }
}

/** Takes two that are short: amounts, not sums. */
function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [high, low] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (low !== 0n) [high, low] = [low, high % low];
  return high === 0n ? 1n : high;
}
