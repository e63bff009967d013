/**
 * Checks the parameters of an alias call against its schema, and reports what is wrong by the dialect's numbers. Entry point:
 * `checkParameters`.
 *
 * Invariant: an unknown name is reported first, as a missing one is often the same, misspelled. Source: service.md#alias-errors.
 */
import type { z } from "zod";
import { ALIAS_EITHER, ALIAS_PROBLEMS, type AliasProblem } from "../../../contract/index.ts";
import { nearName } from "../../http/near-name.ts";
import { type AliasFault, problem, withDetail } from "./alias-outcome.ts";

type Values = Readonly<Record<string, string>>;
type Issue = z.core.$ZodIssue;

type Checked = { readonly ok: true; readonly parameters: unknown } | AliasFault;

/** @param alreadyRead how many parameters were read before, for the count of those that were sent */
export function checkParameters(schema: z.ZodType | undefined, values: Values, alreadyRead: number): Checked {
  const names = Object.keys(values);
  const known = fieldsOf(schema);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) return unknownParameters(unknown, known, names.length, alreadyRead);
  const result = schema?.safeParse(values);
  if (result === undefined || result.success) return { ok: true, parameters: result?.data };
  const [issue] = result.error.issues;
  const field = String(issue?.path[0] ?? "");
  const value = values[field];
  if (issue === undefined) return problem("invalidParameter", field);
  return value === undefined ? missingParameter(issue, field) : badValue(result.error.issues, issue, field, value);
}

function unknownParameters(
  unknown: readonly string[],
  known: readonly string[],
  sent: number,
  alreadyRead: number,
): AliasFault {
  const [name = ""] = unknown;
  const near = nearName(name, known);
  const counts = [sent - unknown.length + alreadyRead, sent + alreadyRead].map(String);
  const refused = problem("unreadParameters", ...counts);
  return near === undefined
    ? withDetail(refused, "'%s' is not known", name)
    : withDetail(refused, "'%s' is not known; did you mean '%s'?", name, near);
}

function missingParameter(issue: Issue, field: string): AliasFault {
  if (issue.code === "custom" && issue.message === "missingEither")
    return problem("missingEither", field, ALIAS_EITHER[field] ?? "");
  return problem("missingParameter", field);
}

function badValue(issues: readonly Issue[], first: Issue, field: string, value: string): AliasFault {
  const name = issues.find(({ path, message }) => path[0] === field && isProblem(message))?.message;
  if (name !== undefined && isProblem(name)) return problem(name, field);
  if (value === "") return problem("emptyParameter", field);
  if (/^\d+\.\d{9,}$/.test(value)) return problem("tooPrecise", field);
  const pattern = first.code === "invalid_format" ? first.pattern : undefined;
  if (pattern === undefined) return problem("invalidParameter", field);
  return problem("illegalCharacters", field, pattern.replace(/^\/(.*)\/$/, "$1"));
}

function isProblem(name: string): name is AliasProblem {
  return Object.hasOwn(ALIAS_PROBLEMS, name);
}

function fieldsOf(schema: z.ZodType | undefined): readonly string[] {
  return schema !== undefined && "shape" in schema && typeof schema.shape === "object" && schema.shape !== null
    ? Object.keys(schema.shape)
    : [];
}
