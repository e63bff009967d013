/**
 * `npm run bench:trips`: how often a tool call waits for a store on PostgreSQL, and how long it takes with that server 0, 5 and 20 ms away, there and back; and an order's
 * CPU time on SQLite. The server is that of the tests, by a relay that counts and delays; the exchange is the one on paper. `bench/README.md` says how to read it.
 * `-- --list` prints what each call asks, flight by flight; `-- --smoke` does a few of each.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createPostgresDatabase } from "../test/fixture/postgres.ts";
import { type Flight, startStoreRelay } from "../test/fixture/store-relay.ts";
import { full, smoke } from "./options.ts";
import { processCost } from "./process-cost.ts";
import { Results } from "./results.ts";
import { median, timed } from "./statistics.ts";
import { StdioClient } from "./stdio-client.ts";

const CALLS = smoke ? 2 : 12;
const SQLITE_CALLS = smoke ? 1 : 40;
const DISTANCES_MS = smoke ? [0, 5] : [0, 5, 20];
/** Far enough that what leaves together is there before the first answer. */
const COUNTED_MS = 5;
/** The rate that hoga keeps to is never what is measured. */
const SPACING_MS = 250;
const POLICY = `mode = "bounded"
max_orders_per_minute = 1000
max_day_krw = "1000000000"
max_open_orders = 1000
`;
const MOST: Readonly<Record<string, number>> = {
  place_order: 12,
  replace_order: 24,
  cancel_order: 8,
  preview_order: 6,
  get_desk_status: 6,
  get_balances: 2,
};
const lists = process.argv.includes("--list");

/** What one call took. */
interface Seen {
  readonly ms: number;
  readonly flights: readonly Flight[];
}

const home = mkdtempSync(join(tmpdir(), "hoga-bench-"));
const database = await createPostgresDatabase();
const address = database.url(database.freshSchema());
const relay = await startStoreRelay(new URL(address));
const results = new Results("trips");

function start(name: string, env: Readonly<Record<string, string>>): StdioClient {
  const HOGA_HOME = join(home, name);
  mkdirSync(HOGA_HOME, { mode: 0o700 });
  writeFileSync(join(HOGA_HOME, "policy.toml"), POLICY, { mode: 0o600 });
  return new StdioClient(["dist/cli.js", "serve"], { HOGA_HOME, ...env }, "ignore");
}

/** Below the best bid and on the tick, so that it rests. */
async function restingPrice(client: StdioClient): Promise<bigint> {
  const { structuredContent } = await client.call("get_ticker", { symbols: ["BTC/KRW"] });
  const [ticker] = (structuredContent as { readonly tickers: readonly { readonly best_bid: string }[] }).tickers;
  return ((BigInt(ticker?.best_bid ?? "0") * 99n) / 100n / 1_000n) * 1_000n;
}

/** Each tool in turn, as they follow one another: an order, its change, and the cancel of that. */
async function round(client: StdioClient, see: (tool: string, call: () => Promise<unknown>) => Promise<void>) {
  const price = await restingPrice(client);
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.0001" };
  await see("preview_order", () => client.call("preview_order", { ...order, price: String(price) }));
  let userref = "";
  await see("place_order", async () => {
    const { structuredContent } = await client.call("place_order", { ...order, price: String(price) });
    ({ userref } = structuredContent as { readonly userref: string });
  });
  await see("get_desk_status", () => client.call("get_desk_status", {}));
  await see("replace_order", async () => {
    const { structuredContent } = await client.call("replace_order", { userref, price: String(price - 10_000n) });
    ({ userref } = structuredContent as { readonly userref: string });
  });
  await see("cancel_order", () => client.call("cancel_order", { userref }));
  await see("get_balances", () => client.call("get_balances", {}));
}

async function measured(client: StdioClient): Promise<ReadonlyMap<string, readonly Seen[]>> {
  const seen = new Map<string, Seen[]>();
  const see = async (tool: string, call: () => Promise<unknown>): Promise<void> => {
    relay.take();
    const ms = await timed(call);
    const flights = relay.take();
    seen.set(tool, [...(seen.get(tool) ?? []), { ms, flights }]);
    await sleep(SPACING_MS);
  };
  for (let run = 0; run < CALLS; run++) await round(client, see);
  return seen;
}

/** The call with the fewest: what goes on beside calls once a second is counted in others. */
function fewest(seen: readonly Seen[]): readonly Flight[] {
  return seen.reduce((least, { flights }) => (flights.length < least.length ? flights : least), seen[0]?.flights ?? []);
}

function list(tool: string, flights: readonly Flight[]): void {
  process.stdout.write(`${tool}: ${flights.length}\n`);
  for (const [index, { statements }] of flights.entries()) {
    const shown = statements.map((each) => each.replaceAll(/\s+/g, " ").slice(0, 150));
    process.stdout.write(`  ${String(index + 1).padStart(3)}  ${shown.join("\n       ")}\n`);
  }
}

async function compareDistances(): Promise<void> {
  const client = start("postgres", { HOGA_STORE_URL: relay.through(address) });
  await client.initialize();
  // What is asked once by a process, and what its code takes until it is compiled, is no call's.
  await round(client, async (_tool, call) => void (await call()));
  for (const distanceMs of DISTANCES_MS) {
    relay.setDistance(distanceMs);
    const seen = await measured(client);
    for (const [tool, calls] of seen) {
      if (distanceMs === COUNTED_MS) {
        const limit = MOST[tool] ?? Number.NaN;
        if (lists) list(tool, fewest(calls));
        const hoga = [fewest(calls).length];
        results.row(`${tool}, flights to the store`, { hoga, limit: [limit] }, [{ to: "limit", atMost: 1 }]);
      }
      results.row(`${tool}, ms, ${distanceMs} ms away`, { hoga: calls.map(({ ms }) => ms) });
    }
  }
  relay.setDistance(0);
  await client.close();
}

async function measureSqlite(): Promise<void> {
  const client = start("sqlite", {});
  await client.initialize();
  const cpuMs = (): number => processCost(client.pid)?.cpuMs ?? Number.NaN;
  const [cpu, wall]: [number[], number[]] = [[], []];
  const see = async (tool: string, call: () => Promise<unknown>): Promise<void> => {
    const before = cpuMs();
    const ms = await timed(call);
    if (tool === "place_order") {
      cpu.push(cpuMs() - before);
      wall.push(ms);
    }
    await sleep(SPACING_MS / 2);
  };
  for (let run = 0; run < SQLITE_CALLS; run++) await round(client, see);
  const late = (times: readonly number[]): readonly number[] => times.slice(Math.floor(times.length / 4));
  results.row("place_order on SQLite, CPU ms", { hoga: [median(late(cpu))], limit: [5] }, [{ to: "limit", atMost: 1 }]);
  results.row("place_order on SQLite, ms", { hoga: late(wall) });
  await client.close();
}

try {
  await compareDistances();
  await measureSqlite();
  if (full) results.keep();
} finally {
  await relay.close();
  await database.remove();
  rmSync(home, { recursive: true });
}
