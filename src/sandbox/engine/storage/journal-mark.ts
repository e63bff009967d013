/**
 * Notes how far the journal is on disk, in a small file beside it: a journal that ends before that has lost records, whether bytes were cut
 * off its end or its newest segment is gone. Entry point: `JournalMark`.
 *
 * Invariant: the mark is never ahead of what is on disk. One that cannot be written or read only notices less.
 */
import { closeSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openPrivate, readPrivate } from "../../private-files.ts";

const DIGITS = 15;

export class JournalMark {
  readonly #path: string;
  #file: number | undefined;
  #seq = 0;

  constructor(dir: string) {
    this.#path = join(dir, "durable.mark");
  }

  /** The last record that was on disk; 0 where that is not known. */
  read(): number {
    try {
      const seq = Number(readPrivate(this.#path).toString()); // not money: a record's number
      return Number.isSafeInteger(seq) ? seq : 0;
    } catch {
      return 0;
    }
  }

  write(seq: number): void {
    if (seq === this.#seq) return;
    try {
      this.#file ??= openPrivate(this.#path, "write");
      writeSync(this.#file, String(seq).padStart(DIGITS, "0"), 0);
      this.#seq = seq;
    } catch {
      // The journal itself says when its disk does not work.
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
