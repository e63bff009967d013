/**
 * Owns reading a JSON request body: UTF-8, one value, and no object with the same key twice (two readers could take
 * different ones).
 */
import { isUtf8 } from "node:buffer";
import { badArgument, type Fault } from "./outcome.ts";

export type Json = { readonly ok: true; readonly value: unknown; readonly text: string } | Fault;

/** Parses the body. Duplicated keys are `duplicatedKey`'s to find, once the shape is known to be flat. */
export function readJson(contentType: string | undefined, body: Buffer): Json {
  if (contentType === undefined || !JSON_TYPE.test(contentType))
    return badArgument("Content-Type", "send the body as Content-Type: application/json");
  if (!isUtf8(body)) return badArgument("body", "the body is not UTF-8");
  const text = body.toString("utf8");
  try {
    return { ok: true, value: JSON.parse(text), text };
  } catch {
    // The parser's message quotes the body; whose text it is decides where it may be shown.
    return badArgument("body", "the body is not JSON");
  }
}

/**
 * A key that some object of the text holds twice.
 * @param text JSON that was parsed to `value` without error.
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

/** Members written in all objects of a valid JSON text: its colons outside of strings. */
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

/** Members kept in all objects of a value; iterative, because a caller chooses the depth. */
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
