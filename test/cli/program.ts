/**
 * The real program as a shell or an assistant meets it: `node dist/cli.js`, in a data directory and an environment of its own.
 *
 * Whatever is started here is ended by `cleanUp`, and at the latest when the test process ends.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CANARY_KEY, CANARY_SECRET } from "../fixture/canary.ts";
import { overheard, searchHome } from "../fixture/secrecy-check.ts";

/** HOGA_TEST_CLI tests another build, such as an installed package. */
export const CLI = process.env["HOGA_TEST_CLI"] ?? join(import.meta.dirname, "..", "..", "dist", "cli.js");

export interface Place {
  /** HOGA_HOME; a fresh one unless given. */
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly pid: number;
  readonly ended: Promise<Ended>;
  stdout(): string;
  stderr(): string;
  /** Resolves with the first whole line on stdout; rejects when the program ends before. */
  firstLine(): Promise<string>;
  /** Ends it and waits until it has ended. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

const homes: string[] = [];
const children = new Set<ChildProcessWithoutNullStreams>();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  removeHomes();
});

/** Known to every home, whether it was given them or not: two canaries, and the PIN of `test/approval`. */
const EVERYWHERE = [CANARY_KEY, CANARY_SECRET, "correct horse 7"];

function removeHomes(): void {
  for (const home of homes.splice(0)) {
    searchHome(home, EVERYWHERE);
    rmSync(home, { recursive: true, force: true });
  }
}

export function freshHome(): string {
  const home = mkdtempSync(join(tmpdir(), "hoga-test-"));
  homes.push(home);
  return home;
}

/** Nothing of the tester's own settings reaches the program. */
export function environment({ home = freshHome(), env = {} }: Place): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: home, HOGA_HOME: home, ...overheard(home), ...env };
}

export function start(args: readonly string[], place: Place = {}): Running {
  const child = spawn(process.execPath, [CLI, ...args], { env: environment(place), stdio: "pipe" });
  children.add(child);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  // A program that has ended does not read what is still written to it.
  child.stdin.on("error", () => undefined);
  const ended = once(child, "close").then(([code, signal]): Ended => {
    children.delete(child);
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, stdout, stderr };
  });
  return {
    child,
    pid: child.pid ?? 0,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    firstLine: () => firstLine(ended, () => stdout),
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      return ended;
    },
  };
}

async function firstLine(ended: Promise<Ended>, stdout: () => string): Promise<string> {
  let last: Ended | undefined;
  void ended.then((how) => {
    last = how;
  });
  return eventually(() => {
    const end = stdout().indexOf("\n");
    if (end < 0 && last !== undefined) throw new Error(`ended with ${last.code ?? last.signal} first: ${last.stderr}`);
    return end < 0 ? undefined : stdout().slice(0, end);
  });
}

/** The first value that is not undefined. */
export async function eventually<T>(look: () => T | undefined | Promise<T | undefined>, withinMs = 20_000): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${look.toString()}`);
    await pause(5);
  }
}

/** What follows `hoga call` to buy BTC at a limit. */
export function limitBuy(price = "90000000", volume = "0.001"): readonly string[] {
  const fields = { symbol: "BTC/KRW", side: "buy", type: "limit", "base-volume": volume, price };
  return ["place_order", ...Object.entries(fields).flatMap(([name, value]) => [`--${name}`, value])];
}

/** Runs a command to its end, with nothing on its stdin; `serve` would end at the end of it, so there it stays open. */
export async function run(args: readonly string[], place: Place = {}): Promise<Ended> {
  const running = start(args, place);
  if (args[0] !== "serve") running.child.stdin.end();
  const timer = setTimeout(() => running.child.kill("SIGKILL"), 25_000);
  const ended = await running.ended;
  clearTimeout(timer);
  if (ended.signal === "SIGKILL") throw new Error(`hoga ${args.join(" ")} did not end: ${ended.stdout}${ended.stderr}`);
  return ended;
}

export interface SandboxLine {
  readonly base_url: string;
  readonly stream_url: string;
  readonly admin_url: string;
  readonly api_key: string;
  readonly api_secret: string;
}

export interface RunningSandbox extends Running {
  readonly line: SandboxLine;
}

/** `hoga sandbox`, ready. Without quotes of its own unless asked for. */
export async function startSandbox(
  place: Place,
  options: readonly string[] = ["--no-market-maker"],
): Promise<RunningSandbox> {
  const running = start(["sandbox", "--json", "--port", "0", ...options], place);
  const line = JSON.parse(await running.firstLine()) as SandboxLine;
  return { ...running, line };
}

/** The variables that lead to an exchange by address. */
export function quartet(baseUrl: string, apiKey: string, apiSecret: string): Readonly<Record<string, string>> {
  return {
    HOGA_ENVIRONMENT: "sandbox",
    HOGA_BASE_URL: baseUrl,
    HOGA_API_KEY: apiKey,
    HOGA_API_SECRET: apiSecret,
  };
}

/** The one JSON line a program printed; anything else on stdout fails. */
export function oneLine<T = Record<string, unknown>>({ stdout }: Pick<Ended, "stdout">): T {
  if (!/^[^\n]+\n$/.test(stdout)) throw new Error(`not one line: ${JSON.stringify(stdout)}`);
  return JSON.parse(stdout) as T;
}

/** A loopback port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (typeof address !== "object" || address === null) throw new Error("no address");
  return address.port;
}

/** Ends what still runs and removes the data directories. */
export async function cleanUp(): Promise<void> {
  const ends = [...children].map((child) => once(child, "close"));
  for (const child of children) child.kill("SIGKILL");
  await Promise.all(ends);
  removeHomes();
}
