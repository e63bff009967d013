/** That nothing stands in structured content alone, as many clients hand the model the text, and nothing in the text alone. Source: decision 0030. */
import { beforeAll, describe, expect, it } from "vitest";
import type { Order } from "../../src/contract/index.ts";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer, TOOLS } from "../../src/mcp/index.ts";
import { sampleOf } from "../skills/taught-calls.ts";
import { connect, ERAS, type ListedTool } from "./client.ts";
import type { Seen } from "./every-result.ts";
import { failingDesk, fullDesk, ORDERS, TIME_ZONE } from "./full-reports.ts";
import { fullTransfers, TRANSFER_CALLS } from "./full-transfers.ts";
import { EXCEPTIONS, fieldsOf, isExcepted, toBeSaid, unheld, unsaid } from "./parity.ts";

const BTC = { symbol: "BTC/KRW" };
const PERIOD = { from: "2026-07-01", to: "2026-07-31T12:00" };
const ORDER = { ...BTC, side: "buy", type: "limit", base_volume: "0.015", price: "95000000" };
const STOP = { kind: "oco", symbol: "SOL/KRW", base_volume: "0.0157", trail: "7%", take_price: "130031" };
const NAMED = { userref: "desk-1" };
/** What the skill teaches does not bring out of these. */
const OWN: readonly (readonly [tool: string, args: object])[] = [
  ["get_markets", {}],
  ["get_orderbook", { ...BTC, side: "buy", base_volume: "0.2" }],
  ["get_candles", { ...BTC, interval: "1h" }],
  ["get_candles", { ...BTC, interval: "1h", ...PERIOD }],
  ...["get_order_history", "get_trade_history"].map((name) => [name, PERIOD] as const),
  ["get_portfolio", { method: "fifo" }],
  ...["get_order", "await_order", "cancel_order"].map((name) => [name, NAMED] as const),
  ...["preview_order", "place_order"].map((name) => [name, ORDER] as const),
  ["replace_order", { ...NAMED, price: "95000000" }],
  ...[{}, { rehearse: "7d" }].map((past) => ["create_plan", { ...STOP, ...past }] as const),
  ["create_plan", { kind: "alert", ...BTC, above: "1" }],
  ["create_plan", { kind: "rebalance", weights: { XRP: "3%", ETH: "2%", KRW: "95%" } }],
  ...["pause", "cancel"].map((action) => ["change_plan", { plan_id: "plan-1", action }] as const),
];
const others = TOOLS.map(({ name }) => name).filter((name) => !OWN.some(([tool]) => tool === name));
const CALLS = [...OWN, ...others.map((name) => [name, sampleOf(name)] as const)];

const MODULES = ["market", "account", "trade", "plans", "safety", "payment", "remittance"] as const;

let tools: readonly ListedTool[] = [];
const seen: Seen[] = [];

async function told(desk: Desk, calls: typeof OWN = CALLS): Promise<void> {
  const client = await connect(ERAS[0], createMcpServer({ desk, modules: MODULES, version: "0.0.0" }));
  const listed = await client.listTools();
  if (listed.length > tools.length) tools = listed;
  for (const [tool, args] of calls) seen.push({ tool, ...(await client.call(tool, args)) });
  await client.close();
}

beforeAll(async () => {
  const [order] = ORDERS;
  for (const end of ["done", "waiting", "unanswered", "failed"] as const)
    await told({ ...fullDesk(order as Order), transfers: fullTransfers(end) }, TRANSFER_CALLS);
  for (const order of ORDERS) await told(fullDesk(order));
  for (const isWaiting of [undefined, "by volume", "by amount"] as const) await told(failingDesk(isWaiting));
});

const fields = () =>
  tools.flatMap(({ name, outputSchema = {} }) =>
    fieldsOf(outputSchema as Readonly<Record<string, unknown>>).map((field) => ({ tool: name, field })),
  );

describe("the text of a result", () => {
  it("says every field of every output schema, but for those that are listed with a reason", () => {
    const missing = fields()
      .filter(({ tool, field }) => !isExcepted(tool, field))
      .flatMap(({ tool, field }) => {
        const results = seen.filter((result) => result.tool === tool);
        if (!results.some((result) => toBeSaid(result, field).length > 0))
          return [`${tool} ${field}: no answer of full-reports.ts has it`];
        return results.flatMap((result) =>
          unsaid(tool, field, result, TIME_ZONE).map(
            (value) => `${tool} ${field}: ${JSON.stringify(value)} is not in ${result.text}`,
          ),
        );
      });
    expect(missing).toEqual([]);
  });

  it("says no figure, id or time that the structured content does not hold", () => {
    const left = seen.flatMap((result) => unheld(result, TIME_ZONE).map((told) => [result.tool, told, result.text]));
    expect(left).toEqual([]);
  });

  it("needs every exception", () => {
    const places = fields().map(({ tool, field }) => `${tool} ${field}`);
    expect(EXCEPTIONS.filter(([of]) => !places.some((place) => of.test(place)))).toEqual([]);
  });

  it("names an order once", () => {
    for (const { tool, text } of seen.filter(({ tool: name }) =>
      ["get_order", "place_order", "cancel_order"].includes(name),
    ))
      expect([tool, text, text.split(`order_id ${ORDERS[0]?.orderId}`).length <= 2]).toEqual([tool, text, true]);
  });

  it("has no won with eight decimals", () => {
    for (const { text } of seen) expect(text).not.toMatch(/₩[1-9][\d,]*\.\d{5}/);
  });
});
