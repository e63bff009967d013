/** Groups the digits of plain decimal text. Apart from what computes, so that who only shows figures loads nothing else. */
import { DecimalInvariantError } from "./invariant.ts";
import { quoted } from "./quotation.ts";

const PLAIN = /^-?\d+(\.\d+)?$/;

/**
 * Puts a comma between every three integer digits: "-1234567.125" becomes "-1,234,567.125".
 * @throws DecimalInvariantError when `text` is not plain decimal text.
 */
export function groupThousands(text: string): string {
  if (!PLAIN.test(text)) throw new DecimalInvariantError(`only plain decimal text can be grouped: ${quoted(text)}`);
  const point = text.indexOf(".");
  const [from, to] = [text.startsWith("-") ? 1 : 0, point < 0 ? text.length : point];
  let grouped = text.slice(0, from + ((to - from - 1) % 3) + 1);
  for (let at = grouped.length; at < to; at += 3) grouped += `,${text.slice(at, at + 3)}`;
  return grouped + text.slice(to);
}
