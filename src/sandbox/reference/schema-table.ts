/**
 * Owns how a JSON Schema is shown to a reader: one row a field, fields of inner objects under their dotted path, named schemas as
 * links. Entry points: `schemaTable`, `shapeList`, `typeHtml`.
 */
import type { Json, JsonObject } from "../../contract/index.ts";
import { anchor, code, escaped, folded, inline, table } from "./html.ts";

interface Row {
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  readonly text: string;
}

/** Beyond these zod writes the range of a safe integer, which tells a reader nothing. */
const ALL_INTEGERS = 9_007_199_254_740_991;

/** The named schemas of a document, and where the page keeps them. */
export interface Shapes {
  readonly place: string;
  readonly schemas: Readonly<Record<string, JsonObject>>;
}

/** A named schema is shown by its name and its fields. */
export function schemaTable(schema: JsonObject, shapes: Shapes): string {
  const named = resolved(schema, shapes);
  return named === schema
    ? fieldTable(schema, shapes)
    : `<p>${typeHtml(schema, shapes.place)}</p>\n${fieldTable(named, shapes)}`;
}

/** What a reference stands for; anything else is itself. */
export function resolved(schema: JsonObject, { schemas }: Shapes): JsonObject {
  const { $ref } = schema;
  return typeof $ref === "string" ? (schemas[nameIn($ref)] ?? schema) : schema;
}

function fieldTable(schema: JsonObject, shapes: Shapes): string {
  const { place } = shapes;
  const alternatives = listOf(schema, "oneOf", "anyOf");
  if (alternatives.length > 0) return alternatives.map((each) => schemaTable(each, shapes)).join("\n<p>or</p>\n");
  const rows = innerRows(schema, "", place);
  if (rows.length === 0) return `<p>${typeHtml(schema, place)}</p>`;
  const cells = rows.map(({ path, type, required, text }) => [code(path), type, required ? "yes" : "", text]);
  return table(["Field", "Type", "Always", ""], cells);
}

/** Every named schema, folded; each opens when a link leads to it, as its place is inside. */
export function shapeList(shapes: Shapes): string {
  const list = Object.entries(shapes.schemas).map(([name, schema]) => {
    const text = descriptionOf(schema);
    const fields = fieldTable(schema, shapes);
    return folded(
      code(name),
      `<div id="${anchor(shapes.place, name)}">${text === "" ? "" : `<p>${text}</p>`}${fields}</div>`,
    );
  });
  return folded("<b>Shapes</b>", list.join("\n"));
}

/** HTML; empty where there is none. */
export function descriptionOf({ description }: JsonObject): string {
  return typeof description === "string" ? inline(description) : "";
}

function innerRows(schema: JsonObject, path: string, place: string): Row[] {
  const { items, additionalProperties, properties } = schema;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const own = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, field]) =>
    isObject(field) ? rowsOf(field, path === "" ? name : `${path}.${name}`, required.includes(name), place) : [],
  );
  const listed = isObject(items) ? innerRows(items, `${path}[]`, place) : [];
  const keyed = isObject(additionalProperties)
    ? rowsOf(additionalProperties, path === "" ? "<key>" : `${path}.<key>`, false, place)
    : [];
  return [...own, ...listed, ...keyed];
}

function rowsOf(schema: JsonObject, path: string, required: boolean, place: string): Row[] {
  const alternatives = listOf(schema, "anyOf", "oneOf").map((each) => innerRows(each, path, place));
  const text = descriptionOf(schema);
  return [
    { path, type: typeHtml(schema, place), required, text },
    ...innerRows(schema, path, place),
    ...united(alternatives),
  ];
}

/** The fields of several forms as one list; always there is what every form always has. */
function united(forms: readonly (readonly Row[])[]): Row[] {
  const rows = new Map<string, Row>();
  for (const row of forms.flat()) {
    const everywhere = forms.every((form) => form.some((each) => each.path === row.path && each.required));
    if (!rows.has(row.path)) rows.set(row.path, { ...row, required: everywhere });
  }
  return [...rows.values()];
}

export function typeHtml(schema: JsonObject, place: string): string {
  const { $ref, type, pattern } = schema;
  if (typeof $ref === "string") return link($ref, place);
  if (schema["const"] !== undefined) return code(JSON.stringify(schema["const"]));
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => code(String(value))).join(" | ");
  const alternatives = listOf(schema, "anyOf", "oneOf", "allOf");
  if (alternatives.length > 0) return alternatives.map((each) => typeHtml(each, place)).join(" or ");
  if (type === "array") return arrayHtml(schema, place);
  if (type === "object") return isObject(schema["additionalProperties"]) ? "object, by key" : "object";
  if (type === "string") return typeof pattern === "string" ? `text ${code(pattern)}` : "text";
  return `${escaped(typeof type === "string" ? type : "anything")}${rangeOf(schema)}`;
}

function arrayHtml(schema: JsonObject, place: string): string {
  const tuple = listOf(schema, "prefixItems", "items");
  if (tuple.length > 0) return `[${tuple.map((each) => typeHtml(each, place)).join(", ")}]`;
  if (schema["maxItems"] === 0) return "empty list";
  return isObject(schema["items"]) ? `list of ${typeHtml(schema["items"], place)}` : "list";
}

function rangeOf({ minimum, maximum }: JsonObject): string {
  const from = typeof minimum === "number" && minimum > -ALL_INTEGERS ? ` from ${minimum}` : "";
  const to = typeof maximum === "number" && maximum < ALL_INTEGERS ? ` to ${maximum}` : "";
  return `${from}${to}`;
}

function nameIn(reference: string): string {
  return reference.split("/").at(-1) ?? "";
}

function link(reference: string, place: string): string {
  const name = nameIn(reference);
  return `<a href="#${anchor(place, name)}">${escaped(name)}</a>`;
}

/** The first of the named fields that is a list. */
function listOf(schema: JsonObject, ...names: readonly string[]): readonly JsonObject[] {
  const found = names.map((name) => schema[name]).find((value) => Array.isArray(value));
  return Array.isArray(found) ? found.filter(isObject) : [];
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
