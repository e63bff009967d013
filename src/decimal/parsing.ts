/**
 * Owns the way in: decimal text becomes an `Exact` here or nowhere.
 * Entry points: `parse…` for input from outside (a result, never a throw), the literals for constants and validated values.
 *
 * Invariant: exactly the texts that match `PLAIN_DECIMAL` are accepted, and nothing is coerced.
 *
 * Owns shares as people say them: "50%" of what there is.
 *
 * Invariants: a share is more than nothing and at most all; its rate is exact.
 *
 * Source: service.md#decimal-form, architecture.md#rule-6.
 */
import { Decimal } from "./arithmetic.ts";
import { Exact, type Notional, type Price, type Quantity, type Rate, type Value } from "./exact.ts";
import { PLAIN_DECIMAL } from "./grammar.ts";
import { invariant } from "./invariant.ts";
import { type DecimalProblem, describeDecimalProblem } from "./problem.ts";
import { quoted } from "./quotation.ts";

/** A parsed value, or why there is none and how to write it instead. */
export type Parsed<Of> = { readonly ok: true; readonly value: Of } | ({ readonly ok: false } & DecimalProblem);

/** Quote per base. */
export function parsePrice(text: unknown): Parsed<Price> {
  return parse("price", text);
}
/** Base units. */
export function parseQuantity(text: unknown): Parsed<Quantity> {
  return parse("quantity", text);
}
/** Quote units. */
export function parseNotional(text: unknown): Parsed<Notional> {
  return parse("notional", text);
}
/** Dimensionless; "0.0005" is 0.05 %. */
export function parseRate(text: unknown): Parsed<Rate> {
  return parse("rate", text);
}

/** A trusted price (quote per base). @throws DecimalInvariantError on bad text. */
export function price(text: string): Price {
  return literal("price", text);
}
/** A trusted quantity (base). @throws DecimalInvariantError on bad text. */
export function quantity(text: string): Quantity {
  return literal("quantity", text);
}
/** A trusted notional (quote). @throws DecimalInvariantError on bad text. */
export function notional(text: string): Notional {
  return literal("notional", text);
}
/** A trusted rate (dimensionless). @throws DecimalInvariantError on bad text. */
export function rate(text: string): Rate {
  return literal("rate", text);
}

/** A trusted sum (unit of account). @throws DecimalInvariantError on bad text. */
export function inUnit(text: string): Value {
  return literal("value", text);
}

/** Matches what most texts are already. Where no digit ends in a zero behind the point, the text is that of its value. */
const CANONICAL = /^(?:0|[1-9]\d{0,17})(?:\.\d{0,7}[1-9])?$/;

/** `price(text).toString()`: equal prices have equal text. For many prices, of which few are computed with. @throws DecimalInvariantError on bad text. */
export function priceText(text: string): string {
  return CANONICAL.test(text) ? text : price(text).toString();
}

function parse<Kind extends string>(kind: Kind, text: unknown): Parsed<Exact<Kind>> {
  const problem = describeDecimalProblem(text);
  if (problem !== undefined) return { ok: false, ...problem };
  invariant(typeof text === "string", "text without a problem is a string");
  return { ok: true, value: Exact.of(kind, new Decimal(text)) };
}

function literal<Kind extends string>(kind: Kind, text: string): Exact<Kind> {
  const parsed = parse(kind, text);
  invariant(parsed.ok, parsed.ok ? "" : `bad ${kind} literal: ${parsed.message}`);
  return parsed.value;
}

const HUNDRED = new Decimal(100);

/** Tells whether the text is meant as a share; whether it is one, `parseShare` says. */
export function isShare(text: unknown): text is string {
  return typeof text === "string" && text.endsWith("%");
}

/** "50%" as the rate 0.5. */
export function parseShare(text: string): Parsed<Rate> {
  const number = text.slice(0, -1);
  const says = 'a share is a plain decimal above 0 and at most 100 with "%", such as "50%"';
  const wrong = {
    ok: false,
    reason: "not_a_share",
    message: `${says} (got ${quoted(text, 40)})`,
  } as const;
  if (!isShare(text) || !PLAIN_DECIMAL.test(number)) return wrong;
  const percent = new Decimal(number);
  if (percent.isZero() || percent.gt(HUNDRED)) return wrong;
  return { ok: true, value: Exact.of("rate", percent.div(HUNDRED)) };
}
