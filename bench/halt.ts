/**
 * `npm run bench:halt`: how long a halt takes, idle and under sixty of the heaviest calls that each tool has, from a token that may only look, of another
 * tenant; by MCP over HTTP in both eras, by the console, at a terminal, and over stdio behind the calls of its own client. `bench/README.md` says how to
 * read it. `-- --smoke` asks for two tools once; `-- WAY… TOOL…` for those.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { HEAVIEST, HttpCaller } from "./halt-load.ts";
import { smoke } from "./options.ts";
import { processCost } from "./process-cost.ts";
import { Results } from "./results.ts";

const AT_ONCE = 60;
const ROUNDS = smoke ? 1 : 3;
/** From the load to the halt. */
const LEAD_MS = 30;
/** Until a caller has its credit again. */
const PAUSE_MS = 4_000;
const HALT = { name: "halt_trading", arguments: { reason: "bench" } };

const home = mkdtempSync(join(tmpdir(), "hoga-bench-"));
const env = { ...process.env, HOGA_HOME: home };
const cli = (...args: string[]) => promisify(execFile)(process.execPath, ["dist/cli.js", ...args], { env });
const tokenOf = async (name: string, tenant: string, scopes: string): Promise<string> => {
  await cli("tenants", "create", tenant, "--profile", "paper");
  const { stdout } = await cli("tokens", "create", name, "--tenant", tenant, "--scopes", scopes, "--json");
  return (JSON.parse(stdout) as { readonly token: string }).token;
};

interface Printed {
  readonly mcp_url: string;
  readonly page_url: string;
}

const readers = await tokenOf("looks", "alice", "market:read,account:read");
const brakes = await tokenOf("halts", "bob", "all");
const server = spawn(process.execPath, ["dist/cli.js", "serve", "--http", "--json", "--show-token", "--port", "0"], {
  ...{ env, stdio: ["ignore", "pipe", "inherit"] },
});
const [line] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
const { mcp_url, page_url } = JSON.parse(line) as Printed;
const { origin } = new URL(mcp_url);
const [reader, brake] = [new HttpCaller(origin, readers), new HttpCaller(origin, brakes)];
await Promise.all([reader.begin(), brake.begin()]);

/** As a browser that has opened the link. */
async function consoleHalt(): Promise<() => Promise<void>> {
  const page = new URL(page_url);
  const opened = await fetch(page, { redirect: "manual" });
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  const headers = { cookie, origin: page.origin, "content-type": "application/json" };
  const { csrf } = (await (await fetch(new URL("/console/session", page), { headers })).json()) as { csrf: string };
  return async () => {
    const answer = await fetch(new URL("/console/halt", page), {
      ...{ method: "POST", headers: { ...headers, "x-hoga-csrf": csrf }, body: "{}" },
    });
    if (!answer.ok) throw new Error(`halt at the console: ${answer.status} ${await answer.text()}`);
    await answer.text();
  };
}

/** A server over stdio of its own, whose one client looks and halts. */
class StdioCaller {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, () => void>();
  #lastId = 0;

  constructor() {
    const place = { ...env, HOGA_HOME: join(home, "stdio") };
    this.#child = spawn(process.execPath, ["dist/cli.js", "serve"], {
      ...{ env: place, stdio: ["pipe", "pipe", "inherit"] },
    });
    if (this.#child.stdout !== null)
      createInterface({ input: this.#child.stdout }).on("line", (text) => {
        const { id } = JSON.parse(text) as { id?: number };
        if (id !== undefined) this.#waiting.get(id)?.();
      });
  }

  async begin(): Promise<void> {
    await this.#ask("initialize", {
      ...{ protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
    });
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    await this.call({ name: "get_balances", arguments: {} });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  call(params: object): Promise<void> {
    return this.#ask("tools/call", params);
  }

  async close(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.stdin?.end();
    await ended;
  }

  #ask(method: string, params: object): Promise<void> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }
}

const stdio = new StdioCaller();
await stdio.begin();
const halted = async (era: "2025-11-25" | "2026-07-28"): Promise<void> => {
  const { status, body } = await brake.call(era, HALT);
  if (status !== 200 || !body.includes("HALTED")) throw new Error(`halt: ${status} ${body}`);
};
interface Way {
  readonly halt: () => Promise<unknown>;
  readonly load: (call: object) => Promise<unknown>;
  /** Of the server, where it is not the one over HTTP. */
  readonly pid?: number;
}

const WAYS = {
  "2025-11-25": { halt: () => halted("2025-11-25"), load: (call: object) => reader.call("2025-11-25", call) },
  "2026-07-28": { halt: () => halted("2026-07-28"), load: (call: object) => reader.call("2026-07-28", call) },
  console: { halt: await consoleHalt(), load: (call: object) => reader.call("2026-07-28", call) },
  terminal: {
    halt: async () => void (await cli("halt", "--tenant", "bob")),
    load: (call: object) => reader.call("2026-07-28", call),
  },
  stdio: { halt: () => stdio.call(HALT), load: (call: object) => stdio.call(call), pid: stdio.pid },
} satisfies Readonly<Record<string, Way>>;

interface Took {
  readonly wallMs: number;
  /** Of the server meanwhile, whoever it worked for: on a busy machine it says more. */
  readonly cpuMs: number;
}

async function measured({ halt, pid }: { readonly halt: () => Promise<unknown>; readonly pid: number }): Promise<Took> {
  const cpuMs = (): number => processCost(pid)?.cpuMs ?? Number.NaN;
  const [begun, before] = [performance.now(), cpuMs()];
  await halt();
  return { wallMs: performance.now() - begun, cpuMs: cpuMs() - before };
}

function told(name: string, found: readonly Took[]): void {
  results.row(`${name}, ms`, { hoga: found.map(({ wallMs }) => wallMs) });
  results.row(`${name}, CPU ms of the server meanwhile`, { hoga: found.map(({ cpuMs }) => cpuMs) });
}

const wanted = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const among = <Of>(all: Readonly<Record<string, Of>>): readonly (readonly [string, Of])[] => {
  const named = Object.entries(all).filter(([name]) => wanted.includes(name));
  return named.length === 0 ? Object.entries(all) : named;
};
const tools = among(HEAVIEST);
const results = new Results("halt");
for (const [way, { halt, load, pid = server.pid ?? 0 }] of among<Way>(WAYS)) {
  const idle: Took[] = [];
  for (let round = 0; round < ROUNDS + 1; round++) {
    const took = await measured({ halt, pid });
    if (round > 0 || smoke) idle.push(took);
  }
  told(`${way}, idle`, idle);
  for (const [tool, call] of smoke ? tools.slice(0, 2) : tools) {
    const found: Took[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const loaded = Array.from({ length: AT_ONCE }, () => load(call).catch(() => undefined));
      await sleep(LEAD_MS);
      found.push(await measured({ halt, pid }));
      await Promise.all(loaded);
      await sleep(PAUSE_MS);
    }
    told(`${way}, ${tool}`, found);
  }
}
await Promise.all([reader.close(), brake.close(), stdio.close()]);
server.kill();
await once(server, "exit");
rmSync(home, { recursive: true, force: true });
