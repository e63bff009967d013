/**
 * Owns the schema objects handed to the SDK. The SDK would answer a bad argument in its own words and without structured
 * content, so an input schema here never fails: it gives the tool either the parsed value or the list of problems.
 *
 * Invariants: each JSON Schema is made once and cached (the SDK asks again for every list and call); an output schema is never
 * checked at run time, because failing there would replace the truth about an order that was sent. Tests check it instead.
 */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type ReadSchema, readArguments } from "./argument-reading.ts";
import { type FieldTree, type InputProblem, problemsOf } from "./input-problem.ts";

export type Arguments<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly InputProblem[] };

export type JsonSchema = Readonly<Record<string, unknown>>;

interface InputSchema<Value> {
  /** The arguments in the form that the schema takes, in whatever form a host has written them. */
  readonly read: (given: unknown) => unknown;
  readonly parse: (input: unknown) => Arguments<Value>;
  /** The SDK's form of it. */
  readonly schema: StandardSchemaWithJSON<unknown, Arguments<Value>>;
}

/** Makes an input of arguments that do not fit, for a tool that is never refused. */
export type Fallback<Value> = (input: unknown, problems: readonly InputProblem[]) => Value;

interface InputRules<Value> {
  /** For a tool that is never refused. */
  readonly fallback?: Fallback<Value> | undefined;
  /** Fields that say what a write is about, and without which it is about all. */
  readonly narrowing?: readonly string[] | undefined;
}

/** A strict zod object, for the SDK and for callers without a connection. */
export function inputSchema<Value>(
  schema: z.ZodType<Value>,
  { fallback, narrowing }: InputRules<Value> = {},
): InputSchema<Value> {
  const json = once(() => inputJson(schema));
  const read = (given: unknown) => readArguments(given, json() as ReadSchema, narrowing);
  const parse = (given: unknown): Arguments<Value> => {
    const { value: input, problems: unread } = read(given);
    const parsed = schema.safeParse(input);
    if (parsed.success && unread.length === 0) return { ok: true, value: parsed.data };
    const unfit = problemsOf(parsed.error?.issues ?? [], input, json() as FieldTree);
    const problems = [...unread, ...unfit.filter(({ field }) => !unread.some((problem) => problem.field === field))];
    return fallback === undefined ? { ok: false, problems } : { ok: true, value: fallback(input, problems) };
  };
  const validate = (input: unknown) => ({ value: parse(input) });
  return {
    read: (given) => read(given).value,
    parse,
    schema: { "~standard": { version: 1, vendor: "hoga", validate, jsonSchema: { input: json, output: json } } },
  };
}

/** The SDK's form of a result's shape. */
export function outputSchema(json: JsonSchema): StandardSchemaWithJSON {
  const convert = () => json;
  return {
    "~standard": {
      version: 1,
      vendor: "hoga",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: convert, output: convert },
    },
  };
}

function inputJson(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input", reused: "inline" });
  return terse(json) as Record<string, unknown>;
}

/** Patterns are dropped: they cost many tokens in every conversation, and a value that misses one is explained in words. */
function terse(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(terse);
  if (typeof json !== "object" || json === null) return json;
  const kept = Object.entries(json).filter(([key, value]) => !(key === "pattern" && typeof value === "string"));
  return Object.fromEntries(kept.map(([key, value]) => [key, terse(value)]));
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
