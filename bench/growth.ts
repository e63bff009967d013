/**
 * `npm run bench:growth -- [--full] [CURVE]...`: how figures grow with what there is: open orders, audit rows, agents over HTTP, markets, fills. Each curve is measured size by
 * size in one run; what counts is its power, 0 for what does not grow and 1 for what grows as its size does. `bench/README.md` says what each is, and why.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LedgerFill } from "../src/desk/index.ts";
import { costBases } from "../src/desk/portfolio/cost-basis.ts";
import { KRW_MARKETS } from "../src/sandbox/engine/index.ts";
import { startSandbox } from "../src/sandbox/index.ts";
import { openStore, type Store } from "../src/store/index.ts";
import { startFixedExchange } from "./fixed-exchange.ts";
import { Side } from "./http-side.ts";
import { full, smoke } from "./options.ts";
import { measured, ours, streamOf } from "./order-stream.ts";
import { type Curve, Results } from "./results.ts";
import { median, timed } from "./statistics.ts";
import { StdioClient } from "./stdio-client.ts";

type Points = Curve["points"];
const results = new Results("growth");
const KEY = { HOGA_API_KEY: "bench", HOGA_API_SECRET: Buffer.from("bench secret, not a real one").toString("base64") };
const MANY = 1_000_000_000;

const newPoints = (): [size: number, figure: number][] => [];

/** From the smallest, each ten times the one before, up to the largest that this run takes. */
function sizes(smallest: number, short: number, whole: number): readonly number[] {
  const most = smoke ? smallest * 10 : full ? whole : short;
  return Array.from({ length: Math.round(Math.log10(most / smallest)) + 1 }, (_, power) => smallest * 10 ** power);
}

async function repeated(times: number, work: () => Promise<unknown>): Promise<number> {
  const found: number[] = [];
  for (let run = 0; run < times; run++) found.push(await timed(work));
  return median(found);
}

async function withDir<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), "hoga-bench-"));
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function openOrders(): void {
  // Until then the code is not compiled.
  measured(ours, streamOf(smoke ? 10 : 10_000));
  const points: Points = sizes(10, 100_000, 1_000_000).map((resting) => {
    // Each run adds some orders, which are not to be most of them.
    const { perSecond } = measured(ours, streamOf(resting, Math.max(1_000, Math.min(50_000, resting))));
    return [resting, 1_000_000 / median(perSecond)];
  });
  results.curve("open orders at the exchange: an order or a cancel", "CPU µs", points);
}

const clock = {
  now: () => Date.now(),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};
type AnyStore = Store<string, unknown>;

async function auditRows(): Promise<void> {
  const [append, page, verify] = [newPoints(), newPoints(), newPoints()];
  await withDir(async (dir) => {
    const store: AnyStore = await openStore({ path: join(dir, "hoga.db") }, { clock, random: Math.random });
    const { audit } = store;
    let rows = 0;
    const write = async (): Promise<void> => {
      rows += 1;
      const entry = { event: "intent_moved", account: "bench", intentId: `intent-${rows}`, detail: { to: "open" } };
      const done = await audit.append(entry, Date.now());
      if (!done.ok) throw new Error(done.fault.message);
    };
    for (const size of sizes(100, 10_000, 100_000)) {
      while (rows < size) await write();
      append.push([size, await repeated(smoke ? 2 : 50, write)]);
      page.push([size, await repeated(smoke ? 2 : 20, () => audit.recent({ account: "bench", limit: 100 }))]);
      verify.push([size, await repeated(3, () => audit.verify())]);
    }
    store.close();
  });
  results.curve("rows of the audit log: one more, with its wait for the disk", "ms", append);
  results.curve("rows of the audit log: the newest hundred", "ms", page);
  results.curve("rows of the audit log: all verified", "ms", verify);
}

async function agents(): Promise<void> {
  const exchange = await startFixedExchange();
  await withDir(async (dir) => {
    const env = { HOGA_HOME: dir, HOGA_BASE_URL: exchange.url, HOGA_ENVIRONMENT: "sandbox", ...KEY };
    const side = await Side.start(["dist/cli.js", "serve", "--http", "--port", "0", "--json"], env);
    for (const era of ["2025-11-25", "2026-07-28"] as const) {
      await side.measure(era, 64, smoke ? 0 : 2_000);
      const points = newPoints();
      for (const count of smoke ? [1, 4] : [1, 4, 16, 64, 256]) {
        const { perCpuSecond } = await side.measure(era, count, smoke ? 100 : 3_000);
        points.push([count, 1_000 / perCpuSecond]);
      }
      results.curve(`agents over HTTP, ${era}: one of their calls`, "CPU ms", points);
    }
    await side.close();
  });
  exchange.close();
}

