/**
 * Owns the shapes of results as JSON Schema, in few tokens: all fields by name, without descriptions. Entry
 * points: `result`, `accountResult` and `writeResult` for a whole result, `closed` and `closedLike` for an object inside.
 * No `$ref`: hosts that hand on a part of a schema lose what it leads to.
 *
 * Invariants: no object takes an unknown field, down to the depth that decision 0006 names; a failure fits the same schema as an
 * answer, because clients check it too; a shape lists just the fields of its type, which the compiler sees to.
 */
import { z } from "zod";
import { type OrderPage, type Proposal, shownOrder } from "../../contract/index.ts";
import type { EvidenceView, OrderView, ReportedError, Stamp, WriteReport } from "../../desk/index.ts";
import type { JsonSchema } from "../input/argument-schema.ts";

export const text: JsonSchema = { type: "string" };
/** Decimal text, or null where there is none. */
export const maybe: JsonSchema = { type: ["string", "null"] };
export const flag: JsonSchema = { type: "boolean" };
const maybeFlag: JsonSchema = { type: ["boolean", "null"] };
export const whole: JsonSchema = { type: "integer" };
/** A count, or null where it is not known. */
export const maybeWhole: JsonSchema = { type: ["integer", "null"] };
export const texts: JsonSchema = listOf(text);
export const anything: JsonSchema = {};

export function listOf(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

/** A field that is not always there. */
interface Optional {
  readonly optional: JsonSchema;
}

export function optional(shape: JsonSchema): Optional {
  return { optional: shape };
}

type Field = JsonSchema | Optional;

/** Every field of a type with its shape, marked where the type says that it may be absent. */
type FieldsOf<Type> = { readonly [Name in keyof Type]-?: object extends Pick<Type, Name> ? Optional : JsonSchema };

/** Describes what a result holds beside the fields of every result. Which of them are there depends on what happened. */
type ContentOf<Type> = { readonly [Name in Exclude<keyof Type, keyof Stamp | "error">]-?: JsonSchema };

/** An object inside a result. Which of its fields are always there only the compiler is told: to name them, or their number, would cost every conversation. */
export function closed<Type>(fields: FieldsOf<Type>): JsonSchema {
  const shapes = Object.entries<Field>(fields).map(([name, field]) => [
    name,
    isOptional(field) ? field.optional : field,
  ]);
  return { type: "object", properties: Object.fromEntries(shapes), additionalProperties: false };
}

function isOptional(field: Field): field is Optional {
  return "optional" in field;
}

function typesOf(shape: JsonSchema): readonly unknown[] {
  return [shape["type"]].flat();
}

/** Says whether what is nested in an object is closed as well. */
type Nested = "closed" | "open";

/** An object as the contract has it; the client has dropped whatever else the venue sent. */
export function closedLike(schema: z.ZodObject, nested: Nested = "closed"): JsonSchema {
  const fields = Object.entries<z.core.$ZodType>(schema.shape).map(([name, field]): [string, Field] => [
    name,
    field instanceof z.ZodOptional ? optional(shapeOf(field.unwrap(), nested)) : shapeOf(field, nested),
  ]);
  return closed<object>(Object.fromEntries(fields));
}

function shapeOf(field: z.core.$ZodType, nested: Nested): JsonSchema {
  if (field instanceof z.ZodNullable) return { type: [...typesOf(shapeOf(field.unwrap(), nested)), "null"] };
  if (field instanceof z.ZodString || field instanceof z.ZodEnum) return text;
  if (field instanceof z.ZodBoolean) return flag;
  if (field instanceof z.ZodLiteral) return field.value === true ? flag : text;
  if (field instanceof z.ZodNumber) return whole;
  if (field instanceof z.ZodArray)
    return nested === "closed" ? listOf(shapeOf(field.element, nested)) : { type: "array" };
  if (field instanceof z.ZodObject) return nested === "closed" ? closedLike(field) : { type: "object" };
  throw new Error(`no shape for a field of the kind ${field._zod.def.type}`);
}

/** Named and not typed: it stands in every result, and there is no money in it. */
const errorFields: FieldsOf<Omit<ReportedError, "proposals">> = {
  code: anything,
  class: anything,
  message: anything,
  retryable: anything,
  field: optional(anything),
  retry_after_ms: optional(anything),
  user_action_url: optional(anything),
  venue_text: optional(anything),
  rule: optional(anything),
  figure: optional(anything),
  limit: optional(anything),
};
const error: JsonSchema = closed<object>(errorFields);

/** Propose what would fit in place of what does not. */
export const proposals: JsonSchema = listOf(
  closed<Proposal>({ field: text, given: text, proposed: text, reason: text }),
);

/** The error of an order that does not fit: the one that may propose what would. */
export const errorWithProposals: JsonSchema = closed<ReportedError>({ ...errorFields, proposals: optional(proposals) });

/** An error further inside a result. */
export const anError: JsonSchema = error;

/** The result of a read: the fields given, an error instead of them, and always the environment. */
export function result<Type = Readonly<Record<string, JsonSchema>>>(content: ContentOf<Type>): JsonSchema {
  return entire(content, []);
}

export function accountResult<Type>(content: ContentOf<Type>): JsonSchema {
  return entire({ ...content, account: text, unit: text }, []);
}

type Write = Pick<WriteReport, "outcome" | "warnings" | "next_action">;

/** The result of a write, which says what became of it, failed or not. `always` names what else is always there. */
export function writeResult<Type extends Write>(
  content: ContentOf<Omit<Type, keyof Write>> & { readonly error?: JsonSchema },
  ...always: readonly (keyof Type & string)[]
): JsonSchema {
  const write: ContentOf<Write> = {
    outcome: { enum: ["accepted", "rejected", "not_sent", "unknown"] },
    warnings: texts,
    next_action: text,
  };
  return entire({ ...write, ...content, account: text, unit: text }, [
    "outcome",
    "warnings",
    "account",
    "unit",
    ...always,
  ]);
}

function entire(content: object, required: readonly string[]): JsonSchema {
  const properties = { error, ...content, environment: text, shortened: text };
  return { type: "object", properties, required: ["environment", ...required], additionalProperties: false };
}

/** The shape of a whole result that is never too long, and so never cut. */
export function uncut({ properties, ...shape }: JsonSchema): JsonSchema {
  const { shortened: _, ...others } = properties as JsonSchema;
  return { ...shape, properties: others };
}

/** An order as the service shows it. It stands in six results: what is nested in it would cost 800 tokens. */
export const order: JsonSchema = closedLike(shownOrder, "open");

export const orderPage: ContentOf<OrderPage> = { orders: listOf(order), next_cursor: maybe };

/** The same without its trades, which are in get_order. */
export const orderAlone: JsonSchema = closedLike(shownOrder.omit({ trades: true }), "open");

export const orderReport: ContentOf<Omit<OrderView, "next_action" | "moved_to" | "evidence">> = {
  state: text,
  order,
  intent_id: text,
  userref: text,
};

/** Describes what was found out about an order without an answer. */
export const evidence = closed<EvidenceView>({
  lookups: whole,
  since: text,
  last_at: text,
  ...{ in_open_list: maybeFlag, in_closed_list: maybeFlag, locked_explained: maybeFlag },
});
