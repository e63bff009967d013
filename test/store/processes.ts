/** Child processes that use the store: the worker is bundled once per test file and forked per job. */
import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";
import type { Job } from "./worker.ts";

export interface Worker {
  readonly process: ChildProcess;
  /** Everything it told, so far. */
  readonly told: readonly unknown[];
  /** The first thing it tells. */
  readonly first: Promise<unknown>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
}

export interface Workers<Work = Job> {
  /** @param fileBytes largest size that the system lets it make a file. */
  start(job: Work, fileBytes?: number): Worker;
  /** Starts all and gives what each tells first. */
  run<T>(jobs: readonly Work[]): Promise<T[]>;
  /** Runs one to its end while everything else here stands still. */
  runMeanwhile(job: Work): void;
  end(): Promise<void>;
}

/** @param input the file that says what they do */
export async function createWorkers<Work = Job>(
  input: string = join(import.meta.dirname, "worker.ts"),
): Promise<Workers<Work>> {
  const dir = mkdtempSync(join(tmpdir(), "hoga-worker-"));
  const file = join(dir, "worker.mjs");
  // By address: the bundle lies where no node_modules is found.
  const { resolve } = createRequire(import.meta.url);
  const drivers = new Map(["libsql", "pg", "undici"].map((id) => [id, pathToFileURL(resolve(id)).href]));
  const resolveId = (id: string) => {
    const address = drivers.get(id);
    return address === undefined ? null : { id: address, external: true as const };
  };
  await build({
    input,
    platform: "node",
    plugins: [{ name: "drivers", resolveId }],
    output: { file, format: "esm", codeSplitting: false },
  });
  const started: Worker[] = [];
  const start = (job: Work, fileBytes?: number) => {
    const worker = startWorker(file, job, fileBytes);
    started.push(worker);
    return worker;
  };
  return {
    start,
    run: <T>(jobs: readonly Work[]) => Promise.all(jobs.map((job) => start(job).first as Promise<T>)),
    runMeanwhile: (job) => {
      execFileSync(process.execPath, [file, JSON.stringify(job)]);
    },
    end: async () => {
      await Promise.all(started.map((worker) => worker.kill()));
      rmSync(dir, { recursive: true });
    },
  };
}

function startWorker(file: string, job: unknown, fileBytes: number | undefined): Worker {
  // The shell's own units are 512 bytes.
  const limited = {
    execPath: "/bin/sh",
    execArgv: ["-c", `ulimit -f ${(fileBytes ?? 0) / 512}; exec "$0" "$@"`, process.execPath],
  };
  const how = fileBytes === undefined ? { execArgv: [] } : limited;
  const child = fork(file, [JSON.stringify(job)], { stdio: ["ignore", "ignore", "pipe", "ipc"], ...how });
  let stderr = "";
  child.stderr?.on("data", (text) => {
    stderr += String(text);
  });
  const told: unknown[] = [];
  const first = new Promise((resolve, reject) => {
    child.on("message", (message) => {
      told.push(message);
      resolve(message);
    });
    child.on("exit", (code, signal) => {
      const end = () => reject(new Error(`worker ended (${code ?? signal}): ${stderr}`));
      // What it told last may not have been read yet.
      if (child.connected) child.once("disconnect", end);
      else end();
    });
  });
  first.catch(() => {});
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  };
  return { process: child, told, first, kill };
}
