/**
 * Owns how figures are shown: "₩1,234,567", "0.015 BTC", and in Korean with the units in which people count won. Every text that
 * a figure may hold is shown, also one that is no plain decimal, as a result must never fail for its wording.
 *
 * Invariant: text in, text out; no figure is ever a binary number.
 */
import { groupThousands } from "../decimal/index.ts";

const UNSIGNED = /^\d+(\.\d+)?$/;

/** An amount with its asset; negative ones keep their sign in front. */
export function amount(text: string, asset: string): string {
  const unsigned = text.replace(/^-/, "");
  const sign = text === unsigned ? "" : "-";
  const grouped = UNSIGNED.test(unsigned) ? groupThousands(shortened(unsigned)) : unsigned;
  return asset === "KRW" ? `${sign}₩${grouped}` : `${sign}${grouped} ${asset}`.trim();
}

/** "007.50" is "7.5": no digit that says nothing. */
function shortened(text: string): string {
  const [integer = "", fraction = ""] = text.split(".");
  const decimals = fraction.replace(/0+$/, "");
  return `${integer.replace(/^0+(?=\d)/, "")}${decimals === "" ? "" : `.${decimals}`}`;
}

/** Go by ten thousand each, from one on. */
const UNITS = ["", "만", "억", "조", "경"] as const;

/**
 * Won as they are said in Korean: "145000000" is "1억 4,500만원", "12345.5" is "1만 2,345.5원". All digits are kept.
 * @returns undefined for what is no plain decimal
 */
export function inKoreanUnits(text: string): string | undefined {
  const unsigned = text.replace(/^-/, "");
  if (!UNSIGNED.test(unsigned)) return undefined;
  const [integer = "", fraction = ""] = unsigned.split(".");
  const decimals = fraction.replace(/0+$/, "");
  const parts: string[] = [];
  let rest = integer.replace(/^0+/, "");
  for (const [index, unit] of UNITS.entries()) {
    const isLast = index === UNITS.length - 1;
    const group = (isLast ? rest : rest.slice(-4)).replace(/^0+/, "");
    rest = isLast ? "" : rest.slice(0, -4);
    const point = unit === "" && decimals !== "" ? `.${decimals}` : "";
    if (group !== "" || point !== "") parts.unshift(`${groupThousands(group === "" ? "0" : group)}${point}${unit}`);
  }
  return `${text === unsigned ? "" : "-"}${parts.length === 0 ? "0" : parts.join(" ")}원`;
}

/** In Korean also by the units, where there are any. */
export function koreanAmount(text: string, asset: string): string {
  const shown = amount(text, asset);
  const spoken = asset === "KRW" ? inKoreanUnits(text) : undefined;
  return spoken === undefined || !/[만억조경]/.test(spoken) ? shown : `${shown} (${spoken})`;
}

/** Base and quote asset of a canonical symbol. */
export function assetsOf(symbol: string): { readonly base: string; readonly quote: string } {
  const [base = symbol, quote = ""] = symbol.split("/");
  return { base, quote };
}
