/**
 * How long an order waits while a snapshot of many orders is made, and what they take of memory: `npm run bench:snapshot -- [orders]`.
 *
 * Two accounts trade with each other until there are so many orders; then orders are placed one after another, each answered
 * when it is on disk, while the exchange makes its snapshots.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { type OpenedExchange, openExchange } from "../src/sandbox/engine/index.ts";
import { ONE, type PlaceCommand } from "../src/sandbox/model/index.ts";
import { full } from "./options.ts";
import { Results } from "./results.ts";

const count = process.argv.slice(2).map(Number).find(Number.isInteger) ?? 200_000; // not money: a number of orders
const dir = mkdtempSync(join(tmpdir(), "hoga-snapshot-"));
const START = Date.UTC(2026, 6, 20, 9);
const NEVER = Number.MAX_SAFE_INTEGER;
let placed = 0;

const open = (snapshotEvery: number): Promise<OpenedExchange> =>
  openExchange({ dir, seed: 1, marketMaker: false, now: () => START, snapshotEvery });

/** Every second order takes the one before it. */
function next(): PlaceCommand {
  placed += 1;
  const isMaker = placed % 2 === 1;
  return {
    type: "place",
    accountId: isMaker ? "maker" : "taker",
    keyId: null,
    orderId: `01999f3e-7a10-7c31-9a52-${String(placed).padStart(12, "0")}`,
    symbol: "BTC/KRW",
    side: isMaker ? "sell" : "buy",
    orderType: "limit",
    price: 90_000_000n * ONE,
    volume: ONE / 1000n,
    amount: null,
    timeInForce: "GTC",
    postOnly: false,
    userref: `r-${placed}`,
    settlementMode: "INSTANT_KRW",
  };
}

function apply(exchange: OpenedExchange, command: Parameters<OpenedExchange["apply"]>[0]): void {
  const answer = exchange.apply(command, START + placed);
  if (!answer.ok) throw new Error(answer.message);
}

/** With the rows of orders, which are beside the heap. */
function heapMb(): number {
  // Twice, as the first lets the memory of rows go and the second counts it.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return Math.round((heapUsed + arrayBuffers) / 2 ** 20);
}

function sizeMb(): number {
  return readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size / 2 ** 20, 0);
}

/** Its exchange is gone when this returns, so that it does not count where memory is measured. */
async function fill(): Promise<{ readonly emptyMb: number; readonly fullMb: number }> {
  const filling = await open(NEVER);
  for (const accountId of ["maker", "taker"]) {
    apply(filling, { type: "createAccount", accountId, krwAccountLinked: true });
    for (const [asset, amount] of [
      ["KRW", 10n ** 12n * ONE],
      ["BTC", 10n ** 6n * ONE],
    ] as const)
      apply(filling, { type: "deposit", accountId, asset, amount });
  }
  const emptyMb = heapMb();
  for (let index = 0; index < count; index++) {
    apply(filling, next());
    if (index % 1000 === 0) await filling.durable();
  }
  const fullMb = heapMb();
  await filling.close();
  return { emptyMb, fullMb };
}

const { emptyMb, fullMb } = await fill();
const openingAt = performance.now();
const exchange = await open(2_000);
const openMs = performance.now() - openingAt;
const waits: number[] = [];
const until = performance.now() + 20_000;
while (performance.now() < until) {
  const from = performance.now();
  apply(exchange, next());
  await exchange.durable();
  waits.push(performance.now() - from);
  await turn();
}
const results = new Results("snapshot");
const what = `${count} orders at the exchange`;
results.row(`${what}: one more while snapshots are made, ms`, { hoga: waits });
results.row(`${what}: heap in MB`, { hoga: [heapMb()], empty: [emptyMb], "before they were archived": [fullMb] });
results.row(`${what}: start, ms`, { hoga: [openMs] });
results.row(`${what}: on disk, MB`, { hoga: [sizeMb()] });
if (full) results.keep();
await exchange.close();
rmSync(dir, { recursive: true });
