/**
 * Owns whose files are used: one with a secret in it, or that says what is run, has to belong to this user and to be closed to all others,
 * and is never read through a link. Where a system has no owners, none of it applies.
 *
 * Owns too who else could put another file in the place of one that may be a link: every directory and every link on the way to what is read has
 * to belong to this user or to root, and nobody else may be able to write there.
 *
 * Entry points of that: `weaknessOfWay`, with the directory of the file itself; `weaknessBehind`, of what is behind a link alone.
 *
 * Source: decision 0069.
 */
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  type Stats,
  statSync,
} from "node:fs";
import { basename, dirname, join, parse, sep } from "node:path";

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

const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/** @returns what is wrong, to be said of the file. @throws the system's error where the way cannot be gone */
export function weaknessOfWay(path: string): string | undefined {
  if (!HAS_OWNERS) return undefined;
  return weaknessOfPlace(dirname(path), statSync(dirname(path))) ?? weaknessBehind(path);
}

/** Nothing of a file that is no link. */
export function weaknessBehind(path: string): string | undefined {
  if (!HAS_OWNERS) return undefined;
  const found = [...placesBehind(path)].map(([place, stats]) => weaknessOfPlace(place, stats));
  return found.find((weakness) => weakness !== undefined);
}

/** @param place a directory, or a link to one on the way */
function weaknessOfPlace(path: string, place: Stats): string | undefined {
  const isDirectory = place.isDirectory();
  // In a sticky one, such as /tmp, nobody else can move away what is there. A link has no mode of its own.
  if (isDirectory && (place.mode & OTHERS_WRITE) !== 0 && (place.mode & STICKY) === 0 && !isReadOnly(path))
    return `can be replaced by other users of this machine: run chmod go-w "${path}"`;
  if (isTrusted(place.uid)) return undefined;
  return isDirectory
    ? `is in a directory of another user of this machine: ${path}`
    : `is behind a link of another user of this machine: ${path}`;
}

/** Whatever its mode: the volumes of container engines are open to all, and mounted to be read. */
function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return codeOf(error) === "EROFS";
  }
}

/** Each link and each directory on the way from a file that is a link to what it leads to; nothing of one that is none. */
function placesBehind(path: string): ReadonlyMap<string, Stats> {
  const places = new Map<string, Stats>();
  let at = dirname(path);
  const names = [basename(path)];
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = join(at, name);
    const stats = lstatSync(next);
    if (stats.isSymbolicLink()) {
      // The system has followed it to its end, so it does not go in a circle.
      const target = readlinkSync(next);
      const { root } = parse(target);
      if (root !== "") at = root;
      names.unshift(...target.slice(root.length).split(sep).filter(Boolean));
      places.set(next, stats).set(at, statSync(at));
    } else {
      at = next;
      if (stats.isDirectory()) places.set(next, stats);
    }
  }
  return places;
}