/** As many as are wanted, each with rules of one of the sandbox's own. */
function marketsOf(count: number): Parameters<typeof startSandbox>[0] {
  const markets = Array.from({ length: count }, (_, at) => {
    const rule = KRW_MARKETS[at % KRW_MARKETS.length];
    if (rule === undefined) throw new Error("the sandbox has no markets");
    const base = at < KRW_MARKETS.length ? rule.base : `${rule.base}${at}`;
    return { ...rule, symbol: `${base}/KRW`, base };
  });
  const weightPerMinute = { starter: MANY, pro: MANY, enterprise: MANY };
  return {
    markets,
    marketMaker: false,
    limits: { callsPerSecond: MANY, publicWeightPerMinute: MANY, weightPerMinute },
  };
}

async function markets(): Promise<void> {
  const [start, list, one] = [newPoints(), newPoints(), newPoints()];
  for (const count of smoke ? [12, 24] : [12, 25, 50, 100, 250, 500])
    await withDir(async (dir) => {
      const sandbox = await startSandbox(marketsOf(count));
      const env = { HOGA_HOME: dir, HOGA_BASE_URL: sandbox.baseUrl, HOGA_ENVIRONMENT: "sandbox", ...KEY };
      const client = new StdioClient(["dist/cli.js", "serve"], env);
      start.push([
        count,
        await timed(async () => {
          await client.initialize();
          await client.request("tools/list");
        }),
      ]);
      const runs = smoke ? 2 : 100;
      list.push([count, await repeated(runs, () => client.call("get_ticker", {}))]);
      one.push([count, await repeated(runs, () => client.call("get_ticker", { symbol: "BTC/KRW" }))]);
      await client.close();
      await sandbox.close();
    });
  results.curve("markets: start to tools/list", "ms", start);
  results.curve("markets: prices of all", "ms", list);
  results.curve("markets: the price of one", "ms", one);
}

function fillAt(at: number): LedgerFill {
  const side = at % 3 === 2 ? "sell" : "buy";
  const price = String(90_000_000 + (at % 1_000) * 1_000);
  const amounts = { price, volume: "0.001", value: price.slice(0, -3), fee: "45", feeCurrency: "KRW" };
  return {
    tradeId: String(at),
    orderId: `order-${at}`,
    symbol: "BTC/KRW",
    side,
    ...amounts,
    atMs: 1_760_000_000_000 + at,
  };
}

async function fills(): Promise<void> {
  const [kept, shown] = [newPoints(), newPoints()];
  await withDir(async (dir) => {
    const store: AnyStore = await openStore({ path: join(dir, "hoga.db") }, { clock, random: Math.random });
    const { fills: ledger } = store;
    let count = 0;
    const keep = (more: number) => {
      const page = Array.from({ length: more }, (_, at) => fillAt(count + at));
      count += more;
      return ledger.keep("bench", page, { doneToMs: page.at(-1)?.atMs ?? 0 });
    };
    for (const size of sizes(100, 10_000, 1_000_000)) {
      while (count < size) await keep(Math.min(500, size - count));
      kept.push([size, await repeated(smoke ? 2 : 20, () => keep(1))]);
      const book = async (): Promise<void> => {
        const all = await ledger.fills("bench");
        if (!all.ok) throw new Error(all.fault.message);
        costBases(all.value, "average", { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
      };
      shown.push([size, await repeated(3, book)]);
    }
    store.close();
  });
  results.curve("fills of an account: one more is kept", "ms", kept);
  results.curve("fills of an account: read, and what each coin has cost", "ms", shown);
}

const CURVES: Readonly<Record<string, () => void | Promise<void>>> = {
  ...{ orders: openOrders, audit: auditRows, agents, markets, fills },
};
const asked = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const unknown = asked.filter((name) => CURVES[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(`there is no curve ${unknown.join(", ")}: name some of ${Object.keys(CURVES).join(", ")}\n`);
  process.exit(2);
}
for (const [name, measure] of Object.entries(CURVES)) if (asked.length === 0 || asked.includes(name)) await measure();
if (full && asked.length === 0) results.keep();
