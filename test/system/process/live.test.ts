/** The real program over stdio, with real clients of both eras: what changes is told, by the stream of the paper exchange. */
import { afterAll, describe, expect, it } from "vitest";
import { wideHome } from "../../fixture/home.ts";
import { CLI, cleanUp, environment } from "../../fixture/program.ts";
import { connectProgram, ERAS, type Era, type TestClient } from "../../mcp/client.ts";

const ORDERS = "hoga://orders/open";
const BOOK = "hoga://orderbook/BTC-KRW";
const SOON = { timeout: 60_000, interval: 20 };
const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };

const clients: TestClient[] = [];
afterAll(async () => {
  for (const client of clients) await client.close();
  await cleanUp();
});

async function assistant(era: Era, home: string): Promise<TestClient> {
  const client = await connectProgram(era, {
    command: process.execPath,
    args: [CLI, "serve"],
    env: environment({ home }),
  });
  clients.push(client);
  return client;
}

describe.each(ERAS)("an assistant of %s", (era) => {
  it("is notified of its orders and of a busy book, until it unsubscribes", async () => {
    const home = wideHome();
    const client = await assistant(era, home);
    const told: string[] = [];
    const end = await client.follow([ORDERS, BOOK], (uri) => told.push(uri));
    // The market of the paper exchange moves by itself.
    await expect.poll(() => told.filter((uri) => uri === BOOK).length, SOON).toBeGreaterThan(2);
    const before = told.filter((uri) => uri === ORDERS).length;
    await client.call("place_order", order);
    await expect.poll(() => told.filter((uri) => uri === ORDERS).length, SOON).toBeGreaterThan(before);
    expect(await client.read(ORDERS)).toMatchObject({ environment: "sandbox", orders: [{ price: "90000000" }] });
    await end();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    told.length = 0;
    await client.call("cancel_all_orders");
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(told).toEqual([]);
  });

  it("is notified of what another assistant did, while it waits", async () => {
    const home = wideHome();
    const client = await assistant(era, home);
    const placed = await client.call("place_order", order);
    const { orderId } = placed.structured["order"] as { orderId: string };
    const waiting = client.call("await_order", { order_id: orderId, timeout_s: 55 });
    const other = await assistant(era, home);
    await other.call("cancel_order", { order_id: orderId });
    expect((await waiting).structured).toMatchObject({ reached: true, state: "canceled" });
  });
});
