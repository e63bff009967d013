/**
 * Owns the check of a request's parts against the contract's schemas, and the one fault told out of what is wrong.
 *
 * Invariants: an unknown field is told first, because a missing one is often just that, misspelled; missing travel-rule
 * fields are a compliance matter only when nothing else is wrong.
 */

import type { z } from "zod";
import { type ApiVersion, compliance, type Endpoint } from "../../contract/index.ts";
import { duplicatedKey, readJson } from "./json-body.ts";
import { nearName } from "./near-name.ts";
import { badArgument, type Fault, fault } from "./outcome.ts";
import { readQuery } from "./query-string.ts";
import { isLaterField } from "./requested-version.ts";
import type { Route } from "./route.ts";

export interface RequestParts {
  /** The query string without "?". */
  readonly queryText: string;
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

/** A request's parts as their schemas give them; an endpoint without such a part has an empty one. */
export interface CheckedParts {
  readonly ok: true;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Checks path parameters, query and body, in this order; the first wrong part is reported. */
export function checkShape(route: Route, parts: RequestParts, version: ApiVersion): CheckedParts | Fault {
  const { endpoint } = route;
  const params = checkPart(endpoint.params, route.params);
  if (!params.ok) return params;
  const read = readQuery(parts.queryText);
  if (!read.ok) return read;
  const query = checkPart(endpoint.query, read.query);
  if (!query.ok) return query;
  const body = checkBody(endpoint, parts, version);
  if (!body.ok) return body;
  return { ok: true, params: params.value, query: query.value, body: body.value };
}

type Checked = { readonly ok: true; readonly value: unknown } | Fault;

/** Checks one value against its schema; without a schema it has to be empty. */
export function checkPart(schema: z.ZodType | undefined, value: object): Checked {
  if (schema === undefined) {
    const unknown = Object.keys(value)[0];
    return unknown === undefined ? { ok: true, value } : unknownField(unknown, []);
  }
  const result = schema.safeParse(value);
  return result.success ? { ok: true, value: result.data } : misfitOf(result.error.issues, value, schema);
}

function checkBody(endpoint: Endpoint, parts: RequestParts, version: ApiVersion): Checked {
  if (endpoint.body === undefined)
    return parts.body.length === 0
      ? { ok: true, value: undefined }
      : badArgument("body", "this endpoint takes no body");
  const json = readJson(parts.contentType, parts.body);
  if (!json.ok) return json;
  const { value, text } = json;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return badArgument("body", "send a JSON object");
  const later = Object.keys(value).find((name) => isLaterField(name, version));
  if (later !== undefined) return badArgument(later, `version ${version} does not know this field`);
  const checked = checkPart(endpoint.body, value);
  // The shape is known to be flat from here on, which keeps the search for duplicates short.
  const twice = checked.ok ? duplicatedKey(text, value) : undefined;
  return twice === undefined ? checked : badArgument(twice, "this field is given more than once");
}

function misfitOf(issues: readonly z.core.$ZodIssue[], value: object, schema: z.ZodType): Fault {
  for (const issue of issues) {
    if (issue.code !== "unrecognized_keys") continue;
    const parent = issue.path.map(String);
    return unknownField([...parent, issue.keys[0] ?? ""].join("."), parent.length === 0 ? fieldsOf(schema) : []);
  }
  const issue = issues.find((each) => !isMissingCompliance(each, value));
  if (issue === undefined) return missingCompliance(issues);
  const field = issue.path.map(String).join(".") || "body";
  if (at(value, issue.path) === undefined && issue.code !== "custom") return badArgument(field, `${field} is missing`);
  return badArgument(field, issue.message);
}

function unknownField(field: string, known: readonly string[]): Fault {
  const meant = nearName(field, known);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  return badArgument(field, `this field is not known${hint}`);
}

function isMissingCompliance(issue: z.core.$ZodIssue, value: object): boolean {
  return issue.path.length === 2 && issue.path[0] === "compliance" && at(value, issue.path) === undefined;
}

function missingCompliance(issues: readonly z.core.$ZodIssue[]): Fault {
  const missing = Object.keys(compliance.shape).filter((name) => issues.some(({ path }) => path[1] === name));
  const list = missing.join(", ");
  const base = fault("ECompliance:Missing travel-rule metadata", `send all compliance fields; missing: ${list}`);
  return { ...base, code: `${base.code}: ${list}`, field: "compliance" };
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, name) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined),
    value,
  );
}

/** Field names of an object schema. */
function fieldsOf(schema: z.ZodType): readonly string[] {
  return "shape" in schema && typeof schema.shape === "object" && schema.shape !== null
    ? Object.keys(schema.shape)
    : [];
}
