/**
 * Reads a query string. Entry points: `readQuery`, `decoded`.
 *
 * Invariant: a parameter that is given twice or cannot be decoded is refused, as two readers could understand it differently.
 * Source: service.md#strict-requests.
 */
import { badArgument, type Fault } from "./outcome.ts";

export type Query = Readonly<Record<string, string>>;

const NONE: Query = Object.freeze({});

/** The parameters of a query string. @param text without "?" */
export function readQuery(text: string): { readonly ok: true; readonly query: Query } | Fault {
  if (text === "") return { ok: true, query: NONE };
  // Without a prototype, so that `__proto__` is a name like any other and refused as unknown.
  const query: Record<string, string> = Object.create(null);
  for (const part of text.split("&")) {
    const equals = part.indexOf("=");
    const name = decoded(equals < 0 ? part : part.slice(0, equals));
    const value = decoded(equals < 0 ? "" : part.slice(equals + 1));
    if (name === undefined || name === "") return badArgument("query", "the query string cannot be read");
    if (value === undefined) return badArgument(name, "the percent encoding is broken");
    if (name in query) return badArgument(name, "this parameter is given more than once");
    query[name] = value;
  }
  return { ok: true, query };
}

/** The text without percent encoding; undefined when it cannot be decoded. */
export function decoded(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
