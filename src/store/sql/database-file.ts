/**
 * Owns the look at a database file before SQLite opens it: another program's is not touched, not even to make it private, and what stands
 * behind a link is not opened.
 *
 * Invariant: a file that this process has open is never opened here, as closing it again would drop the locks that SQLite holds on it.
 *
 * Source: sqlite.org/fileformat2.html#the_database_header, sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_.
 */
import { chmodSync, closeSync, constants, lstatSync, mkdirSync, openSync, readSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { storeError } from "./store-error.ts";

/** "hoga" in ASCII, in the header of the file, so that another program's database is never touched. */
export const APPLICATION_ID = 0x686f6761;

const MAGIC = "SQLite format 3\0";
/** The header of the file, and that of the tree that lists its tables. */
const HEADER_BYTES = 108;
const APPLICATION_ID_AT = 68;
const TREE_KIND_AT = 100;
const CELLS_AT = 103;
const LEAF = 0x0d;

/** Counts how many connections of this process a file has. */
const connections = new Map<string, number>();

/**
 * Creates the file where there is none (mode 0600, in a directory of mode 0700 if it has to be made), and makes it private.
 * @param isStore whether it has to be ours
 * @throws StoreError "unwritable", "damaged" or "foreign_file"; the file is left as it was
 * @returns to be called when the connection that is opened now is closed
 */
export function claimDatabaseFile(path: string, isStore: boolean): () => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const found = lstatSync(path, { throwIfNoEntry: false }) ?? createFile(path);
  const open = checkFile(path, found, isStore);
  if ((found.mode & 0o077) !== 0 && process.platform !== "win32") chmodSync(path, 0o600);
  return countOpen(found, open);
}

/** The same of a store that is only looked at: nothing is made, nor made private. */
export function lookAtDatabaseFile(path: string): () => void {
  const found = lstatSync(path);
  return countOpen(found, checkFile(path, found, true));
}

const nameOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`;

function countOpen(found: Stats, open: number): () => void {
  const name = nameOf(found);
  connections.set(name, open + 1);
  return () => connections.set(name, (connections.get(name) ?? 1) - 1);
}

/** @returns how many connections of this process it has */
function checkFile(path: string, found: Stats, isStore: boolean): number {
  if (!found.isFile()) {
    const what = found.isSymbolicLink() ? "a link" : "not a file";
    throw storeError("unwritable", path, undefined, `${path} is ${what}, so the store cannot be opened.`);
  }
  if (!isOwn(found.uid))
    throw storeError("unwritable", path, undefined, `${path} belongs to another user, so the store cannot be opened.`);
  const open = connections.get(nameOf(found)) ?? 0;
  if (isStore && open === 0 && found.size > 0) recognize(path);
  return open;
}

/** Root's own too. Where a system has no owners, every file is. */
function isOwn(uid: number): boolean {
  const own = process.geteuid?.();
  return own === undefined || uid === own || uid === 0;
}

function createFile(path: string): Stats {
  try {
    // "wx": opening and closing a file that is in use would drop the locks this process holds on it.
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return lstatSync(path);
}

/**
 * Passes one without an id, for SQLite to be asked about: one of ours has none yet while no table was written to it, or all are in its log
 * still.
 */
function recognize(path: string): void {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    readSync(file, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(file);
  }
  if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) throw storeError("damaged", path);
  const id = header.readUInt32BE(APPLICATION_ID_AT);
  const isEmpty = header[TREE_KIND_AT] === LEAF && header.readUInt16BE(CELLS_AT) === 0;
  if (id !== APPLICATION_ID && !(id === 0 && isEmpty)) throw storeError("foreign_file", path);
}
