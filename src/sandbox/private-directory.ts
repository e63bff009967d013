/**
 * Owns making the directory an exchange is kept in.
 */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

const PRIVATE = 0o700;

/**
 * Makes a directory and those above it, for their owner alone. Step by step, as Node's own `recursive` never returns on a file
 * system that answers "no such directory" to every attempt.
 * @throws the system's error, such as EEXIST for a file in its place.
 */
export function makeDirectory(dir: string): void {
  if (isDirectory(dir)) return;
  if (dirname(dir) !== dir) makeDirectory(dirname(dir));
  try {
    mkdirSync(dir, { mode: PRIVATE });
  } catch (error) {
    // Another process starting at the same moment made it.
    if (!isDirectory(dir)) throw error;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
