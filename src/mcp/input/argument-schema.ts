/**
 * Owns the schema objects handed to the SDK. The SDK would answer a bad argument in its own words and without structured
 * content, so an input schema here never fails: it gives the tool either the parsed value or the list of problems.
 *
 * Invariants: each JSON Schema is made once and cached (the SDK asks again for every list and call); an output schema is never
 * checked at run time, because failing there would replace the truth about an order that was sent. Tests check it instead.
 *
 * Owns how arguments are read that a host has written in its own way, for every tool and prompt: from the JSON Schema alone.
 *
 * - `null` and `""` for a field that may be left out are that it is left out; a field that has to be there is refused when it is empty.
 * - JSON text is read where an object or a list is wanted, `"5"` where a whole number is, `"true"` and `"false"` where a flag is.
 * - Texts stay as they are, so that an amount is the one that was sent.
 *
 * Invariants: what was read is held to the same strict schema as what was sent in the right form; reading it again changes nothing; where leaving
 * a field out makes a write larger, an empty text is refused and never taken for that.
 *
 * Source: decision 0080.
 */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type FieldTree, type InputProblem, named, problemsOf, quote } from "./input-problem.ts";
import { isObject, type JsonText, readJsonText } from "./json-text.ts";

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

/** The part of a JSON Schema by which arguments are read. */
export interface ReadSchema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, ReadSchema>>;
  readonly required?: readonly string[];
  readonly items?: ReadSchema;
}

interface ReadArguments {
  readonly value: unknown;
  /** Names what could not be read, or must not. */
  readonly problems: readonly InputProblem[];
}

/** @param narrowing fields that say what a write is about, and without which it is about all */
export function readArguments(given: unknown, schema: ReadSchema, narrowing: readonly string[] = []): ReadArguments {
  const problems: InputProblem[] = [];
  const value = new Reader(narrowing, (field, message) => problems.push({ field, message })).read(given, schema, []);
  return { value, problems };
}

type Path = readonly string[];

class Reader {
  readonly #narrowing: readonly string[];
  readonly #refuse: (field: string, message: string) => void;

  constructor(narrowing: readonly string[], refuse: (field: string, message: string) => void) {
    this.#narrowing = narrowing;
    this.#refuse = refuse;
  }

  read(given: unknown, schema: ReadSchema, path: Path): unknown {
    switch (schema.type) {
      case "object":
        return this.#fields(this.#unpacked(given, path, isObject), schema, path);
      case "array":
        return this.#items(this.#unpacked(given, path, Array.isArray), schema, path);
      case "integer":
        return typeof given === "string" && INTEGER.test(given) ? Number(given) : given; // not money: a count
      case "boolean":
        return given === "true" || given === "false" ? given === "true" : given;
      default:
        return given;
    }
  }

  /** Leaves what is not JSON of this kind as it is: the schema says what it should be. */
  #unpacked(given: unknown, path: Path, isKind: (value: unknown) => boolean): unknown {
    if (typeof given !== "string") return given;
    const text: JsonText = readJsonText(given);
    if (text.ok) return isKind(text.value) ? text.value : given;
    if (text.doubled !== undefined) this.#refuse(path.join("."), doubledKey(named(path), text.doubled));
    return given;
  }

  #fields(given: unknown, { properties = {}, required = [] }: ReadSchema, path: Path): unknown {
    if (!isObject(given)) return given;
    const read: [string, unknown][] = [];
    for (const [name, value] of Object.entries(given)) {
      const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const here = [...path, name];
      const isRequired = required.includes(name);
      if (field === undefined || this.#isRefused(value, here, isRequired)) read.push([name, value]);
      else if (isRequired || (value !== null && value !== "")) read.push([name, this.read(value, field, here)]);
    }
    return Object.fromEntries(read);
  }

  #isRefused(value: unknown, path: Path, isRequired: boolean): boolean {
    const name = path.join(".");
    if (value !== "") return false;
    if (isRequired) this.#refuse(name, `${named(path)} is empty, and has to be there`);
    else if (this.#narrowing.includes(name))
      this.#refuse(name, `${named(path)} is empty: say which one is meant, or leave it out to mean all`);
    else return false;
    return true;
  }

  #items(given: unknown, { items }: ReadSchema, path: Path): unknown {
    if (!Array.isArray(given) || items === undefined) return given;
    return given.map((item, at) => this.read(item, items, [...path, String(at)]));
  }
}

/** @param where the text stands */
export function doubledKey(where: string, key: string): string {
  return `${where} came as JSON text in which ${quote(key)} stands twice: send it once`;
}

/** Matches what JSON writes, and is so short that it is exact. */
const INTEGER = /^(0|[1-9]\d{0,14})$/;
