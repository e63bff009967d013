/**
 * Owns how text of the venue is shown: as one visible line, and capped. In a sentence of ours it stands in quotation marks, by `quoted`.
 *
 * Owns applying a redaction to a whole JSON value: what is kept on disk, and what leaves the process.
 *
 * Source: architecture.md#rule-9, architecture.md#rule-10.
 */
import { INVISIBLE } from "../decimal/index.ts";

export { quoted } from "../decimal/index.ts";

/** @returns one line of at most `max` characters; undefined when nothing readable is left. */
export function visibleLine(text: string, max: number): string | undefined {
  // A character is at most two units, so what lies beyond cannot matter; the cap keeps megabytes out of the regex.
  const line = text
    .slice(0, max * 8)
    .replace(INVISIBLE, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line === "" ? undefined : Array.from(line).slice(0, max).join("");
}

/** Words longer than this are cut; ids, cursors and addresses, which hold no space, may be as long as `TOKEN_MAX`. */
const WORDS_MAX = 200;
const TOKEN_MAX = 4_096;

/**
 * JSON as somebody else wrote it, with every text in it made safe to show: without invisible characters, and capped. An answer whose field names would
 * have to be changed is no answer of the contract.
 * @throws SyntaxError for what is not JSON, and for such names
 */
export function parseForeignJson(text: string): unknown {
  return MAY_NEED_CLEANING.test(text) ? JSON.parse(text, clean) : JSON.parse(text);
}

/** Most answers are printable ASCII without escapes or long texts, and are parsed several times as fast without a reviver. */
const MAY_NEED_CLEANING = new RegExp(`[^ -~]|\\\\[bfnrtu]|"[^"]{${WORDS_MAX}}`);

function clean(name: string, value: unknown): unknown {
  if (cleanText(name) !== name) throw new SyntaxError("a field's name is no name");
  return typeof value === "string" ? cleanText(value) : value;
}

function cleanText(text: string): string {
  if (text.length <= WORDS_MAX && text.search(INVISIBLE) < 0) return text;
  const head = text.slice(0, TOKEN_MAX);
  return visibleLine(head, /\s/.test(head) ? WORDS_MAX : TOKEN_MAX) ?? "";
}

/** The value as JSON has it, `redact` applied to every string, keys included; of keys that become the same the last one stays. */
export function redacted(value: unknown, redact: (text: string) => string): unknown {
  return JSON.parse(JSON.stringify(value), (_key, member: unknown) => {
    if (typeof member === "string") return redact(member);
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([key, inner]) => [redact(key), inner]));
  });
}

/**
 * Tells whether one search over the JSON text of a value shows that there is nothing to redact in it, which saves a search of every string.
 * False too where that does not tell: what JSON escapes, behind a percent sign, may hide a short secret.
 */
export function isFreeOfSecrets(image: string, redact: (text: string) => string): boolean {
  return !(image.includes("%") && image.includes("\\")) && redact(image) === image;
}
