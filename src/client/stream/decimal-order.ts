/**
 * Which of two decimal texts is larger, without making numbers of them: a book compares prices all the time.
 *
 * Invariant: exact for every text the contract lets pass (no leading zeros, no exponent, no sign).
 */

/** Below, equal to or above zero, as `a` is smaller than, equal to or larger than `b`. */
export function compareDecimals(a: string, b: string): number {
  if (a === b) return 0;
  const [aWhole, bWhole] = [wholeLength(a), wholeLength(b)];
  if (aWhole !== bWhole) return aWhole - bWhole;
  // Equally many digits before the point, so text order is the order of the numbers, but for zeros at the end.
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

/** Beyond its end a decimal goes on with zeros; its point stands where the other's does. */
function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return Number.isNaN(code) || code === POINT ? ZERO : code;
}
