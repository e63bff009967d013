/**
 * Owns JSON that a host has put into a text, where an object or a list is wanted: `"{\"symbol\":\"BTC/KRW\"}"`.
 *
 * Invariant: it is read only where it can mean one thing. A key that stands twice in one object is named, and nothing of the text is taken.
 *
 * Source: decision 0080.
 */
import { mayHoldMore, withOwnKeys } from "./own-key.ts";

export type JsonText =
  | { readonly ok: true; readonly value: unknown }
  /** It is not JSON. */
  | { readonly ok: false; readonly doubled?: undefined }
  /** A key stands twice. */
  | { readonly ok: false; readonly doubled: string };

export function readJsonText(text: string): JsonText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false };
  }
  const doubled = doubledKey(text);
  if (doubled !== undefined) return { ok: false, doubled };
  return { ok: true, value: mayHoldMore(text) ? withOwnKeys(value) : value };
}

const TOKEN = /"(?:[^"\\]+|\\.)*"|[{}[\]:]/g;

/** @param text that is JSON */
function doubledKey(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let last = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":") {
      const key = JSON.parse(last) as string;
      const keys = open.at(-1);
      if (keys?.has(key) === true) return key;
      keys?.add(key);
    }
    last = token;
  }
  return undefined;
}

/** Tells an object of JSON from a list, a text and null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
