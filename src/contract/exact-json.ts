/** Foreign JSON whose numbers stay text. Source: architecture.md#rule-10. */
import { plainNumber } from "../decimal/index.ts";
import { parseForeignJson } from "./quotation.ts";

/**
 * As `parseForeignJson`, with every number as its own text, so that none becomes a binary one on the way: a plain decimal, whatever its digits.
 * @throws SyntaxError also for a number that is longer than any value kept here
 */
export function parseExactJson(text: string): unknown {
  return parseForeignJson(text.replace(STRING_OR_NUMBER, asText));
}

/** What would have to be a field's name is left as it is, so that it stays no JSON. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\s\d.eE]*:)/g;

function asText(token: string): string {
  if (token.startsWith('"')) return token;
  const plain = plainNumber(token);
  if (plain === undefined) throw new SyntaxError("a number is too long");
  return `"${plain}"`;
}
