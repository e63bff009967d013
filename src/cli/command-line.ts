/**
 * The command line that runs this very program again, for a person to copy: nothing of it depends on the path, the directory or the
 * variables of the shell that it is pasted into.
 */
import { resolve } from "node:path";
import { homeOf, type Profile } from "../config/index.ts";
import type { Invocation } from "./invocation.ts";
import { ACCOUNT_HOME, AS_ACCOUNT } from "./service/account.ts";

/** Of a profile that was made of variables; they hold a secret, so they are not repeated. */
const FROM_VARIABLES = "environment";

export function commandLine(
  { env, io }: Pick<Invocation, "env" | "io">,
  { name, tenant }: Pick<Profile, "name"> & { readonly tenant?: string | undefined },
  platform: NodeJS.Platform = process.platform,
): (...words: readonly string[]) => string {
  const home = env["HOGA_HOME"] ? homeOf(env).dir : undefined;
  const before =
    home === undefined
      ? ""
      : platform === "win32"
        ? `set "HOGA_HOME=${home}" && `
        : `HOGA_HOME=${quotedForShell(home)} `;
  // Under an account of its own, which no person is signed in as.
  const account = env["HOME"] === ACCOUNT_HOME ? AS_ACCOUNT : "";
  const own = name === FROM_VARIABLES ? [] : ["--profile", name];
  const whose = tenant === undefined ? own : ["--tenant", tenant];
  return (...words) => `${before}${account}${programLine({ io }, [...words, ...whose], platform)}`;
}

/** The same without a data directory and a profile. */
export function programLine(
  { io }: Pick<Invocation, "io">,
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
