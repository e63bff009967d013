/** Real programs for runs by hand: `node dist/cli.js` from the root of the project, without what tests listen to besides. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../fixture/command.ts";

const CLI = join(process.cwd(), process.env["HOGA_TEST_CLI"] ?? "dist/cli.js");

/** On a busy machine, with a key that many wait for. */
const START_MS = 180_000;

const started = new Set<ChildProcess>();
const dirs: string[] = [];
process.once("exit", () => {
  for (const child of started) child.kill("SIGKILL");
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

export function freshDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "hoga-soak-"));
  dirs.push(dir);
  return dir;
}

export interface Place {
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Program {
  readonly pid: number;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  stdout(): string;
  stderr(): string;
  firstLine(): Promise<string>;
  kill(signal: NodeJS.Signals): void;
}

export interface Manner {
  /** A program that starts it, with its arguments. */
  readonly through?: readonly string[];
  /** What it is piped; without it there is nothing to read. */
  readonly piped?: string;
}

export function start(
  args: readonly string[],
  { home, env = {} }: Place,
  { through = [], piped = "" }: Manner = {},
): Program {
  const [command = "", ...words] = [...through, process.execPath, CLI, ...args];
  const own = { PATH: process.env["PATH"] ?? "", HOME: home, HOGA_HOME: home, ...env };
  const child = spawn(command, words, { env: own, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.on("error", () => undefined).end(piped);
  started.add(child);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = once(child, "close").then(([code, signal]) => {
    started.delete(child);
    return { code: code as number | null, signal: signal as NodeJS.Signals | null };
  });
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const firstLine = (): string | undefined => {
    const end = stdout.indexOf("\n");
    if (end < 0 && isOver) throw new Error(`hoga ${args.join(" ")} ended: ${stderr}`);
    return end < 0 ? undefined : stdout.slice(0, end);
  };
  return {
    pid: child.pid ?? 0,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    firstLine: () => eventually(firstLine, START_MS),
    kill: (signal) => child.kill(signal),
  };
}

export interface Done {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export async function run(args: readonly string[], place: Place, manner: Manner = {}): Promise<Done> {
  const beganMs = performance.now();
  const program = start(args, place, manner);
  const { code } = await program.ended;
  return { code, stdout: program.stdout(), stderr: program.stderr(), ms: performance.now() - beganMs };
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The value below which this share of them lies; 0 of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}
