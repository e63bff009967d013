/**
 * Reads a request of the Trading API: the fields of its form or query, checked against the contract's schema, with one fault
 * reported. Entry points: `readForm`, `nonceIn`, `checkRequest`.
 *
 * Invariants: an unknown field is reported first, as a missing one is often the same, misspelled; missing or empty travel-rule
 * fields are reported as such only when nothing else is wrong.
 * Source: service.md#trading-requests, service.md#add-order-compliance.
 */
import { isUtf8 } from "node:buffer";
import type { z } from "zod";
import { compliance } from "../../../contract/index.ts";
import { badArgument, type Fault, fault } from "../../http/outcome.ts";
import { type Query, readQuery } from "../../http/query-string.ts";

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;\s*charset="?utf-8"?\s*)?$/i;
const COMPLIANCE_FIELDS = Object.keys(compliance.shape);

export type Fields = { readonly ok: true; readonly query: Query } | Fault;

/** The fields of a form. Some clients of the dialect send no content type. */
export function readForm(contentType: string | undefined, body: Buffer): Fields {
  if (contentType !== undefined && !FORM_TYPE.test(contentType))
    return badArgument("Content-Type", "send a form, as application/x-www-form-urlencoded");
  if (!isUtf8(body)) return badArgument("body", "the form is not UTF-8");
  return readQuery(body.toString("utf8"));
}

/**
 * The nonce of a form. The form may be malformed elsewhere, as the caller is authenticated before the form is read.
 * @returns undefined unless there is exactly one
 */
export function nonceIn(body: Buffer): string | undefined {
  const found = [...body.toString("latin1").matchAll(/(?:^|&)nonce=(\d{1,20})(?=&|$)/g)];
  return found.length === 1 ? found[0]?.[1] : undefined;
}

export type CheckedRequest = { readonly ok: true; readonly request: unknown } | Fault;

export function checkRequest(schema: z.ZodType, fields: Query): CheckedRequest {
  const given = Object.fromEntries(
    Object.entries(fields).filter(([name, text]) => text !== "" || !COMPLIANCE_FIELDS.includes(name)),
  );
  const parsed = schema.safeParse(given);
  return parsed.success ? { ok: true, request: parsed.data } : faultIn(parsed.error.issues, given);
}

/** The one fault that is reported of all issues. */
function faultIn(issues: readonly z.core.$ZodIssue[], given: Query): Fault {
  for (const issue of issues)
    if (issue.code === "unrecognized_keys") return badArgument(issue.keys[0] ?? "body", "this field is not known");
  const nameOf = ({ path }: z.core.$ZodIssue): string => path.map(String).join(".");
  const missing = COMPLIANCE_FIELDS.filter((name) => !(name in given) && issues.some((each) => nameOf(each) === name));
  const issue = issues.find((each) => !missing.includes(nameOf(each)));
  return issue === undefined ? missingCompliance(missing) : badArgument(nameOf(issue) || "body", issue.message);
}

function missingCompliance(missing: readonly string[]): Fault {
  const list = missing.join(", ");
  const base = fault("ECompliance:Missing travel-rule metadata", `missing: ${list}`);
  return { ...base, code: `${base.code}: ${list}` };
}
