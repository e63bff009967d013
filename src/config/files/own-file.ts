/**
 * Owns whose files are used: one with a secret in it, or that says what is run, has to belong to this user and to be closed to all others,
 * and is never read through a link. Where a system has no owners, none of it applies.
 *
 * Source: decision 0069.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";

const OTHERS = 0o077;

export const HAS_OWNERS = process.geteuid !== undefined;

/** Our own user, or the one who can change everything anyway. */
export function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.geteuid?.();
}

/** @param refuse makes the error to throw of what is wrong with the file; @returns undefined where there is none */
export function readOwnFile(path: string, refuse: (problem: string) => Error): string | undefined {
  let file: number;
  try {
    // Not through a link, and without waiting: a pipe in its place has no writer to wait for.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return undefined;
    throw refuse(code === "ELOOP" ? "is a link, and what it leads to is not used" : `cannot be read (${code})`);
  }
  try {
    const problem = problemOf(fstatSync(file));
    if (problem !== undefined) throw refuse(problem);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function problemOf(stats: Stats): string | undefined {
  const { mode, uid } = stats;
  if (!stats.isFile()) return "is not a file";
  if (!HAS_OWNERS) return undefined;
  if (uid !== process.geteuid?.()) return "belongs to another user";
  return (mode & OTHERS) === 0
    ? undefined
    : `is open to other users of this machine (mode ${(mode & 0o777).toString(8)})`;
}

export function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown }).code);
}
