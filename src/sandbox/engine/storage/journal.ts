/**
 * Writes the journal. Entry points: `Journal.open`, `append`, `flush`, `durable`, `rotate`.
 *
 * Invariants: records are written in the order of `append`, many at once; they are with the operating system when `flush` returns,
 * so that a killed process loses nothing that was told before, and at the end of the turn at the latest; they are on disk when
 * `durable` resolves. After a failed write or sync nothing more is written, as what is on disk is unknown until a restart reads it.
 * Source: decision 0055.
 */
import { closeSync, existsSync, fdatasyncSync, fstatSync, ftruncateSync, rmSync } from "node:fs";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { openPrivate } from "../../private-files.ts";
import { writeCommand } from "./command-json.ts";
import type { Disk } from "./disk.ts";
import { type JournalEntry, segmentHeader, segmentPath } from "./journal-files.ts";
import type { JournalMark } from "./journal-mark.ts";
import { syncDirectory } from "./record-file.ts";
import { lineOf } from "./record-line.ts";

/** With more than this waiting to be written, in characters, it is written at once. */
const WAITING_MAX = 256 * 1024;
const ON_DISK = Promise.resolve();

/** The journal cannot be written. Whether its last record is on disk is unknown until a restart. */
export class JournalFailure extends Error {
  override readonly name = "JournalFailure";
}

interface JournalParts {
  readonly dir: string;
  readonly disk: Disk;
  /** Told how far the journal is on disk. */
  readonly mark: JournalMark;
  /** Of the last record there is. */
  readonly lastSeq: number;
}

export class Journal {
  #failed: string | undefined;
  #file: number;
  #size: number;
  /** The lines of records that are not written yet. */
  #waiting = "";
  /** The last record that was appended, and the last one that is on disk. */
  #seq: number;
  #synced: number;
  #isFlushDue = false;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  readonly #dir: string;
  readonly #disk: Disk;
  readonly #mark: JournalMark;

  private constructor({ dir, disk, mark, lastSeq }: JournalParts, file: number) {
    this.#dir = dir;
    this.#disk = disk;
    this.#mark = mark;
    this.#seq = lastSeq;
    this.#synced = lastSeq;
    this.#file = file;
    this.#size = fstatSync(file).size;
  }

  /** @param appendTo an intact segment to continue; without it a new one starts after the last record. */
  static open(parts: JournalParts, appendTo: string | undefined): Journal {
    const { dir, disk, lastSeq } = parts;
    if (appendTo === undefined) return new Journal(parts, startSegment(dir, disk, lastSeq + 1));
    const file = openPrivate(appendTo, "append");
    // What was just replayed may be in the operating system's memory only, and later answers depend on it.
    fdatasyncSync(file);
    return new Journal(parts, file);
  }

  /** Why nothing can be written any more. */
  get failed(): string | undefined {
    return this.#failed;
  }

  /** @throws JournalFailure when nothing can be written any more. */
  append({ seq, at, command }: JournalEntry): void {
    this.#assertUsable();
    this.#waiting += lineOf({ seq, at, command: writeCommand(command) });
    this.#seq = seq;
    if (this.#waiting.length > WAITING_MAX) this.flush();

    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    setImmediate(() => this.#flushDue());
  }

  /** Writes what was appended so far. @throws JournalFailure when it could not be written. */
  flush(): void {
    if (this.#waiting === "") return;
    this.#assertUsable();
    const lines = Buffer.from(this.#waiting);
    this.#waiting = "";
    try {
      this.#disk.write(this.#file, lines);
    } catch (error) {
      this.#truncatePartialRecords();
      throw this.#fail("write", error);
    }
    this.#size += lines.length;
  }

  /** Resolves when everything appended so far is on disk; all callers of a turn, and of the time of a sync, share one sync. */
  durable(): Promise<void> {
    if (this.#failed !== undefined) return Promise.reject(new JournalFailure(this.#failed));
    if (this.#synced === this.#seq) return ON_DISK;
    this.#next ??= this.#syncNext();
    return this.#next;
  }

  /** Ends this segment and starts the next. */
  rotate(): void {
    this.#assertUsable();
    this.flush();
    try {
      fdatasyncSync(this.#file);
      this.#noteSynced(this.#seq);
      const old = this.#file;
      this.#file = startSegment(this.#dir, this.#disk, this.#seq + 1);
      this.#size = fstatSync(this.#file).size;
      if (this.#running === undefined) closeSync(old);
      else void this.#running.finally(() => closeSync(old)).catch(() => {});
    } catch (error) {
      throw this.#fail("start of a segment", error);
    }
  }

  async close(): Promise<void> {
    try {
      if (this.#failed === undefined) {
        await this.durable();
        this.#mark.write(this.#seq);
      }
    } finally {
      closeSync(this.#file);
      this.#mark.close();
    }
  }

  /** Closes the file before anything was appended to it. */
  abandon(): void {
    closeSync(this.#file);
    this.#mark.close();
  }

  #flushDue(): void {
    this.#isFlushDue = false;
    try {
      this.flush();
    } catch (error) {
      // Whoever waits for the disk, and whatever comes next, is told.
      if (!(error instanceof JournalFailure)) throw error;
    }
  }

  /** The sync after the one under way, which may have begun before the caller's record was written. */
  async #syncNext(): Promise<void> {
    await this.#running;
    // Until then, all requests that have arrived are carried out.
    await endOfTurn();
    this.#next = undefined;
    this.#assertUsable();
    this.flush();
    if (this.#synced < this.#seq) await this.#sync();
  }

  #sync(): Promise<void> {
    const covered = this.#seq;
    this.#running = this.#disk
      .sync(this.#file)
      .then(
        () => this.#noteSynced(covered),
        (error: unknown) => {
          throw this.#fail("sync", error);
        },
      )
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  #noteSynced(seq: number): void {
    if (seq <= this.#synced) return;
    this.#synced = seq;
    this.#mark.write(seq);
  }

  /** Tries to remove what was partly written; where this fails, the next start removes what is no whole record. */
  #truncatePartialRecords(): void {
    try {
      ftruncateSync(this.#file, this.#size);
    } catch (error) {
      this.#fail("removal of what was partly written", error);
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
  const file = openPrivate(path, "begin");
  disk.write(file, segmentHeader(firstSeq));
  fdatasyncSync(file);
  syncDirectory(dir);
  return file;
}
