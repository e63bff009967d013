/** Amounts as Coinone writes and reads them, always as text. Entry points: `pointed`, `fixed`, `readDecimal`. */
import { ONE, SCALE, type Units } from "../../model/index.ts";
import { decimalText, unitsOf } from "../../wire/decimal-text.ts";

/** With a decimal point always: `"5000.0"`. */
export function pointed(units: Units): string {
  const text = decimalText(units);
  return text.includes(".") ? text : `${text}.0`;
}

/** With so many decimals, as the stream of own orders has them. */
export function fixed(units: Units, decimals: number): string {
  const digits = (units / 10n ** BigInt(SCALE - decimals)).toString().padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

export interface ReadDecimal {
  readonly units: Units;
  /** It had digits below the eighth decimal, which are cut off. */
  readonly isCut: boolean;
}

/** @returns undefined for what is no plain decimal */
export function readDecimal(text: string): ReadDecimal | undefined {
  const [, whole, fraction = ""] = /^(\d{1,15})(?:\.(\d{1,18}))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const kept = fraction.slice(0, SCALE);
  return { units: unitsOf(kept === "" ? whole : `${whole}.${kept}`), isCut: /[1-9]/.test(fraction.slice(SCALE)) };
}

/** What is left when everything below a unit is cut off. */
export function floorTo(units: Units, unit: Units): Units {
  return units - (units % unit);
}

export function worthOf(price: Units, qty: Units): Units {
  return (price * qty) / ONE;
}
