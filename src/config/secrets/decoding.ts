/**
 * Owns reading text that was encoded, and where in it each decoded part stands: backslash escapes (of JSON, JavaScript, C), percent
 * escapes and HTML entities; and the runs of base64, base64url and hex in it.
 *
 * All texts here are bytes: one character from 0 to 255 for each byte of UTF-8.
 *
 * Entry points: `unescaped`, which takes one level off; `runsIn`.
 *
 * Source: architecture.md#rule-9.
 */

/** From the first byte to behind the last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Decoded {
  readonly text: string;
  /** Tells where a part of `text` stands in what was decoded. */
  source(part: Span): Span;
}

interface Escape {
  readonly text: string;
  readonly length: number;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };
/** Those that stand for a character of ASCII, which comes behind the name. */
const ENTITIES = new Map(
  "amp& lt< gt> quot\" apos' plus+ sol/ equals= lowbar_ hyphen- bsol\\ excl! num# dollar$ percnt% lpar( rpar) ast* comma, period. colon: semi; quest? commat@ lsqb[ rsqb] Hat^ grave` lcub{ rcub} verbar|"
    .split(" ")
    .map((pair) => [pair.slice(0, -1), pair.slice(-1)] as const),
);

/** @returns undefined where nothing is escaped */
export function unescaped(text: string): Decoded | undefined {
  const special = /[\\%&]/g;
  const escapes: { readonly from: Span; readonly to: Span }[] = [];
  let [decoded, copied] = ["", 0];
  while (special.test(text)) {
    const start = special.lastIndex - 1;
    const found = escapeAt(text, start);
    if (found === undefined) continue;
    decoded += text.slice(copied, start) + found.text;
    copied = start + found.length;
    special.lastIndex = copied;
    escapes.push({
      from: { start, end: copied },
      to: { start: decoded.length - found.text.length, end: decoded.length },
    });
  }
  if (escapes.length === 0) return undefined;
  const sourceOf = (at: number): Span => {
    const { from, to } = escapes[lastUpTo(escapes, at)] ?? NOWHERE;
    if (at < to.end) return from;
    const start = from.end + at - to.end;
    return { start, end: start + 1 };
  };
  const source = ({ start, end }: Span): Span => ({ start: sourceOf(start).start, end: sourceOf(end - 1).end });
  return { text: decoded + text.slice(copied), source };
}

const NOWHERE = { from: { start: 0, end: 0 }, to: { start: 0, end: 0 } };

