/**
 * Owns reading a file with a secret in it that somebody else may have made: it has to belong to this user, and to be closed to all
 * others.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";

const OTHERS = 0o077;

/** @param refuse makes the error to throw of what is wrong with the file; @returns undefined where there is none */
export function readOwnFile(path: string, refuse: (problem: string) => Error): string | undefined {
  let file: number;
  try {
    // Not through a link, and without waiting: a pipe in its place has no writer to wait for.
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw refuse(`cannot be read (${codeOf(error)})`);
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
  if (process.platform === "win32") return undefined;
  if (uid !== process.geteuid?.()) return "belongs to another user";
  return (mode & OTHERS) === 0
    ? undefined
    : `is open to other users of this machine (mode ${(mode & 0o777).toString(8)})`;
}

export function codeOf(error: unknown): string {
  return String((error as { readonly code?: unknown }).code);
}
