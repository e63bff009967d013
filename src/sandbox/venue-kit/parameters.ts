/**
 * Reads the parameters of a call, from a query or from a JSON body, and the text of them that some exchanges hash into a token. Entry point:
 * `ParameterReader`.
 *
 * Invariants: what is wrong with a parameter is said in the family's own words; the hashed text is `name=value` joined by `&`, in the order
 * sent and with the percent encoding taken off.
 */
import { isUtf8 } from "node:buffer";

/** How a family refuses what is sent. */
export interface ParameterRefusals<Refused> {
  /** A parameter that is missing, or has no valid value. */
  badValue(name: string): Refused;
  /** A query that cannot be read. */
  badQuery(): Refused;
  /** A body that is no flat JSON object, or of another type. */
  badBody(): Refused;
}

/** The values of a call by name; those of `states[]` are a list. */
export class Parameters<Refused> {
  readonly #values: ReadonlyMap<string, readonly string[]>;
  readonly #badValue: (name: string) => Refused;

  constructor(values: ReadonlyMap<string, readonly string[]>, badValue: (name: string) => Refused) {
    this.#values = values;
    this.#badValue = badValue;
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
  count(name: string, otherwise: number, max: number): number | Refused {
    const text = this.text(name);
    if (text === undefined) return otherwise;
    const count = /^\d{1,6}$/.test(text) ? Number(text) : 0; // not money: a count
    return count < 1 || count > max ? this.#badValue(name) : count;
  }

  /** One of some words. */
  choice<Word extends string>(name: string, words: readonly Word[], otherwise: Word): Word | Refused {
    const text = this.text(name) ?? otherwise;
    return words.find((word) => word === text) ?? this.#badValue(name);
  }
}

export interface SentParameters<Refused> {
  readonly ok: true;
  readonly parameters: Parameters<Refused>;
  /** What is hashed; empty for a call without parameters. */
  readonly hashedText: string;
  /** The same with the percent encoding left on. */
  readonly encodedText: string;
}

type Pair = readonly [name: string, value: string];

export class ParameterReader<Refused> {
  readonly #refusals: ParameterRefusals<Refused>;

  constructor(refusals: ParameterRefusals<Refused>) {
    this.#refusals = refusals;
  }

  /** @param text without "?" */
  readQuery(text: string): SentParameters<Refused> | Refused {
    const pairs: Pair[] = [];
    const values: Pair[] = [];
    for (const part of text === "" ? [] : text.split("&")) {
      const equals = part.indexOf("=");
      const [name, value] = equals < 0 ? [part, ""] : [part.slice(0, equals), part.slice(equals + 1)];
      const [plainName, plain, read] = [unescaped(name), unescaped(value), unescaped(value.replaceAll("+", " "))];
      if (plainName === undefined || plain === undefined || read === undefined) return this.#refusals.badQuery();
      pairs.push([plainName, plain]);
      values.push([plainName, read]);
    }
    return this.#sent(pairs, values, text);
  }

  /** A member that is null counts as absent, and is hashed all the same. */
  readBody(contentType: string | undefined, body: Buffer): SentParameters<Refused> | Refused {
    if (body.length === 0) return this.#sent([], []);
    const text = body.toString("utf8");
    if (!JSON_TYPE.test(contentType ?? "") || !isUtf8(body) || !isFlatObject(text)) return this.#refusals.badBody();
    const members = [...text.matchAll(MEMBER)];
    const pairOf = ([, name = "", value = ""]: RegExpExecArray): Pair => [plain(name), plain(value)];
    const absent = new Set(members.filter(([, , value]) => value === "null").map((member) => pairOf(member)[0]));
    const pairs = members.map(pairOf);
    return this.#sent(
      pairs,
      pairs.filter(([name]) => !absent.has(name)),
    );
  }

  #sent(pairs: readonly Pair[], values: readonly Pair[], encoded?: string): SentParameters<Refused> | Refused {
    const byName = new Map<string, string[]>();
    const badValue = (name: string): Refused => this.#refusals.badValue(name);
    for (const [name, value] of values) {
      const known = byName.get(name);
      if (known !== undefined && !name.endsWith("[]")) return badValue(name);
      if (known === undefined) byName.set(name, [value]);
      else known.push(value);
    }
    const hashedText = pairs.map(([name, value]) => `${name}=${value}`).join("&");
    return { ok: true, parameters: new Parameters(byName, badValue), hashedText, encodedText: encoded ?? hashedText };
  }
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