/** Index of the last escape whose text begins at or before a place; -1 where there is none. */
function lastUpTo(escapes: readonly { readonly to: Span }[], at: number): number {
  let [low, high] = [0, escapes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((escapes[middle]?.to.start ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function escapeAt(text: string, at: number): Escape | undefined {
  if (text[at] === "\\") return backslashAt(text, at);
  return text[at] === "%" ? percentAt(text, at) : entityAt(text, at);
}

function percentAt(text: string, at: number): Escape | undefined {
  const code = hexAt(text, at + 1, 2);
  return code === undefined ? undefined : { text: String.fromCharCode(code), length: 3 };
}

function backslashAt(text: string, at: number): Escape | undefined {
  const letter = text[at + 1];
  if (letter === undefined) return undefined;
  if (letter === "x") {
    const code = hexAt(text, at + 2, 2);
    if (code !== undefined) return { text: String.fromCharCode(code), length: 4 };
  }
  if (letter === "u") {
    const unit = hexAt(text, at + 2, 4);
    // A character beyond the first 65 536 is written as two.
    const low =
      unit !== undefined && unit >> 10 === 0x36 && text.startsWith("\\u", at + 6) ? hexAt(text, at + 8, 4) : undefined;
    if (unit !== undefined && low !== undefined) return { text: bytesOf(String.fromCharCode(unit, low)), length: 12 };
    if (unit !== undefined) return { text: bytesOf(String.fromCharCode(unit)), length: 6 };
  }
  return { text: SHORT_ESCAPES[letter] ?? letter, length: 2 };
}

function entityAt(text: string, at: number): Escape | undefined {
  const entity = /&(?:#(\d{1,9})|#[xX]([\da-fA-F]{1,8})|([A-Za-z]{2,6}));/y;
  entity.lastIndex = at;
  const [all = "", decimal, hex, name = ""] = entity.exec(text) ?? [];
  if (all === "") return undefined;
  // not money: the number of a character
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number.parseInt(decimal, 10);
  const character = code <= 0x10ffff ? bytesOf(String.fromCodePoint(code)) : ENTITIES.get(name);
  return character === undefined ? undefined : { text: character, length: all.length };
}

function hexAt(text: string, at: number, digits: number): number | undefined {
  const part = text.slice(at, at + digits);
  // not money: the number of a character
  return part.length === digits && /^[\da-fA-F]+$/.test(part) ? Number.parseInt(part, 16) : undefined;
}

export function bytesOf(text: string): string {
  return /[\u0080-\uffff]/.test(text) ? Buffer.from(text, "utf8").toString("latin1") : text;
}

/** Four letters of base64 that stand for three printable characters of ASCII: certain bits of the first three say so. */
const GROUP_LETTERS = ["[I-Za-f]", "[A-HQ-Xg-nw-z0-3]", "[ABEFIJMNQRUVYZcdghklopstwx014589]", "[\\w+/-]"];
const GROUP = GROUP_LETTERS.join("");
/** Base64 of text: from any place in a word, as other letters may stand before it, and each run of groups once. */
const BASE64 = new RegExp(`(?=[I-Za-f])(?<!${GROUP})(?=((?:${GROUP}){3,}[\\w+/-]{0,4}={0,2}))`, "g");
/** Hex of text, and of anything where the bytes stand apart. */
const HEX = /(?:[2-7][\da-fA-F][ :-]?){12,}|[\da-fA-F]{2}(?:[ :-][\da-fA-F]{2}){5,}/g;

/** The letters of the shortest run of each. */
const [BASE64_LEAST, HEX_LEAST] = [12, 17];
const IN_HEX = 1 << BASE64_LEAST;

/** For each letter a bit for each place of the shortest run of base64 where it may stand, and one more where it may stand in a run of hex. */
const PLACES = Uint16Array.from({ length: 256 }, (_, code) => {
  const letter = String.fromCharCode(code);
  const group = GROUP_LETTERS.map((letters) => new RegExp(letters).test(letter));
  let places = /[\da-fA-F :-]/.test(letter) ? IN_HEX : 0;
  for (let at = 0; at < BASE64_LEAST; at++) if (group[at % group.length] === true) places |= 1 << at;
  return places;
});

/**
 * Tells whether either expression could match, after one look at each letter: they try at every letter anew, and nearly no text has such runs.
 * A bit of `begun` says that a run of base64 may have begun so many letters ago.
 */
export function mayHoldRuns(text: string): boolean {
  let [begun, hex] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const places = PLACES[text.charCodeAt(at)] ?? 0;
    begun = ((begun << 1) | 1) & places;
    hex = (places & IN_HEX) === 0 ? 0 : hex + 1;
    if ((begun & (1 << (BASE64_LEAST - 1))) !== 0 || hex >= HEX_LEAST) return true;
  }
  return false;
}

/** The runs of base64 and hex in a text that hold text, or bytes that stand apart. */
export function* runsIn(text: string): Generator<Decoded> {
  if (!mayHoldRuns(text)) return;
  for (const { 1: run = "", index } of text.matchAll(BASE64)) {
    // The first characters may share their letters with something else.
    const shared = /[\w+/-]{4}$/.exec(text.slice(Math.max(index - 4, 0), index))?.[0] ?? "";
    yield base64Run(shared + run, index - shared.length);
  }
  for (const { 0: run, index } of text.matchAll(HEX)) yield hexRun(run, index);
}

function base64Run(run: string, index: number): Decoded {
  const text = Buffer.from(run, "base64").toString("latin1");
  const source = ({ start, end }: Span): Span => ({
    start: index + Math.floor((start * 8) / 6),
    // With what fills it up.
    end: end === text.length ? index + run.length : index + Math.ceil((end * 8) / 6),
  });
  return { text, source };
}

function hexRun(run: string, index: number): Decoded {
  const source = ({ start, end }: Span): Span => {
    const places = Array.from(run.matchAll(/[\da-fA-F]/g), (digit) => index + digit.index);
    return { start: places[start * 2] ?? index, end: (places[end * 2 - 1] ?? index + run.length - 1) + 1 };
  };
  return { text: Buffer.from(run.replace(/[ :-]/g, ""), "hex").toString("latin1"), source };
}
