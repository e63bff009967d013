/**
 * Owns the small files outside of every data directory that tell how far each store has come, by its id, and which one stood last at each place, by
 * the hash of the place.
 *
 * Invariant: what cannot be read or written is as if it were not there: without a mark less is noticed, and nothing else depends on it.
 *
 * Source: decision 0025, decision 0066.
 */
import { createHash } from "node:crypto";
import { closeSync, constants, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ChainHead } from "./audit-chain.ts";

/** Sizes a file, so that a shorter text overwrites a longer one. */
const SIZE = 192;
const HASH_LETTERS = 32;
/** Nor does a pipe in a file's place keep anybody waiting. */
const NO_LINK = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Marks how far it has come; one that an older version wrote does not say since when. */
interface Mark extends ChainHead {
  readonly sinceMs?: number;
}

export class MarkFiles {
  /** Written with each mark: since when there was one at every start. Unix milliseconds. */
  sinceMs = 0;
  readonly #dir: string;
  /** The one that every commit writes stays open. */
  #open: { readonly storeId: string; readonly file: number } | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Reads how far it had come. */
  read(storeId: string): Mark | undefined {
    const { count, seq, hash, sinceMs } = this.#members(markOf(storeId));
    const isMark = Number.isSafeInteger(count) && Number.isSafeInteger(seq) && typeof hash === "string";
    const since = Number.isSafeInteger(sinceMs) ? { sinceMs } : {};
    return isMark ? ({ count, seq, hash, ...since } as Mark) : undefined;
  }

  write(storeId: string, { count, seq, hash }: ChainHead): void {
    try {
      writeText(this.#fileOf(storeId), { count, seq, hash, sinceMs: this.sinceMs } satisfies Mark);
    } catch {
      // See the invariant.
    }
  }

  /** The id of the store that stood there last. */
  storeAt(place: string): string | undefined {
    const { store_id: storeId } = this.#members(placeFile(place));
    return typeof storeId === "string" ? storeId : undefined;
  }

  standsAt(place: string, storeId: string): void {
    if (this.storeAt(place) === storeId) return;
    try {
      const file = this.#opened(placeFile(place));
      try {
        writeText(file, { store_id: storeId });
      } finally {
        closeSync(file);
      }
    } catch {
      // See the invariant.
    }
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open.file);
    this.#open = undefined;
  }

  #members(name: string): Readonly<Record<string, unknown>> {
    try {
      const found: unknown = JSON.parse(textAt(join(this.#dir, name)));
      return typeof found === "object" && found !== null ? (found as Readonly<Record<string, unknown>>) : {};
    } catch {
      return {};
    }
  }

  #fileOf(storeId: string): number {
    if (this.#open?.storeId === storeId) return this.#open.file;
    this.close();
    const file = this.#opened(markOf(storeId));
    this.#open = { storeId, file };
    return file;
  }

  #opened(name: string): number {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    return openSync(join(this.#dir, name), constants.O_RDWR | constants.O_CREAT | NO_LINK, 0o600);
  }
}

/** Not through a link, as it is not written through one. */
function textAt(path: string): string {
  const file = openSync(path, constants.O_RDONLY | NO_LINK);
  try {
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

const markOf = (storeId: string): string => `${storeId}.mark`;

/** A hash, as a place is a path or an address, of any length and with any letters. */
function placeFile(place: string): string {
  return `${createHash("sha256").update(place).digest("hex").slice(0, HASH_LETTERS)}.place`;
}

function writeText(file: number, members: object): void {
  writeSync(file, `${JSON.stringify(members).padEnd(SIZE - 1)}\n`, 0);
}
