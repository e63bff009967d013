/**
 * Owns the error of a setting that is missing, wrong or contradictory. It is always fatal: trading with guessed settings is worse
 * than not starting.
 *
 * Invariant: message and fix name files, lines and settings, never the text of a file or the value of a key.
 */
import type { z } from "zod";

export class ConfigError extends Error {
  override readonly name = "ConfigError";
  /** Says what the person does about it, in one sentence. */
  readonly fix: string;

  constructor(message: string, fix: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.fix = fix;
  }
}

/** Says where and what, never the value. @param rules what the checks of the schema itself say, to be passed on */
export function describeIssue(issue: z.core.$ZodIssue | undefined, rules: readonly string[]): string {
  if (issue === undefined) return "has a value that cannot be used";
  const path = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys")
    return `${path === "" ? "" : `in ${path}, `}unknown setting ${issue.keys.map((key) => `"${key}"`).join(", ")}`;
  if (issue.code === "invalid_value")
    return `${path} must be one of ${issue.values.map((value) => `"${String(value)}"`).join(", ")}`;
  if (issue.code === "invalid_type") return `${path} is missing or not a ${issue.expected}`;
  if (rules.includes(issue.message)) return `${path} ${issue.message}`;
  return `${path} has a value that cannot be used`;
}
