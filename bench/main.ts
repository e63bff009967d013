/**
 * `npm run bench`: start time, one read and one write over stdio against the floor of `minimal-server.ts`, and the size of the
 * tool list. Both sides run alternately in one run; what counts are the ratios. `bench/README.md` says how to read them.
 */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { startFixedExchange } from "./fixed-exchange.ts";
import { median, ms, quantile, timed } from "./statistics.ts";
import { StdioClient } from "./stdio-client.ts";

const STARTS = 15;
const READS = 1_000;
const WRITES = 60;
/** Writes are spaced so that the rate budget of the exchange, which hoga keeps, is never what is measured. */
const WRITE_SPACING_MS = 120;
const SECRET = Buffer.from("bench secret, not a real one").toString("base64");

const home = mkdtempSync(join(tmpdir(), "hoga-bench-"));
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

function line(what: string, ours: string, floor: string, ratio: number | undefined): void {
  process.stdout.write(
    `${what.padEnd(34)}${ours.padStart(14)}${floor.padStart(14)}${(ratio?.toFixed(2) ?? "").padStart(9)}\n`,
  );
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
  line("start to tools/list, p50", ms(median(ours)), ms(median(floor)), median(ours) / median(floor));
}

async function compareReads(hoga: StdioClient, minimal: StdioClient): Promise<void> {
  const ours: number[] = [];
  const floor: number[] = [];
  for (let run = 0; run < READS; run++) {
    ours.push(await timed(() => hoga.call("get_ticker", { symbols: ["BTC/KRW"] })));
    floor.push(await timed(() => minimal.call("quote", { symbol: "BTC/KRW" })));
  }
  const warm = READS / 5;
  const [a, b] = [ours.slice(warm), floor.slice(warm)];
  line("read tool over stdio, p50", ms(median(a)), ms(median(b)), median(a) / median(b));
  line(
    "read tool over stdio, p99",
    ms(quantile(a, 0.99)),
    ms(quantile(b, 0.99)),
    quantile(a, 0.99) / quantile(b, 0.99),
  );
}

async function compareWrites(hoga: StdioClient, minimal: StdioClient): Promise<void> {
  const ours: number[] = [];
  const floor: number[] = [];
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", price: "149000000" };
  const body = JSON.stringify({ ...order, volume: "0.001" });
  for (let run = 0; run < WRITES; run++) {
    ours.push(await timed(() => hoga.call("place_order", { ...order, base_volume: "0.001" })));
    floor.push(await timed(() => minimal.call("order", { body })));
    await new Promise((resolve) => setTimeout(resolve, WRITE_SPACING_MS));
  }
  const warm = 10;
  const [a, b] = [median(ours.slice(warm)), median(floor.slice(warm))];
  line("place_order over stdio, p50", ms(a), ms(b), a / b);
  const sync = await fsyncTime();
  line("  of it over the bare signed call", ms(a - b), `2 fsync ${ms(2 * sync)}`, undefined);
}

/** Median of an append and its sync on the disk the store is on, spaced like the writes: a disk left alone answers later. */
async function fsyncTime(): Promise<number> {
  const file = openSync(join(home, "fsync"), "a");
  const times: number[] = [];
  for (let run = 0; run < WRITES; run++) {
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
  line("tools/list, o200k_base tokens", `${encode(JSON.stringify({ tools })).length}`, "", undefined);
  line("tools", `${tools.length}`, "", undefined);
}

line("", "hoga", "floor", Number.NaN);
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
