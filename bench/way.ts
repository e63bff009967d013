/**
 * `npm run bench:way`: the way of a call over stdio. Reads one after another and 64 at once, against a bare tool of the SDK and a peer, `@okx_ai/okx-trade-mcp`; place_order
 * and cancel_order at a real exchange, against a bare tool that sends the same signed request; memory at the list and after thousands of calls. The sides take turns; wall time
 * and the server's own CPU time. `bench/README.md` says how to read it. `-- --full` takes more rounds and appends them to `bench/results/way.jsonl`;
 * `-- --smoke` does a few of each, without the peer.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { startFixedExchange } from "./fixed-exchange.ts";
import { full, smoke } from "./options.ts";
import { unlimitedPeerProgram } from "./peer-program.ts";
import { processCost } from "./process-cost.ts";
import type { RealExchange } from "./real-exchange.ts";
import { Results } from "./results.ts";
import { median, quantile, timed } from "./statistics.ts";
import { StdioClient } from "./stdio-client.ts";

const ROUNDS = smoke ? 1 : full ? 5 : 3;
const READS = smoke ? 2 : 1_000;
const AT_ONCE = 64;
const WRITES = smoke ? 1 : 25;
const CALLS_FOR_MEMORY = smoke ? 2 : 5_000;
const MEMORY_RUNS = smoke ? 1 : 3;
/** Until then the code is not compiled. */
const UNCOUNTED_READS = smoke ? 0 : 1_000;
/** Writes are spaced so that the rate that hoga keeps to is never what is measured. */
const WRITE_SPACING_MS = 120;
/** As many orders as the benchmark places. */
const POLICY = `max_orders_per_minute = 1000
max_day_krw = "1000000000"
`;

interface Side {
  readonly name: string;
  readonly start: () => StdioClient;
  readonly read: (client: StdioClient) => Promise<unknown>;
}

/** One figure of each round. */
type Figures = Record<string, number[]>;

const results = new Results("way");
const home = mkdtempSync(join(tmpdir(), "hoga-bench-"));
const fixed = await startFixedExchange();

function hogaAt(url: string, key: { readonly id: string; readonly secret: string }): StdioClient {
  const HOGA_HOME = join(home, `hoga-${Math.random().toString(36).slice(2)}`);
  mkdirSync(HOGA_HOME, { mode: 0o700 });
  writeFileSync(join(HOGA_HOME, "policy.toml"), POLICY, { mode: 0o600 });
  const settings = {
    HOGA_API_KEY: key.id,
    HOGA_API_SECRET: key.secret,
    HOGA_BASE_URL: url,
    HOGA_ENVIRONMENT: "sandbox",
  };
  return new StdioClient(["dist/cli.js", "serve"], { HOGA_HOME, ...settings });
}

function bareAt(url: string, key: { readonly id: string; readonly secret: string }): StdioClient {
  return new StdioClient([".bench/minimal-server.js"], {
    BENCH_BASE_URL: url,
    BENCH_API_KEY: key.id,
    BENCH_API_SECRET: key.secret,
  });
}

function peer(): Side {
  const program = unlimitedPeerProgram();
  const env = { HOME: home, OKX_API_BASE_URL: fixed.url };
  return {
    name: "peer",
    start: () => new StdioClient([program, "--modules", "market,spot,account", "--no-log"], env, "ignore"),
    read: (client) => client.call("market_get_ticker", { instId: "BTC-USDT" }),
  };
}

const KEY = { id: "bench", secret: Buffer.from("bench secret, not a real one").toString("base64") };
const sides: readonly Side[] = [
  { name: "bare", start: () => bareAt(fixed.url, KEY), read: (client) => client.call("quote", { symbol: "BTC/KRW" }) },
  {
    name: "hoga",
    start: () => hogaAt(fixed.url, KEY),
    read: (client) => client.call("get_ticker", { symbols: ["BTC/KRW"] }),
  },
  ...(smoke ? [] : [peer()]),
];

