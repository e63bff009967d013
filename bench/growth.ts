/**
 * `npm run bench:growth -- [--full] [CURVE]...`: how figures grow with what there is: open orders, audit rows, agents over HTTP, markets, fills. Each curve is measured size by
 * size in one run; what counts is its power, 0 for what does not grow and 1 for what grows as its size does. `bench/README.md` says what each is, and why.
 */
import { KRW_MARKETS } from "../src/sandbox/engine/index.ts";
import { startSandbox } from "../src/sandbox/index.ts";
import { startFixedExchange } from "./fixed-exchange.ts";
import { auditRows } from "./growth-audit.ts";
import { openOrdersOfDesk } from "./growth-desk.ts";
import { fills } from "./growth-fills.ts";
import { newPoints, type Points, repeated, results, sizes, withDir } from "./growth-size.ts";
import { Side } from "./http-side.ts";
import { full, smoke } from "./options.ts";
import { measured, ours, streamOf } from "./order-stream.ts";
import { median, timed } from "./statistics.ts";
import { StdioClient } from "./stdio-client.ts";

const KEY = { HOGA_API_KEY: "bench", HOGA_API_SECRET: Buffer.from("bench secret, not a real one").toString("base64") };
const MANY = 1_000_000_000;

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

async function agents(): Promise<void> {
  const exchange = await startFixedExchange();
  await withDir(async (dir) => {
    const env = { HOGA_HOME: dir, HOGA_BASE_URL: exchange.url, HOGA_ENVIRONMENT: "sandbox", ...KEY };
    const side = await Side.start(["dist/cli.js", "serve", "--http", "--port", "0", "--json", "--show-token"], env);
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

const CURVES: Readonly<Record<string, () => void | Promise<void>>> = {
  ...{ orders: openOrders, desk: openOrdersOfDesk, audit: auditRows, agents, markets, fills },
};
const asked = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const unknown = asked.filter((name) => CURVES[name] === undefined);
if (unknown.length > 0) {
  process.stderr.write(`there is no curve ${unknown.join(", ")}: name some of ${Object.keys(CURVES).join(", ")}\n`);
  process.exit(2);
}
for (const [name, measure] of Object.entries(CURVES)) if (asked.length === 0 || asked.includes(name)) await measure();
if (full && asked.length === 0) results.keep();
