/**
 * Owns files of records: a header with format and version, then one record a line. The exchange's journal and snapshots and the
 * outbox of webhooks are such files. Entry points: `readRecordFile`, `writeRecordFile`, `writeRecordFileSlowly`, `readHeader`.
 *
 * Invariant: a damaged end is what a crash leaves, and may be cut off; damage with intact records behind it has another cause, and is
 * never repaired silently.
 */
import { closeSync, fsyncSync, openSync, renameSync, truncateSync } from "node:fs";
import { dirname } from "node:path";
import { openPrivate, readPrivate } from "../../private-files.ts";
import type { Disk } from "./disk.ts";
import { decodeLines, encodeLine, type Fields, isFields } from "./record-line.ts";

const VERSION = 1;

/** The exchange's files cannot be trusted; the message has the file and the byte offset. */
export class DamagedJournalError extends Error {
  override readonly name = "DamagedJournalError";
}

export function damaged(path: string, offset: number, what: string): DamagedJournalError {
  return new DamagedJournalError(`${path}: ${what}, at byte ${offset}`);
}

export interface RecordFile {
  /** Undefined when not even the first line is complete. */
  readonly header: Fields | undefined;
  readonly records: readonly { readonly value: unknown; readonly offset: number }[];
  /** How many bytes were cut off the end. */
  readonly cutBytes: number;
}

/**
 * Reads a file and cuts off a damaged end.
 * @param mayBeCut whether the end may be damaged.
 * @throws DamagedJournalError for a damaged record before intact ones, another format or another version.
 */
export function readRecordFile(path: string, format: string, mayBeCut: boolean): RecordFile {
  const bytes = readPrivate(path);
  const lines = [...decodeLines(bytes)];
  const firstBad = lines.findIndex(({ value }) => value === undefined);
  const bad = lines[firstBad];
  if (bad !== undefined && (!mayBeCut || lines.slice(firstBad).some(({ value }) => value !== undefined)))
    throw damaged(path, bad.offset, "damaged record with sound ones behind it");
  const [first, ...records] = firstBad < 0 ? lines : lines.slice(0, firstBad);
  const header = first === undefined ? undefined : readHeader(path, first.value, format);
  if (bad !== undefined) truncateSync(path, bad.offset);
  return { header, records, cutBytes: bad === undefined ? 0 : bytes.length - bad.offset };
}

/** @throws DamagedJournalError for another format or version. */
export function readHeader(path: string, value: unknown, format: string): Fields {
  if (!isFields(value) || value["format"] !== format) throw damaged(path, 0, `not a ${format} file`);
  if (value["version"] !== VERSION)
    throw damaged(path, 0, `file version ${String(value["version"])}, this program reads ${VERSION}`);
  return value;
}

/** @param fields what the header has besides. */
export function encodeHeader(format: string, fields: object = {}): Buffer {
  return encodeLine({ format, version: VERSION, ...fields });
}

/** Writes a file that has its name only once it is complete and on disk. @returns its size in bytes. */
export function writeRecordFile(path: string, lines: Iterable<Buffer>, disk: Disk): number {
  const file = openPrivate(temporaryOf(path), "write");
  let bytes = 0;
  try {
    for (const line of lines) {
      disk.write(file, line);
      bytes += line.length;
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporaryOf(path), path);
  syncDirectory(dirname(path));
  return bytes;
}

/**
 * The same without holding anybody up: between two lines, and while it is written to disk, others have their turn.
 * @param turn lets others have theirs
 */
export async function writeRecordFileSlowly(
  path: string,
  lines: Iterable<Buffer>,
  disk: Disk,
  turn: () => Promise<void>,
): Promise<number> {
  const file = openPrivate(temporaryOf(path), "write");
  let bytes = 0;
  try {
    for (const line of lines) {
      disk.write(file, line);
      bytes += line.length;
      await turn();
    }
    await disk.sync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporaryOf(path), path);
  syncDirectory(dirname(path));
  return bytes;
}

/** What a crash may leave of `writeRecordFile`. */
export function temporaryOf(path: string): string {
  return `${path}.tmp`;
}

/** Makes the creation, renaming and removal of files in a directory durable. */
export function syncDirectory(dir: string): void {
  const handle = openSync(dir, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
