/** What tools say where an exchange has not what others have, in the text and in the structured content alike. */
import { describe, expect, it } from "vitest";
import { type Fill, type Market, type Order, ok } from "../../src/contract/index.ts";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { CARDS } from "../../src/venues/index.ts";
import { order as ORDER, ORDER_ID } from "../fixture/order-sample.ts";
import { connect, ERAS, type ToolResult } from "./client.ts";

const STAMP = { environment: "sandbox", account: "a", unit: "KRW" } as const;
const FILL: Fill = {
  ...{ trade_id: "t-1", orderId: ORDER_ID, userref: null, symbol: "BTC/KRW", side: "sell", price: "95000000" },
  ...{ volume: "0.01", value: "950000", fee: "475", fee_currency: "KRW", time: "2026-07-20T01:02:03.004Z" },
};
const UNSAID: Order = (() => {
  const { fee: _fee, fee_currency: _currency, ...order } = ORDER;
  return { ...order, state: "filled", executed_volume: "0.015", remaining_volume: "0", avg_price: "95000000" };
})();
const MARKET = {
  ...{
    symbol: "BTC/KRW",
    base: "BTC",
    quote: "KRW",
    korean_name: "비트코인",
    english_name: "Bitcoin",
    status: "trading",
  },
  ...{ tick_size: "1000", tick_bands: [], price_decimals: 0, volume_decimals: 8, min_volume: "0.00000001" },
  ...{ min_notional: "5000", maker_fee_rate: "0.0005", taker_fee_rate: "0.0005" },
} as unknown as Market;

async function asked(exchange: string, tool: string, args: object = {}): Promise<ToolResult> {
  const desk: Partial<Desk> = {
    ...{ environment: "sandbox", unit: "KRW", timeZone: "UTC", command: (...said: string[]) => said.join(" ") },
    card: CARDS.find(({ name }) => name === exchange) as (typeof CARDS)[number],
    markets: async () => ok([MARKET]),
    orders: async () => ok({ ...STAMP, orders: [UNSAID], next_cursor: null }),
    fills: async () =>
      ok({ ...STAMP, trades: [FILL, { ...FILL, trade_id: "t-2", fee_exact: false }], warnings: [], next_cursor: null }),
  };
  const client = await connect(ERAS[1], createMcpServer({ desk: desk as Desk, version: "0.0.0" }));
  // The client then checks every result against its schema.
  await client.listTools();
  const result = await client.call(tool, args);
  await client.close();
  return result;
}

describe("the past of an account", () => {
  it.each(["get_order_history", "get_trade_history"])(
    "is said not to go back further than the exchange lists: %s",
    async (tool) => {
      const sentence = "Korbit (Digital X) lists ended orders and trades of the last 36 hours alone.";
      for (const args of [{}, { from: "2020-01-01" }]) {
        const { text, structured } = await asked("korbit", tool, args);
        expect([text, structured["shortened"]]).toEqual([expect.stringContaining(sentence), sentence]);
      }
    },
  );

  it.each(["get_order_history", "get_trade_history"])(
    "is not said to begin at the beginning where days of it are read: %s",
    async (tool) => {
      const { text, structured } = await asked("upbit", tool);
      const sentence = "Without from, orders of the last 30 days are read at Upbit.";
      expect([text, structured["shortened"]]).toEqual([expect.stringContaining(sentence), sentence]);
      expect(text).not.toContain("from the beginning");
      const whole = await asked("upbit", tool, { from: "2020-01-01" });
      expect([whole.text.includes("from 2020-01-01"), whole.structured["shortened"]]).toEqual([true, undefined]);
      expect((await asked("hoga", tool)).text).toContain("from the beginning until now");
    },
  );
});

describe("a fee", () => {
  it("is told apart where the exchange does not tell it of a fill alone, and fits the schema", async () => {
    const { text, structured } = await asked("upbit", "get_trade_history");
    const [first, second] = text.split("\n").filter((line) => line.startsWith("- "));
    expect(first).toContain("fee ₩475 (");
    expect(second).toContain("fee ₩475, not told for this fill alone (");
    expect(structured).toMatchObject({ trades: [{ trade_id: "t-1" }, { trade_id: "t-2", fee_exact: false }] });
  });

  it("is not said to be nothing where the exchange does not tell it", async () => {
    expect((await asked("korbit", "get_order_history")).text).toContain("fee not said by the exchange");
  });
});

describe("the rules of a market", () => {
  it("are said to be assumed where the exchange tells them market by market", async () => {
    const { text, structured } = await asked("upbit", "get_markets");
    const note =
      "Tick, minimum and fees are as published or assumed here: Upbit tells those of a market when an order is previewed.";
    expect([text, structured["note"]]).toEqual([expect.stringContaining(note), note]);
    expect(await asked("hoga", "get_markets")).not.toHaveProperty("structured.note");
  });
});
