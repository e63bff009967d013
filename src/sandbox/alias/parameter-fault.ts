/**
 * Owns telling what is wrong with a call's parameters, in the dialect's numbers: the schema finds it, this names it.
 *
 * Invariant: an unknown name is told first, because a missing one is often just that, misspelled.
 */
import type { z } from "zod";
import { ALIAS_EITHER, ALIAS_PROBLEMS, type AliasProblem } from "../../contract/index.ts";
import { nearName } from "../http/near-name.ts";
import { type AliasFault, problem, withDetail } from "./alias-outcome.ts";

type Values = Readonly<Record<string, string>>;
type Issue = z.core.$ZodIssue;

export type Fitting = { readonly ok: true; readonly parameters: unknown } | AliasFault;

/** @param besides parameters that were read before, for the count of those that were sent */
export function fitParameters(schema: z.ZodType | undefined, values: Values, besides: number): Fitting {
  const names = Object.keys(values);
  const known = fieldsOf(schema);
  const unread = names.filter((name) => !known.includes(name));
  if (unread.length > 0) return unreadOf(unread, known, names.length, besides);
  const result = schema?.safeParse(values);
  if (result === undefined || result.success) return { ok: true, parameters: result?.data };
  const [issue] = result.error.issues;
  const field = String(issue?.path[0] ?? "");
  const value = values[field];
  if (issue === undefined) return problem("invalidParameter", field);
  return value === undefined ? absence(issue, field) : misfit(result.error.issues, issue, field, value);
}

function unreadOf(unread: readonly string[], known: readonly string[], sent: number, besides: number): AliasFault {
  const [name = ""] = unread;
  const meant = nearName(name, known);
  const counts = [sent - unread.length + besides, sent + besides].map(String);
  const refused = problem("unreadParameters", ...counts);
  return meant === undefined
    ? withDetail(refused, "'%s' is not known", name)
    : withDetail(refused, "'%s' is not known; did you mean '%s'?", name, meant);
}

function absence(issue: Issue, field: string): AliasFault {
  if (issue.code === "custom" && issue.message === "missingEither")
    return problem("missingEither", field, ALIAS_EITHER[field] ?? "");
  return problem("missingParameter", field);
}

function misfit(issues: readonly Issue[], first: Issue, field: string, value: string): AliasFault {
  const named = issues.find(({ path, message }) => path[0] === field && isProblem(message))?.message;
  if (named !== undefined && isProblem(named)) return problem(named, field);
  if (value === "") return problem("emptyParameter", field);
  if (/^\d+\.\d{9,}$/.test(value)) return problem("tooPrecise", field);
  const pattern = first.code === "invalid_format" ? first.pattern : undefined;
  if (pattern === undefined) return problem("invalidParameter", field);
  return problem("illegalCharacters", field, pattern.replace(/^\/(.*)\/$/, "$1"));
}

function isProblem(name: string): name is AliasProblem {
  return Object.hasOwn(ALIAS_PROBLEMS, name);
}

/** Names of an object schema's fields. */
function fieldsOf(schema: z.ZodType | undefined): readonly string[] {
  return schema !== undefined && "shape" in schema && typeof schema.shape === "object" && schema.shape !== null
    ? Object.keys(schema.shape)
    : [];
}
