/**
 * Owns tables as files for other programs: RFC 4180, so lines end in CRLF, and what holds a comma, a quote or a line break is quoted.
 *
 * Invariant: no cell begins as a formula does in a spreadsheet: such a text gets an apostrophe before it. A number stands as it is, with its sign.
 *
 * Source: commands.md#csv; decision 0033.
 */

/** Matches what a spreadsheet takes for the beginning of a formula, also in full width. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^-?\d+(\.\d+)?$/;
const SPECIAL = /[",\r\n]/;

/** @param rows null is an empty cell */
export function csv(heads: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  return [heads, ...rows].map((cells) => `${cells.map(written).join(",")}\r\n`).join("");
}

function written(cell: string | null): string {
  const text = cell ?? "";
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return SPECIAL.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
