/**
 * A UUID's text as four 32-bit words, and back. Entry points: `UuidWords`, `uuidText`.
 *
 * Invariant: only text that comes back as it was is taken for a UUID: 36 characters, lower case, hyphens where they belong.
 */

/** What a character is worth as a hexadecimal digit; negative for any other. */
const DIGITS = new Int8Array(65_536).fill(-1);
const HEX_CODES = Buffer.from("0123456789abcdef");
for (const [value, code] of HEX_CODES.entries()) DIGITS[code] = value;

const LENGTH = 36;
const HYPHEN = "-".charCodeAt(0);
const HYPHENS = [8, 13, 18, 23] as const;

/** The words of the text that was read last. A command names its order more than once, so that the same text is not read again. */
export class UuidWords {
  a = 0;
  b = 0;
  c = 0;
  d = 0;
  hash = 0;
  #text = "";
  #isUuid = false;

  /** @returns whether the text is a UUID; the words are its only then */
  read(text: string): boolean {
    if (!isSame(text, this.#text)) {
      this.#isUuid = this.#readWords(text);
      this.#text = text;
    }
    return this.#isUuid;
  }

  #readWords(text: string): boolean {
    if (text.length !== LENGTH) return false;
    for (const at of HYPHENS) if (text.charCodeAt(at) !== HYPHEN) return false;
    const [h0, h1, h2, h3] = [half(text, 0), half(text, 4), half(text, 9), half(text, 14)];
    const [h4, h5, h6, h7] = [half(text, 19), half(text, 24), half(text, 28), half(text, 32)];
    if ((h0 | h1 | h2 | h3 | h4 | h5 | h6 | h7) < 0) return false;
    this.a = (h0 << 16) | h1;
    this.b = (h2 << 16) | h3;
    this.c = (h4 << 16) | h5;
    this.d = (h6 << 16) | h7;
    this.hash = hashOf(this.a, this.b, this.c, this.d);
    return true;
  }
}

/** Ids of one time begin alike, so that a comparison from the front would read most of both. */
function isSame(text: string, other: string): boolean {
  const last = text.length - 1;
  return text.charCodeAt(last) === other.charCodeAt(last) && text === other;
}

/** Ids of one millisecond differ in few bits, and those of a test in the last digits; all of them are to count. */
function hashOf(a: number, b: number, c: number, d: number): number {
  let hash = Math.imul(a ^ Math.imul(b, 0x85ebca6b), 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15) ^ c, 0x27d4eb2f);
  hash = Math.imul(hash ^ (hash >>> 13) ^ d, 0x165667b1);
  return hash ^ (hash >>> 16);
}

/** Four digits; negative where one of them is none. */
function half(text: string, at: number): number {
  return (digit(text, at) << 12) | (digit(text, at + 1) << 8) | (digit(text, at + 2) << 4) | digit(text, at + 3);
}

function digit(text: string, at: number): number {
  return DIGITS[text.charCodeAt(at)] ?? -1;
}

const TEXT = Buffer.alloc(LENGTH);
for (const at of HYPHENS) TEXT[at] = HYPHEN;

export function uuidText(a: number, b: number, c: number, d: number): string {
  write(a >>> 16, 0);
  write(a, 4);
  write(b >>> 16, 9);
  write(b, 14);
  write(c >>> 16, 19);
  write(c, 24);
  write(d >>> 16, 28);
  write(d, 32);
  return TEXT.toString("latin1");
}

function write(half: number, at: number): void {
  TEXT[at] = HEX_CODES[(half >>> 12) & 15] ?? 0;
  TEXT[at + 1] = HEX_CODES[(half >>> 8) & 15] ?? 0;
  TEXT[at + 2] = HEX_CODES[(half >>> 4) & 15] ?? 0;
  TEXT[at + 3] = HEX_CODES[half & 15] ?? 0;
}
