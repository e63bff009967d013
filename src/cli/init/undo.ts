/**
 * Owns what `hoga init` can take back: before a file is written, what stood in it is kept in `init/` of the data directory, with the hash of what it
 * is to become.
 *
 * Invariants: a file is put back byte for byte, or, where it was changed since, not touched; a backup is readable by its owner alone; of
 * the settings, which may hold keys, no copy is kept: what was added is cut off again.
 */
import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Home, makeDir } from "../../config/index.ts";
import { bytesOf, type FileChange, hashOf, writeChange } from "./file-change.ts";

/** A file as it was, and as it became. */
interface KeptFile {
  readonly file: string;
  /** In the directory of the record; null where there was no file, or where what was added is cut off. */
  readonly backup: string | null;
  /** What stood there is the beginning of what stands there now. */
  readonly begins: number | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly made: readonly string[];
}

interface Kept {
  readonly dir: string;
  readonly files: readonly KeptFile[];
}

export interface Change extends FileChange {
  /** It may hold keys. It is only ever added to. */
  readonly isSecret?: boolean;
}

const RECORD = "record.json";

const folderOf = ({ dir }: Home): string => join(dir, "init");

/** Writes them all. @param at ISO 8601 @returns where what stood there before is kept */
export function carryOut(home: Home, changes: readonly Change[], at: string): string {
  const dir = join(folderOf(home), at.replaceAll(":", "-"));
  makeDir(dir);
  const files: KeptFile[] = changes.map(({ file, before, after, isSecret }, index) => {
    const isAdded = isSecret === true && before !== undefined;
    const backup = before === undefined || isAdded ? null : `${index}-${basename(file)}`;
    if (backup !== null && before !== undefined) writeFileSync(join(dir, backup), before, { mode: 0o600, flag: "wx" });
    const begins = isAdded ? before.length : null;
    return { file, backup, begins, before: hashOf(before), after: hashOf(after), made: [] };
  });
  writeRecord(dir, files);
  changes.forEach((change, index) => {
    const made = writeChange(change);
    const kept = files[index];
    if (kept !== undefined && made.length > 0) files[index] = { ...kept, made };
  });
  writeRecord(dir, files);
  return dir;
}

function writeRecord(dir: string, files: readonly KeptFile[]): void {
  const part = join(dir, `${RECORD}.part`);
  writeFileSync(part, JSON.stringify({ version: 1, files }, null, 2), { mode: 0o600, flag: "wx", flush: true });
  renameSync(part, join(dir, RECORD));
}

/** The last run that was not taken back. */
export function lastKept(home: Home): Kept | undefined {
  for (const name of namesIn(folderOf(home)).toSorted().reverse()) {
    const dir = join(folderOf(home), name);
    const record = bytesOf(join(dir, RECORD));
    if (record === undefined) continue;
    const { files } = JSON.parse(record.toString("utf8")) as { readonly files: readonly KeptFile[] };
    return { dir, files };
  }
  return undefined;
}

function namesIn(dir: string): readonly string[] {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(dir) : [];
}

/** What becomes of a file: it is put back, is so already, or was changed since. */
export interface Undoing {
  readonly file: string;
  readonly becomes: "put back" | "removed" | "as it was" | "changed since";
  readonly backup: string | null;
}

export function undoingOf({ dir, files }: Kept): readonly Undoing[] {
  return files.map(({ file, backup, before, after }) => {
    const now = hashOf(bytesOf(file));
    const kept = backup === null ? null : join(dir, backup);
    if (now === before) return { file, becomes: "as it was", backup: kept };
    if (now !== after) return { file, becomes: "changed since", backup: kept };
    return { file, becomes: before === null ? "removed" : "put back", backup: kept };
  });
}

/** Puts back what was not changed since. What was is kept for another try. */
export function takeBack(kept: Kept): readonly Undoing[] {
  const undoings = undoingOf(kept);
  const left: KeptFile[] = [];
  kept.files.forEach((each, index) => {
    const becomes = undoings[index]?.becomes;
    if (becomes === "changed since") left.push(each);
    else if (becomes !== "as it was") putBack(kept.dir, each);
  });
  if (left.length > 0) writeRecord(kept.dir, left);
  else rmSync(kept.dir, { recursive: true });
  return undoings;
}

function putBack(dir: string, { file, backup, begins, made }: KeptFile): void {
  const now = bytesOf(file);
  if (backup === null && begins === null) {
    rmSync(realpathSync(file));
    for (const each of made) removeEmpty(each);
    return;
  }
  const after = backup === null ? now?.subarray(0, begins ?? 0) : ownFile(join(dir, backup));
  if (after !== undefined) writeChange({ file, before: now, after });
}

function ownFile(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Something else may have been put into it since. */
function removeEmpty(dir: string): void {
  if (dirname(dir) !== dir && readdirSync(dir).length === 0) rmdirSync(dir);
}
