/** How often a tool call waits for a store on a server, counted by a relay that is so far away that what leaves together is there before the first answer. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { freshHome } from "../../fixture/data-dir.ts";
import { createPostgresDatabase, type PostgresDatabase } from "../../fixture/postgres.ts";
import { type StoreRelay, startStoreRelay } from "../../fixture/store-relay.ts";
import { type Assistant, connect, endAssistants } from "../process/assistant.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const AWAY_MS = 10;
/** Upkeep goes on beside the calls, and a busy machine tears apart what leaves together: the fewest of so many are the call's own. */
const ROUNDS_MOST = 20;
const MOST = [
  ["place_order", 11],
  ["replace_order", 24],
  ["cancel_order", 8],
  ["preview_order", 6],
  ["get_desk_status", 6],
  ["get_balances", 2],
] as const;
const POLICY = 'mode = "bounded"\nmax_orders_per_minute = 1000\nmax_day_krw = "1000000000"\n';
const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.0001" };

let database: PostgresDatabase;
let relay: StoreRelay;
let assistant: Assistant;
const fewest = new Map<string, number>();

/** @returns the userref in the answer */
async function counted(tool: string, args: object = {}): Promise<string> {
  relay.take();
  const reply = await assistant.call(tool, args);
  const flights = relay.take().length;
  if (reply.isError) throw new Error(`${tool}: ${JSON.stringify(reply)}`);
  fewest.set(tool, Math.min(flights, fewest.get(tool) ?? flights));
  // The pace of the key, and what is written behind the answer.
  await pause(250);
  return (reply as { readonly userref?: string }).userref ?? "";
}

beforeAll(async () => {
  database = await createPostgresDatabase();
  const url = database.url(database.freshSchema());
  relay = await startStoreRelay(new URL(url));
  const home = freshHome();
  writeFileSync(join(home, "policy.toml"), POLICY, { mode: 0o600 });
  assistant = await connect({ home, env: { HOGA_STORE_URL: relay.through(url) } });
  await assistant.call("get_balances");
  const shown = await assistant.call("get_ticker", { symbols: ["BTC/KRW"] });
  const [ticker] = (shown as unknown as { readonly tickers: readonly { readonly best_bid: string }[] }).tickers;
  const price = (BigInt(ticker?.best_bid ?? "0") / 2_000n) * 1_000n;
  relay.setDistance(AWAY_MS);
  const isMet = (): boolean => MOST.every(([tool, most]) => (fewest.get(tool) ?? most + 1) <= most);
  for (let round = 0; round < ROUNDS_MOST && !isMet(); round++) {
    await counted("preview_order", { ...ORDER, price: String(price) });
    const placed = await counted("place_order", { ...ORDER, price: String(price) });
    await counted("get_desk_status");
    const moved = await counted("replace_order", { userref: placed, price: String(price - 10_000n) });
    await counted("cancel_order", { userref: moved });
    await counted("get_balances");
  }
});
afterAll(async () => {
  endAssistants();
  await relay.close();
  await database.remove();
});

describe("a store on a server", () => {
  it.each(MOST)("is waited for by %s %i times at most", (tool, most) => {
    expect(fewest.get(tool)).toBeLessThanOrEqual(most);
  });
});
