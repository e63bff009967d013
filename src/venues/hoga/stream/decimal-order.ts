/**
 * Compares two decimal texts without parsing them, because a book compares prices all the time.
 *
 * Invariant: exact for every text that the contract allows (no leading zeros, no exponent, no sign).
 * Source: service.md#decimal-form.
 */

/** @returns below, equal to or above zero when `a` is smaller than, equal to or larger than `b` */
export function compareDecimals(a: string, b: string): number {
  if (a === b) return 0;
  const [aWhole, bWhole] = [wholeLength(a), wholeLength(b)];
  if (aWhole !== bWhole) return aWhole - bWhole;
  // With as many digits before the point, the order of the texts is that of the numbers, apart from zeros at the end.
  const length = Math.max(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = digitAt(a, at) - digitAt(b, at);
    if (difference !== 0) return difference;
  }
  return 0;
}

const POINT = ".".charCodeAt(0);
const ZERO = "0".charCodeAt(0);

function wholeLength(text: string): number {
  const point = text.indexOf(".");
  return point < 0 ? text.length : point;
}

/** Beyond its end a decimal continues with zeros. Both have the point at the same place. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return Number.isNaN(code) || code === POINT ? ZERO : code;
}
