/**
 * Owns the one text that a JSON value has here: keys sorted by UTF-16 code unit, no white space, numbers and strings as
 * JavaScript writes them. Source: RFC 8785, beyond which lone surrogates are kept, escaped.
 *
 * Invariant: two values that mean the same have the same text, so that a hash over it can be computed again from any copy.
 */

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** @param redact is applied to every string, keys included; of keys that become the same the last one stays. */
export function canonicalJson(value: unknown, redact: (text: string) => string = (text) => text): string {
  // Through JSON first: what it leaves out or turns into something else (undefined, dates, NaN) is settled there.
  return textOf(JSON.parse(JSON.stringify(value)) as Json, redact);
}

function textOf(value: Json, redact: (text: string) => string): string {
  if (typeof value === "string") return JSON.stringify(redact(value));
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isList(value)) return `[${value.map((item) => textOf(item, redact)).join(",")}]`;
  const members = new Map(Object.entries(value).map(([key, member]) => [redact(key), member]));
  const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, member]) => `${JSON.stringify(key)}:${textOf(member, redact)}`).join(",")}}`;
}

function isList(value: readonly Json[] | { readonly [key: string]: Json }): value is readonly Json[] {
  return Array.isArray(value);
}
