/**
 * Owns the fields tools share, each with the words for a value that does not fit it. Strings are never coerced, trimmed or
 * changed in case: the message proposes what was probably meant, and the caller sends it.
 *
 * Owns the input of an order, shared by preview_order and place_order. Which fields go together (a limit order needs a price …)
 * is the desk's to check, as for every entry point; here is only what each field may hold.
 */
import { z } from "zod";
import { candleInterval, compliance, orderType, side, timeInForce } from "../../contract/index.ts";
import { describeDecimalProblem, isShare, PLAIN_DECIMAL, parseShare, spokenNumber } from "../../decimal/index.ts";
import type { OrderRequest } from "../../desk/index.ts";
import { quote } from "./input-problem.ts";

type Explain = { readonly error: (issue: { readonly input?: unknown; readonly code?: string }) => string };

/** Text that matches, else a sentence with the fix. */
export function text(pattern: RegExp, fix: string) {
  const explain: Explain = {
    error: ({ input }) => (typeof input === "string" ? `${fix}; got ${quote(input)}` : `send text: ${fix}`),
  };
  return z.string(explain).regex(pattern, explain);
}

/** A decimal greater than zero, as text. */
export function decimal(description: string) {
  const explain: Explain = { error: ({ input }) => describeDecimalProblem(input)?.message ?? "must be greater than 0" };
  return z
    .string(explain)
    .refine((value) => describeDecimalProblem(value) === undefined && /[1-9]/.test(value), explain)
    .describe(description);
}

/** Shares as people say them. */
const SHARES: readonly (readonly [words: RegExp, share: string])[] = [
  [/^(전량|전액|전부|모두|다|올인|max|all)$/i, "100%"],
  [/^(절반|반|half)$/i, "50%"],
];

/** The other of the two fields that carry a size, where the number was said with its unit. */
const UNITS = { coins: "base_volume", won: "quote_amount" } as const;

/** Says what to send for a size that was said in words, where that is certain. */
function saidSize(input: unknown, unit: keyof typeof UNITS): string | undefined {
  if (typeof input !== "string") return undefined;
  const share = SHARES.find(([words]) => words.test(input.trim()))?.[1];
  if (share !== undefined) return `send "${share}" for ${quote(input)}`;
  const said = spokenNumber(input);
  if (said?.unit === undefined || said.unit === unit || !PLAIN_DECIMAL.test(said.plain)) return undefined;
  return `${quote(input)} is a size in ${said.unit === "won" ? "KRW" : "coins"}: send ${UNITS[said.unit]} ${quote(said.plain)} in place of ${UNITS[unit]}`;
}

/** A decimal greater than zero, as text, or a share of what is available. */
export function size(description: string, unit: keyof typeof UNITS) {
  const problem = (input: unknown): string | undefined => {
    const said = saidSize(input, unit);
    if (said !== undefined) return said;
    if (!isShare(input))
      return (
        describeDecimalProblem(input)?.message ?? (/[1-9]/.test(String(input)) ? undefined : "must be greater than 0")
      );
    const parsed = parseShare(input);
    return parsed.ok ? undefined : parsed.message;
  };
  const explain: Explain = { error: ({ input }) => problem(input) ?? "" };
  return z
    .string(explain)
    .refine((value) => problem(value) === undefined, explain)
    .describe(description);
}

/** A whole number, sent as a JSON number because it counts something and is not money. */
export function count(min: number, max: number, description?: string) {
  const explain: Explain = {
    error: ({ input }) => `send a whole number from ${min} to ${max}; got ${quote(input)}`,
  };
  const schema = z.number(explain).int(explain).min(min, explain).max(max, explain).optional();
  return description === undefined ? schema : schema.describe(description);
}

const SYMBOL_FIX = 'write the market as "BTC/KRW", "BTCKRW" or "KRW-BTC"';

/** The same, where the list of tools does not say its bounds: a value beyond them is told what they are. */
export function countUnsaid(min: number, max: number) {
  const error: Explain["error"] = ({ input }) => `send a whole number from ${min} to ${max}; got ${quote(input)}`;
  // Bounds of whole numbers stand in a schema even where none is meant.
  const isCount = (value: number): boolean => value >= min && value <= max && Number.isInteger(value);
  return z.number({ error }).refine(isCount, { error }).meta({ type: "integer" }).optional();
}

/** Brackets as in names that get_markets shows: "XRP(Ripple)". All of it also in full width, as input methods for Korean write it. */
const SYMBOL = /^[\p{L}\p{N} /_()\u3000\uFF0F\uFF3F\uFF08\uFF09\uFF0D-]{1,40}$/u;

