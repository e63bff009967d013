/**
 * The profile that is in force where nothing is configured: the embedded exchange and its paper money. It is known without
 * reading anything, so that a server that runs on it starts without the schemas of all settings.
 */
import { lstatSync } from "node:fs";
import { DEFAULT_UNIT } from "../../contract/index.ts";
import type { Environment, Home } from "../files/home.ts";

/** The modules of a profile that names none. */
export const MODULES = ["market", "account", "trade", "plans", "safety"] as const;

export const PAPER = {
  name: "paper",
  environment: "sandbox",
  exchange: "hoga",
  api: "open",
  unit: DEFAULT_UNIT,
  modules: MODULES,
  absence: { by: "nonce" },
} as const;

/** All four make a profile. */
export const ENVIRONMENT_NAMES = ["HOGA_API_KEY", "HOGA_API_SECRET", "HOGA_BASE_URL", "HOGA_ENVIRONMENT"] as const;

/** Names what else may be set, and has to be checked. */
const EVERYWHERE = [
  "HOGA_EXCHANGE",
  "HOGA_PROFILE",
  "HOGA_LOG_LEVEL",
  "HOGA_STORE_URL",
  "HOGA_LOCALE",
  "HOGA_TIMEZONE",
] as const;

/** Tells whether no variable and no file says anything of the profile or the policy: `PAPER` is in force, with the default policy. */
export function isUnconfigured(home: Home, env: Environment): boolean {
  const variables = [...ENVIRONMENT_NAMES, ...EVERYWHERE];
  if (variables.some((name) => env[name] !== undefined && env[name] !== "")) return false;
  return isAbsent(home.config) && isAbsent(home.policy);
}

function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
