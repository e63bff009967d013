/** Random decimals, and the same numbers as whole units of 10^-8 so that BigInt can check the results. */
import fc from "fast-check";

export const UNIT_DECIMALS = 8;
const MAX_UNITS = 10n ** 26n - 1n;

/** Units of 10^-8, from tiny and round ones to the widest the wire allows. */
export const anyUnits: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt(0n, MAX_UNITS),
  fc.bigInt(0n, 10n ** 12n),
  fc
    .tuple(fc.bigInt(0n, 9999n), fc.integer({ min: 0, max: 22 }))
    .map(([digits, zeros]) => digits * 10n ** BigInt(zeros)),
);
export const positiveUnits: fc.Arbitrary<bigint> = anyUnits.filter((units) => units > 0n);

/** Canonical plain text of `units` × 10^-decimals, written without the code under test. */
export function textOf(units: bigint, decimals: number = UNIT_DECIMALS): string {
  const negative = units < 0n;
  const digits = (negative ? -units : units).toString().padStart(decimals + 1, "0");
  const integer = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${negative ? "-" : ""}${integer}${fraction === "" ? "" : `.${fraction}`}`;
}

export const plainText: fc.Arbitrary<string> = anyUnits.map((units) => textOf(units));
