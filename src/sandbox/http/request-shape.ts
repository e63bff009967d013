/**
 * Checks a request's path parameters, query and body against the contract's schemas, and reports one fault. Entry points:
 * `checkShape`, `checkPart`.
 *
 * Invariants: an unknown field is reported first, as a missing one is often the same, misspelled; missing travel-rule fields are
 * reported as such only when nothing else is wrong. Source: service.md#strict-requests, service.md#compliance.
 */

import type { z } from "zod";
import { type ApiVersion, compliance, type Endpoint } from "../../contract/index.ts";
import { duplicatedKey, readJson } from "./json-body.ts";
import { nearName } from "./near-name.ts";
import { badArgument, type Fault, fault } from "./outcome.ts";
import { readQuery } from "./query-string.ts";
import { isLaterField } from "./requested-version.ts";

export interface RequestParts {
  /** The query string without "?". */
  readonly queryText: string;
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

/** A request's parts as their schemas return them; a part that the endpoint does not have is empty. */
export interface CheckedParts {
  readonly ok: true;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export interface ShapeRules {
  readonly endpoint: Pick<Endpoint, "params" | "query" | "body"> & { readonly method: string };
  /** Stand as in the path. */
  readonly params: Readonly<Record<string, string>>;
  /** Fields that were added after this version are unknown. */
  readonly version?: ApiVersion;
  /** The fields whose absence is reported as missing travel-rule metadata. Default: those of an order. */
  readonly travelRule?: readonly string[];
}

const ORDER_TRAVEL_RULE = Object.keys(compliance.shape).map((name) => `compliance.${name}`);

/** Checks path parameters, query and body, in this order; the first wrong part is reported. */
export function checkShape(rules: ShapeRules, parts: RequestParts): CheckedParts | Fault {
  const { endpoint } = rules;
  const params = checkPart(endpoint.params, rules.params);
  if (!params.ok) return params;
  const read = readQuery(parts.queryText);
  if (!read.ok) return read;
  const query = checkPart(endpoint.query, read.query);
  if (!query.ok) return query;
  const body = checkBody(rules, parts);
  if (!body.ok) return body;
  return { ok: true, params: params.value, query: query.value, body: body.value };
}

type Checked = { readonly ok: true; readonly value: unknown } | Fault;

/** Checks one value against its schema; without a schema the value has to be empty. */
export function checkPart(
  schema: z.ZodType | undefined,
  value: object,
  travelRule: readonly string[] = ORDER_TRAVEL_RULE,
): Checked {
  if (schema === undefined) {
    const unknown = Object.keys(value)[0];
    return unknown === undefined ? { ok: true, value } : unknownField(unknown, []);
  }
  const result = schema.safeParse(value);
  return result.success
    ? { ok: true, value: result.data }
    : faultIn(result.error.issues, value, { schema, travelRule });
}

function checkBody({ endpoint, version, travelRule }: ShapeRules, parts: RequestParts): Checked {
  if (parts.body.length === 0) {
    if (endpoint.body === undefined) return { ok: true, value: undefined };
    // A body whose fields may all be left out may be left out itself.
    const nothing = endpoint.body.safeParse({});
    if (nothing.success) return { ok: true, value: nothing.data };
  }
  // Many HTTP clients cannot POST without a body and send an empty object.
  if (endpoint.body === undefined && endpoint.method !== "POST")
    return badArgument("body", "this endpoint takes no body");
  const json = readJson(parts.contentType, parts.body);
  if (!json.ok) return json;
  const { value, text } = json;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return badArgument("body", "send a JSON object");
  if (endpoint.body === undefined) {
    const [field] = Object.keys(value);
    return field === undefined ? { ok: true, value: undefined } : unknownField(field, []);
  }
  const later = version && Object.keys(value).find((name) => isLaterField(name, version));
  if (later !== undefined) return badArgument(later, `version ${version} does not know this field`);
  const checked = checkPart(endpoint.body, value, travelRule);
  // After the check the shape is flat, which keeps the search for duplicates short.
  const twice = checked.ok ? duplicatedKey(text, value) : undefined;
  return twice === undefined ? checked : badArgument(twice, "this field is given more than once");
}

interface PartRules {
  readonly schema: z.ZodType;
  readonly travelRule: readonly string[];
}

/** The one fault that is reported of all issues. */
function faultIn(issues: readonly z.core.$ZodIssue[], value: object, { schema, travelRule }: PartRules): Fault {
  for (const issue of issues) {
    if (issue.code !== "unrecognized_keys") continue;
    const parent = issue.path.map(String);
    return unknownField([...parent, issue.keys[0] ?? ""].join("."), parent.length === 0 ? fieldsOf(schema) : []);
  }
  const absent = (issue: z.core.$ZodIssue): readonly string[] =>
    at(value, issue.path) === undefined ? travelRule.filter((name) => isWithin(name, issue.path)) : [];
  const issue = issues.find((each) => absent(each).length === 0);
  if (issue === undefined) return missingCompliance(travelRule.filter((name) => issues.flatMap(absent).includes(name)));
  const field = issue.path.map(String).join(".") || "body";
  if (at(value, issue.path) === undefined && issue.code !== "custom") return badArgument(field, `${field} is missing`);
  return badArgument(field, issue.message);
}

/** Tells whether a dotted name is that of the path, or of a field inside it. */
function isWithin(name: string, path: readonly PropertyKey[]): boolean {
  const outer = path.map(String).join(".");
  return name === outer || name.startsWith(`${outer}.`);
}

function unknownField(field: string, known: readonly string[]): Fault {
  const near = nearName(field, known);
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  return badArgument(field, `this field is not known${hint}`);
}

function missingCompliance(missing: readonly string[]): Fault {
  const list = missing.map((name) => name.replace(/^compliance\./, "")).join(", ");
  const base = fault("ECompliance:Missing travel-rule metadata", `send all compliance fields; missing: ${list}`);
  return { ...base, code: `${base.code}: ${list}`, field: missing[0]?.split(".")[0] ?? "body" };
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined),
    value,
  );
}

function fieldsOf(schema: z.ZodType): readonly string[] {
  return "shape" in schema && typeof schema.shape === "object" && schema.shape !== null
    ? Object.keys(schema.shape)
    : [];
}
