/**
 * The command line that runs this very program again, for a person to copy: nothing of it depends on the path, the directory or the
 * variables of the shell that it is pasted into.
 */
import { resolve } from "node:path";
import { type Environment, homeOf, StoreUrl } from "../config/index.ts";
import type { Invocation } from "./invocation.ts";
import { ACCOUNT_HOME, AS_ACCOUNT } from "./service/account.ts";

interface Ran {
  readonly env: Environment;
  readonly io: Pick<Invocation["io"], "program">;
}

/** Names a profile that was made of variables; they hold a secret, so they are not repeated. */
const FROM_VARIABLES = "environment";

export function commandLine(
  { env, io }: Ran,
  { name, tenant }: { readonly [Field in "name" | "tenant"]?: string | undefined },
  platform: NodeJS.Platform = process.platform,
): (...words: readonly string[]) => string {
  const variables = Object.entries(placeOf(env, platform));
  const isWindows = platform === "win32";
  const said = variables.map(([key, value]) =>
    isWindows ? `set "${key}=${value}" && ` : `${key}=${quotedForShell(value)} `,
  );
  // Under an account of its own, which no person is signed in as. Variables before sudo stay behind.
  const isAccount = env["HOME"] === ACCOUNT_HOME;
  const account = isAccount ? `${AS_ACCOUNT}${said.length === 0 ? "" : "env "}` : "";
  const own = name === undefined || name === FROM_VARIABLES ? [] : ["--profile", name];
  const whose = tenant === undefined ? own : ["--tenant", tenant];
  return (...words) => `${account}${said.join("")}${programLine({ io }, [...words, ...whose], platform)}`;
}

/** The variables without which a shell of the same user would reach another data directory, or another store. A password is left out. */
export function placeOf(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Readonly<Record<string, string>> {
  const { dir, storeUrl } = homeOf(env, platform);
  const { HOGA_HOME: named, XDG_DATA_HOME: _elsewhere, ...plain } = env;
  const isNamed = (named !== undefined && named !== "") || homeOf(plain, platform).dir !== dir;
  const server = urlIn(storeUrl());
  return {
    ...(isNamed ? { HOGA_HOME: dir } : {}),
    ...(server === undefined ? {} : { HOGA_STORE_URL: server.withoutPassword() }),
  };
}

export interface Launched {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Tells what an assistant on this machine launches: this very program, over stdio, with the same settings on the same data. */
export function launched({ env: given, io }: Ran, profile: string | undefined): Launched {
  const args = [resolve(io.program), "serve", ...(profile === undefined ? [] : ["--profile", profile])];
  const { HOGA_PROFILE: named = "" } = given;
  const isNamed = profile === undefined && named !== "";
  const env = { ...placeOf(given), ...(isNamed ? { HOGA_PROFILE: named } : {}) };
  return { command: process.execPath, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
}

/** Refuses one that cannot be used where it is. */
function urlIn(text: string | undefined): StoreUrl | undefined {
  try {
    return StoreUrl.of(text);
  } catch {
    return undefined;
  }
}

/** The same without a data directory and a profile. */
export function programLine(
  { io }: Pick<Ran, "io">,
  words: readonly string[],
  platform: NodeJS.Platform = process.platform,
): string {
  const quote = platform === "win32" ? quotedForWindows : quotedForShell;
  return [process.execPath, resolve(io.program), ...words].map(quote).join(" ");
}

function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function quotedForWindows(word: string): string {
  return /^[\w@+=:,./\\-]+$/.test(word) ? word : `"${word}"`;
}
