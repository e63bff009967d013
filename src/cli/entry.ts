/**
 * The program `hoga`: runs the command line with this process around it. What an assistant launches is run without the parser of
 * the command line, which would take as long to load as everything else that the first answers need.
 *
 * Keeps what Node prints and writes by itself from telling a secret: its debug lines, its warnings, its reports.
 *
 * Invariants: whatever leaves on stderr is scrubbed, whoever writes it; no debug line of Node leaves, as these show the environment
 * and what a password manager says before anybody here knows that it is a secret.
 *
 * Source: architecture.md#rule-9.
 */

import { type Environment, scrubber } from "../config/index.ts";
import type { ExitCode } from "./failure.ts";
import { Invocation, type Io } from "./invocation.ts";

/** A command that is done, and whose output is taken, ends by itself, or after this long. */
const LINGER_MS = 250;

export async function runProgram(): Promise<void> {
  const io: Io = {
    env: process.env,
    // A getter, as using it opens it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    signals: process,
    program: process.argv[1] ?? "dist/cli.js",
    interrupt: () => process.kill(process.pid, "SIGINT"),
    exit: (code) => process.exit(code),
  };
  const run = new Invocation(process.argv.slice(2), io);
  guardProcess(process.env, (message) => run.out.notice(message));

  // `hoga orders | head` closes our stdout early. That is no failure, and no reason to stop in the middle of an order.
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });

  // Node would print the whole error, secrets included. What threw it cannot be resumed, so the process ends as well.
  process.on("uncaughtException", (error) => {
    run.endWithError(error);
    process.exit(run.exitCode);
  });

  process.exitCode = await (isPlainServe(run.argv) ? serveAtOnce(run, run.argv[2]) : execute(run));
  await run.out.taken();
  // A server of the store that says nothing may be waited for still, by what was given up.
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

/** `hoga serve` or `hoga serve --profile NAME`; whatever else is written is the parser's to judge. */
function isPlainServe([command, option, name, ...others]: readonly string[]): boolean {
  if (command !== "serve" || others.length > 0) return false;
  return option === undefined || (option === "--profile" && name !== undefined && !name.startsWith("-"));
}

async function serveAtOnce(run: Invocation, profile: string | undefined): Promise<ExitCode> {
  try {
    const { serveStdio } = await import("./commands/serve.ts");
    await serveStdio(profile, run);
  } catch (error) {
    run.endWithError(error);
  }
  return run.exitCode;
}

async function execute(run: Invocation): Promise<ExitCode> {
  const main = await import("./main.ts");
  return main.execute(run);
}

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
