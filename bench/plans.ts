/**
 * `npm run bench:plans`: how long after a price has stood for its two seconds the order of a stop is at the exchange, by the exchange's clock; and what it costs of a
 * core to watch twenty plans in five markets. `bench/README.md` says how to read it. `-- --with NAME=FILE` lets other builds of hoga take turns, each started as
 * `node FILE serve`; `-- --part trigger` and `-- --part watch` do one of the two, `-- --speed 1` has the flow of the practice exchange as it is started;
 * `-- --smoke` does each once.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Sandbox, startSandbox } from "../src/sandbox/index.ts";
import { ONE, type OrderRecord } from "../src/sandbox/model/index.ts";
import { openConnection } from "../src/store/sql/driver.ts";
import { Stream } from "../src/venues/index.ts";
import { full, smoke } from "./options.ts";
import { processCost } from "./process-cost.ts";
import { Results } from "./results.ts";
import { quantile } from "./statistics.ts";
import { StdioClient } from "./stdio-client.ts";

const { values } = parseArgs({
  options: {
    ...{ smoke: { type: "boolean" }, full: { type: "boolean" } },
    with: { type: "string", multiple: true, default: [] },
    part: { type: "string" },
    runs: { type: "string", default: smoke ? "1" : "20" },
    // Ticks of the flow in half a second; with twelve some forty changes a second tell of the five markets.
    speed: { type: "string", default: "12" },
  },
});
const RUNS = Number(values.runs);
const WINDOWS = smoke ? 1 : 5;
const WINDOW_MS = smoke ? 2_000 : 60_000;
/** Until the streams are followed and the code that is run again and again is compiled. */
const UNCOUNTED_MS = smoke ? 2_000 : 20_000;
const HOLD_MS = 2_000;
/** How often others trade: as the flow of the practice exchange does. */
const PRINT_EVERY_MS = 500;
const GIVEN_UP_MS = 20_000;
const SYMBOL = "BTC/KRW";
const MARKETS = ["BTC/KRW", "ETH/KRW", "XRP/KRW", "SOL/KRW", "DOGE/KRW"];
/** A person is asked for none of it. */
const POLICY = `max_open_orders = 100000
max_order_krw = "900000000000"
max_open_krw = "900000000000"
max_day_krw = "900000000000"
max_orders_per_minute = 1000
approval_over_krw = "900000000000"
price_collar_pct = "off"
`;

const results = new Results("plans");
const home = mkdtempSync(join(tmpdir(), "hoga-bench-"));

class Exchange {
  readonly sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
  }

  apply(command: Parameters<Sandbox["exchange"]["apply"]>[0]) {
    const applied = this.sandbox.exchange.apply(command, Date.now());
    if (!applied.ok) throw new Error(applied.message);
    return applied;
  }

  account(accountId: string, funds: Readonly<Record<string, bigint>>): string {
    this.apply({ type: "createAccount", accountId, krwAccountLinked: true });
    for (const [asset, amount] of Object.entries(funds))
      this.apply({ type: "deposit", accountId, asset, amount: amount * ONE });
    const rights = {
      permissions: ["query", "trade"],
      tier: "enterprise",
      ipAllowList: ["127.0.0.1"],
      rejectDuplicateUserref: false,
    } as const;
    const secret = randomBytes(64).toString("base64");
    this.apply({ type: "createKey", key: { keyId: accountId, secret, accountId, ...rights } });
    return secret;
  }

  place(accountId: string, side: "buy" | "sell", price: bigint, volume: bigint): OrderRecord {
    const placed = this.apply({
      ...{ type: "place", orderId: crypto.randomUUID(), accountId, keyId: null, symbol: SYMBOL, side },
      ...{ orderType: "limit", price: price * ONE, volume, amount: null, timeInForce: "GTC", postOnly: false },
      ...{ userref: null, settlementMode: "INSTANT_KRW" },
    });
    if (placed.kind !== "order") throw new Error("no order");
    return placed.order;
  }
}

/** A build of hoga, at the exchange with an account of its own. */
class Server {
  readonly name: string;
  readonly accountId: string;
  readonly client: StdioClient;
  readonly #dir: string;

