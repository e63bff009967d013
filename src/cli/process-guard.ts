/**
 * Keeps what Node prints and writes by itself from telling a secret: its debug lines, its warnings, its reports.
 *
 * Invariants: whatever leaves on stderr is scrubbed, whoever writes it; no debug line of Node leaves, as these show the environment
 * and what a password manager says before anybody here knows that it is a secret.
 *
 * Source: architecture.md#rule-9.
 */
import { type Environment, scrubber } from "../config/index.ts";

/** @param notice is called where Node was asked for what it is kept from */
export function guardProcess(env: Environment, notice: (message: string) => void): void {
  const { stderr, report, pid } = process;
  // On a terminal the number is in color.
  const debugLine = new RegExp(`^[A-Z][A-Z0-9_]* \\S*${pid}\\S*: `);
  const write = stderr.write.bind(stderr) as (chunk: unknown, ...rest: unknown[]) => boolean;
  stderr.write = (chunk: unknown, ...rest: unknown[]) => {
    if (typeof chunk !== "string") return write(chunk, ...rest);
    return debugLine.test(chunk) || write(scrubber.text(chunk), ...rest);
  };
  // A report holds the whole environment, and is a file that others may get to read.
  Object.assign(report, { reportOnFatalError: false, reportOnSignal: false, reportOnUncaughtException: false });
  const debug = env["NODE_DEBUG"];
  if (debug !== undefined && debug !== "") notice("NODE_DEBUG has no effect here: what it prints can hold a key");
}
