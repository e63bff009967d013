import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Result } from "../../../src/contract/index.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/index.ts";
import { OpenApiClient } from "../../../src/venues/index.ts";

let sandbox: Sandbox;
let client: OpenApiClient;
beforeAll(async () => {
  sandbox = await startSandbox();
  client = new OpenApiClient({
    environment: "sandbox",
    baseUrl: sandbox.baseUrl,
    credentials: { apiKey: sandbox.apiKey, apiSecret: sandbox.apiSecret },
  });
});
afterAll(async () => {
  await client.close();
  await sandbox.close();
});

function valueIn<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.fault));
  return result.value;
}

const resting = { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.001" } as const;

/** A price on the tick far below the market, so that the order rests. */
async function lowPrice(): Promise<string> {
  const [btc] = valueIn(await client.markets()).filter(({ symbol }) => symbol === "BTC/KRW");
  const bid = valueIn(await client.orderbook("BTC/KRW")).tick.buys[0]?.[0] ?? btc?.min_notional;
  const digits = String(bid).split(".")[0] ?? "";
  return `${digits[0]}${"0".repeat(digits.length - 1)}`;
}

describe("against the sandbox", () => {
  it("reads public data", async () => {
    const time = valueIn(await client.time());
    expect(Math.abs(time.unix_ms - Date.now())).toBeLessThan(5_000);
    expect(client.clockOffsetMs()).toBeTypeOf("number");
    expect(valueIn(await client.markets()).map(({ symbol }) => symbol)).toContain("BTC/KRW");
    expect(valueIn(await client.tickers(["BTC/KRW"]))).toMatchObject([{ symbol: "BTC/KRW" }]);
    expect(valueIn(await client.tickers()).length).toBeGreaterThan(1);
    expect(valueIn(await client.orderbook("BTCKRW", 5)).symbol).toBe("BTC/KRW");
    expect(valueIn(await client.trades("BTC/KRW", 5)).length).toBeLessThanOrEqual(5);
    expect(valueIn(await client.candles("BTC/KRW", "1m", { fromMs: 0, toMs: Date.now() }))).toBeInstanceOf(Array);
  });

  it("places, finds and cancels an order", async () => {
    const price = await lowPrice();
    expect(valueIn(await client.accounts()).balances.map(({ asset }) => asset)).toContain("KRW");
    expect(valueIn(await client.validateOrder({ ...resting, price })).descr.order).toContain("BTC/KRW");
    const order = valueIn(await client.submit({ ...resting, price, userref: "client-1" }, async () => true));
    expect(order).toMatchObject({ state: "open", userref: "client-1", price });
    const found = valueIn(await client.orders({ symbol: "BTC/KRW", state: "all", userref: "client-1", limit: 10 }));
    expect(found.orders.map(({ uuid }) => uuid)).toEqual([order.uuid]);
    expect(valueIn(await client.order("BTC/KRW", order.uuid)).trades).toEqual([]);
    expect(valueIn(await client.cancel("BTC/KRW", order.uuid)).state).toBe("canceled");
    expect(await client.cancel("BTC/KRW", order.uuid)).toMatchObject({
      ok: false,
      fault: { code: "EOrder:Order already closed", orderState: "canceled", reachedVenue: "yes", status: 409 },
    });
  });

  it("cancels all, and lists fills", async () => {
    const price = await lowPrice();
    const placed = [valueIn(await client.submit({ ...resting, price })).uuid];
    placed.push(valueIn(await client.submit({ ...resting, price })).uuid);
    const canceled = valueIn(await client.cancelAll("BTC/KRW"));
    expect([...canceled.requested].sort()).toEqual([...placed].sort());
    expect(valueIn(await client.orders()).orders).toEqual([]);
    const bought = valueIn(await client.submit({ symbol: "BTC/KRW", side: "buy", type: "market", amount: "50000" }));
    const fills = valueIn(await client.fills({ symbol: "BTC/KRW", limit: 5 })).trades;
    expect(fills.every(({ orderId }) => orderId === bought.uuid)).toBe(true);
    expect(fills.length > 0).toBe(bought.state === "filled");
  });

  it("gets a stream token", async () => {
    expect(valueIn(await client.streamToken()).token).not.toBe("");
  });

  it("reports refusals with their codes", async () => {
    const refused = (code: string) => ({ ok: false, fault: { code, reachedVenue: "yes" } });
    const price = await lowPrice();
    expect(await client.orderbook("NOPE/KRW")).toMatchObject(refused("EQuery:Unknown asset pair"));
    expect(await client.order("BTC/KRW", "01999f3e-7a10-7c31-9a52-0c6d5b1f2a77")).toMatchObject(
      refused("EOrder:Unknown order"),
    );
    expect(await client.submit({ ...resting, price, volume: "9000000" })).toMatchObject(
      refused("EOrder:Insufficient funds"),
    );
    const apiSecret = Buffer.from("another secret").toString("base64");
    const stranger = new OpenApiClient({
      environment: "sandbox",
      baseUrl: sandbox.baseUrl,
      credentials: { apiKey: sandbox.apiKey, apiSecret },
    });
    expect(await stranger.accounts()).toMatchObject(refused("EAPI:Invalid signature"));
    await stranger.close();
  });
});
