/**
 * Creates the directories and files that only their owner may read. Entry points: `makeDirectory`, `writePrivateFile`, `openPrivate`,
 * `readPrivate`, `claimFile`.
 *
 * Invariant: no file is opened through a link: what stands behind one is not the exchange's to read or to write (decision 0069).
 */
import { randomUUID } from "node:crypto";
import { closeSync, constants, lstatSync, mkdirSync, openSync, readFileSync, statSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";

const PRIVATE = 0o700;
const PRIVATE_FILE = 0o600;
const NO_LINK = constants.O_NOFOLLOW ?? 0;
const { O_RDONLY, O_WRONLY, O_CREAT, O_APPEND, O_TRUNC, O_EXCL } = constants;
const WAYS = {
  /** To its end, made where there is none. */
  append: O_WRONLY | O_CREAT | O_APPEND,
  /** Anew. */
  write: O_WRONLY | O_CREAT | O_TRUNC,
  /** Opens one that must not be there yet, to its end. */
  begin: O_WRONLY | O_CREAT | O_APPEND | O_EXCL,
} as const;

/**
 * Creates a directory and its parents, for their owner only. It does so step by step, as Node's `recursive` never returns on a file
 * system that answers "no such directory" to every attempt.
 * @throws the system's error, such as EEXIST when there is a file of that name
 */
export function makeDirectory(dir: string): void {
  if (isDirectory(dir)) return;
  if (dirname(dir) !== dir) makeDirectory(dirname(dir));
  try {
    mkdirSync(dir, { mode: PRIVATE });
  } catch (error) {
    // Another process that started at the same moment may have created it.
    if (!isDirectory(dir)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Writes a file for its owner alone, which has its name only once it is complete and on disk. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  const file = await open(temporary, "wx", PRIVATE_FILE);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

/** @returns a descriptor. @throws the system's error, ELOOP for a link */
export function openPrivate(path: string, way: keyof typeof WAYS): number {
  return openSync(path, WAYS[way] | NO_LINK, PRIVATE_FILE);
}

/** @throws the system's error, ELOOP for a link */
export function readPrivate(path: string): Buffer {
  const file = openSync(path, O_RDONLY | NO_LINK);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Makes the file that SQLite is to open, which follows links, or looks that none is in its place. One that is there is not opened:
 * closing it again would end this process's own lock on it.
 */
export function claimFile(path: string): void {
  try {
    closeSync(openPrivate(path, "begin"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  if (!lstatSync(path).isFile()) throw Object.assign(new Error(`${path} is a link, or no file`), { code: "ELOOP" });
}
