/**
 * Owns the settings of `policy.toml`: their form in the file, and the exact values they become.
 *
 * Invariants: an unknown setting is refused, never ignored, as it may be a limit that somebody relies on; money is text, never
 * a TOML number; of a bad value its name, its line and the rule are shown, never the value.
 *
 * Source: policy.md#precedence, policy.md#modes, policy.md#transfer-policy.
 */
import { z } from "zod";
import { orderType, quoted, timeInForce } from "../contract/index.ts";
import { notional, PLAIN_DECIMAL, rate } from "../decimal/index.ts";

/** One sentence for a field, whatever is wrong with it. */
function must(rule: string): { readonly error: string } {
  return { error: `must be ${rule}` };
}

/** Sums of many orders stay far inside what a store counts exactly. */
const KRW_TEXT = /^(0|[1-9]\d{0,14})$/;
const KRW = must('a whole number of KRW in quotes, of at most 15 digits, such as "1000000"');
const krw = z
  .string(KRW)
  .regex(KRW_TEXT, KRW)
  .transform((text) => notional(text));

/** Of a limit that a person may also switch off. */
const KRW_OR_OFF = must('a whole number of KRW in quotes, of at most 15 digits, such as "1000000", or "off"');
const krwOrOff = z.union([z.literal("off"), krw], KRW_OR_OFF);

const HUNDRED = rate("100");
const PERCENT = rate("0.01");
const PCT_OR_OFF = must('a percentage from 0 to 100 in quotes, such as "0.5", or "off"');
const PCT = must('a percentage from 0 to 100 in quotes, such as "0.5"');
/** As a fraction: "5" is 0.05. */
const percentage = z
  .string(PCT)
  .refine((text) => PLAIN_DECIMAL.test(text) && rate(text).lte(HUNDRED), PCT)
  .transform((text) => rate(text).scale(PERCENT));

/** A limit that a person may also switch off, by writing "off". */
const percentageOrOff = z.union([z.literal("off"), percentage], PCT_OR_OFF);

function whole(least: number, most: number): z.ZodNumber {
  const rule = must(`a whole number from ${least} to ${most}, without quotes`);
  return z.int(rule).min(least, rule).max(most, rule);
}

function quotedList(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(", ");
}

const MODES = ["read-only", "confirm", "bounded"] as const;
const APPROVERS = ["client", "passkey", "pin"] as const;
const OVER_LIMIT = ["approve", "deny"] as const;
const SELLS = must(`one of ${quotedList(OVER_LIMIT)}`);
const LOSS_ACTIONS = ["reduce_only", "halt"] as const;
const LOSS_ACTION = must(`one of ${quotedList(LOSS_ACTIONS)}`);
const MODE = must(`one of ${quotedList(MODES)}`);
const MARKETS = must(
  'a list of markets written as "BTC/KRW", or ["*"] for all; to forbid all, set mode to "read-only"',
);
const TYPES = must(`a list with at least one of ${quotedList(orderType.options)}`);
const TIMES = must(`a list with at least one of ${quotedList(timeInForce.options)}`);
const APPROVE = must(`a list with at least one of ${quotedList(APPROVERS)}`);

const COUNTRIES = must('a list with at least one country in two capital letters, such as ["US", "JP"]');
const PAYEES = must('a list of "BANKCODE/ACCOUNT", such as ["CHASUS33/000123456789"]');

/** Both limits have to be given: a default would be a limit that nobody set. */
const transferFields = {
  max_krw: krw,
  max_day_krw: krw,
  approval_over_krw: krw.default(() => notional("0")),
};
const paymentTable = z.strictObject(transferFields);
const remittanceTable = z.strictObject({
  ...transferFields,
  countries: z
    .array(z.string(COUNTRIES).regex(/^[A-Z]{2}$/, COUNTRIES), COUNTRIES)
    .min(1, COUNTRIES)
    .readonly(),
  beneficiaries: z
    .array(z.string(PAYEES).regex(/^[A-Z0-9]{2,11}\/[A-Za-z0-9-]{1,34}$/, PAYEES), PAYEES)
    .min(1, PAYEES)
    .readonly()
    .optional(),
});
/** Settings that stand under a header of their own. */
const SECTIONS: Readonly<Record<string, z.ZodObject>> = { payments: paymentTable, remittances: remittanceTable };

const policyTable = z.strictObject({
  mode: z.enum(MODES, MODE),
  markets: z
    .array(z.string(MARKETS).regex(/^(\*|[A-Z0-9]{1,15}\/[A-Z0-9]{1,15})$/, MARKETS), MARKETS)
    .min(1, MARKETS)
    .readonly(),
  order_types: z.array(z.enum(orderType.options, TYPES), TYPES).min(1, TYPES).readonly(),
  times_in_force: z.array(z.enum(timeInForce.options, TIMES), TIMES).min(1, TIMES).readonly(),
  max_order_krw: krw,
  max_day_krw: krw,
  max_open_orders: whole(0, 100_000),
  max_open_krw: krw,
  max_day_loss_krw: krwOrOff,
  day_loss_action: z.enum(LOSS_ACTIONS, LOSS_ACTION),
  max_orders_per_minute: whole(0, 100_000),
  price_collar_pct: percentageOrOff,
  max_slippage_pct: percentageOrOff,
  approval_over_krw: krw,
  approval_ttl_s: whole(1, 86_400).transform((seconds) => seconds * 1000),
  approval_drift_pct: percentage,
  approve_by: z.array(z.enum(APPROVERS, APPROVE), APPROVE).min(1, APPROVE).readonly(),
  book_max_age_ms: whole(1, 600_000),
  over_limit_sells: z.enum(OVER_LIMIT, SELLS),
  payments: paymentTable.transform(limitsOf).optional(),
  remittances: remittanceTable
    .transform((table) => ({ ...limitsOf(table), countries: table.countries, beneficiaries: table.beneficiaries }))
    .optional(),
});

