/**
 * How amounts are written: as recorded, numbers are printed as Java prints a BigDecimal (`94223000`, `0.00001687`, `1.4E-7`); by the examples of
 * the pages, as it prints a double (`1.0E8`, `5.0E-5`), and amounts in quotes as a BigDecimal with a fraction. Entry point: `FIGURES`.
 *
 * Invariant: an amount is written from its exact decimal.
 */
import type { Units } from "../../model/index.ts";
import { double, type Json, WrittenNumber } from "../../venue-kit/json-text.ts";
import { decimalText } from "../../wire/decimal-text.ts";
import type { Variant } from "./authentication.ts";

export interface Figures {
  /** A JSON number. */
  readonly number: (units: Units) => Json;
  /** An amount in quotes. */
  readonly text: (units: Units) => string;
  /** An amount in quotes in the newer lists, which have a fraction always. */
  readonly listed: (units: Units) => string;
  /** The dates of tickers are nine hours late. */
  readonly lateDates: boolean;
  /** Books on the stream have microseconds. */
  readonly fineBooks: boolean;
}

export const FIGURES: Readonly<Record<Variant, Figures>> = {
  newest: {
    number: (units) => new WrittenNumber(javaText(units)),
    text: decimalText,
    listed: pointed,
    ...{ lateDates: true, fineBooks: true },
  },
  other: { number: double, text: javaText, listed: javaText, lateDates: false, fineBooks: false },
};

/** Below this a BigDecimal is printed with an exponent. */
const PLAIN_FROM = 100n;

function javaText(units: Units): string {
  const size = units < 0n ? -units : units;
  if (size === 0n || size >= PLAIN_FROM) return decimalText(units);
  const digits = size.toString();
  const exponent = digits.length - 9;
  const fraction = digits.slice(1).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${digits.charAt(0)}${fraction === "" ? "" : `.${fraction}`}E${exponent}`;
}

function pointed(units: Units): string {
  const text = decimalText(units);
  return text.includes(".") ? text : `${text}.0`;
}
