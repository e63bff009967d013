/**
 * Owns the explanation of what is wrong with a decimal somebody wrote, and how to write it instead.
 *
 * Invariants: it finds a problem exactly when the text is not a `PLAIN_DECIMAL`; a proposed text always is one, and is only
 * proposed where the meaning is certain ("1,5" gets none); the offending text is quoted and cut, as it is not ours.
 */
import { MAX_FRACTION_DIGITS, MAX_INTEGER_DIGITS, PLAIN_DECIMAL } from "./grammar.ts";
import { spokenNumber } from "./korean.ts";
import { quoted } from "./quotation.ts";
import { halfWidth, spelledOut } from "./spelling.ts";

/** Tells what is wrong; stable codes, part of the fault details a caller sees. */
export type DecimalProblemReason =
  | "not_a_string"
  | "empty"
  | "whitespace"
  | "sign"
  | "exponent"
  | "thousands_separator"
  | "leading_zero"
  | "too_many_integer_digits"
  | "too_many_fraction_digits"
  | "not_a_share"
  | "not_a_number";

export interface DecimalProblem {
  readonly reason: DecimalProblemReason;
  /** A sentence with the fix, for a person or a model. */
  readonly message: string;
}

interface Rule {
  readonly reason: DecimalProblemReason;
  readonly matches: RegExp;
  readonly says: string;
  /** The same number in plain form, as far as that is certain; ignored when it is not a plain decimal. */
  readonly plain?: (text: string) => string;
}

const QUOTED_LENGTH = 40;

/** The first rule that matches names the problem; when none does, it is no number at all. */
const RULES: readonly Rule[] = [
  { reason: "empty", matches: /^$/, says: 'the text is empty: write a decimal such as "0.5"' },
  {
    reason: "not_a_number",
    matches: /[가-힣₩￦]/,
    says: "a number is written in digits alone, without units or words",
    plain: (text) => spokenNumber(text)?.plain ?? text,
  },
  { reason: "whitespace", matches: /\s/, says: "spaces are not allowed", plain: (text) => text.trim() },
  {
    reason: "not_a_number",
    matches: /^[+\-−]?[\d.]+\s*[%％]$/,
    says: "a percentage is not taken here: write the amount itself",
  },
  {
    reason: "sign",
    matches: /^[+\-−][\d.]/,
    says: "a sign is not allowed (the side, buy or sell, gives the direction)",
    plain: (text) => text.replace(/^\+/, ""),
  },
  {
    reason: "exponent",
    matches: /^[\d.]+e[+-]?\d+$/i,
    says: "an exponent is not allowed, write all digits",
    plain: spelledOut,
  },
  {
    reason: "thousands_separator",
    matches: /^(?=.*\d)[\d.]*[,_'’][\d.,_'’]*$/,
    says: 'thousands are not separated, and the decimal point is "."',
    plain: (text) => (/^\d{1,3}([,_'’]\d{3})+(\.\d+)?$/.test(text) ? text.replace(/[,_'’]/g, "") : text),
  },
  {
    reason: "leading_zero",
    matches: /^0\d+(\.\d+)?$/,
    says: "leading zeros are not allowed",
    plain: (text) => text.replace(/^0+(?=\d)/, ""),
  },
  {
    reason: "too_many_integer_digits",
    matches: /^\d{19,}(\.\d+)?$/,
    says: `at most ${MAX_INTEGER_DIGITS} digits may stand before the point: send a smaller number`,
  },
  {
    reason: "too_many_fraction_digits",
    matches: /^\d+\.\d{9,}$/,
    says: `at most ${MAX_FRACTION_DIGITS} digits may follow the point: round the number first`,
    plain: (text) => text.replace(/\.?0+$/, ""),
  },
];

const NOT_A_NUMBER: Omit<Rule, "matches"> = {
  reason: "not_a_number",
  says: 'this is not a plain decimal number: write ASCII digits with at most one point, such as "0.5"',
  plain: (text) =>
    halfWidth(text)
      .replace(/^\.(?=\d)/, "0.")
      .replace(/\.$/, ""),
};

/** Tells what is wrong with a value meant as an unsigned decimal string (service.md#decimal-form); undefined when nothing is. */
export function describeDecimalProblem(value: unknown): DecimalProblem | undefined {
  if (typeof value !== "string") return { reason: "not_a_string", message: notAString(value) };
  if (PLAIN_DECIMAL.test(value)) return undefined;
  const rule = RULES.find(({ matches }) => matches.test(value)) ?? NOT_A_NUMBER;
  const plain = value.length <= QUOTED_LENGTH ? rule.plain?.(value) : undefined;
  const shown = quote(value);
  if (plain === undefined || !PLAIN_DECIMAL.test(plain))
    return { reason: rule.reason, message: `${rule.says} (got ${shown})` };
  return { reason: rule.reason, message: `${rule.says}: write ${quote(plain)} instead of ${shown}` };
}

function notAString(value: unknown): string {
  const text = typeof value === "number" || typeof value === "bigint" ? String(value) : "";
  return PLAIN_DECIMAL.test(text)
    ? `a number must be sent as text, to keep it exact: send ${quote(text)} as a string`
    : 'a decimal must be sent as text: send a string such as "0.5"';
}

function quote(text: string): string {
  return quoted(text.length > QUOTED_LENGTH ? `${text.slice(0, QUOTED_LENGTH)}…` : text);
}
