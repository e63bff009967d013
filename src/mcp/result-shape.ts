/**
 * Owns the shapes of results as JSON Schema, in few tokens: flat, shared, without descriptions, and open, so that a field more
 * never breaks a client that checks. Only `environment` is required, because clients check failures against the same shape.
 */
import type { JsonSchema } from "./argument-schema.ts";

type Properties = Readonly<Record<string, JsonSchema>>;

export const text: JsonSchema = { type: "string" };
/** Decimal text, or null where there is none. */
export const maybe: JsonSchema = { type: ["string", "null"] };
export const flag: JsonSchema = { type: "boolean" };
export const whole: JsonSchema = { type: "integer" };
/** A count, or null where it is not known. */
export const maybeWhole: JsonSchema = { type: ["integer", "null"] };
export const object: JsonSchema = { type: "object" };
export const texts: JsonSchema = listOf(text);

export function listOf(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

export function record(properties: Properties): JsonSchema {
  return { type: "object", properties };
}

/** Properties of one type. */
export function all(type: JsonSchema, ...names: readonly string[]): Properties {
  return Object.fromEntries(names.map((name) => [name, type]));
}

export const error: JsonSchema = record({ ...all(text, "code", "message", "field"), retryable: flag });

/** The result of a read: the fields given, an error instead of them, and always the environment. */
export function result(properties: Properties): JsonSchema {
  return { ...record({ ...properties, environment: text, error }), required: ["environment"] };
}

/** The result of a read of the account. */
export function accountResult(properties: Properties): JsonSchema {
  return result({ ...properties, account: text });
}

/** An order as the service shows it. */
export const order: JsonSchema = record({
  ...all(text, "orderId", "symbol", "side", "type", "state"),
  ...all(maybe, "price", "volume", "amount"),
  ...all(text, "executed_volume", "executed_value"),
  ...all(maybe, "remaining_volume", "avg_price", "userref"),
  ...all(text, "fee", "fee_currency", "created_at"),
});

/** Orders page by page. */
export const orderPage: Properties = { orders: listOf(order), next_cursor: maybe };

/** The result of a write. */
export function writeResult(properties: Properties): JsonSchema {
  return accountResult({
    outcome: { enum: ["accepted", "rejected", "not_sent", "unknown"] },
    ...properties,
    warnings: texts,
    next_action: text,
  });
}

/** One order and what is known of it. */
export const orderReport: Properties = { state: text, order, intent_id: text, userref: text };
