/**
 * Exact arithmetic of the tests' own, so that the program is not checked with its own numbers: units of 10⁻⁸ as BigInt, and
 * figures as a person reads them in a text.
 */

const DECIMALS = 8;
export const ONE = 10n ** BigInt(DECIMALS);

/** A decimal string in units of 10⁻⁸; throws for anything else. */
export function units(text: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,8}))?$/.exec(text);
  if (match === null) throw new Error(`no decimal of at most ${DECIMALS} places: ${JSON.stringify(text)}`);
  const [, sign = "", whole = "", fraction = ""] = match;
  const value = BigInt(whole) * ONE + BigInt(fraction.padEnd(DECIMALS, "0"));
  return sign === "-" ? -value : value;
}

/** The shortest decimal string. */
export function decimal(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString().padStart(DECIMALS + 1, "0");
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, "");
  const unsigned = `${digits.slice(0, -DECIMALS)}${fraction === "" ? "" : `.${fraction}`}`;
  return value < 0n ? `-${unsigned}` : unsigned;
}

export function sum(values: readonly string[]): bigint {
  return values.reduce((total, value) => total + units(value), 0n);
}

/** Price × volume; exact for what the exchange trades, else this throws. */
export function product(price: bigint, volume: bigint): bigint {
  const scaled = price * volume;
  if (scaled % ONE !== 0n) throw new Error(`${price} × ${volume} is finer than 10⁻⁸`);
  return scaled / ONE;
}

/** A fee: the exchange rounds down. */
export function share(value: bigint, rate: string): bigint {
  return (value * units(rate)) / ONE;
}

/** Down to a multiple of the step. */
export function floor(value: bigint, step: bigint): bigint {
  return value - (value % step);
}

/** `₩1,234,567.5`, as the texts write KRW: from one won on, more than four decimals are shown as two. */
export function won(text: string): string {
  const exact = units(text);
  const isLong = exact >= ONE && exact % 10n ** 4n !== 0n;
  const [whole = "", fraction] = decimal(isLong ? toCents(exact) : exact).split(".");
  return `₩${whole.replace(/\B(?=(\d{3})+$)/g, ",")}${fraction === undefined ? "" : `.${fraction}`}`;
}

/** To the nearest hundredth, of two equally near to the even one. */
function toCents(value: bigint): bigint {
  const cent = ONE / 100n;
  const [cents, rest] = [value / cent, value % cent];
  const isUp = rest * 2n === cent ? cents % 2n === 1n : rest * 2n > cent;
  return (cents + (isUp ? 1n : 0n)) * cent;
}

/** `0.015 BTC`, as the texts write coins. */
export function coins(text: string, asset: string): string {
  const [whole = "", fraction] = decimal(units(text)).split(".");
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ",")}${fraction === undefined ? "" : `.${fraction}`} ${asset}`;
}
