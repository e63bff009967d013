/**
 * What commands print: text for people, one JSON line for programs. The only writer to stdout and stderr outside the protocol.
 *
 * Invariant: no secret passes, but for one: `printKeyPair` is there to hand out the key of a sandbox, whose money is none. (The
 * same pair is kept for that sandbox in its key file, readable by its owner alone.)
 */
import { scrubber } from "../config/index.ts";

let anything = false;

/** Whether anything was printed: a program that asked for JSON gets one line and no more. */
export function hasPrinted(): boolean {
  return anything;
}

export function print(text: string): void {
  put(`${scrubber.text(text)}\n`);
}

export function printJson(value: unknown): void {
  put(`${JSON.stringify(scrubber.value(value))}\n`);
}

/** The key pair of a sandbox, for the clients it is tried with. */
export function printKeyPair(text: string): void {
  put(`${text}\n`);
}

function put(text: string): void {
  anything = true;
  process.stdout.write(text);
}

/** Text that brings its own line break, as commander's does. */
export function writeOut(text: string): void {
  put(scrubber.text(text));
}

export function writeError(text: string): void {
  process.stderr.write(scrubber.text(text));
}

/** Said beside the result: on stderr, so that stdout stays clean. */
export function notice(text: string): void {
  writeError(`hoga: ${text}\n`);
}

/** Rows as aligned columns; wide characters count as two. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => width(row[column] ?? ""))));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - width(cell)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function width(text: string): number {
  return Array.from(text).reduce((sum, letter) => sum + (/[ᄀ-ᅟ⺀-꓏가-힣＀-｠]/u.test(letter) ? 2 : 1), 0);
}
