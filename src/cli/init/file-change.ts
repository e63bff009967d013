/**
 * Owns how a person's file is changed: looked at, shown as a difference, written whole or not at all, by the side of its own mode.
 *
 * Invariant: a file that is a link stays one: what it leads to is written. One that changed after it was looked at is not written over.
 */
import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { ExplainedError } from "../failure.ts";
import { initSaid } from "./init-words.ts";

export interface FileChange {
  readonly file: string;
  /** Undefined where there is none. */
  readonly before: Buffer | undefined;
  readonly after: Buffer;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const BOM = "\uFEFF";

/** A file's bytes; undefined where there is none. @throws the system's error where it cannot be read */
export function bytesOf(path: string): Buffer | undefined {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const file = openSync(realpathSync(path), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Its text and the mark that it may begin with; undefined where it is not UTF-8. */
export function textOf(bytes: Buffer): { readonly text: string; readonly mark: string } | undefined {
  try {
    const text = UTF8.decode(bytes);
    return text.startsWith(BOM) ? { text: text.slice(1), mark: BOM } : { text, mark: "" };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}

export function hashOf(bytes: Buffer | undefined): string | null {
  return bytes === undefined ? null : createHash("sha256").update(bytes).digest("hex");
}

/** Takes it as it was looked at. @returns directories that were made for it, the innermost first */
export function writeChange({ file, before, after }: FileChange): readonly string[] {
  if (hashOf(bytesOf(file)) !== hashOf(before))
    throw new ExplainedError(
      ...initSaid(
        (say) => say("file.changed_now", { file }),
        (say) => say("file.command_again"),
      ),
    );
  const made = makeDirs(dirname(file));
  const target = before === undefined ? file : realpathSync(file);
  const draft = `${target}.${randomBytes(6).toString("hex")}`;
  const mode = before === undefined ? 0o600 : statSync(target).mode & 0o777;
  try {
    writeFileSync(draft, after, { mode, flag: "wx", flush: true });
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return made;
}

function makeDirs(dir: string): readonly string[] {
  const made: string[] = [];
  for (let at = dir; statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) made.push(at);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return made;
}

const CONTEXT = 3;

/** The lines that go and that come, with some around them. They are in one place, as one entry is. */
export function differenceOf(before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  let begin = 0;
  while (begin < old.length && begin < now.length && old[begin] === now[begin]) begin += 1;
  let same = 0;
  while (same < old.length - begin && same < now.length - begin && old.at(-1 - same) === now.at(-1 - same)) same += 1;
  const end = { old: old.length - same, now: now.length - same };
  return [
    ...old.slice(Math.max(0, begin - CONTEXT), begin).map((line) => `  ${line}`),
    ...old.slice(begin, end.old).map((line) => `- ${line}`),
    ...now.slice(begin, end.now).map((line) => `+ ${line}`),
    ...old.slice(end.old, end.old + CONTEXT).map((line) => `  ${line}`),
  ].join("\n");
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}
