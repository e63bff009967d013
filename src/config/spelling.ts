/**
 * Owns how a value may be spelled where it is not written plainly: base64 and base64url (also in the middle of more), hex,
 * percent-encoded, escaped for JSON or HTML, nested a few times; and, as an API secret is base64 itself, all of that for its
 * bytes too.
 *
 * Entry point: `spellingsOf`.
 *
 * Source: architecture.md#rule-9.
 */

/** Sources of regular expressions. */
export interface Spelling {
  /** What every match of `whole` begins with: quick to make, to compile and to look for. */
  readonly start: string;
  /** All of the value, or a long beginning of it. */
  whole(): string;
}

/** JSON inside JSON inside JSON, inside the message it is found in: every level doubles the backslashes. */
const ESCAPES_MAX = 16;
const ESCAPES = `\\\\{1,${ESCAPES_MAX}}`;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { "\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f" };
const ENTITIES: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

/** Fewer bytes or letters could not be recognized when they are encoded. */
const BYTES_MIN = 6;
const START = 6;
/** A text that was capped may end in the middle of a secret: this much of its beginning is as good as all of it. */
const HEAD = 12;
const HEAD_OF_AT_LEAST = 20;
/** Groups in groups; what is longer is taken in one piece from there on. */
const NESTED_MAX = 400;

export function spellingsOf(value: string): readonly Spelling[] {
  const bytes = Buffer.from(value, "utf8");
  const own = [plain(value), ...encoded(bytes)];
  const decoded = /^[\w+/-]+={0,2}$/.test(value) ? Buffer.from(value, "base64") : undefined;
  if (decoded === undefined || decoded.length < BYTES_MIN) return own;
  const text = decoded.toString("utf8");
  const isText = text.length >= BYTES_MIN && Buffer.from(text, "utf8").equals(decoded);
  return [...own, ...encoded(decoded), ...(isText ? [plain(text)] : [])];
}

function plain(text: string): Spelling {
  // A run of backslashes is one part: many ways to share out a longer run would take for ever to try.
  return spelling(text.match(/\\+|./gsu) ?? [], (part) =>
    part.startsWith("\\") ? backslashes(part.length) : letter(part),
  );
}

function encoded(bytes: Buffer): readonly Spelling[] {
  return [spelling(Array.from(bytes), (byte) => `${hex(byte)}[ :-]?`), ...[0, 1, 2].map((at) => base64(bytes, at))];
}

/** @param shift bytes of something else in front of these, modulo 3: other letters come of the same bytes then. */
function base64(bytes: Buffer, shift: number): Spelling {
  const text = Buffer.from(`${"\0".repeat(shift)}${bytes.toString("latin1")}`, "latin1").toString("base64url");
  // The first and the last letter may be made of foreign bits too; the last is ours alone where nothing follows.
  const from = Math.ceil((shift * 8) / 6);
  const to = Math.floor(((shift + bytes.length) * 8) / 6);
  const last = () => (to < text.length ? `(?:${base64Letter(text.slice(to))}(?:${letter("=")}){0,2})?` : "");
  return spelling(Array.from(text.slice(from, to)), base64Letter, last);
}

/** @param last what may follow all of it. */
function spelling<Part>(parts: readonly Part[], spelled: (part: Part) => string, last = () => ""): Spelling {
  const all = (some: readonly Part[]) => some.map(spelled).join("");
  const whole = () => {
    if (parts.length < HEAD_OF_AT_LEAST) return `${all(parts)}${last()}`;
    const end = parts.length > NESTED_MAX ? `(?:${all(parts.slice(NESTED_MAX))}${last()})?` : last();
    const tail = parts.slice(HEAD, NESTED_MAX).reduceRight((after, part) => `(?:${spelled(part)}${after})?`, end);
    return `${all(parts.slice(0, HEAD))}${tail}`;
  };
  return { start: all(parts.slice(0, START)), whole };
}

/** base64url writes two of the letters differently; it is what is given here, as it leaves out what fills up the end. */
function base64Letter(character: string): string {
  if (character === "-") return `(?:${letter("+")}|-)`;
  return character === "_" ? `(?:${letter("/")}|_)` : character;
}

/** One character in every spelling, those first that begin with another. Letters and digits are never escaped. */
function letter(character: string): string {
  if (/^[A-Za-z0-9]$/.test(character)) return character;
  const spellings = [...byNumber(character)];
  if (character in ENTITIES) spellings.push(`&(?:amp;){0,3}${ENTITIES[character]};`);
  if (character in SHORT_ESCAPES) spellings.push(`${ESCAPES}${SHORT_ESCAPES[character]}`);
  if (character === " ") spellings.push("\\+");
  // Escaped needlessly too, as `\/` often is.
  spellings.push(`(?:${ESCAPES})?${character.replace(/[$^.*+?()[\]{}|/-]/, "\\$&")}`);
  return anyOf(spellings);
}

function backslashes(times: number): string {
  return anyOf([...byNumber("\\").map((one) => `(?:${one}){${times}}`), `\\\\{${times},${ESCAPES_MAX * times}}`]);
}

function byNumber(character: string): readonly string[] {
  const code = character.codePointAt(0) ?? 0;
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return [
    units.map((unit) => `${ESCAPES}u${hex(unit >> 8)}${hex(unit & 0xff)}`).join(""),
    Array.from(Buffer.from(character, "utf8"), (byte) => `%(?:25){0,3}${hex(byte)}`).join(""),
    `&(?:amp;){0,3}#(?:0*${code}|[xX]0*${anyCase(code.toString(16))});`,
  ];
}

function anyOf(spellings: readonly string[]): string {
  return `(?:${spellings.join("|")})`;
}

function hex(byte: number): string {
  return anyCase(byte.toString(16).padStart(2, "0"));
}

function anyCase(digits: string): string {
  return digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
