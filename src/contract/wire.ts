/**
 * Owns the scalar shapes of the wire: decimal strings, symbols, ids, times. Every other schema of the contract is built from
 * them, so that a rule such as "a JSON number is refused" stands in one place.
 *
 * Source: service.md#conventions.
 */
import { z } from "zod";
import { describeDecimalProblem, PLAIN_DECIMAL, SIGNED_PLAIN_DECIMAL } from "../decimal/index.ts";

/** An unsigned amount, price or quantity: plain decimal notation, at most 18 integer and 8 fraction digits. */
export const decimalString = z
  .string({ error: (issue) => describeDecimalProblem(issue.input)?.message })
  .regex(PLAIN_DECIMAL, { error: (issue) => describeDecimalProblem(issue.input)?.message })
  .meta({ id: "Decimal", description: "Plain decimal string; never a JSON number.", examples: ["0.015"] });

/** A decimal that may be negative, such as a price change. */
export const signedDecimalString = z
  .string()
  .regex(SIGNED_PLAIN_DECIMAL)
  .meta({ id: "SignedDecimal", description: "Plain decimal string that may be negative.", examples: ["-1.25"] });

/** A market as callers write it: `BTC/KRW` or `BTCKRW`, in any case. */
export const symbolInput = z
  .string()
  .regex(/^[A-Za-z0-9]{1,15}(\/[A-Za-z0-9]{1,15})?$/, { error: "write the market as BTC/KRW or BTCKRW" })
  .meta({ id: "SymbolInput", examples: ["BTC/KRW", "BTCKRW"] });

/** A market as the service writes it: always `BTC/KRW`. */
export const symbol = z
  .string()
  .regex(/^[A-Z0-9]{1,15}\/[A-Z0-9]{1,15}$/)
  .meta({ id: "Symbol", examples: ["BTC/KRW"] });

/** An asset code such as `BTC`. */
export const asset = z
  .string()
  .regex(/^[A-Z0-9]{1,15}$/)
  .meta({ id: "Asset", examples: ["KRW"] });

/** An order or fill id: UUIDv7, sortable by time. */
export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, {
    error: "write the id as the service returned it, a lower-case UUIDv7",
  })
  .meta({ id: "Uuid", examples: ["01999f3e-7a10-7c31-9a52-0c6d5b1f2a77"] });

/** Response time: RFC 3339 UTC with milliseconds. */
export const isoTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ id: "Time", examples: ["2026-07-20T09:00:00.000Z"] });

/**
 * Describes a whole number that travels as text, in a query or a form, to programs: as the number it is, so that the code they generate
 * takes one.
 */
export function describedAsInteger(minimum: number, maximum: number) {
  return { type: "integer", format: maximum < 2 ** 31 ? "int32" : "int64", minimum, maximum } as const;
}

/** Request time: Unix milliseconds, as text because it travels in a query string. */
export const unixMsText = z
  .string()
  .regex(/^\d{1,15}$/, { error: "write the time in Unix milliseconds" })
  .meta({ id: "UnixMs", ...describedAsInteger(0, 999_999_999_999_999), examples: [1_784_538_000_000] });

/** An order's state; all but `open` are final. */
export const orderState = z.enum(["open", "filled", "canceled", "expired", "rejected"]);

/** Caller's own order id, 1–64 of `[A-Za-z0-9._-]`. Source: service.md#userref. */
export const userref = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, { error: "use 1 to 64 characters out of A-Z a-z 0-9 . _ -" })
  .meta({ id: "Userref", examples: ["desk-0001"] });

/** A count in a query string, 1–500. */
export const countTo500 = z
  .string()
  .regex(/^([1-9]\d?|[1-4]\d\d|500)$/, { error: "use a whole number from 1 to 500" })
  .meta(describedAsInteger(1, 500));

/** A page size in a query string, 1–500. Source: service.md#pages. */
export const pageLimitText = countTo500.meta({ id: "PageLimit", ...describedAsInteger(1, 500), examples: [100] });

/** An opaque page cursor, as returned in `next_cursor`. */
export const cursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,256}$/, { error: "send next_cursor back unchanged" })
  .meta({ id: "Cursor" });

/** Cursor of the next page, or null on the last one. */
export const nextCursor = cursor.nullable();