function limitsOf({ max_krw, max_day_krw, approval_over_krw }: z.output<typeof paymentTable>) {
  return { maxKrw: max_krw, maxDayKrw: max_day_krw, approvalOverKrw: approval_over_krw };
}

type PolicyTable = z.infer<typeof policyTable>;
const partialTable = policyTable.partial();

/** What the rest of the program calls each setting. */
const NAMES = {
  mode: "mode",
  markets: "markets",
  order_types: "orderTypes",
  times_in_force: "timesInForce",
  max_order_krw: "maxOrderKrw",
  max_day_krw: "maxDayKrw",
  max_open_orders: "maxOpenOrders",
  max_open_krw: "maxOpenKrw",
  max_day_loss_krw: "maxDayLossKrw",
  day_loss_action: "dayLossAction",
  max_orders_per_minute: "maxOrdersPerMinute",
  price_collar_pct: "priceCollar",
  max_slippage_pct: "maxSlippage",
  approval_over_krw: "approvalOverKrw",
  approval_ttl_s: "approvalTtlMs",
  approval_drift_pct: "approvalDrift",
  approve_by: "approveBy",
  book_max_age_ms: "bookMaxAgeMs",
  over_limit_sells: "overLimitSells",
  payments: "payments",
  remittances: "remittances",
} as const satisfies Record<keyof PolicyTable, string>;

/** The whole policy, as the desk knows it. */
export type PolicySettings = { readonly [Name in keyof PolicyTable as (typeof NAMES)[Name]]: PolicyTable[Name] };

/** What the file says, and nothing else. */
export type GivenSettings = Partial<PolicySettings>;

export type ReadSettings =
  | { readonly ok: true; readonly given: GivenSettings }
  /** One sentence each, without a full stop. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** Most problems shown at once. */
const PROBLEMS_MAX = 10;

/** Checks and translates the settings. @param text the file's, to find the lines of what is wrong */
export function readSettings(table: unknown, text: string): ReadSettings {
  const parsed = partialTable.safeParse(table);
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, text));
    return { ok: false, problems: [...new Set(problems)].slice(0, PROBLEMS_MAX) };
  }
  const entries = Object.entries(parsed.data).map(([name, value]) => [NAMES[name as keyof PolicyTable], value]);
  return { ok: true, given: Object.fromEntries(entries) as GivenSettings };
}

function problemsOf(issue: z.core.$ZodIssue, text: string): readonly string[] {
  const [first, ...inside] = issue.path.map(String);
  const section = first !== undefined && first in SECTIONS ? first : undefined;
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownSetting(key, text, section));
  const [field] = section === undefined ? [first] : inside;
  if (field === undefined)
    return [`${placeOf(String(first), text)}${first} must be a section of settings, under [${first}]`];
  const name = section === undefined ? field : `${section}.${field}`;
  return [`${placeOf(field, text, section)}${name} ${issue.message}`];
}

/** Longest name shown of a setting that there is not. */
const SHOWN_MAX = 40;

function unknownSetting(key: string, text: string, section: string | undefined): string {
  const known = section === undefined ? Object.keys(NAMES) : Object.keys(SECTIONS[section]?.shape ?? {});
  const [best] = known.map((name) => ({ name, likeness: likeness(name, key) })).sort((a, b) => b.likeness - a.likeness);
  const hint =
    best !== undefined && best.likeness >= 0.5 ? `did you mean ${best.name}` : `there are ${known.join(", ")}`;
  const where = section === undefined ? "" : `in [${section}], `;
  return `${placeOf(key, text, section)}${where}unknown setting ${quoted(key, SHOWN_MAX)}: ${hint}`;
}

/** From 0 to 1, the share of pairs of letters that two words have in common, as order_max_krw is like max_order_krw too. */
function likeness(a: string, b: string): number {
  const [ofA, ofB] = [pairsOf(a), pairsOf(b)];
  const common = [...ofA].filter((pair) => ofB.has(pair)).length;
  return (2 * common) / (ofA.size + ofB.size);
}

/** The beginning and the end of the word count as letters, so that there always is a pair. */
function pairsOf(word: string): ReadonlySet<string> {
  const letters = `^${word.slice(0, SHOWN_MAX).toLowerCase()}$`;
  return new Set(Array.from({ length: letters.length - 1 }, (_, at) => letters.slice(at, at + 2)));
}

/** What a line sets, or the table it begins. */
const NAME_OF_LINE = /^\s*(?:\[{1,2}\s*)?["']?([^"'=.[\]\s]+)["']?\s*[=.\]]/;

/** "line 3: " where the setting stands; nothing where it is written in a way that is not seen from its name. */
function placeOf(name: string, text: string, section?: string): string {
  const names = text.split("\n").map((line) => NAME_OF_LINE.exec(line)?.[1]);
  const from = section === undefined ? 0 : names.indexOf(section) + 1;
  const index = names.indexOf(name, from);
  return index < 0 ? "" : `line ${index + 1}: `;
}