function add(figures: Figures, name: string, figure: number): void {
  figures[name] ??= [];
  figures[name].push(figure);
}

const cpuMs = (client: StdioClient): number => processCost(client.pid)?.cpuMs ?? Number.NaN;

async function started({ start }: Pick<Side, "start">): Promise<StdioClient> {
  const client = start();
  await client.initialize();
  return client;
}

async function atOnce(calls: number, call: () => Promise<unknown>, callers = AT_ONCE): Promise<void> {
  let left = calls;
  const caller = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

async function compareReads(): Promise<void> {
  const clients = new Map<Side, StdioClient>();
  for (const side of sides) clients.set(side, await started(side));
  const [wall, cpu, perSecond, perCpuSecond]: readonly [Figures, Figures, Figures, Figures] = [{}, {}, {}, {}];
  for (const [{ read }, client] of clients) await atOnce(UNCOUNTED_READS, () => read(client), 8);
  for (let round = 0; round < ROUNDS; round++)
    for (const [{ name, read }, client] of clients) {
      const times: number[] = [];
      let before = cpuMs(client);
      for (let run = 0; run < READS; run++) times.push(await timed(() => read(client)));
      add(wall, name, median(times));
      add(cpu, name, (cpuMs(client) - before) / READS);
      before = cpuMs(client);
      const took = await timed(() => atOnce(READS * 2, () => read(client)));
      add(perSecond, name, (READS * 2 * 1_000) / took);
      add(perCpuSecond, name, (READS * 2 * 1_000) / (cpuMs(client) - before));
    }
  results.row("read tool, p50 of a round, ms", wall, [
    { to: "peer", atMost: 0.8 },
    { to: "bare", atMost: 1.5 },
  ]);
  results.row("read tool, CPU ms a call", cpu);
  results.row(`${AT_ONCE} reads at once, a second`, perSecond, [{ to: "peer", atLeast: 2 }]);
  results.row(`${AT_ONCE} reads at once, a CPU second`, perCpuSecond);
  for (const client of clients.values()) await client.close();
}

/** The median of an append and its sync where the store is. */
function fsyncTime(): number {
  const file = openSync(join(home, "fsync"), "a");
  const times = Array.from({ length: WRITES }, () => {
    const start = performance.now();
    writeSync(file, Buffer.alloc(8192));
    fsyncSync(file);
    return performance.now() - start;
  });
  closeSync(file);
  return median(times);
}

interface Writer {
  readonly name: string;
  readonly client: StdioClient;
  /** @returns what cancels it */
  readonly place: () => Promise<() => Promise<unknown>>;
}

function writers(clients: readonly [hoga: StdioClient, bare: StdioClient], price: string): readonly Writer[] {
  const [hoga, bare] = clients;
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", price };
  const body = JSON.stringify({ ...order, volume: "0.0001" });
  return [
    {
      ...{ name: "hoga", client: hoga },
      place: async () => {
        const { structuredContent } = await hoga.call("place_order", { ...order, base_volume: "0.0001" });
        const { userref } = structuredContent as { readonly userref: string };
        return () => hoga.call("cancel_order", { userref });
      },
    },
    {
      ...{ name: "bare", client: bare },
      place: async () => {
        const { orderId } = JSON.parse((await bare.call("order", { body })).content[0]?.text ?? "") as {
          readonly orderId: string;
        };
        return () => bare.call("cancel", { order_id: orderId });
      },
    },
  ];
}

const WRITE_ROWS = ["place", "cancel"] as const;
type WriteRow = (typeof WRITE_ROWS)[number];

/** What writes of one kind took, one round after another. */
class Measured {
  readonly p50: Figures = {};
  readonly p99: Figures = {};
  #wall: Figures = {};
  #cpu: Figures = {};

  async measure({ name, client }: Writer, work: () => Promise<unknown>): Promise<void> {
    const before = cpuMs(client);
    add(this.#wall, name, await timed(work));
    add(this.#cpu, name, cpuMs(client) - before);
    await sleep(WRITE_SPACING_MS);
  }

  /** @param counts whether it does: the first ones do not */
  endRound(counts: boolean): void {
    if (counts)
      for (const [name, times] of Object.entries(this.#wall)) {
        add(this.p50, name, median(times));
        add(this.p50, `${name}, CPU`, median(this.#cpu[name] ?? []));
        add(this.p99, name, quantile(times, 0.99));
      }
    this.#wall = {};
    this.#cpu = {};
  }
}

async function measureWrites(both: readonly Writer[], rows: Record<WriteRow, Measured>): Promise<number[]> {
  const syncs: number[] = [];
  for (let round = smoke ? 0 : -1; round < ROUNDS; round++) {
    for (let run = 0; run < WRITES; run++)
      for (const writer of both) {
        let cancel: (() => Promise<unknown>) | undefined;
        await rows.place.measure(writer, async () => {
          cancel = await writer.place();
        });
        await rows.cancel.measure(writer, async () => cancel?.());
      }
    for (const row of WRITE_ROWS) rows[row].endRound(round >= 0);
    syncs.push(fsyncTime());
  }
  return syncs;
}

async function compareWrites(): Promise<void> {
  const child = spawn(process.execPath, [".bench/real-exchange.js"], { stdio: ["pipe", "pipe", "inherit"] });
  const [first] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const { url, keys } = JSON.parse(first) as RealExchange;
  const clients = [hogaAt(url, keys[0] ?? KEY), bareAt(url, keys[1] ?? KEY)] as const;
  for (const client of clients) await client.initialize();
  const { structuredContent } = await clients[0].call("get_ticker", { symbols: ["BTC/KRW"] });
  const [ticker] = (structuredContent as { readonly tickers: readonly { readonly best_bid: string }[] }).tickers;
  // On the tick, and below the best bid, so that it rests.
  const price = `${(BigInt(ticker?.best_bid ?? "0") * 99n) / 100n / 1_000n}000`;
  const rows = { place: new Measured(), cancel: new Measured() };
  const syncs = await measureWrites(writers(clients, price), rows);
  for (const row of WRITE_ROWS) {
    const { p50, p99 } = rows[row];
    // One request, two waits for the disk, and 4 ms.
    const wanted = (p50["bare"] ?? []).map((bare, round) => bare + 2 * (syncs[round] ?? Number.NaN) + 4);
    results.row(`${row}_order, p50 of a round, ms`, { ...p50, wanted }, [{ to: "wanted", atMost: 1 }]);
    const cpu = { hoga: p50["hoga, CPU"] ?? [], limit: syncs.map(() => 5) };
    results.row(`${row}_order, p50 of a round, CPU ms`, cpu, [{ to: "limit", atMost: 1 }]);
    results.row(`${row}_order, p99 of a round, ms`, { ...p99, "its p50": p50["hoga"] ?? [] }, [
      { to: "its p50", atMost: 10 },
    ]);
  }
  results.row("fsync, ms", { "this disk": syncs });
  for (const client of clients) await client.close();
  child.stdin.end();
  await once(child, "exit");
}

async function compareMemory(): Promise<void> {
  const [atList, afterwards]: readonly [Figures, Figures] = [{}, {}];
  for (let run = 0; run < MEMORY_RUNS; run++)
    for (const side of sides) {
      const client = await started(side);
      await client.request("tools/list");
      add(atList, side.name, processCost(client.pid)?.rssMb ?? Number.NaN);
      await atOnce(CALLS_FOR_MEMORY, () => side.read(client), 8);
      add(afterwards, side.name, processCost(client.pid)?.rssMb ?? Number.NaN);
      await client.close();
    }
  const goals = [{ to: "peer", atMost: 1 }];
  results.row("memory at the list, MB", atList, goals);
  results.row(`memory after ${CALLS_FOR_MEMORY} calls, MB`, afterwards, goals);
}

process.stdout.write(`min / median / max of ${ROUNDS} rounds\n`);
await compareReads();
await compareWrites();
await compareMemory();
fixed.close();
rmSync(home, { recursive: true });
if (full) results.keep();
