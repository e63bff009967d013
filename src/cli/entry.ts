/** The program `hoga`: runs the command line with this process around it. */
import { Invocation, type Io } from "./invocation.ts";
import { execute } from "./main.ts";

const io: Io = {
  env: process.env,
  // Opened where it is read only.
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

// `hoga orders | head` closes our stdout early. That is no failure, and no reason to leave an order in the middle either.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });

// Node's own last words would be the whole error as it is. Whoever threw it is gone, so this process ends as well.
process.on("uncaughtException", (error) => {
  run.failAtLast(error);
  process.exit(run.exitCode);
});

process.exitCode = await execute(run);