export const symbol = text(SYMBOL, SYMBOL_FIX).describe("Market, e.g. BTC/KRW");
/** Where what is traded is said already. */
export const plainSymbol = text(SYMBOL, SYMBOL_FIX).optional();
export const optionalSymbol = text(SYMBOL, SYMBOL_FIX).optional().describe("One market only");
export const orderSide = side;
export const interval = candleInterval;
export const baseVolume = decimal('Coins, e.g. "0.015"').optional();
export const quoteAmount = decimal("KRW to spend or receive").optional();
/** Taken as an order takes them. */
export const baseVolumeOrShare = size('Coins, e.g. "0.015"; to sell also a share, "50%"', "coins").optional();
export const quoteAmountOrShare = size('KRW to spend or receive; to buy also a share, "100%"', "won").optional();
export const limitPrice = decimal("KRW per coin, decimal string; limit orders only").optional();
export const userref = text(/^[A-Za-z0-9._-]{1,64}$/, "use 1 to 64 characters out of A-Z a-z 0-9 . _ -").optional();
export const orderId = text(
  /^[0-9a-f-]{36}$/,
  "write the order id as it was returned, lower case with dashes",
).optional();
export const draftId = text(/^[A-Za-z0-9._-]{1,64}$/, "send draft_id as preview_order returned it").optional();
export const cursor = text(/^[A-Za-z0-9_-]{1,256}$/, "send next_cursor back unchanged")
  .optional()
  .describe("next_cursor of the page before");
export const pageLimit = count(1, 500);
export const asset = text(/^[A-Z0-9]{1,15}$/, 'write the asset as "BTC"')
  .optional()
  .describe("One asset only");
/** Characters of a percentage. */
const PERCENT_MAX = 20;

/** Of a plan: a price, or how far it is from now in percent, which the desk reads. */
export function level(description?: string) {
  const problem = (input: unknown): string | undefined => {
    if (isShare(input))
      return input.length <= PERCENT_MAX
        ? undefined
        : `a percentage has at most ${PERCENT_MAX} characters: write "-5%"`;
    return (
      describeDecimalProblem(input)?.message ?? (/[1-9]/.test(String(input)) ? undefined : "must be greater than 0")
    );
  };
  const explain: Explain = { error: ({ input }) => problem(input) ?? "" };
  const schema = z.string(explain).refine((value) => problem(value) === undefined, explain);
  return description === undefined ? schema : schema.describe(description);
}

/** Written in a form of its own, which the desk reads. */
export const schedule = text(
  /^(daily|weekly|monthly)( [a-z0-9,]{1,100})? \d{2}:\d{2}$/,
  'write "daily 09:00", "weekly mon,thu 09:00", "monthly 1,15 09:00" or "monthly last 09:00"',
);
export const duration = text(/^(\d{1,6}[hms]){1,3}$/, 'write "2h", "90m" or "1h30m"');
/** Of an order: an order id, or a userref. */
export const orderName = text(/^[A-Za-z0-9._-]{1,64}$/, "send the order_id or the userref of an order");
export const planId = text(/^[A-Za-z0-9._-]{1,64}$/, "send plan_id as create_plan or list_plans returned it");
export const planNote = text(/^[^\p{Cc}]{1,200}$/u, "write one line of up to 200 characters").optional();
/** Why trading is halted, in the caller's words. */
export const reasonText = text(/^[^\p{Cc}]{1,200}$/u, "write one line of up to 200 characters").optional();
export const search = text(/^[\s\S]{1,80}$/, "write up to 80 characters").optional();

export const orderFields = {
  symbol,
  side: orderSide,
  type: orderType,
  base_volume: baseVolumeOrShare,
  quote_amount: quoteAmountOrShare,
  price: limitPrice,
  time_in_force: timeInForce.optional().describe("Default GTC"),
  post_only: z.boolean().optional(),
  userref: userref.describe("Your own id; usually left out"),
  compliance: z.strictObject(compliance.shape).optional(),
} as const;

/** The fields without those that were left out, as the desk takes them. */
export function given<Fields extends object>(fields: Fields): WithoutUndefined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as WithoutUndefined<Fields>;
}

type WithoutUndefined<Fields> = { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };

export type OrderFields = z.infer<z.ZodObject<typeof orderFields>>;

/** An order as the desk takes it. */
export function orderRequest(fields: OrderFields): OrderRequest {
  return given(fields) as OrderRequest;
}
