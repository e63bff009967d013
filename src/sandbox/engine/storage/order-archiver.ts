/**
 * Moves ended orders from memory to the archive, before a snapshot is made. Entry point: `OrderArchiver`.
 *
 * Invariants: an order leaves memory only once the archive has it; a few are moved at a time, and in between commands have their turn;
 * the file begins with the first order that is archived, so an exchange with few orders has none. Source: decision 0027.
 */
import type { Engine } from "../engine.ts";
import { ArchiveFile } from "./archive-file.ts";
import type { ArchiveMark } from "./journal-files.ts";

/** The orders of an account that stay in memory: the longest page that an API shows is of its newest 1 000. */
const ORDERS_KEPT = 1_000;
/** Moved at once, in some milliseconds. */
const FEW_ORDERS = 100;

export class OrderArchiver {
  readonly #dir: string;
  readonly #engine: Engine;
  readonly #kept: number;
  #archive: ArchiveFile | undefined;

  constructor({ dir, engine, kept = ORDERS_KEPT, archive }: ArchiverParts) {
    [this.#dir, this.#engine, this.#kept, this.#archive] = [dir, engine, kept, archive];
  }

  /** What is archived so far, for the snapshot that leaves it out. */
  get mark(): ArchiveMark | undefined {
    return this.#archive?.mark;
  }

  /** @returns undefined when there is nothing to move */
  begin(turn: () => Promise<void>): Promise<void> | undefined {
    const orders = this.#engine.archivable(this.#kept);
    return orders.length === 0 ? undefined : this.#move(orders, turn);
  }

  close(): void {
    this.#archive?.close();
    this.#archive = undefined;
  }

  async #move(orders: ReturnType<Engine["archivable"]>, turn: () => Promise<void>): Promise<void> {
    this.#archive ??= await ArchiveFile.open(this.#dir, undefined);
    for (let start = 0; start < orders.length; start += FEW_ORDERS) {
      const some = orders.slice(start, start + FEW_ORDERS);
      this.#archive.add(some.map((order) => this.#engine.ended(order)));
      this.#engine.leaveTo(this.#archive, some);
      await turn();
    }
    this.#archive.sync();
  }
}

interface ArchiverParts {
  readonly dir: string;
  readonly engine: Engine;
  /** Of each account, in memory. */
  readonly kept: number | undefined;
  /** As the snapshot has it; undefined where nothing is archived yet. */
  readonly archive: ArchiveFile | undefined;
}
