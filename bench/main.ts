/**
 * `npm run bench`: start time, one read and one write over stdio against the floor of `minimal-server.ts`, and the size of the
 * tool list. Both sides run alternately in one run; what counts are the ratios. `bench/README.md` says how to read them.
 * `-- --smoke` does each once, to see that it still works.
 */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { startFixedExchange } from "./fixed-exchange.ts";
import { median, ms, quantile, timed } from "./statistics.ts";
import { StdioClient } from "./stdio-client.ts";

const { smoke } = parseArgs({ options: { smoke: { type: "boolean", default: false } } }).values;
const STARTS = smoke ? 1 : 15;
/** The first ones of a series are not counted: until then the code is not compiled. */
const READS = smoke ? { all: 1, uncounted: 0 } : { all: 1_000, uncounted: 200 };
const WRITES = smoke ? { all: 1, uncounted: 0 } : { all: 60, uncounted: 10 };
/** Writes are spaced so that the rate budget of the exchange, which hoga keeps, is never what is measured. */
const WRITE_SPACING_MS = 120;
/** As many orders as the benchmark places in a minute, and more than it places in a day. */
const POLICY = `max_orders_per_minute = 1000
max_day_krw = "1000000000"
max_open_orders = 1000
max_open_krw = "1000000000"
`;
const SECRET = Buffer.from("bench secret, not a real one").toString("base64");

const home = mkdtempSync(join(tmpdir(), "hoga-bench-"));
writeFileSync(join(home, "policy.toml"), POLICY, { mode: 0o600 });
const exchange = await startFixedExchange();
const hogaEnv = {
  HOGA_HOME: home,
  HOGA_API_KEY: "bench",
  HOGA_API_SECRET: SECRET,
  HOGA_BASE_URL: exchange.url,
  HOGA_ENVIRONMENT: "sandbox",
};
const minimalEnv = { BENCH_BASE_URL: exchange.url, BENCH_API_SECRET: SECRET };
const startHoga = () => new StdioClient(["dist/cli.js", "serve"], hogaEnv);
const startMinimal = () => new StdioClient([".bench/minimal-server.js"], minimalEnv);

function line(what: string, ours: string, floor = "", ratio = ""): void {
  process.stdout.write(`${what.padEnd(34)}${ours.padStart(14)}${floor.padStart(18)}${ratio.padStart(9)}\n`);
}

/** A row of two times. */
function compared(what: string, ours: number, floor: number): void {
  line(what, ms(ours), ms(floor), (ours / floor).toFixed(2));
}

/** Spawn to the first answer of `tools/list`. */
async function startTime(start: () => StdioClient): Promise<number> {
  let client: StdioClient | undefined;
  const time = await timed(async () => {
    client = start();
    await client.initialize();
    await client.request("tools/list");
  });
  await client?.close();
  return time;
}

async function compareStarts(): Promise<void> {
  const ours: number[] = [];
  const floor: number[] = [];
  for (let run = 0; run < STARTS; run++) {
    ours.push(await startTime(startHoga));
    floor.push(await startTime(startMinimal));
  }
  compared("start to tools/list, p50", median(ours), median(floor));
}

async function compareReads(hoga: StdioClient, minimal: StdioClient): Promise<void> {
  const ours: number[] = [];
  const floor: number[] = [];
  for (let run = 0; run < READS.all; run++) {
    ours.push(await timed(() => hoga.call("get_ticker", { symbols: ["BTC/KRW"] })));
    floor.push(await timed(() => minimal.call("quote", { symbol: "BTC/KRW" })));
  }
  const [a, b] = [ours.slice(READS.uncounted), floor.slice(READS.uncounted)];
  compared("read tool over stdio, p50", median(a), median(b));
  compared("read tool over stdio, p99", quantile(a, 0.99), quantile(b, 0.99));
}

async function compareWrites(hoga: StdioClient, minimal: StdioClient): Promise<void> {
  const ours: number[] = [];
  const floor: number[] = [];
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", price: "149000000" };
  const body = JSON.stringify({ ...order, volume: "0.001" });
  for (let run = 0; run < WRITES.all; run++) {
    ours.push(await timed(() => hoga.call("place_order", { ...order, base_volume: "0.001" })));
    floor.push(await timed(() => minimal.call("order", { body })));
    await new Promise((resolve) => setTimeout(resolve, WRITE_SPACING_MS));
  }
  const [a, b] = [median(ours.slice(WRITES.uncounted)), median(floor.slice(WRITES.uncounted))];
  compared("place_order over stdio, p50", a, b);
  const sync = await fsyncTime();
  line("  of it over the bare signed call", ms(a - b), `2 fsync ${ms(2 * sync)}`);
}

/** Median of an append and its sync on the disk the store is on, spaced like the writes: a disk left alone answers later. */
async function fsyncTime(): Promise<number> {
  const file = openSync(join(home, "fsync"), "a");
  const times: number[] = [];
  for (let run = 0; run < WRITES.all; run++) {
    const start = performance.now();
    writeSync(file, Buffer.alloc(8192));
    fsyncSync(file);
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, WRITE_SPACING_MS));
  }
  closeSync(file);
  return median(times);
}

async function countTokens(hoga: StdioClient): Promise<void> {
  const { tools } = (await hoga.request("tools/list")) as { readonly tools: readonly unknown[] };
  line("tools/list, o200k_base tokens", `${encode(JSON.stringify({ tools })).length}`);
  line("tools", `${tools.length}`);
}

line("", "hoga", "floor", "ratio");
await compareStarts();
const hoga = startHoga();
const minimal = startMinimal();
await Promise.all([hoga.initialize(), minimal.initialize()]);
await compareReads(hoga, minimal);
await compareWrites(hoga, minimal);
await countTokens(hoga);
await Promise.all([hoga.close(), minimal.close()]);
exchange.close();
rmSync(home, { recursive: true });
