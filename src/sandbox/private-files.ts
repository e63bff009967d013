/**
 * Creates the directories and files that only their owner may read. Entry points: `makeDirectory`, `writePrivateFile`.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, statSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";

const PRIVATE = 0o700;

/**
 * Creates a directory and its parents, for their owner only. It does so step by step, as Node's `recursive` never returns on a file
 * system that answers "no such directory" to every attempt.
 * @throws the system's error, such as EEXIST when there is a file of that name
 */
export function makeDirectory(dir: string): void {
  if (isDirectory(dir)) return;
  if (dirname(dir) !== dir) makeDirectory(dirname(dir));
  try {
    mkdirSync(dir, { mode: PRIVATE });
  } catch (error) {
    // Another process that started at the same moment may have created it.
    if (!isDirectory(dir)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Writes a file for its owner alone, which has its name only once it is complete and on disk. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  const file = await open(temporary, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}
