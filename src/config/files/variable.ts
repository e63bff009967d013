/**
 * Owns the environment variables that hold for every command, whatever the profile.
 *
 * Source: settings.md#environment-variables.
 */
import { ConfigError } from "./config-error.ts";
import type { Environment } from "./home.ts";

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
