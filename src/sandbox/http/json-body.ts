/**
 * Reads a JSON request body. Entry points: `readJson`, `duplicatedKey`.
 *
 * Invariant: a body is UTF-8, one value, and has no object with a duplicated key, of which two readers could take different ones.
 */
import { isUtf8 } from "node:buffer";
import { badArgument, type Fault } from "./outcome.ts";

export type Json = { readonly ok: true; readonly value: unknown; readonly text: string } | Fault;

/** Parses the body. Call `duplicatedKey` once the shape is checked. */
export function readJson(contentType: string | undefined, body: Buffer): Json {
  if (contentType === undefined || !JSON_TYPE.test(contentType))
    return badArgument("Content-Type", "send the body as Content-Type: application/json");
  if (!isUtf8(body)) return badArgument("body", "the body is not UTF-8");
  const text = body.toString("utf8");
  try {
    return { ok: true, value: JSON.parse(text), text };
  } catch {
    // The parser's message quotes the body, and so is not shown.
    return badArgument("body", "the body is not JSON");
  }
}

/**
 * A key that an object in the text has twice; undefined when there is none.
 * @param text JSON text that was parsed to `value`
 */
export function duplicatedKey(text: string, value: unknown): string | undefined {
  if (memberCount(text) === keyCount(value)) return undefined;
  const seen = new Set<string>();
  for (const [, name = ""] of text.matchAll(/"((?:[^"\\]|\\.)*)"\s*:/g)) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return "body";
}

const JSON_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;
const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;

/** The number of members in a valid JSON text: its colons outside strings. */
function memberCount(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COLON) count++;
    else if (code === QUOTE) {
      at++;
      while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
    }
  }
  return count;
}

/** The number of members in a value; iterative, as the caller chooses the depth. */
function keyCount(root: unknown): number {
  let count = 0;
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    const children = Object.values(value);
    if (!Array.isArray(value)) count += children.length;
    for (const child of children) if (typeof child === "object") open.push(child);
  }
  return count;
}
