/**
 * Reads the parameters of a call, from the query or from a JSON body, and the text of them that is hashed into the token. Entry points:
 * `readQuery`, `readBody`, `Parameters`.
 *
 * Invariant: the hashed text is `name=value` joined by `&`, in the order sent and with the percent encoding taken off; so a client that
 * hashes what it encodes is understood only where encoding changes nothing. SOURCES.md says why.
 */
import { isUtf8 } from "node:buffer";
import { badValue, refuse, type UpbitError } from "./outcome.ts";

/** The values of a call by name; those of `states[]` are a list. */
export class Parameters {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  /** An empty value counts as none. */
  text(name: string): string | undefined {
    return this.#values.get(name)?.[0] || undefined;
  }

  /** The items of `name[]`, or of a plain name with commas in between. */
  list(name: string): readonly string[] {
    const items = this.#values.get(`${name}[]`) ?? this.#values.get(name)?.flatMap((text) => text.split(",")) ?? [];
    return items.filter((item) => item !== "");
  }

  /** A whole number of that range. */
  count(name: string, otherwise: number, max: number): number | UpbitError {
    const text = this.text(name);
    if (text === undefined) return otherwise;
    const count = /^\d{1,6}$/.test(text) ? Number(text) : 0; // not money: a count
    return count < 1 || count > max ? badValue(name) : count;
  }

  /** One of some words. */
  choice<Word extends string>(name: string, words: readonly Word[], otherwise: Word): Word | UpbitError {
    const text = this.text(name) ?? otherwise;
    return words.find((word) => word === text) ?? badValue(name);
  }
}

export interface SentParameters {
  readonly ok: true;
  readonly parameters: Parameters;
  /** What is hashed; empty for a call without parameters. */
  readonly hashedText: string;
  /** The same with the percent encoding left on. */
  readonly encodedText: string;
}

type Pair = readonly [name: string, value: string];

/** @param text without "?" */
export function readQuery(text: string): SentParameters | UpbitError {
  const pairs: Pair[] = [];
  const values: Pair[] = [];
  for (const part of text === "" ? [] : text.split("&")) {
    const equals = part.indexOf("=");
    const [name, value] = equals < 0 ? [part, ""] : [part.slice(0, equals), part.slice(equals + 1)];
    const [plainName, plain, read] = [unescaped(name), unescaped(value), unescaped(value.replaceAll("+", " "))];
    if (plainName === undefined || plain === undefined || read === undefined) return refuse("invalid_parameter");
    pairs.push([plainName, plain]);
    values.push([plainName, read]);
  }
  return sent(pairs, values, text);
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const JSON_TYPE = /^application\/json\s*(;.*)?$/i;
/** A member of a flat object, which was parsed before. */
const MEMBER = /("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,}]+)/g;

/** A member that is null counts as absent, and is hashed all the same. */
export function readBody(contentType: string | undefined, body: Buffer): SentParameters | UpbitError {
  if (body.length === 0) return sent([], []);
  if (!JSON_TYPE.test(contentType ?? "")) return refuse("validation_error", "send the parameters as JSON");
  const text = body.toString("utf8");
  if (!isUtf8(body) || !isFlatObject(text)) return refuse("validation_error");
  const members = [...text.matchAll(MEMBER)].map(([, name = "", value = ""]): Pair => [plain(name), plain(value)]);
  const absent = new Set(
    [...text.matchAll(MEMBER)].filter(([, , value]) => value === "null").map(([, name = ""]) => plain(name)),
  );
  return sent(
    members,
    members.filter(([name]) => !absent.has(name)),
  );
}

/** A text without its quotes; a number stays as it was written. */
function plain(token: string): string {
  return token.startsWith('"') ? String(JSON.parse(token)) : token;
}

function isFlatObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    return Object.values(value).every((each) => typeof each !== "object" || each === null);
  } catch {
    return false;
  }
}

function sent(pairs: readonly Pair[], values: readonly Pair[], encoded?: string): SentParameters | UpbitError {
  const byName = new Map<string, string[]>();
  for (const [name, value] of values) {
    const known = byName.get(name);
    if (known !== undefined && !name.endsWith("[]")) return badValue(name);
    if (known === undefined) byName.set(name, [value]);
    else known.push(value);
  }
  const hashedText = pairs.map(([name, value]) => `${name}=${value}`).join("&");
  return { ok: true, parameters: new Parameters(byName), hashedText, encodedText: encoded ?? hashedText };
}
