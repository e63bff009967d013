/**
 * Writes the journal. Entry points: `Journal.open`, `append`, `durable`, `rotate`.
 *
 * Invariants: a record is with the operating system when `append` returns, so that a killed process loses nothing; it is on disk
 * when `durable` resolves. After a failed write or sync nothing more is written, as what is on disk is unknown until a restart
 * reads it.
 */
import { closeSync, existsSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, rmSync } from "node:fs";
import { writeCommand } from "./command-json.ts";
import type { Disk } from "./disk.ts";
import { type JournalEntry, segmentHeader, segmentPath } from "./journal-files.ts";
import { PRIVATE_FILE, syncDirectory } from "./record-file.ts";
import { encodeLine } from "./record-line.ts";

/** The journal cannot be written. Whether its last record is on disk is unknown until a restart. */
export class JournalFailure extends Error {
  override readonly name = "JournalFailure";
}

export class Journal {
  #failed: string | undefined;
  #file: number;
  #size: number;
  #written = 0;
  #synced = 0;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  readonly #dir: string;
  readonly #disk: Disk;

  private constructor(dir: string, disk: Disk, file: number) {
    this.#dir = dir;
    this.#disk = disk;
    this.#file = file;
    this.#size = fstatSync(file).size;
  }

  /** @param appendTo an intact segment to continue; without it a new one starts at `nextSeq`. */
  static open(dir: string, disk: Disk, nextSeq: number, appendTo: string | undefined): Journal {
    if (appendTo === undefined) return new Journal(dir, disk, startSegment(dir, disk, nextSeq));
    const file = openSync(appendTo, "a", PRIVATE_FILE);
    // What was just replayed may be in the operating system's memory only, and later answers depend on it.
    fdatasyncSync(file);
    return new Journal(dir, disk, file);
  }

  /** Why nothing can be written any more. */
  get failed(): string | undefined {
    return this.#failed;
  }

  /** @throws JournalFailure when the record could not be written, now or because of an earlier failure. */
  append({ seq, at, command }: JournalEntry): void {
    this.#assertUsable();
    const line = encodeLine({ seq, at, command: writeCommand(command) });
    try {
      this.#disk.write(this.#file, line);
    } catch (error) {
      this.#truncatePartialRecord();
      throw this.#fail("write", error);
    }
    this.#size += line.length;
    this.#written += 1;
  }

  /** Resolves when everything appended so far is on disk; concurrent callers share one sync. */
  async durable(): Promise<void> {
    this.#assertUsable();
    if (this.#synced === this.#written) return;
    if (this.#running === undefined) return this.#sync();
    // The sync under way may have begun before the caller's record was written.
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.#sync();
    });
    return this.#next;
  }

  /** Ends this segment and starts the next. */
  rotate(nextSeq: number): void {
    this.#assertUsable();
    try {
      fdatasyncSync(this.#file);
      this.#synced = this.#written;
      const old = this.#file;
      this.#file = startSegment(this.#dir, this.#disk, nextSeq);
      this.#size = fstatSync(this.#file).size;
      if (this.#running === undefined) closeSync(old);
      else void this.#running.finally(() => closeSync(old)).catch(() => {});
    } catch (error) {
      throw this.#fail("start of a segment", error);
    }
  }

  async close(): Promise<void> {
    try {
      if (this.#failed === undefined) await this.durable();
    } finally {
      closeSync(this.#file);
    }
  }

  /** Closes the file before anything was appended to it. */
  abandon(): void {
    closeSync(this.#file);
  }

  #sync(): Promise<void> {
    const covered = this.#written;
    this.#running = this.#disk
      .sync(this.#file)
      .then(
        () => {
          this.#synced = Math.max(this.#synced, covered);
        },
        (error: unknown) => {
          throw this.#fail("sync", error);
        },
      )
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  /** Tries to remove a partly written record; where this fails, the next start removes it. */
  #truncatePartialRecord(): void {
    try {
      ftruncateSync(this.#file, this.#size);
    } catch (error) {
      this.#fail("removal of a partly written record", error);
    }
  }

  #assertUsable(): void {
    if (this.#failed !== undefined) throw new JournalFailure(this.#failed);
  }

  #fail(doing: string, error: unknown): JournalFailure {
    this.#failed ??= `journal ${doing} failed: ${error instanceof Error ? error.message : String(error)}`;
    return new JournalFailure(this.#failed, { cause: error });
  }
}

function startSegment(dir: string, disk: Disk, firstSeq: number): number {
  const path = segmentPath(dir, firstSeq);
  // A crash left it without a complete header; no command in it was ever answered.
  if (existsSync(path)) rmSync(path);
  const file = openSync(path, "ax", PRIVATE_FILE);
  disk.write(file, segmentHeader(firstSeq));
  fdatasyncSync(file);
  syncDirectory(dir);
  return file;
}
