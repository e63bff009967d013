/** Groups the digits of plain decimal text. Apart from what computes, so that who only shows figures loads nothing else. */
import { invariant } from "./invariant.ts";

/**
 * Puts a comma between every three integer digits: "-1234567.125" becomes "-1,234,567.125".
 * @throws DecimalInvariantError when `text` is not plain decimal text.
 */
export function groupThousands(text: string): string {
  invariant(/^-?\d+(\.\d+)?$/.test(text), `only plain decimal text can be grouped: ${JSON.stringify(text)}`);
  const [integer = "", fraction] = text.split(".");
  const grouped = integer.replace(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
