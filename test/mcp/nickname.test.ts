import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { connect, ERAS, type TestClient } from "./client.ts";

describe.each(ERAS)("what Koreans call a coin, from a %s client", (era) => {
  let exchange: ExchangeFixture;
  let client: TestClient;
  beforeAll(async () => {
    exchange = await startExchange();
    client = await connect(era, createMcpServer({ desk: exchange.desk, version: "1.0.0" }));
  });
  afterAll(async () => {
    await client.close();
    await exchange.close();
  });

  it.each([
    ["get_ticker", { symbol: "비트" }, "BTC/KRW"],
    ["get_orderbook", { symbol: "이더" }, "ETH/KRW"],
    ["get_candles", { symbol: "도지", interval: "1h" }, "DOGE/KRW"],
    ["get_recent_trades", { symbol: "시바" }, "SHIB/KRW"],
    ["get_open_orders", { symbol: "비트" }, ""],
  ])("is enough to look: %s", async (tool, args, symbol) => {
    const { isError, text } = await client.call(tool, args);
    expect({ isError, text }).toEqual({ isError: false, text: expect.stringContaining(symbol) });
  });

  it("orders, previews and cancels nothing: the market is proposed", async () => {
    const order = { symbol: "비트", side: "buy", type: "market", quote_amount: "50000" };
    for (const [tool, args] of [
      ["place_order", order],
      ["preview_order", order],
      ["cancel_all_orders", { symbol: "비트" }],
    ] as const) {
      const { isError, structured, text } = await client.call(tool, args);
      expect({ tool, isError }).toEqual({ tool, isError: true });
      expect(structured["error"]).toMatchObject({ code: "ELocal:Unknown market", field: "symbol" });
      expect(text).toContain('Did you mean BTC/KRW ("비트코인")?');
    }
    const history = await client.call("get_order_history", { state: "all" });
    expect(history.structured["orders"]).toEqual([]);
  });
});
