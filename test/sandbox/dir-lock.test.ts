/** A directory belongs to one running sandbox, also among processes, and however one of them ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { lockDir } from "../../src/sandbox/dir-lock.ts";
import { startSandbox } from "../../src/sandbox/index.ts";
import { send } from "./http/signed-client.ts";

/** Takes the lock of a directory, says so, and stays. */
const HOLD = `const [, module, dir] = process.argv;
const { lockDir } = await import(module);
process.stdout.write(await lockDir(dir).then(() => "held", (error) => error.message));
setInterval(() => undefined, 60_000);`;

/** `dir-lock.ts` as Node 20 can run it. */
let module: string;
let root: string;
let dir: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "sandbox-lock-"));
  module = join(root, "dir-lock.mjs");
  // By address: the bundle lies where no node_modules is found.
  const libsql = pathToFileURL(createRequire(import.meta.url).resolve("libsql")).href;
  await build({
    input: join(import.meta.dirname, "../../src/sandbox/dir-lock.ts"),
    platform: "node",
    plugins: [{ name: "libsql", resolveId: (id) => (id === "libsql" ? { id: libsql, external: true } : null) }],
    output: { file: module, format: "esm", codeSplitting: false },
  });
});
afterAll(() => rm(root, { recursive: true }));
beforeEach(async () => {
  dir = await mkdtemp(join(root, "dir-"));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

function started(command: string, args: readonly string[]): ChildProcess {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return child;
}

/** The first thing a child says. */
async function said({ stdout }: ChildProcess): Promise<string> {
  const [text] = (await once(stdout ?? process.stdin, "data")) as [Buffer];
  return text.toString();
}

const holder = (): ChildProcess => started(process.execPath, ["--input-type=module", "--eval", HOLD, module, dir]);

/** Starts a sandbox on the directory. @returns the status of its answer. */
async function statusOfStarted(): Promise<number> {
  const sandbox = await startSandbox({ dir, marketMaker: false });
  try {
    return (await send(sandbox.baseUrl, "GET", "/v1/time")).status;
  } finally {
    await sandbox.close();
  }
}

describe("the lock of a directory", () => {
  it("is held by one at a time, in this process too, in a file of its owner's alone", async () => {
    const unlock = await lockDir(dir);
    expect((await stat(join(dir, "exchange.lock"))).mode & 0o777).toBe(0o600);
    await expect(lockDir(dir)).rejects.toMatchObject({ code: "dir_in_use" });
    await expect(lockDir(dir)).rejects.toMatchObject({ code: "dir_in_use" });
    await unlock();
    await (await lockDir(dir))();
  });

  it("goes to exactly one of several processes that start at the same moment", async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => said(holder())));
    expect(answers.filter((answer) => answer === "held")).toHaveLength(1);
    const refused = answers.filter((answer) => answer !== "held");
    expect(new Set(refused)).toEqual(new Set([`another sandbox is running on ${dir}`]));
  });
});

describe("a start", () => {
  it("is refused with dir_in_use, for the lock of another process that runs", async () => {
    await said(holder());
    const refused = { code: "dir_in_use", message: `another sandbox is running on ${dir}` };
    await expect(startSandbox({ dir })).rejects.toMatchObject(refused);
  });

  it("is possible at once after a crash, whose lock is still there", async () => {
    const child = holder();
    await said(child);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(existsSync(join(dir, "exchange.lock"))).toBe(true);
    expect(await statusOfStarted()).toBe(200);
  });

  it("is not refused for what an earlier version left, though its process id is another program's by now", async () => {
    await writeFile(join(dir, "lock"), `${process.ppid} 1 someone\n`);
    expect(await statusOfStarted()).toBe(200);
  });

  it.runIf(process.platform === "linux")("is not refused for a process that ended and was not collected", async () => {
    // The shell becomes a `sleep`, which never asks how its child ended.
    const script = '"$0" --input-type=module --eval "$1" "$2" "$3" & echo $!; exec sleep 60';
    const parent = started("sh", ["-c", script, process.execPath, HOLD, module, dir]);
    let text = "";
    parent.stdout?.on("data", (part) => {
      text += String(part);
    });
    await vi.waitUntil(() => text.includes("held"), 10_000);
    const pid = Number.parseInt(text, 10);
    await vi.waitUntil(async () => (await readFile(`/proc/${parent.pid}/comm`, "utf8")) === "sleep\n");
    process.kill(pid, "SIGKILL");
    // Its first thread is a zombie before the others have ended; with the last of them the kernel closes its files.
    const zombie = /State:\s+Z[\s\S]*Threads:\s+1\n/;
    await vi.waitUntil(async () => zombie.test(await readFile(`/proc/${pid}/status`, "utf8")));
    expect(await statusOfStarted()).toBe(200);
  });
});
