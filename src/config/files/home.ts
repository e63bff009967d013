/**
 * Owns the data directory: where it is, and that only its owner can read it.
 *
 * Source: settings.md#data-directory.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { quoted } from "../../contract/index.ts";
import { ConfigError } from "./config-error.ts";
import type { Environment } from "./environment.ts";
import { HAS_OWNERS, isTrusted } from "./own-file.ts";
import type { Tenant } from "./tenant.ts";

export type { Environment };

/** Paths inside the data directory. */
export interface Home {
  readonly dir: string;
  readonly config: string;
  /** Holds what a person allows; no tool writes it. */
  readonly policy: string;
  readonly database: string;
  /** Which store it has. */
  readonly storeMark: string;
  /** Lets a client in over HTTP. */
  readonly httpToken: string;
  readonly sandbox: string;
  /** Outside of `dir`: what shows that `dir` was put back from a copy. */
  readonly state: string;
  /** Leads to a store that is not in `dir`. Not a value, so that it does not print: there is a password in it. */
  readonly storeUrl: () => string | undefined;
  /** Whose it is; undefined of the operator's own. */
  readonly tenant?: Tenant;
}

/**
 * `HOGA_HOME`, or the platform's data directory. Nothing is created.
 * @throws ConfigError for one that names another directory wherever it is read; and where it is another user's, before anything in it is read
 */
export function homeOf(env: Environment, platform: NodeJS.Platform = process.platform): Home {
  const named = env["HOGA_HOME"]?.trim();
  const dir = named === undefined || named === "" ? defaultDir(env, platform) : absolute(named, env);
  checkOwner(dir);
  return { ...filesOf(dir), state: stateDir(env, platform), storeUrl: () => env["HOGA_STORE_URL"] };
}

function absolute(named: string, env: Environment): string {
  const path = withHome(named, env);
  if (isAbsolute(path)) return resolve(path);
  throw new ConfigError(
    `HOGA_HOME is ${quoted(named, 200)}, which is another directory in each directory that a command runs in.`,
    `Set it to a whole path, such as HOGA_HOME=${resolve(path)}`,
  );
}

/** A `~` that no shell has replaced, as where it stands in quotes, behind a `=` or in a file of settings. */
export function withHome(path: string, env: Environment): string {
  return /^~(?=[\\/]|$)/.test(path) ? join(env["HOME"] || homedir(), path.slice(1)) : path;
}

/** Refuses another user's directory: what lies in it says what that user wants: commands to run, an exchange, a policy (decision 0069). */
function checkOwner(dir: string): void {
  if (!HAS_OWNERS) return;
  const foreign = [lstatSync, statSync].map((look) => found(look, dir)).find((stats) => stats && !isTrusted(stats.uid));
  if (foreign === undefined) return;
  throw new ConfigError(
    `The data directory ${dir} belongs to another user of this machine (number ${foreign.uid}), so nothing in it is read, run or written.`,
    `If that is the account hoga runs under, run this as it: sudo -u "#${foreign.uid}" -H … Otherwise set HOGA_HOME to a directory of yours.`,
  );
}

/** Finds nothing where it cannot look: that is reported when it is used. */
function found(look: (path: string) => Stats, dir: string): Stats | undefined {
  try {
    return look(dir);
  } catch {
    return undefined;
  }
}

/** A tenant's own, in the operator's: all but the settings of exchanges, which are the operator's. */
export function tenantHome(operator: Home, tenant: Tenant): Home {
  return { ...operator, ...filesOf(join(operator.dir, "tenants", tenant.name)), config: operator.config, tenant };
}

function filesOf(dir: string): Omit<Home, "state" | "storeUrl"> {
  return {
    dir,
    config: join(dir, "config.toml"),
    policy: join(dir, "policy.toml"),
    database: join(dir, "hoga.db"),
    storeMark: join(dir, "store.json"),
    httpToken: join(dir, "http-token"),
    sandbox: join(dir, "sandbox"),
  };
}

function defaultDir(env: Environment, platform: NodeJS.Platform): string {
  if (platform === "win32") return join(env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local"), "hoga");
  if (platform === "darwin") return join(homedir(), "Library", "Application Support", "hoga");
  const data = env["XDG_DATA_HOME"];
  return join(data !== undefined && isAbsolute(data) ? data : join(homedir(), ".local", "share"), "hoga");
}

/** `XDG_STATE_HOME`, or what the platform has for what is no document and not to be lost. */
function stateDir(env: Environment, platform: NodeJS.Platform): string {
  const home = env["HOME"] || homedir();
  if (platform === "win32") return join(env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"), "hoga-state");
  if (platform === "darwin") return join(home, "Library", "Application Support", "hoga-state");
  const state = env["XDG_STATE_HOME"];
  return join(state !== undefined && isAbsolute(state) ? state : join(home, ".local", "state"), "hoga");
}

/**
 * Makes a directory and those above it, for their owner alone. Step by step, as Node's own `recursive` never returns on a file
 * system that answers "no such directory" to every attempt.
 * @throws the system's error, such as EEXIST for a file in its place.
 */
export function makeDir(dir: string): void {
  if (isDirectory(dir)) return;
  if (dirname(dir) !== dir) makeDir(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // Another process starting at the same moment made it.
    if (!isDirectory(dir)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Takes others' access away, but only from a directory that is ours: HOGA_HOME=/tmp is a mistake. */
function closeToOthers({ dir, state: _elsewhere, storeUrl: _server, tenant: _whose, ...files }: Home): void {
  if ((statSync(dir).mode & 0o077) === 0) return;
  const isOurs = (path: string): boolean => isTrusted(found(lstatSync, path)?.uid ?? Number.NaN);
  const ours = Object.values(files).some(isOurs) || readdirSync(dir).length === 0;
  if (!ours)
    throw new ConfigError(
      `The data directory ${dir} is open to other users of this machine and holds other files.`,
      "Set HOGA_HOME to a directory of its own, or to a new one.",
    );
  chmodSync(dir, 0o700);
}

/** Makes the data directory (0700) if it is missing. @throws ConfigError when it cannot be used */
export function prepareHome(home: Home): void {
  try {
    makeDir(home.dir);
    if (process.platform !== "win32") closeToOthers(home);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new ConfigError(
      `The data directory ${home.dir} cannot be created or used${code}.`,
      "Set HOGA_HOME to a directory that you may write to.",
      error,
    );
  }
}
