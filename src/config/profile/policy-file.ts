/**
 * Owns reading `policy.toml`: what a person allows. It is read again whenever it is asked for, so that a change holds for the next
 * order, in every process, without a restart.
 *
 * Invariants: no file means the default, and everything else that is not a sound policy means a fault, never the default; a
 * file that others may write to is refused, as it protects nobody, and so is one behind a link that leads through where they may; a
 * fault tells place, name and rule, never the file's text.
 *
 * Source: policy.md#precedence, architecture.md#rule-3, architecture.md#rule-9.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { parse, TomlError } from "smol-toml";
import { failed, localFault, ok, type Result, type Unit } from "../../contract/index.ts";
import type { GivenSettings, Policy } from "../../policy/index.ts";
import { trimmed } from "../files/environment.ts";
import { HAS_OWNERS, isTrusted, weaknessOfWay } from "../files/own-file.ts";
import { type ReadSettings, readSettings } from "./policy-settings.ts";

export interface PolicySource<Settings = Policy> {
  /** The policy in force now, or `ELocal:Policy unreadable`. Never throws for what the file is or holds. */
  read(): Result<Settings>;
}

/** No policy is longer; something else was put in its place. */
const MAX_BYTES = 256 * 1024;
const OTHERS_WRITE = 0o022;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The policy in a file.
 * @param unit of account, which names of sums end in
 * @param complete fills in what the file leaves open, as the default of the environment has it
 */
export function policySource<Settings>(
  path: string,
  unit: Unit,
  complete: (given: GivenSettings) => Settings,
): PolicySource<Settings> {
  let last: { readonly text: string; readonly settings: ReadSettings } | undefined;
  return {
    read() {
      const file = readPolicy(path);
      if (file === undefined) return ok(complete({}));
      if ("problem" in file) return unreadable(`${path} ${file.problem}`);
      // By the text, not by its time: two changes within one tick of the file system's clock look the same there.
      if (last?.text !== file.text) last = { text: file.text, settings: settingsOf(file.text, unit) };
      const { settings } = last;
      return settings.ok ? ok(complete(settings.given)) : unreadable(`${path}: ${settings.problems.join("; ")}`);
    },
  };
}

function unreadable(problem: string): Result<never> {
  return failed(
    localFault("ELocal:Policy unreadable", { message: `${problem}. No order is placed until that is repaired.` }),
  );
}

type Found = { readonly text: string } | { readonly problem: string } | undefined;

/** @returns undefined where there is no file */
function readPolicy(path: string): Found {
  let file: number;
  try {
    // Without waiting: a pipe in its place has no writer to wait for.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOf(error);
    // A link whose target is gone is not "no file": somebody has set a policy.
    if (code === "ENOENT" && lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    return cannotBeRead(code);
  }
  try {
    return readOpen(path, file);
  } catch (error) {
    return cannotBeRead(codeOf(error));
  } finally {
    closeSync(file);
  }
}

/** @throws what is not an error of the system */
function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error) return String(error.code);
  throw error;
}

function cannotBeRead(code: string): Found {
  return { problem: `cannot be read (${code}): make it a file that you may read, or take it away` };
}

/** Reads everything through one open file, so that nobody can put another one there in between. */
function readOpen(path: string, file: number): Found {
  const stats = fstatSync(file);
  if (!stats.isFile()) return { problem: "is not a file: make it one, or take it away" };
  const insecure = HAS_OWNERS ? weaknessOf(path, stats) : undefined;
  if (insecure !== undefined) return { problem: insecure };
  if (stats.size > MAX_BYTES) return { problem: `is longer than ${MAX_BYTES} bytes: it should hold the policy alone` };
  const bytes = readFileSync(file);
  // An editor empties a file before it writes it, and an empty policy would be the default.
  if (bytes.length === 0) return { problem: "is empty: write the policy into it, or take it away for the default" };
  try {
    return { text: UTF8.decode(bytes) };
  } catch (error) {
    if (codeOf(error) !== "ERR_ENCODING_INVALID_ENCODED_DATA") throw error;
    return { problem: "is not UTF-8 text: save it as UTF-8" };
  }
}

/** Who else could change it, in the file itself or by putting another in its place. */
function weaknessOf(path: string, { mode, uid }: Stats): string | undefined {
  if ((mode & OTHERS_WRITE) !== 0) return `can be changed by other users of this machine: run chmod go-w "${path}"`;
  if (!isTrusted(uid)) return `belongs to another user of this machine: run chown "$USER" "${path}"`;
  return weaknessOfWay(path);
}

function settingsOf(text: string, unit: Unit): ReadSettings {
  try {
    return readSettings(trimmed(parse(text)), text, unit);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The parser's message quotes the line: only the place is told.
    return { ok: false, problems: [`line ${error.line}, column ${error.column}: not valid TOML: correct the line`] };
  }
}
