/**
 * The program `hoga`: runs the command line with this process around it. What an assistant launches is run without the parser of
 * the command line, which would take as long to load as everything else that the first answers need.
 */
import type { ExitCode } from "./failure.ts";
import { Invocation, type Io } from "./invocation.ts";
import { guardProcess } from "./process-guard.ts";

/** A command that is done, and whose output is taken, ends by itself, or after this long. */
const LINGER_MS = 250;

/** Runs this process. */
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
