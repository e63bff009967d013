/**
 * Owns the words for arguments that do not fit a tool: every problem at once, each naming the field and the fix.
 * Entry point: `problemsOf`, which translates the issues of a zod schema.
 *
 * Invariant: text of the caller is quoted and cut; the message never repeats an argument in full.
 */
import type { z } from "zod";
import { quoted } from "../../contract/index.ts";
import { INVISIBLE } from "../../decimal/index.ts";
import { lackingIn } from "./not-offered.ts";
import { type FieldSuggestion, lackingValue, suggestField, suggestValue } from "./suggestion.ts";

export interface InputProblem {
  /** The field as the caller wrote it, or the missing one; with dots inside an object. Empty for the arguments as a whole. */
  readonly field: string;
  readonly message: string;
}

/** The part of a JSON Schema that names fields. */
export interface FieldTree {
  readonly properties?: Readonly<Record<string, FieldTree>>;
}

type Issue = z.core.$ZodIssue;

const PROBLEMS_MAX = 12;
const QUOTED_MAX = 40;

/** Tells what is wrong with `input`, given what zod found and the fields there are. */
export function problemsOf(issues: readonly Issue[], input: unknown, fields: FieldTree): readonly InputProblem[] {
  const unknown = issues.flatMap((issue) => (issue.code === "unrecognized_keys" ? unknownFields(issue, fields) : []));
  const suggested = new Set(
    unknown.flatMap(({ path, suggestion }) => suggestion.fields.map((name) => [...path, name].join("."))),
  );
  const others = issues
    .filter((issue) => issue.code !== "unrecognized_keys")
    .map((issue) => ({ field: issue.path.join("."), message: describe(issue, valueAt(input, issue.path)) }))
    // A missing field whose misspelling is named already is one mistake, not two.
    .filter(({ field }) => !(suggested.has(field) && valueAt(input, field.split(".")) === undefined));
  return once([...unknown, ...others]).slice(0, PROBLEMS_MAX);
}

/** Says once what hoga does not do, though a stop order has a type and a price that are not known. */
function once(problems: readonly InputProblem[]): readonly InputProblem[] {
  const said = new Set<string>();
  return problems.map(({ field, message }) => {
    const lacking = lackingIn(message);
    const isAgain = lacking !== undefined && said.has(lacking);
    if (lacking !== undefined) said.add(lacking);
    return { field, message: isAgain ? message.replace(lacking, "the same") : message };
  });
}

interface UnknownField extends InputProblem {
  readonly path: readonly PropertyKey[];
  readonly suggestion: FieldSuggestion;
}

function unknownFields(issue: z.core.$ZodIssueUnrecognizedKeys, fields: FieldTree): UnknownField[] {
  const at = issue.path.reduce<FieldTree | undefined>((tree, key) => tree?.properties?.[String(key)], fields);
  const known = Object.keys(at?.properties ?? {});
  return issue.keys.map((key) => {
    const suggestion = suggestField(key, known);
    const field = [...issue.path, key.slice(0, QUOTED_MAX)].join(".");
    return { field, message: `unknown field ${quote(key)}: ${suggestion.text}`, path: issue.path, suggestion };
  });
}

/** A field in a sentence. */
export function named(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "the arguments" : `"${path.join(".")}"`;
}

function describe(issue: Issue, value: unknown): string {
  const field = named(issue.path);
  if (value === null) return `${field} is null, which only a field that may be left out can be`;
  if (issue.code === "invalid_value") return describeEnum(field, issue.values.map(String), value);
  if (issue.code === "invalid_type" && value === undefined) return `${field} is missing`;
  if (issue.code === "invalid_type" && issue.expected === "object")
    return `${field} must be one JSON object with named fields, not ${kindOf(value)}`;
  if (issue.code === "invalid_type" && issue.expected === "boolean")
    return `${field} must be true or false, without quotes (got ${quote(value)})`;
  if (issue.code === "invalid_type" && issue.expected === "array")
    return `${field} must be a JSON list, not ${kindOf(value)}`;
  return `${field}: ${issue.message}`;
}

function describeEnum(field: string, permitted: readonly string[], value: unknown): string {
  const list = permitted.map((one) => `"${one}"`).join(", ");
  if (value === undefined) return `${field} is missing: one of ${list}`;
  const lacking = typeof value === "string" ? lackingValue(value, permitted) : undefined;
  if (lacking !== undefined) return `${field} ${quote(value)}: ${lacking}; it is one of ${list}`;
  const guess = typeof value === "string" ? suggestValue(value, permitted) : undefined;
  const hint = guess === undefined ? "" : `: did you mean "${guess}"?`;
  return `${field} must be one of ${list}, exactly as written here; got ${quote(value)}${hint}`;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "string" ? "text" : `a ${typeof value}`;
}

/** A value of the caller's as data: quoted and cut. */
export function quote(value: unknown): string {
  const isText = typeof value === "string";
  const text = isText ? value : (JSON.stringify(value) ?? String(value));
  const cut = text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}…` : text;
  return isText ? quoted(cut) : cut.replace(INVISIBLE, " ");
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}
