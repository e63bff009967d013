/**
 * Owns what the variables of the process say as settings, and those that hold for every command, whatever the profile: a blank round one is a slip
 * of whoever wrote it, and no other name, zone or directory.
 *
 * Source: settings.md#environment-variables.
 */
import { ConfigError } from "./config-error.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A blank beside a secret is a sign of one that was cut or broken on its way, and refused where it is read. */
const SECRET = /^(key|secret|webhook_secret|HOGA_(API_KEY|API_SECRET|WEBHOOK_SECRET|MASTER_KEY(_OLD)?|TOKEN))$/;

/** The same, with no blank round a setting of ours. */
export function settingsIn(env: Environment): Environment {
  const isBlank = (name: string): boolean => name.startsWith("HOGA_") && env[name] !== env[name]?.trim();
  const blank = Object.keys(env).filter((name) => !SECRET.test(name) && isBlank(name));
  return blank.length === 0 ? env : { ...env, ...Object.fromEntries(blank.map((name) => [name, env[name]?.trim()])) };
}

/** The same of what a file of settings holds: every text in it, and no name of one. */
export function trimmed(value: unknown): unknown {
  if (typeof value === "string") return value.trim();
  if (Array.isArray(value)) return value.map(trimmed);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, SECRET.test(name) ? each : trimmed(each)]),
  );
}

const LOG_LEVELS = ["error", "warn", "info", "debug"];

/** @throws ConfigError for an unknown level. */
export function checkLogLevel(env: Environment): void {
  const level = env["HOGA_LOG_LEVEL"];
  if (level === undefined || level === "" || LOG_LEVELS.includes(level)) return;
  throw new ConfigError(
    "HOGA_LOG_LEVEL has a value that cannot be used.",
    `Set it to one of ${LOG_LEVELS.join(", ")}, or unset it.`,
  );
}
