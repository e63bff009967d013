/**
 * Owns the respelling of a number somebody wrote in another notation: for a proposal in an error message only.
 *
 * Invariants: text in, text out, never a number in between; the output is bounded (two exponent digits at most).
 */

/** "1.5e3" as "1500"; unchanged when it is malformed or does not fit the grammar's width anyway. */
export function spelledOut(text: string): string {
  const [, integer = "", fraction = "", exponentText = ""] = /^(\d+)(?:\.(\d+))?e([+-]?\d{1,2})$/i.exec(text) ?? [];
  if (integer === "") return text;
  const point = integer.length + Number.parseInt(exponentText, 10); // not money: a count of digits
  const digits = `${"0".repeat(Math.max(1 - point, 0))}${integer}${fraction}`.padEnd(Math.max(point, 0), "0");
  const at = Math.max(point, 1);
  const plain = `${digits.slice(0, at).replace(/^0+(?=\d)/, "")}.${digits.slice(at)}`;
  return plain.replace(/\.?0*$/, "");
}

/** Full-width digits and point, as Korean and Japanese keyboards type them. Unicode folding would also read "10²" as 102. */
export function halfWidth(text: string): string {
  return text.replace(/[０-９．]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
}