  constructor(name: string, cli: string, exchange: Exchange) {
    this.name = name;
    this.accountId = `account-of-${name}`;
    const funds = Object.fromEntries(
      ["KRW", ...MARKETS.map((symbol) => symbol.slice(0, -4))].map((a) => [a, 10n ** 8n]),
    );
    const secret = exchange.account(this.accountId, funds);
    this.#dir = join(home, `${name}-${randomBytes(4).toString("hex")}`);
    mkdirSync(this.#dir, { mode: 0o700 });
    writeFileSync(join(this.#dir, "policy.toml"), POLICY, { mode: 0o600 });
    this.client = new StdioClient([cli, "serve"], {
      ...{ HOGA_HOME: this.#dir, HOGA_API_KEY: this.accountId, HOGA_API_SECRET: secret },
      ...{ HOGA_BASE_URL: exchange.sandbox.baseUrl, HOGA_ENVIRONMENT: "sandbox" },
    });
  }

  get cpuMs(): number {
    return processCost(this.client.pid)?.cpuMs ?? Number.NaN;
  }

  async plan(terms: object): Promise<string> {
    const { structuredContent } = await this.client.call("create_plan", terms);
    const { plan } = structuredContent as { readonly plan?: { readonly plan_id: string; readonly state: string } };
    if (plan?.state !== "active") throw new Error(`not active: ${JSON.stringify(structuredContent)}`);
    return plan.plan_id;
  }

  /** When the market was first seen there, and when it had stood: the samples that the audit log has of the newest trigger. */
  async samples(): Promise<{ readonly firstMs: number; readonly lastMs: number }> {
    const options = { journal: "wal", durability: "normal", random: Math.random } as const;
    const store = await openConnection(join(this.#dir, "hoga.db"), options);
    const [row] = await store.single(({ all }) =>
      all("SELECT detail FROM audit WHERE event = 'plan_triggered' ORDER BY seq DESC LIMIT 1", []),
    );
    store.close();
    const { first, last } = JSON.parse(String(row?.["detail"])) as Record<"first" | "last", { readonly at: string }>;
    return { firstMs: Date.parse(first.at), lastMs: Date.parse(last.at) };
  }
}

/** Others, who quote around a price and trade there again and again. */
class Market {
  readonly #exchange: Exchange;
  #resting: OrderRecord[] = [];
  #at = 0n;
  #printing: NodeJS.Timeout | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    for (const accountId of ["maker", "taker"]) exchange.account(accountId, { KRW: 10n ** 15n, BTC: 10n ** 7n });
  }

  stand(bid: bigint, ask: bigint, at: bigint): void {
    for (const { orderId } of this.#resting)
      this.#exchange.apply({ type: "cancel", accountId: "maker", symbol: SYMBOL, orderId });
    this.#resting = [
      this.#exchange.place("maker", "buy", bid, 50n * ONE),
      this.#exchange.place("maker", "sell", ask, 50n * ONE),
    ];
    this.#at = at;
    this.#print();
    this.#printing ??= setInterval(() => this.#print(), PRINT_EVERY_MS);
  }

  close(): void {
    clearInterval(this.#printing);
  }

  #print(): void {
    this.#exchange.place("maker", "sell", this.#at, ONE / 100n);
    this.#exchange.place("taker", "buy", this.#at, ONE / 100n);
  }
}

/** A price of 100 is a hundred thousand won. */
const won = (price: number): bigint => BigInt(Math.round(price * 1_000) * 1_000);

const builds = [["hoga", "dist/cli.js"] as const, ...values.with.map((given) => splitAt(given))];
function splitAt(given: string): readonly [string, string] {
  const [name = "", file = ""] = given.split(/=(.*)/s);
  return [name, file];
}

/** @returns from the end of the two seconds to the order's time at the exchange, and from the sample that decided */
async function fallOf(
  run: number,
  { server, exchange, market }: { server: Server; exchange: Exchange; market: Market },
): Promise<readonly [number, number]> {
  market.stand(won(104), won(105), won(104.5));
  await sleep(500);
  const terms = { kind: "stop", symbol: SYMBOL, base_volume: "0.5", stop_price: String(won(100)) };
  // The same request again would be the plan of the run before.
  await server.plan({ ...terms, note: `run ${run}` });
  // The fall comes at any moment between two trades of others and two looks.
  await sleep(2_000 + Math.random() * 1_000);
  const since = exchange.sandbox.exchange.countOrders(server.accountId, { limit: 10_000 });
  market.stand(won(99), won(99.8), won(99.4));
  const end = Date.now() + GIVEN_UP_MS;
  while (exchange.sandbox.exchange.countOrders(server.accountId, { limit: 10_000 }) === since) {
    if (Date.now() > end) throw new Error("nothing was sold");
    await sleep(20);
  }
  const { orders } = exchange.sandbox.exchange.orders(server.accountId, { limit: 10_000 });
  const createdAt = Math.max(...orders.map((order) => order.createdAt));
  await sleep(1_500);
  const { firstMs, lastMs } = await server.samples();
  return [createdAt - firstMs - HOLD_MS, createdAt - lastMs];
}

async function measureTrigger(): Promise<void> {
  const exchange = new Exchange(await startSandbox({ dir: join(home, "fall"), marketMaker: false }));
  const market = new Market(exchange);
  const servers = builds.map(([name, cli]) => new Server(name, cli, exchange));
  for (const { client } of servers) await client.initialize();
  const [held, decided] = [figures(), figures()];
  for (let run = 0; run < RUNS; run++)
    for (const server of servers) {
      const [afterHold, afterSample] = await fallOf(run, { server, exchange, market });
      held[server.name]?.push(afterHold);
      decided[server.name]?.push(afterSample);
    }
  results.row("from the end of the hold to the order at the exchange, ms", held);
  results.row("p95 of it, ms", p95(held));
  const waited = Object.entries(held).map(([name, all]) => [
    name,
    all.map((ms, at) => ms - (decided[name]?.[at] ?? Number.NaN)),
  ]);
  results.row("of it until the sample that decided, ms", Object.fromEntries(waited) as typeof held);
  results.row("from the sample that decided to the order at the exchange, ms", decided);
  results.row("p95 of it, by the sample, ms", p95(decided));
  market.close();
  for (const { client } of servers) await client.close();
  await exchange.sandbox.close();
}

/** Four in each market, far from where it moves: a stop, one that trails, a price to take, a price to tell of. */
async function makePlans(server: Server): Promise<void> {
  for (const symbol of MARKETS) {
    const sells = { symbol, base_volume: "1000" };
    await server.plan({ kind: "stop", ...sells, stop_price: "-20%" });
    await server.plan({ kind: "trailing_stop", ...sells, trail: "20%" });
    await server.plan({ kind: "take_profit", ...sells, take_price: "+20%" });
    await server.plan({ kind: "alert", event: "price", symbol, below: "-20%" });
  }
}

/** What the stream says of the five markets, as the desk follows them. */
class Counter {
  count = 0;
  readonly #stream: Stream;

  constructor(url: string) {
    this.#stream = new Stream({ url });
    const one = (): void => {
      this.count += 1;
    };
    for (const symbol of MARKETS) {
      this.#stream.orderbook(symbol, one, { depth: 200 });
      this.#stream.trades(symbol, one);
    }
  }

  close(): Promise<void> {
    return this.#stream.close();
  }
}

/** Of one core, over windows in which all have the same flow before them: with plans, and the same server without any. */
async function measureWatch(): Promise<void> {
  const exchange = new Exchange(await startSandbox({ dir: join(home, "flow"), speed: Number(values.speed) }));
  const servers = [new Server("hoga", "dist/cli.js", exchange), new Server("without", "dist/cli.js", exchange)];
  for (const { client } of servers) await client.initialize();
  const [watching] = servers;
  if (watching !== undefined) await makePlans(watching);
  const counter = new Counter(exchange.sandbox.streamUrl);
  await sleep(UNCOUNTED_MS);
  const shares = Object.fromEntries(servers.map(({ name }) => [name, [] as number[]]));
  const [rates, costs]: [number[], number[]] = [[], []];
  for (let window = 0; window < WINDOWS; window++) {
    const [begun, counted, before] = [performance.now(), counter.count, servers.map(({ cpuMs }) => cpuMs)];
    await sleep(WINDOW_MS);
    const [tookMs, changes] = [performance.now() - begun, counter.count - counted];
    const used = servers.map(({ cpuMs }, index) => cpuMs - (before[index] ?? Number.NaN));
    for (const [index, { name }] of servers.entries()) shares[name]?.push((100 * (used[index] ?? Number.NaN)) / tookMs);
    rates.push((1_000 * changes) / tookMs);
    costs.push((1_000 * ((used[0] ?? Number.NaN) - (used[1] ?? Number.NaN))) / changes);
  }
  results.row("twenty plans in five markets, share of a core, %", shares);
  results.row("changes of the five markets a second", { hoga: rates });
  results.row("CPU of a change more than without plans, µs", { hoga: costs });
  await counter.close();
  for (const { client } of servers) await client.close();
  await exchange.sandbox.close();
}

function figures(): Record<string, number[]> {
  return Object.fromEntries(builds.map(([name]) => [name, []]));
}

function p95(of: Readonly<Record<string, readonly number[]>>): Record<string, number[]> {
  return Object.fromEntries(Object.entries(of).map(([name, found]) => [name, [quantile(found, 0.95)]]));
}

try {
  if (values.part !== "watch") await measureTrigger();
  if (values.part !== "trigger") await measureWatch();
} finally {
  rmSync(home, { recursive: true });
}
if (full) results.keep();
