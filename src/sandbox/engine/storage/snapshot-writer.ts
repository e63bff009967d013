/**
 * Decides when a snapshot is due, and makes it. Entry point: `SnapshotWriter`.
 *
 * Invariants: a snapshot is of the state at one record, although commands go on while it is written; the journal has a segment of
 * its own from the record after it; until a snapshot has its name the one before and its journal are kept. A large one is written
 * part by part, so that no command waits for more than a part. Source: decisions 0026, 0027.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Engine } from "../engine.ts";
import type { Disk } from "./disk.ts";
import type { Journal } from "./journal.ts";
import { dropOldFiles, writeSnapshot, writeSnapshotSlowly } from "./journal-files.ts";
import type { OrderArchiver } from "./order-archiver.ts";

/** The most work to be replayed before a snapshot is due; a tick is as much work as ten orders. */
const SNAPSHOT_EVERY = 20_000;
/** A large state is written less often, so that snapshots stay a fraction of the bytes of the journal. */
const SNAPSHOT_BYTES_PER_RECORD = 100;
/** With so few rows it is written at once, in some milliseconds. */
const FEW_ROWS = 600;

interface SnapshotWriterParts {
  readonly dir: string;
  readonly engine: Engine;
  readonly archiver: OrderArchiver;
  readonly journal: Journal;
  readonly disk: Disk;
  /** The weight of records between snapshots. Default: by the size of the state. */
  readonly every: number | undefined;
  readonly beforeSnapshot: (() => void) | undefined;
  /** Of the last record in the journal. */
  readonly seq: number;
  /** Of the last snapshot: its record, its size, and the weight of the records since. */
  readonly last: { readonly seq: number; readonly bytes: number; readonly weight: number };
}

export class SnapshotWriter {
  readonly #parts: SnapshotWriterParts;
  /** Of the last record in the journal. */
  #seq: number;
  #lastSeq: number;
  #bytes: number;
  #weight: number;
  #failed: string | undefined;
  #running: Promise<void> | undefined;

  constructor(parts: SnapshotWriterParts) {
    this.#parts = parts;
    this.#seq = parts.seq;
    ({ seq: this.#lastSeq, bytes: this.#bytes, weight: this.#weight } = parts.last);
  }

  /** Why no snapshot could be written. The last command is in the journal, so it may still be answered; the next one is refused. */
  get failed(): string | undefined {
    return this.#failed;
  }

  /** No snapshot is made any more, as the state is not to be trusted. */
  stop(reason: string): void {
    this.#failed ??= reason;
  }

  count(seq: number, weight: number): void {
    this.#seq = seq;
    this.#weight += weight;
  }

  takeIfDue(): void {
    const { every = Math.max(SNAPSHOT_EVERY, this.#bytes / SNAPSHOT_BYTES_PER_RECORD) } = this.#parts;
    if (this.#running === undefined && this.#weight >= every) this.take();
  }

  /**
   * Begins a snapshot, after what has ended was archived. A small one with nothing to archive is on disk when this returns, and so is
   * one made at once, which archives nothing.
   */
  take({ atOnce = false }: { readonly atOnce?: boolean } = {}): void {
    try {
      const archiving = atOnce ? undefined : this.#parts.archiver.begin(nextTurn);
      const writing = archiving === undefined ? this.#write(atOnce) : archiving.then(() => this.#write(false));
      this.#running = writing
        ?.catch((error: unknown) => this.#fail(error))
        .finally(() => {
          this.#running = undefined;
        });
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Ends what is being written, and writes a last snapshot unless the newest has everything. */
  async close(): Promise<void> {
    await this.#running;
    if (this.#failed !== undefined || this.#parts.journal.failed !== undefined || this.#seq <= this.#lastSeq) return;
    this.take();
    await this.#running;
  }

  /** @returns undefined when it is on disk already */
  #write(atOnce: boolean): Promise<void> | undefined {
    // The exchange may have stopped while orders were archived.
    if (this.#failed !== undefined) return undefined;
    const { dir, engine, archiver, journal, disk, beforeSnapshot } = this.#parts;
    beforeSnapshot?.();
    const snapshot = { seq: this.#seq, archive: archiver.mark, engine: engine.beginSnapshot() };
    journal.rotate();
    this.#weight = 0;
    if (!atOnce && snapshot.engine.rowCount > FEW_ROWS)
      return writeSnapshotSlowly(dir, snapshot, disk, nextTurn).then((bytes) => this.#written(snapshot.seq, bytes));
    this.#written(snapshot.seq, writeSnapshot(dir, snapshot, disk));
    return undefined;
  }

  #written(seq: number, bytes: number): void {
    dropOldFiles(this.#parts.dir);
    [this.#lastSeq, this.#bytes] = [seq, bytes];
  }

  #fail(error: unknown): void {
    this.#failed = `snapshot failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}
