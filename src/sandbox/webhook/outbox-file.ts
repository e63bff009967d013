/**
 * Owns the outbox on disk: one log of records, compacted when it has grown. Entry point: `OutboxFile.open`.
 *
 * Invariants: a record is with the operating system when `append` returns, and on disk when `sync` resolves. A damaged end is what a
 * crash leaves, and is cut; damage before intact records is refused. After a failed write nothing more is written.
 */
import { closeSync, existsSync, fdatasyncSync, rmSync } from "node:fs";
import type { Disk } from "../engine/storage/disk.ts";
import { damaged, encodeHeader, readRecordFile, temporaryOf, writeRecordFile } from "../engine/storage/record-file.ts";
import { encodeLine } from "../engine/storage/record-line.ts";
import { openPrivate } from "../private-files.ts";
import type { OutboxRecord } from "./outbox-state.ts";

const FORMAT = "hoga-outbox";
/** The log is compacted after it has grown by this, and to twice its size after the last time. */
const COMPACT_AFTER_BYTES = 4 * 1024 * 1024;

export class OutboxFile {
  #file: number;
  #failed: string | undefined;
  /** Bytes appended since the file was opened or compacted. */
  #grown = 0;
  /** Bytes it was compacted to. */
  #compacted = 0;
  readonly #path: string;
  readonly #disk: Disk;

  private constructor(path: string, disk: Disk, file: number) {
    this.#path = path;
    this.#disk = disk;
    this.#file = file;
  }

  /**
   * Opens or makes the file; it is the owner's alone.
   * @returns it, and the records in it.
   * @throws DamagedJournalError with file and byte offset; the system's error.
   */
  static open(path: string, disk: Disk): { readonly file: OutboxFile; readonly records: readonly OutboxRecord[] } {
    rmSync(temporaryOf(path), { force: true });
    const records = existsSync(path) ? readRecords(path) : undefined;
    if (records === undefined) writeRecordFile(path, linesOf([]), disk);
    const handle = openPrivate(path, "append");
    const file = new OutboxFile(path, disk, handle);
    // What was read may be with the operating system only, and deliveries are going to rely on it.
    fdatasyncSync(handle);
    return { file, records: records ?? [] };
  }

  /** Why nothing can be written any more. */
  get failed(): string | undefined {
    return this.#failed;
  }

  /** Tells whether compacting it is worth while. */
  get isLong(): boolean {
    return this.#grown > Math.max(COMPACT_AFTER_BYTES, this.#compacted);
  }

  append(record: OutboxRecord): void {
    this.#attempt("write", () => {
      const line = encodeLine(record);
      this.#disk.write(this.#file, line);
      this.#grown += line.length;
    });
  }

  async sync(): Promise<void> {
    if (this.#failed !== undefined) throw new Error(this.#failed);
    const file = this.#file;
    try {
      await this.#disk.sync(file);
    } catch (error) {
      // Compacted meanwhile: the records are on disk in the file that replaced this one.
      if (file === this.#file) throw this.#fail("sync", error);
    }
  }

  syncNow(): void {
    this.#attempt("sync", () => fdatasyncSync(this.#file));
  }

  /** Replaces the log by these records. */
  compact(records: Iterable<OutboxRecord>): void {
    this.#attempt("compacting", () => {
      this.#compacted = writeRecordFile(this.#path, linesOf(records), this.#disk);
      const old = this.#file;
      this.#file = openPrivate(this.#path, "append");
      this.#grown = 0;
      closeSync(old);
    });
  }

  close(): void {
    try {
      if (this.#failed === undefined) this.syncNow();
    } finally {
      closeSync(this.#file);
    }
  }

  #attempt(doing: string, work: () => void): void {
    if (this.#failed !== undefined) throw new Error(this.#failed);
    try {
      work();
    } catch (error) {
      throw this.#fail(doing, error);
    }
  }

  #fail(doing: string, error: unknown): Error {
    this.#failed ??= `outbox ${doing} failed: ${error instanceof Error ? error.message : String(error)}`;
    return new Error(this.#failed, { cause: error });
  }
}

function* linesOf(records: Iterable<OutboxRecord>): Iterable<Buffer> {
  yield encodeHeader(FORMAT);
  for (const record of records) yield encodeLine(record);
}

function readRecords(path: string): readonly OutboxRecord[] {
  const { header, records } = readRecordFile(path, FORMAT, true);
  if (header === undefined) throw damaged(path, 0, `not a ${FORMAT} file`);
  return records.map(({ value }) => value as OutboxRecord);
}
