/**
 * Names that can be used once and never again, such as an account's own names of orders at some exchanges. Entry point: `UsedNames`.
 *
 * Invariants: a name is with the operating system before anything else is done under it; in a directory names are kept over restarts, one to a
 * line. An incomplete line is what a crash leaves, and its name was not answered for.
 */
import { closeSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openPrivate, readPrivate } from "../private-files.ts";
import { systemCode } from "../start-error.ts";

const FILE = "used-names";

export class UsedNames {
  readonly #used: Set<string>;
  readonly #path: string | undefined;
  /** Ends what a crash left of a line. */
  #before: "" | "\n";

  /** @param dir without one they are kept in memory alone. @throws the system's error */
  constructor(dir: string | undefined) {
    this.#path = dir === undefined ? undefined : join(dir, FILE);
    const text = this.#path === undefined ? "" : textOf(this.#path);
    this.#used = new Set(text.split("\n").slice(0, -1));
    this.#before = text === "" || text.endsWith("\n") ? "" : "\n";
  }

  /** @returns false for a name that its owner has used before. @throws the system's error, and then it is not used */
  use(owner: string, name: string): boolean {
    const line = JSON.stringify([owner, name]);
    if (this.#used.has(line)) return false;
    if (this.#path !== undefined) append(this.#path, `${this.#before}${line}\n`);
    this.#before = "";
    this.#used.add(line);
    return true;
  }
}

/** Opened each time, so that nothing has to be closed while requests are under way. */
function append(path: string, text: string): void {
  const file = openPrivate(path, "append");
  try {
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
}

function textOf(path: string): string {
  try {
    return readPrivate(path).toString("utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "";
    throw error;
  }
}
