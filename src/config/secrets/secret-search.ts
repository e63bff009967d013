/**
 * Owns finding parts of secrets in a text: any twelve characters in a row, plain or encoded, one encoding inside another. A shorter
 * secret is found as a whole.
 *
 * Entry point: `SecretSearch`, for a set of secrets that does not change.
 * Invariant: a text without a secret costs one pass for each level of escapes in it, and two expressions.
 *
 * Source: architecture.md#rule-9.
 */
import { bytesOf, type Decoded, runsIn, type Span, unescaped } from "./decoding.ts";

/** So many characters of a secret are as good as all of it. */
const WINDOW = 12;
/** A shorter value would be found in prices and words that have nothing to do with it. */
export const SECRET_MIN = 6;
/** Compared at once, at every place of a text. */
const GRAM = 4;
const TABLE_BITS = 16;
/** JSON in JSON in JSON, three times quoted, inside a message: each level is one. */
const ESCAPES_MAX = 12;
/** So often is a short secret quoted that is found as it is written. */
const QUOTED_MAX = 3;
/** Base64 of hex of base64. */
const RUNS_MAX = 3;

interface Needle {
  readonly text: string;
  readonly enough: number;
}

interface Place {
  readonly needle: Needle;
  readonly at: number;
}

export class SecretSearch {
  /** Grams of the needles: so many that each part that is enough holds one. */
  readonly #places = new Map<string, Place[]>();
  /** A bit for each hash, whether any gram has it: keeps nearly all places of a text from a search in the map, in 8 KB that a cache holds. */
  readonly #table = new Uint32Array(1 << (TABLE_BITS - 5));

  constructor(secrets: Iterable<string>) {
    const needles = [...secrets].flatMap(needlesOf);
    for (const needle of needles)
      for (let at = 0; at + GRAM <= needle.text.length; at += needle.enough - GRAM + 1) {
        const gram = needle.text.slice(at, at + GRAM);
        const hash = hashOf(Buffer.from(gram, "latin1").readUInt32BE());
        this.#table[hash >>> 5] = (this.#table[hash >>> 5] ?? 0) | (1 << (hash & 31));
        this.#places.set(gram, [...(this.#places.get(gram) ?? []), { needle, at }]);
      }
  }

  /** @param text bytes. @returns in any order, some in others */
  find(text: string, escapesMax = ESCAPES_MAX, runsMax = RUNS_MAX): readonly Span[] {
    const found = this.#findPlain(text);
    const add = (decoded: Decoded, parts: readonly Span[]): void => {
      for (const part of parts) found.push(decoded.source(part));
    };
    const decoded = escapesMax > 0 ? unescaped(text) : undefined;
    if (decoded !== undefined) add(decoded, this.find(decoded.text, escapesMax - 1, runsMax));
    else if (runsMax > 0) for (const run of runsIn(text)) add(run, this.find(run.text, escapesMax, runsMax - 1));
    return found;
  }

  #findPlain(text: string): Span[] {
    const found: Span[] = [];
    let gram = 0;
    for (let end = 1; end <= text.length; end++) {
      gram = (gram << 8) | text.charCodeAt(end - 1);
      const hash = hashOf(gram);
      if ((((this.#table[hash >>> 5] ?? 0) >>> (hash & 31)) & 1) === 0) continue;
      const at = end - GRAM;
      for (const place of this.#places.get(text.slice(Math.max(at, 0), end)) ?? []) {
        const span = grown(text, at, place);
        if (span.end - span.start >= place.needle.enough) found.push(span);
      }
    }
    return found;
  }
}

function hashOf(gram: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> (32 - TABLE_BITS);
}

/** All that text and secret have in common around a gram. */
function grown(text: string, at: number, { needle, at: inNeedle }: Place): Span {
  let [before, behind] = [0, GRAM];
  while (before < inNeedle && text[at - before - 1] === needle.text[inNeedle - before - 1]) before++;
  while (inNeedle + behind < needle.text.length && text[at + behind] === needle.text[inNeedle + behind]) behind++;
  return { start: at - before, end: at + behind };
}

/** The secret as it is, with nothing escaped, as a form writes its spaces, and the bytes that it is the base64 or hex of; and each of them in base64 and hex. */
function needlesOf(secret: string): readonly Needle[] {
  const plain = bytesOf(secret);
  const forms = [plain];
  if (/^[\w+/-]+={0,2}$/.test(secret)) forms.push(Buffer.from(secret, "base64").toString("latin1"));
  if (/^(?:[\da-fA-F]{2})+$/.test(secret)) forms.push(Buffer.from(secret, "hex").toString("latin1"));
  let bare = plain;
  for (let level = 0; level < ESCAPES_MAX; level++) bare = unescaped(bare)?.text ?? bare;
  // Twelve characters with an escape among them are fewer without.
  const shrunk = Math.max(WINDOW - (plain.length - bare.length), SECRET_MIN);
  const needles = [
    ...forms.filter(({ length }) => length >= SECRET_MIN).flatMap(encoded),
    ...quotedForms(secret),
    { text: bare, enough: shrunk },
    { text: bare.replaceAll(" ", "+"), enough: shrunk },
  ];
  const unique = new Map(needles.map((needle) => [needle.text, needle]));
  return [...unique.values()]
    .filter(({ text }) => text.length >= SECRET_MIN)
    .map(({ text, enough }) => ({ text, enough: Math.min(enough, text.length) }));
}

/** As it stands in JSON, and in JSON in that: taking the escapes off a text takes off those of a secret too, of which too little may be left to be known by. */
function quotedForms(secret: string): readonly Needle[] {
  const forms: string[] = [];
  for (let form = secret; forms.length < QUOTED_MAX; forms.push(form)) form = JSON.stringify(form).slice(1, -1);
  return forms.map((form) => ({ text: bytesOf(form), enough: WINDOW }));
}

/** Base64 without the letters that are shared with what stands before and behind: three ways to share them, two alphabets. */
function encoded(form: string): readonly Needle[] {
  const hex = Buffer.from(form, "latin1").toString("hex");
  const base64 = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from(`${"\0".repeat(before)}${form}`, "latin1");
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return (["base64", "base64url"] as const).map((kind) => bytes.toString(kind).slice(from, to));
  });
  return [
    { text: form, enough: WINDOW },
    ...[hex, hex.toUpperCase()].map((text) => ({ text, enough: WINDOW * 2 })),
    ...base64.map((text) => ({ text, enough: Math.floor((WINDOW * 8 - 5) / 6) })),
  ];
}
