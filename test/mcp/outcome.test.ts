import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { connect, ERAS, type TestClient } from "./client.ts";

const LIMIT = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "50000000" };

describe("the truth about a write", () => {
  let exchange: ExchangeFixture;
  let client: TestClient;

  beforeEach(async () => {
    exchange = await startExchange();
    client = await connect(ERAS[1], createMcpServer({ desk: exchange.desk, version: "0.0.0" }));
    await client.listTools();
  });

  afterEach(async () => {
    await client.close();
    await exchange.close();
  });

  it("is found after a lost answer, with one order sent", async () => {
    exchange.relay.loseAnswer(/^POST \/v1\/orders/);
    const placed = await client.call("place_order", LIMIT);
    expect(placed).toMatchObject({ isError: false, structured: { outcome: "accepted", state: "open" } });
    expect(exchange.relay.writes()).toEqual(["POST /v1/orders"]);
  });

  it("is unknown while nobody answers, says so, and is known later", async () => {
    exchange.relay.loseAnswer(/^POST \/v1\/orders/);
    // What is asked before the order is sent has an answer.
    exchange.relay.loseRequests(/^GET \/v1\/orders(?!.*limit=1)/);
    const placed = await client.call("place_order", { ...LIMIT, userref: "desk-1" });
    expect(placed).toMatchObject({ isError: true, structured: { outcome: "unknown", state: "unknown" } });
    expect(placed.text).toMatch(/^\[sandbox\] UNKNOWN: the order was sent and no readable answer came/);
    expect(placed.text).toContain("It will not be sent again. Look with get_order, userref desk-1");
    expect(placed.text).not.toMatch(/try again|retry/i);
    const status = await client.call("get_desk_status");
    expect(status.structured["unresolved"]).toMatchObject([{ userref: "desk-1" }]);
    exchange.relay.loseRequests(undefined);
    const found = await client.call("get_order", { userref: "desk-1" });
    expect(found.structured).toMatchObject({ state: "open", order: { userref: "desk-1" } });
    expect(exchange.relay.writes()).toEqual(["POST /v1/orders"]);
  });

  it("is rejected in the exchange's words, as data", async () => {
    const placed = await client.call("place_order", { ...LIMIT, base_volume: "10" });
    expect(placed).toMatchObject({
      isError: true,
      structured: { outcome: "rejected", state: "rejected", error: { code: "EOrder:Insufficient funds" } },
    });
    expect(placed.text).toMatch(/^\[sandbox\] Rejected by the exchange/);
  });

  it("tells of a read that cannot reach the exchange as an error with a next step", async () => {
    exchange.relay.loseRequests(/./);
    const balances = await client.call("get_balances");
    expect(balances).toMatchObject({
      isError: true,
      structured: { environment: "sandbox", error: { class: "ELocal" } },
    });
    expect(balances.text).toMatch(/^\[sandbox\] Failed: /);
    expect(balances.text).toContain("\nAsk again; get_desk_status shows whether the exchange is up.");
    expect(balances.text).not.toMatch(/order|cancel/);
  }, 60_000);
});

describe("an order that is being sent", () => {
  it("is tracked to its outcome though the client has disconnected", async () => {
    const exchange = await startExchange();
    const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
    const client = await connect(ERAS[0], factory);
    exchange.relay.loseAnswer(/^POST \/v1\/orders/);
    const stop = new AbortController();
    const placing = client.call("place_order", LIMIT, { signal: stop.signal });
    await expect.poll(() => exchange.relay.writes(), { interval: 1 }).toEqual(["POST /v1/orders"]);
    stop.abort();
    await expect(placing).rejects.toThrow(/abort/i);
    await factory.idle();
    const { unresolved } = await exchange.desk.status();
    const open = await exchange.desk.orders({ state: "open" });
    expect({ unresolved, open: open.ok && open.value.orders.length }).toEqual({ unresolved: [], open: 1 });
    await client.close();
    await exchange.close();
  });
});
