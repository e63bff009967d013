/**
 * Owns the way from the contract's zod schemas to JSON Schema, and collects the schemas that have a name.
 * Entry point: `SchemaCollection`.
 *
 * Not part of index.ts: nothing that starts needs it.
 *
 * Invariants: a schema with an id stands once, under components; requests refuse unknown fields, answers may gain some
 * (decision 0001).
 */
import { z } from "zod";

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}
export type MutableObject = Record<string, Json>;

/** `draft-7` where the description's own dialect is that one. */
export type SchemaDialect = "draft-2020-12" | "draft-7";

const DEFS = /^#\/(\$defs|definitions)\//;
const COMPONENTS = "#/components/schemas/";

export class SchemaCollection {
  readonly #named = new Map<string, JsonObject>();
  readonly #dialect: SchemaDialect;

  constructor(dialect: SchemaDialect = "draft-2020-12") {
    this.#dialect = dialect;
  }

  /** Describes what a caller may send: unknown fields are refused. */
  request(schema: z.ZodType): JsonObject {
    return this.#take(
      z.toJSONSchema(schema, {
        io: "input",
        target: this.#dialect,
        override: ({ jsonSchema }) => {
          // The pattern is of the text that a whole number travels as; its bounds say the same.
          if (jsonSchema.type === "integer") delete jsonSchema.pattern;
        },
      }),
    );
  }

  /** Describes what an answer holds: a reader has to bear fields that a later version adds. */
  response(schema: z.ZodType): JsonObject {
    return this.#take(
      z.toJSONSchema(schema, {
        io: "output",
        target: this.#dialect,
        override: ({ jsonSchema }) => {
          if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
        },
      }),
    );
  }

  /** Lists all by name, in the order of the alphabet. */
  all(): Record<string, JsonObject> {
    return Object.fromEntries([...this.#named].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #take(converted: unknown): JsonObject {
    const { $schema: _dialect, $defs = {}, definitions = {}, ...root } = relinked(converted as Json) as MutableObject;
    for (const [name, schema] of Object.entries({ ...($defs as JsonObject), ...(definitions as JsonObject) }))
      this.#name(name, schema as JsonObject);
    return root;
  }

  #name(name: string, schema: JsonObject): void {
    const known = this.#named.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two different schemas have the id ${name}`);
    this.#named.set(name, schema);
  }
}

/** The same value with references to its own definitions led to the components. */
function relinked(value: Json): Json {
  if (Array.isArray(value)) return value.map(relinked);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === "$ref" && typeof inner === "string" ? inner.replace(DEFS, COMPONENTS) : relinked(inner),
    ]),
  );
}
