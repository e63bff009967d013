/**
 * How what the desk does grows with the orders that the account has open. The exchange lets an account have a thousand; what the journal has beyond these the exchange does not
 * know, as where they were placed elsewhere: it shows how the desk's own looks at its journal grow.
 */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LIMITS } from "../src/contract/index.ts";
import { startSandbox } from "../src/sandbox/index.ts";
import { ONE } from "../src/sandbox/model/index.ts";
import { openConnection } from "../src/store/sql/driver.ts";
import { newPoints, results, sizes, withDir } from "./growth-size.ts";
import { smoke } from "./options.ts";
import { processCost } from "./process-cost.ts";
import { median } from "./statistics.ts";
import { StdioClient } from "./stdio-client.ts";

/** As many orders as are placed here, at any price; a person is asked for none. */
const POLICY = `max_open_orders = 100000
max_open_krw = "100000000000000"
max_day_krw = "100000000000000"
max_orders_per_minute = 1000
price_collar_pct = "off"
`;
const MANY = 1_000_000_000;
const SPACING_MS = 60;
const ACCOUNT = "account-of-bench";
const UUID = "01999f3e-7a10-7c31-9a52-";
/** Some of an account's thousand are those that are placed here. */
const OPEN_AT_EXCHANGE = LIMITS.openOrdersMax - 20;

const CURVES = {
  place: ["place_order", "CPU ms"],
  cancel: ["cancel_order", "CPU ms"],
  page: ["get_open_orders, the first page", "CPU ms"],
  upkeep: ["a second of upkeep, with a look at all of them", "CPU ms"],
} as const;
type Name = keyof typeof CURVES;

async function startExchange() {
  const weightPerMinute = { starter: MANY, pro: MANY, enterprise: MANY };
  const limits = { callsPerSecond: MANY, publicWeightPerMinute: MANY, weightPerMinute };
  const sandbox = await startSandbox({ limits });
  const apply = (command: Parameters<typeof sandbox.exchange.apply>[0]): void => {
    const applied = sandbox.exchange.apply(command, Date.now());
    if (!applied.ok) throw new Error(applied.message);
  };
  const secret = randomBytes(64).toString("base64");
  apply({ type: "createAccount", accountId: ACCOUNT, krwAccountLinked: true });
  apply({ type: "deposit", accountId: ACCOUNT, asset: "KRW", amount: 10n ** 9n * ONE });
  const rights = {
    permissions: ["query", "trade"],
    tier: "pro",
    ipAllowList: [],
    rejectDuplicateUserref: false,
  } as const;
  apply({ type: "createKey", key: { keyId: "bench", secret, accountId: ACCOUNT, ...rights } });
  return { sandbox, apply, secret };
}
type Exchange = Awaited<ReturnType<typeof startExchange>>;

const orderIdOf = (n: number): string => `${UUID}${String(n).padStart(12, "0")}`;

function rest({ apply }: Exchange, n: number, price: bigint): void {
  apply({
    ...{ type: "place", orderId: orderIdOf(n), accountId: ACCOUNT, keyId: null, symbol: "BTC/KRW", side: "buy" },
    ...{ orderType: "limit", price: price - BigInt(n % 100) * 1_000n * ONE, volume: ONE / 10_000n, amount: null },
    ...{ timeInForce: "GTC", postOnly: false, userref: null, settlementMode: "INSTANT_KRW" },
  });
}

/** Copies of an order that the desk has placed. */
async function record(path: string, from: number, to: number): Promise<void> {
  const journal = await openConnection(path, { journal: "wal", durability: "normal", random: Math.random });
  await journal.exec(`WITH RECURSIVE numbers(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${to})
    INSERT INTO intents (intent_id, account, userref, state, nonce, order_id, body, created_at_ms, updated_at_ms, held, held_live)
    SELECT 'copy-' || n, account, 'copy-' || n, state, nonce, '${UUID}' || printf('%012d', n), replace(body, order_id, '${UUID}' || printf('%012d', n)), created_at_ms, updated_at_ms, held, 1
    FROM numbers, (SELECT * FROM intents WHERE held_live = 1 AND state = 'open' LIMIT 1)`);
  journal.close();
}

export async function openOrdersOfDesk(): Promise<void> {
  const points = Object.fromEntries(Object.keys(CURVES).map((name) => [name, newPoints()])) as Record<
    Name,
    ReturnType<typeof newPoints>
  >;
  await withDir(async (dir) => {
    const exchange = await startExchange();
    const { sandbox, secret } = exchange;
    writeFileSync(join(dir, "policy.toml"), POLICY, { mode: 0o600 });
    const client = new StdioClient(["dist/cli.js", "serve"], {
      ...{ HOGA_HOME: dir, HOGA_API_KEY: "bench", HOGA_API_SECRET: secret },
      ...{ HOGA_BASE_URL: sandbox.baseUrl, HOGA_ENVIRONMENT: "sandbox" },
    });
    await client.initialize();
    const cpuMs = (): number => processCost(client.pid)?.cpuMs ?? Number.NaN;
    const low = ((sandbox.exchange.market("BTC/KRW")?.last ?? 0n) / ONE / 2n / 100_000n) * 100_000n;
    let placed = 0;
    const place = async (): Promise<string> => {
      placed += 1;
      const price = String(low + BigInt(placed) * 1_000n);
      const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price };
      const { structuredContent } = await client.call("place_order", order);
      return (structuredContent as { readonly userref: string }).userref;
    };
    const costOf = async <T>(work: () => Promise<T>): Promise<readonly [number, T]> => {
      await sleep(SPACING_MS);
      const before = cpuMs();
      const done = await work();
      // What follows the answer belongs to it.
      await sleep(SPACING_MS);
      return [cpuMs() - before, done];
    };
    const first = await place();
    for (let run = 0; run < (smoke ? 0 : 20); run++) await client.call("cancel_order", { userref: await place() });
    let open = 1;
    for (const size of sizes(10, 10_000, 10_000, 100_000)) {
      const wanted = Math.min(size, 99_900);
      for (let n = open; n < Math.min(wanted, OPEN_AT_EXCHANGE); n++) rest(exchange, n, low * ONE);
      await record(join(dir, "hoga.db"), open, wanted);
      open = wanted;
      const [placing, canceling]: [number[], number[]] = [[], []];
      for (let run = 0; run < (smoke ? 1 : 20); run++) {
        const [cost, userref] = await costOf(place);
        placing.push(cost);
        canceling.push((await costOf(() => client.call("cancel_order", { userref })))[0]);
      }
      points.place.push([size, median(placing)]);
      points.cancel.push([size, median(canceling)]);
      const pages: number[] = [];
      for (let run = 0; run < (smoke ? 1 : 20); run++)
        pages.push((await costOf(() => client.call("get_open_orders", {})))[0]);
      points.page.push([size, median(pages)]);
      // Long enough for one look at all open orders at the exchange.
      const seconds = smoke ? 1 : 62;
      const before = cpuMs();
      await sleep(seconds * 1_000);
      points.upkeep.push([size, (cpuMs() - before) / seconds]);
    }
    await client.call("cancel_order", { userref: first });
    await client.close();
    await sandbox.close();
  });
  for (const [name, [title, unit]] of Object.entries(CURVES))
    results.curve(`open orders in the journal: ${title}`, unit, points[name as Name]);
}
