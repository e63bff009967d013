/** What an assistant is told of the desk, in words and in figures, over a real exchange. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../src/contract/index.ts";
import { inUnit } from "../../src/decimal/index.ts";
import { defaultPolicy } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { localMoments } from "../../src/words/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { connect, ERAS, type TestClient } from "./client.ts";

const BUY = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };

let exchange: ExchangeFixture;
let client: TestClient;
beforeEach(async () => {
  exchange = await startExchange();
  client = await connect(ERAS[0], createMcpServer({ desk: exchange.desk, version: "0.0.0" }));
});
afterEach(async () => {
  await client.close();
  await exchange.close();
});

const limits = { maxOrder: inUnit("300000"), maxDay: inUnit("150000"), priceCollar: "off" } as const;

describe("the desk's status", () => {
  it("says the time, what is left of each limit, and the largest buy, which passes", async () => {
    exchange.policy.value = ok(defaultPolicy("sandbox", limits));
    await client.call("place_order", { ...BUY, price: "50000000" });
    const { text, structured } = await client.call("get_desk_status");
    const { now, largest_buy } = structured as { now: { utc: string; local: string }; largest_buy: string };
    expect(Math.abs(Date.parse(now.utc) - Date.now())).toBeLessThan(60_000);
    for (const words of [
      localMoments(`It is ${now.utc} (`, "UTC"),
      "Largest buy now: ₩100,000.",
      "₩50,000 of ₩150,000 used, ₩100,000 left",
    ])
      expect(text).toContain(words);
    expect(largest_buy).toBe("100000");
    const sized = (base_volume: string) => client.call("place_order", { ...BUY, base_volume, price: "50000000" });
    expect((await sized("0.00200001")).structured).toMatchObject({ error: { rule: "day_budget" } });
    expect((await sized("0.002")).structured).toMatchObject({ outcome: "accepted" });
    expect((await client.call("get_desk_status")).structured).toMatchObject({ largest_buy: "0" });
  });

  it("names no buy that the money does not pay, and none while trading is halted", async () => {
    const { structured } = await client.call("get_balances");
    const { balances } = structured as { balances: readonly { asset: string; available: string }[] };
    const cash = Number(balances.find(({ asset }) => asset === "KRW")?.available);
    const found = Number((await client.call("get_desk_status")).structured["largest_buy"]);
    expect(found).toBeLessThan(cash);
    expect(found).toBeGreaterThan(cash * 0.99);
    await client.call("halt_trading");
    expect((await client.call("get_desk_status")).structured).toMatchObject({ largest_buy: "0" });
  });
});

describe("what waits for a person", () => {
  it("is in the status, and beside the open orders of its market, until its time is over", async () => {
    await client.call("place_order", { ...BUY, userref: "open" });
    exchange.policy.value = ok(defaultPolicy("sandbox", { mode: "confirm", priceCollar: "off" }));
    const asked = await client.call("place_order", { ...BUY, userref: "waits" });
    const { intent_id, approval } = asked.structured as { intent_id: string; approval: { expires_at: string } };
    const waiting = { intent_id, userref: "waits", summary: "buy 0.001 BTC on BTC/KRW at ₩90,000,000" };
    const open = await client.call("get_open_orders", { symbol: "btckrw" });
    expect(open.structured).toMatchObject({
      orders: [{ userref: "open" }],
      waiting: [{ ...waiting, expires_at: approval.expires_at }],
    });
    const words = `Waiting for a person, not sent: 1.\n- ${waiting.summary}, id ${intent_id}, userref waits, until ${localMoments(approval.expires_at, "UTC")}`;
    expect(open.text).toMatch(/^\[sandbox\] 1 open order in "btckrw"/);
    expect(open.text).toContain(words);
    const status = await client.call("get_desk_status");
    expect(status.structured).toMatchObject({ waiting: [waiting] });
    expect(status.text).toContain(words);
    const elsewhere = await client.call("get_open_orders", { symbol: "ETH/KRW" });
    expect(elsewhere.structured).toMatchObject({ orders: [], waiting: [] });
    expect(elsewhere.text).toBe('[sandbox] No open orders in "ETH/KRW".');
    await client.call("cancel_order", { userref: "waits" });
    expect((await client.call("get_open_orders")).structured).toMatchObject({ waiting: [] });
  });

  it("is not called nothing where it cannot be read", async () => {
    await client.call("get_balances");
    const { desk } = exchange;
    const broken = { ...desk, openOrders: async () => ok({ ...PAGE, waiting: null, unresolved: null }) };
    const blind = await connect(ERAS[1], createMcpServer({ desk: broken, version: "0.0.0" }));
    const { text, structured } = await blind.call("get_open_orders");
    await blind.close();
    expect(structured).toMatchObject({ waiting: null });
    expect(text).toBe(
      "[sandbox] No open orders.\nOrders that wait for a person cannot be read now.\nOrders without an answer cannot be read now.",
    );
  });
});

const PAGE = { orders: [], next_cursor: null, environment: "sandbox", account: "paper", unit: "KRW" } as const;
