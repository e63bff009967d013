/** The days of the desk's reader, as an assistant gets them from the tools that answer over a period, over a real exchange. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMcpServer } from "../../src/mcp/index.ts";
import { endow, trade } from "../desk/portfolio/trading.ts";
import { ONE, openWorld, type World } from "../fixture/desk-over-sandbox.ts";
import { connect, ERAS, type TestClient } from "./client.ts";

const DAY_MS = 86_400_000;
const SEOUL_MS = 9 * 3_600_000;
/** The day after the next in Seoul, and when it begins; the clocks here are put past it. */
const date = new Date(Date.now() + SEOUL_MS + 2 * DAY_MS).toISOString().slice(0, 10);
const beganMs = Date.parse(`${date}T00:00:00+09:00`);
const PERIOD = {
  from: new Date(beganMs).toISOString(),
  to: new Date(beganMs + DAY_MS - 1).toISOString(),
  timezone: "Asia/Seoul",
};
const BUY = { coin: "BTC", side: "buy", price: 100_000_000n * ONE, volume: ONE / 1_000n } as const;

let world: World;
let client: TestClient;
beforeEach(async () => {
  world = await openWorld({ totalMs: 20_000 });
  endow(world);
  // Half an hour before, within and after the day in Seoul, of which one and two are on another day of UTC.
  for (const minutes of [-30, 30, 24 * 60 - 30, 24 * 60 + 30]) trade(world, BUY, beganMs + minutes * 60_000);
  for (const clock of [world.clock, world.venueClock]) clock.skewMs += 5 * DAY_MS;
  const { desk } = await world.seat({ patient: true, timeZone: "Asia/Seoul" });
  client = await connect(ERAS[0], createMcpServer({ desk, version: "0.0.0" }));
});
afterEach(async () => {
  await client.close();
  await world.close();
});

describe("a date given to a tool", () => {
  it("is a day of the reader's time zone, of own trades and of what they came to", async () => {
    const { structured } = await client.call("get_trade_history", { from: date, to: date });
    expect(structured["trades"]).toHaveLength(2);
    expect(structured).toMatchObject({ period: PERIOD, totals: { buy_value: "200000" } });
    const portfolio = await client.call("get_portfolio", { from: date, to: date });
    expect(portfolio.structured).toMatchObject({ period: PERIOD, totals: { fees: "100" } });
  });

  it("is one of candles too, and of orders", async () => {
    const candles = await client.call("get_candles", { symbol: "BTC/KRW", interval: "1m", from: date, to: date });
    expect(candles.structured).toMatchObject({ period: PERIOD });
    expect(candles.structured["candles"]).toHaveLength(2);
    const orders = await client.call("get_order_history", { from: date, to: date, state: "all" });
    expect(orders.structured).toMatchObject({ period: PERIOD });
    expect(orders.structured["orders"]).toHaveLength(2);
  });
});

describe("an answer over a period", () => {
  const shown = (ms: number) => `${new Date(ms + SEOUL_MS).toISOString().slice(0, 19).replace("T", " ")} UTC+9`;
  const TOOLS = [
    ["get_trade_history", {}],
    ["get_order_history", { state: "all" }],
    ["get_portfolio", {}],
    ["get_candles", { symbol: "BTC/KRW", interval: "1m" }],
  ] as const;

  it.each(TOOLS)("when the tool is %s, says which one it took, by the reader's clock", async (tool, args) => {
    const { text } = await client.call(tool, { ...args, from: date, to: date });
    for (const ms of tool === "get_candles" ? [beganMs + 30 * 60_000] : [beganMs, beganMs + DAY_MS - 1_000])
      expect(text).toContain(shown(ms));
    expect(text).not.toMatch(/\dT\d\d:/);
  });

  it.each(TOOLS)("when the tool is %s and no period was asked for, says so", async (tool, args) => {
    const { structured, text } = await client.call(tool, args);
    expect(structured["period"]).toMatchObject({ timezone: "Asia/Seoul" });
    expect(text).toMatch(/from (the beginning|the first fill|\d{4}-)/);
  });
});

it("a portfolio says apart what is so now, and what was in the period", async () => {
  const { text } = await client.call("get_portfolio", { from: date, to: date });
  const [now = "", then = ""] = text.split("In the period from ");
  expect(now).toMatch(/^\[sandbox\] Account "paper" now, at .*worth ₩/);
  expect(now).toMatch(/- BTC: .*worth ₩.*unrealized/);
  expect(now).not.toMatch(/realized ₩\d.* after fees|, fees/);
  expect(then).toMatch(/realized ₩0 after fees, fees ₩100\.\n- BTC: realized ₩0, fees ₩100/);
});
