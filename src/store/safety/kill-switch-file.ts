/**
 * Owns the kill switch's second place: a small file beside the database, which can be written when the disk is full.
 *
 * Invariants: the file has its whole size from the beginning and is only ever overwritten in place, in one write, and
 * synced; every content but exactly the one that means "off" counts as on, so that half of a write is not taken for it, and so does a
 * link in its place, which is not followed.
 */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { KillSwitchRecord } from "../../desk/index.ts";
import { StoreInvariantError } from "../sql/store-error.ts";

/** Tells what one of its two places says. */
export type KillSwitchReading =
  | { readonly says: "off" }
  | { readonly says: "on"; readonly record: KillSwitchRecord }
  /** `what` names the place and what is wrong with it. */
  | { readonly says: "unreadable"; readonly what: string };

/** Follows no link: what stands behind one is not hoga's to write; nor does a pipe in the file's place keep anybody waiting. */
const NO_LINK = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** A block of common file systems. */
const SIZE = 4_096;
/** Characters kept, so that the record fits whatever they are: JSON makes six bytes of one at most. */
const REASON_MAX = 500;
const BY_MAX = 100;
/** Another process may be in the middle of its write. */
const READS = 3;
const READ_AGAIN_MS = 1;

export class KillSwitchFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Makes the file, which says "off", unless there is one. */
  prepare(): void {
    if (lstatSync(this.path, { throwIfNoEntry: false }) === undefined) this.#create();
  }

  read(): KillSwitchReading {
    let reading = this.#read();
    for (let again = 1; again < READS && reading.says === "unreadable"; again++) {
      Atomics.wait(PAUSE, 0, 0, READ_AGAIN_MS);
      reading = this.#read();
    }
    return reading;
  }

  /** The first record stays until it is released. */
  engage(record: KillSwitchRecord): void {
    if (this.read().says !== "on") this.#write(contentOf(record));
  }

  release(): void {
    if (this.read().says !== "off") this.#write(OFF);
  }

  #read(): KillSwitchReading {
    try {
      const file = openSync(this.path, constants.O_RDONLY | NO_LINK);
      try {
        const bytes = Buffer.alloc(SIZE);
        return readingOf(bytes.subarray(0, readSync(file, bytes, 0, SIZE, 0)), this.path);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      return { says: "unreadable", what: `${this.path}: ${(error as NodeJS.ErrnoException).code ?? "damaged"}` };
    }
  }

  #write(content: Buffer): void {
    this.prepare();
    const file = openSync(this.path, constants.O_RDWR | NO_LINK);
    try {
      writeWhole(file, content);
    } finally {
      closeSync(file);
    }
  }

  /** Complete from the moment it has its name, as others may look for it at any time. One that came first stays. */
  #create(): void {
    const draft = `${this.path}.${randomUUID()}`;
    try {
      const file = openSync(draft, "wx", 0o600);
      try {
        writeWhole(file, OFF);
      } finally {
        closeSync(file);
      }
      nameFile(draft, this.path);
    } finally {
      rmSync(draft, { force: true });
    }
    syncDirectory(dirname(this.path));
  }
}

/** Never notified: waiting on it is sleeping inside a synchronous function. */
const PAUSE = new Int32Array(new SharedArrayBuffer(4));

function writeWhole(file: number, content: Buffer): void {
  const written = writeSync(file, content, 0, content.length, 0);
  if (written !== content.length) throw new StoreInvariantError("the kill switch's file was written in part");
  fsyncSync(file);
}

function nameFile(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    // A file system without links, such as that of a memory card.
    if (code === undefined || !["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code)) throw error;
    copyFileSync(draft, path, constants.COPYFILE_EXCL);
  }
}

/** A new name is on disk when its directory is. Windows has no such call. */
function syncDirectory(dir: string): void {
  if (process.platform === "win32") return;
  const directory = openSync(dir, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function contentOf(record: KillSwitchRecord | undefined): Buffer {
  const text = JSON.stringify(
    record === undefined
      ? { brake: "off" }
      : { brake: "on", reason: record.reason.slice(0, REASON_MAX), by: record.by.slice(0, BY_MAX), at_ms: record.atMs },
  );
  const content = Buffer.alloc(SIZE, " ");
  content.write(text);
  content.write("\n", SIZE - 1);
  return content;
}

/** Never to change: what one version wrote, another reads. */
const OFF = contentOf(undefined);

function readingOf(bytes: Buffer, path: string): KillSwitchReading {
  if (bytes.equals(OFF)) return { says: "off" };
  const { brake, reason, by, at_ms: atMs } = JSON.parse(bytes.toString("utf8")) as Readonly<Record<string, unknown>>;
  if (brake !== "on" || typeof reason !== "string" || typeof by !== "string" || typeof atMs !== "number") {
    return { says: "unreadable", what: `${path}: written by another version` };
  }
  return { says: "on", record: { reason, by, atMs } };
}
