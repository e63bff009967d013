/**
 * Owns numbers as Koreans write them, "5만원", "1억 2천만 원", "0.5개", for a proposal in an error message only.
 *
 * Invariants: exact, by whole numbers; what could mean two things means nothing ("10천", "1.5억 3천만", "1억 6천", "5만원쯤").
 */

export interface SpokenNumber {
  /** Digits with at most one point. */
  readonly plain: string;
  /** Says what it is a number of, where that was said. */
  readonly unit?: "won" | "coins";
}

/** Goes by ten thousand each, from the largest down. */
const LARGE: readonly (readonly [unit: string, zeros: number])[] = [
  ["경", 16],
  ["조", 12],
  ["억", 8],
  ["만", 4],
  ["", 0],
];
const TEN_THOUSANDS = 4;
const SMALL: readonly (readonly [unit: string, zeros: number])[] = [
  ["천", 3],
  ["백", 2],
  ["십", 1],
  ["", 0],
];
const DIGITS = "일이삼사오육칠팔구";

/** Places behind the point that are kept, more than any number here may have. */
const SCALE = 20;
/** Bounds a text that is looked at. */
const LENGTH_MAX = 60;
const GROUP = 10_000n * 10n ** BigInt(SCALE);

/** @returns undefined for what is no number, or not certainly one */
export function spokenNumber(text: string): SpokenNumber | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  const [, sign = "", body = "", word = ""] = /^\s*([₩￦]?)\s*(.*?)\s*(원어치|원|KRW|개|)\s*$/i.exec(text) ?? [];
  if (sign !== "" && word === "개") return undefined;
  const digits = inDigits(body);
  const value = digits === undefined ? undefined : scaledValue(digits);
  if (value === undefined || value === 0n) return undefined;
  const unit = word === "개" ? "coins" : sign + word === "" ? undefined : "won";
  return { plain: plainOf(value), ...(unit !== undefined && { unit }) };
}

/** Leaves out separators, and puts digits in place of their names. */
function inDigits(text: string): string | undefined {
  if (text === "" || /[\d.][일이삼사오육칠팔구]|[일이삼사오육칠팔구][\d.일이삼사오육칠팔구]|\d\s+[\d.]/.test(text))
    return undefined;
  const grouped = text.replace(/\d[\d,]*/g, (run) => (/^\d{1,3}(,\d{3})+$/.test(run) ? run.replaceAll(",", "") : run));
  return grouped.replace(/\s/g, "").replace(/[일이삼사오육칠팔구]/g, (name) => String(DIGITS.indexOf(name) + 1));
}

/** Ten to the power of `SCALE` times the number. */
function scaledValue(text: string): bigint | undefined {
  // A fraction is certain at the end alone: "1.5억", and not "1.5억 3천만".
  if (!/^(\d*[경조억만천백십])*(\d+(\.\d+)?[경조억만천백십]*)?$/.test(text)) return undefined;
  let [rest, total] = [text, 0n];
  let last: number | undefined;
  for (const [unit, zeros] of LARGE) {
    const end = unit === "" ? rest.length : rest.indexOf(unit);
    if (end < 0) continue;
    const part = rest.slice(0, end);
    rest = rest.slice(end + unit.length);
    if (part === "" && unit === "") continue;
    // "1억 6천" is said for 160 million, and is written for 100,006,000.
    if (unit === "" && last !== undefined && last > TEN_THOUSANDS && /[천백십]/.test(part)) return undefined;
    // "만" alone is ten thousand; behind a larger unit it is not certain.
    const group = part === "" && last === undefined ? valueInScale("1") : groupOf(part);
    if (group === undefined || (last !== undefined && group >= GROUP)) return undefined;
    total += group * 10n ** BigInt(zeros);
    last = zeros;
  }
  return total;
}

/** "2천5백", "30", "2.5천". */
function groupOf(text: string): bigint | undefined {
  if (/^(0|[1-9]\d*)(\.\d+)?$/.test(text)) return valueInScale(text);
  const found = /^(?:(\d(?:\.\d+)?)?(천))?(?:(\d(?:\.\d+)?)?(백))?(?:(\d(?:\.\d+)?)?(십))?(\d)?$/.exec(text);
  if (found === null || text === "") return undefined;
  const [, thousands, thousand, hundreds, hundred, tens, ten, ones] = found;
  const counts = [thousand && (thousands ?? "1"), hundred && (hundreds ?? "1"), ten && (tens ?? "1"), ones];
  return SMALL.reduce((sum, [, zeros], at) => sum + (valueInScale(counts[at] ?? "0") ?? 0n) * 10n ** BigInt(zeros), 0n);
}

function valueInScale(text: string): bigint | undefined {
  const [integer = "", fraction = ""] = text.split(".");
  return fraction.length > SCALE ? undefined : BigInt(integer + fraction.padEnd(SCALE, "0"));
}

function plainOf(value: bigint): string {
  const digits = String(value).padStart(SCALE + 1, "0");
  return `${digits.slice(0, -SCALE)}.${digits.slice(-SCALE)}`.replace(/\.?0+$/, "");
}
