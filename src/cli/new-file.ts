/**
 * Owns files that a command writes because it was asked to.
 *
 * Invariants: an existing one is never overwritten; only its owner reads it; what has its name is whole. The name is taken, with an empty file,
 * before any work is done for it.
 */
import { closeSync, constants, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { UsageError } from "./failure.ts";

/** @returns its descriptor. @throws UsageError where there is one already, or none can be made */
export function openNew(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new UsageError(`${path} cannot be written${code}.`, "Name a new file in a directory you may write to.");
  }
}

/** A file that appears whole, or not at all. */
export class NewFile {
  readonly path: string;
  #isWritten = false;

  /** @throws UsageError where there is one already, or none can be made */
  constructor(path: string) {
    this.path = path;
    closeSync(openNew(path));
  }

  write(content: string | Uint8Array): void {
    const part = `${this.path}.part`;
    const descriptor = openNew(part);
    try {
      const bytes = Buffer.from(content);
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      fsyncSync(descriptor);
      renameSync(part, this.path);
      this.#isWritten = true;
    } catch (error) {
      unlinkSync(part);
      throw error;
    } finally {
      closeSync(descriptor);
    }
  }

  /** Gives the name back where nothing was written. */
  close(): void {
    if (!this.#isWritten) unlinkSync(this.path);
  }
}

/**
 * A new file that something else writes, by its path: it appears whole, or not at all.
 * @param write given an empty file beside it @throws UsageError where there is one already, or none can be made
 */
export async function writeNew<T>(path: string, write: (part: string) => Promise<T>): Promise<T> {
  closeSync(openNew(path));
  const part = `${path}.part`;
  try {
    closeSync(openNew(part));
    try {
      const written = await write(part);
      const descriptor = openSync(part, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
      try {
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      renameSync(part, path);
      return written;
    } catch (error) {
      unlinkSync(part);
      throw error;
    }
  } catch (error) {
    unlinkSync(path);
    throw error;
  }
}
