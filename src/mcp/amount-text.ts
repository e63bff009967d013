/**
 * Owns how figures of results are shown in text: "₩1,234,567", "0.015 BTC", "0.050%". Every text a figure may hold is shown,
 * also one that is no plain decimal, as a result must never fail for its wording.
 */
import { formatAmount, formatPercent, groupThousands, parseQuantity, type Rate } from "../decimal/index.ts";

/** Base and quote asset of a canonical symbol. */
export function assetsOf(symbol: string): { readonly base: string; readonly quote: string } {
  const [base = symbol, quote = ""] = symbol.split("/");
  return { base, quote };
}

/** An amount with its asset; negative ones keep their sign in front. */
export function amount(text: string, asset: string): string {
  const unsigned = text.replace(/^-/, "");
  const sign = text === unsigned ? "" : "-";
  const parsed = parseQuantity(unsigned);
  if (parsed.ok) return `${sign}${formatAmount(parsed.value, asset)}`;
  const grouped = /^\d+(\.\d+)?$/.test(unsigned) ? groupThousands(unsigned) : unsigned;
  return asset === "KRW" ? `${sign}₩${grouped}` : `${sign}${grouped} ${asset}`.trim();
}

/** The same, or a word for what is not there. */
export function amountOr(text: string | null, asset: string, none: string): string {
  return text === null ? none : amount(text, asset);
}

/** "No open orders", "1 open order", "2 open orders". */
export function counted(count: number, noun: string): string {
  return `${count === 0 ? "No" : count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A rate as shown everywhere: "0.050%". */
export function percent(ratio: Rate): string {
  return formatPercent(ratio, 3);
}

/** Whether a wire decimal is greater than zero. */
export function isPositive(text: string | null): text is string {
  return text !== null && !text.startsWith("-") && /[1-9]/.test(text);
}

/** The canonical symbol, with the caller's own spelling where it was another. */
export function marketNamed(canonical: string, typed: string | undefined): string {
  return typed === undefined || typed === canonical ? canonical : `${canonical} (you wrote ${JSON.stringify(typed)})`;
}

/** A time of a result, to the second. */
export function when(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}
