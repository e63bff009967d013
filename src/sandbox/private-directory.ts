/**
 * Creates the directory of an exchange. Entry point: `makeDirectory`.
 */
import { mkdirSync, statSync } from "node:fs";
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
