/**
 * Owns whether the files of the program are safe to run for another account: who can change them decides what that account does.
 *
 * Source: separate.md#program.
 */
import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

const OTHERS_WRITE = 0o022;
const ROOT = 0;
/** Matches what `ProtectHome` hides from the service. */
const HIDDEN = /^\/(home|root|run\/user|tmp|var\/tmp)\//;

export interface ProgramFiles {
  /** Is a path without links. */
  readonly node: string;
  readonly program: string;
}

/** @param program the file that runs, in `dist` of its package */
export function programFiles(program: string): ProgramFiles {
  return { node: realpathSync(process.execPath), program: realpathSync(program) };
}

/** @returns in a sentence what is wrong with them; undefined when only root can change them and the service can read them */
export function unsafeProgram({ node, program }: ProgramFiles): string | undefined {
  const hidden = [node, program].find((path) => HIDDEN.test(path));
  if (hidden !== undefined) return `${hidden} lies where the service does not see it.`;
  const open = [...above(node), ...above(program), ...below(dirname(dirname(program)))].find(isOpen);
  return open === undefined ? undefined : `${open} can be changed by others than root, and so can what hoga does.`;
}

/** A path and the directories that it lies in. */
function above(path: string): readonly string[] {
  return dirname(path) === path ? [path] : [path, ...above(dirname(path))];
}

/** Everything in a directory, whatever the depth. */
function below(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" }).map((name) => join(dir, name));
}

function isOpen(path: string): boolean {
  const stats = lstatSync(path);
  // A link has no modes of its own; what it leads to lies in a directory that is looked at, or is not ours.
  if (stats.isSymbolicLink()) return stats.uid !== ROOT;
  return stats.uid !== ROOT || (stats.mode & OTHERS_WRITE) !== 0;
}
