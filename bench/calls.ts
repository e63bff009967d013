/**
 * `npm run bench:calls`: how many calls of `get_ticker` a server answers in a second over HTTP, one after another and 64 at once, in both eras, with the
 * store in a file and on a PostgreSQL server, against the SDK's bare server. Sides take turns in one run; `bench/README.md` says how to read it.
 * `-- --smoke` does a few of each.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Pool } from "undici";
import { createPostgresDatabase } from "../test/fixture/postgres.ts";
import { startFixedExchange } from "./fixed-exchange.ts";
import { processCost } from "./process-cost.ts";
import { median } from "./statistics.ts";

const { smoke } = parseArgs({ options: { smoke: { type: "boolean", default: false } } }).values;
const ROUNDS = smoke ? 1 : 5;
const ROUND_MS = smoke ? 100 : 1_500;
/** Until then the code is not compiled. */
const WARM_MS = smoke ? 0 : 2_000;
const ERAS = ["2025-11-25", "2026-07-28"] as const;
const AT_ONCE = [1, 64] as const;
type Era = (typeof ERAS)[number];

interface Address {
  readonly mcp_url: string;
  readonly http_configuration?: {
    readonly mcpServers: { readonly hoga: { readonly headers: Record<string, string> } };
  };
}

const clientInfo = { name: "bench", version: "1" };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** One server under test, and how it is asked. */
class Side {
  readonly #child: ChildProcess;
  readonly #pool: Pool;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #sessions = new Map<Era, Readonly<Record<string, string>>>();
  #lastId = 0;

  private constructor(child: ChildProcess, { mcp_url, http_configuration }: Address) {
    this.#child = child;
    const { origin, pathname } = new URL(mcp_url);
    this.#pool = new Pool(origin, { connections: 64 });
    this.#path = pathname;
    this.#headers = {
      ...http_configuration?.mcpServers.hoga.headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
  }

  static async start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Side> {
    const child = spawn(process.execPath, [...args], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [first] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const side = new Side(child, JSON.parse(first) as Address);
    const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const { headers } = await side.#post("initialize", hello, {});
    const session = headers["mcp-session-id"];
    side.#sessions.set("2025-11-25", {
      "mcp-protocol-version": "2025-11-25",
      ...(typeof session === "string" ? { "mcp-session-id": session } : {}),
    });
    const named = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "get_ticker" };
    side.#sessions.set("2026-07-28", named);
    return side;
  }

  async call(era: Era): Promise<void> {
    const params = { name: "get_ticker", arguments: { symbols: ["BTC/KRW"] } };
    const { body } = await this.#post(
      "tools/call",
      era === "2026-07-28" ? { ...params, _meta: META } : params,
      this.#sessions.get(era),
    );
    if (!body.includes("BTC/KRW") || body.includes('"isError":true')) throw new Error(`no ticker: ${body}`);
  }

  /** How many it offers. */
  async tools(): Promise<number> {
    const { body } = await this.#post("tools/list", {}, this.#sessions.get("2025-11-25"));
    return body.match(/"inputSchema"/g)?.length ?? 0;
  }

  async measure(era: Era, atOnce: number, forMs: number): Promise<Measure> {
    const begun = performance.now();
    const cpuMs = (): number => processCost(this.#child.pid ?? 0)?.cpuMs ?? Number.NaN;
    const cpuBefore = cpuMs();
    let calls = 0;
    const caller = async (): Promise<void> => {
      do {
        await this.call(era);
        calls += 1;
      } while (performance.now() - begun < forMs);
    };
    await Promise.all(Array.from({ length: atOnce }, caller));
    return {
      perSecond: (calls * 1_000) / (performance.now() - begun),
      perCpuSecond: (calls * 1_000) / (cpuMs() - cpuBefore),
    };
  }

  async close(): Promise<void> {
    await this.#pool.close();
    const ended = once(this.#child, "exit");
    this.#child.kill();
    await ended;
  }

  async #post(method: string, params: object, headers: Readonly<Record<string, string>> = {}) {
    this.#lastId += 1;
    const answer = await this.#pool.request({
      method: "POST",
      path: this.#path,
      headers: { ...this.#headers, ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: this.#lastId, method, params }),
    });
    const body = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${method}: ${answer.statusCode} ${body}`);
    return { headers: answer.headers, body };
  }
}

interface Measure {
  readonly perSecond: number;
  /** Of the server's own processor time, which says more on a busy machine. */
  readonly perCpuSecond: number;
}

function line(name: string, what: keyof Measure, ours: readonly Measure[], floor: readonly Measure[]): void {
  const rates = ours.map((each) => each[what]);
  const spread = [Math.min(...rates), median(rates), Math.max(...rates)].map((rate) => rate.toFixed(0)).join(" / ");
  const ratio = median(rates) / median(floor.map((each) => each[what]));
  const per = what === "perSecond" ? "a second" : "a CPU second";
  process.stdout.write(`  ${name.padEnd(10)}${per.padEnd(14)}${spread.padStart(22)}${ratio.toFixed(2).padStart(8)}\n`);
}

const home = mkdtempSync(join(tmpdir(), "hoga-bench-"));
const exchange = await startFixedExchange();
const database = await createPostgresDatabase();
const secret = Buffer.from("bench secret, not a real one").toString("base64");
const hoga = (store: string, more: Readonly<Record<string, string>> = {}) =>
  Side.start(["dist/cli.js", "serve", "--http", "--port", "0", "--json"], {
    HOGA_HOME: join(home, store),
    HOGA_API_KEY: "bench",
    HOGA_API_SECRET: secret,
    HOGA_BASE_URL: exchange.url,
    HOGA_ENVIRONMENT: "sandbox",
    ...more,
  });
const sqlite = await hoga("sqlite");
const postgres = await hoga("postgres", { HOGA_STORE_URL: database.url(database.freshSchema()) });
const BENCH_TOOLS = String(await sqlite.tools());
const bare = await Side.start([".bench/minimal-http.js"], { BENCH_BASE_URL: exchange.url, BENCH_TOOLS });
const sides = { bare, sqlite, postgres };
const NAMES = ["bare", "sqlite", "postgres"] as const;
process.stdout.write(
  `calls of get_ticker over HTTP, min / median / max of ${ROUNDS}, and the ratio to the bare server\n`,
);
for (const era of ERAS)
  for (const atOnce of AT_ONCE) {
    for (const name of NAMES) await sides[name].measure(era, atOnce, WARM_MS);
    const found: Record<(typeof NAMES)[number], Measure[]> = { bare: [], sqlite: [], postgres: [] };
    for (let round = 0; round < ROUNDS; round++)
      for (const name of NAMES) found[name].push(await sides[name].measure(era, atOnce, ROUND_MS));
    process.stdout.write(`${era}, ${atOnce} at once; load of the machine ${loadavg()[0]?.toFixed(1)}\n`);
    for (const name of NAMES)
      for (const what of ["perSecond", "perCpuSecond"] as const) line(name, what, found[name], found.bare);
  }
for (const side of Object.values(sides)) await side.close();
exchange.close();
await database.remove();
rmSync(home, { recursive: true });
