/** What a client that shows only the text must learn from it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failed, localFault, ok, venueFault } from "../../src/contract/index.ts";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer, TOOLS } from "../../src/mcp/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { sampleOf } from "../skills/taught-calls.ts";
import { connect, ERAS, type TestClient, type ToolResult } from "./client.ts";

const BTC = { symbol: "BTC/KRW" };
const FAR_BUY = { ...BTC, side: "buy", type: "limit", base_volume: "0.001", price: "50000000" };
const STATUS_ADVICE = "Ask again; get_desk_status shows whether the exchange is up.";

let exchange: ExchangeFixture;
let client: TestClient;
beforeAll(async () => {
  exchange = await startExchange({ marketMaker: true });
  client = await connect(ERAS[1], createMcpServer({ desk: exchange.desk, version: "0.0.0" }));
  await client.listTools();
});
afterAll(async () => {
  await client.close();
  await exchange.close();
});

async function callOn(desk: Partial<Desk>, name: string, args: object): Promise<ToolResult> {
  const own = await connect(ERAS[1], createMcpServer({ desk: desk as Desk, version: "0.0.0" }));
  await own.listTools();
  const result = await own.call(name, args);
  await own.close();
  return result;
}

describe("every text", () => {
  const own: Readonly<Record<string, object>> = { place_order: { ...FAR_BUY, price: "1" }, cancel_all_orders: {} };

  it("says once, first, whether it is about real money: answers, refusals and bad arguments", async () => {
    for (const { name } of TOOLS)
      for (const args of [own[name] ?? sampleOf(name), { nonsense: 1 }]) {
        const { text } = await client.call(name, args);
        expect(text).toMatch(/^\[sandbox\] (?!\[)/);
        expect(text.split("[sandbox]")).toHaveLength(2);
      }
    await exchange.desk.resume("a test");
    const lost = await client.call("get_ticker", { symbol: "foo" });
    expect(lost.text).toMatch(/^\[sandbox\] Failed: There is no market "foo" and no similar market/);
    const live = await callOn({ environment: "live", tickers: async () => ok([]) }, "get_ticker", {});
    expect(live.text).toBe("[LIVE] No markets:");
  });
});

describe("a market", () => {
  it("is found by either of the names that brackets hold apart, and by its code alone", async () => {
    for (const search of ["리플", "ripple"])
      expect((await client.call("get_markets", { search })).text).toMatch(/^\[sandbox\] 1 of 1 market:\n- XRP\/KRW /);
    for (const symbol of ["리플", "xrp", "XRP(Ripple)", "BTC"])
      expect(await client.call("get_ticker", { symbol })).toMatchObject({ isError: false });
    expect((await client.call("get_ticker", { symbol: "btc" })).text).toMatch(/^\[sandbox\] BTC\/KRW: ₩/);
  });
});

describe("the text of a preview", () => {
  it("shows the conditions of the order", async () => {
    const shown = async (extra: object) => (await client.call("preview_order", { ...FAR_BUY, ...extra })).text;
    expect(await shown({})).toContain("(limit)\n");
    expect(await shown({ time_in_force: "FOK" })).toContain("(limit, FOK)\n");
    expect(await shown({ post_only: true })).toContain("(limit, post-only)\n");
    expect(await shown({ post_only: true, time_in_force: "GTC" })).toContain("(limit, GTC, post-only)\n");
  });

  it("gives the reasons and the warnings of what the exchange would refuse, and no draft", async () => {
    const order = { ...FAR_BUY, price: "950000000", base_volume: "1", post_only: true };
    const { text, structured } = await client.call("preview_order", order);
    expect(structured).toMatchObject({ valid: false, problems: [{ field: "price" }, { field: "base_volume" }] });
    expect(structured["draft_id"]).toBeUndefined();
    expect(text).toMatch(/^\[sandbox\] Not valid, nothing was placed: /);
    expect(text).toMatch(
      /\(EOrder:Post only order\)\n- .*₩950,475,000 .*₩10,000,000\. \(EOrder:Insufficient funds\)\n/,
    );
    expect(text).toMatch(/\nWarning: The price ₩950,000,000 is [\d.]+% above the best ask of /);
    expect(text).not.toContain("draft_id");
  });

  it("shows a distance as the book does", async () => {
    const size = { ...BTC, side: "buy", quote_amount: "10000" };
    expect((await client.call("preview_order", { ...size, type: "market" })).text).toContain(", 0.000% from the best");
    expect((await client.call("get_orderbook", size)).text).toContain(", 0.000% from the best price");
  });
});

describe("a fault of the service", () => {
  const failing = (field: string, message?: string) =>
    callOn(
      {
        environment: "sandbox",
        balances: async () =>
          failed(venueFault("EOrder:Tick size check failed", { field, ...(message === undefined ? {} : { message }) })),
      },
      "get_balances",
      {},
    );

  it("names the field where the message does not", async () => {
    expect((await failing("volume")).text).toContain('(EOrder:Tick size check failed) Field: "volume".');
    expect((await failing("since", "bad time")).text).toContain('Field: "since".');
    expect((await failing("to", "a word of today")).text).toContain('Field: "to".');
    for (const message of ["since is bad", "bad since.", 'the "since"'])
      expect((await failing("since", message)).text).not.toContain("Field:");
  });

  it("when a query has no answer, does not speak of what to do about orders", async () => {
    const advice = async (fault: ReturnType<typeof localFault>) =>
      (
        await callOn({ environment: "sandbox", unit: "KRW", balances: async () => failed(fault) }, "get_balances", {})
      ).text
        .split("\n")
        .slice(1);
    expect(await advice(localFault("ELocal:No answer"))).toEqual([STATUS_ADVICE]);
    expect(await advice(venueFault("EService:Timeout"))).toEqual([STATUS_ADVICE]);
    expect(await advice(venueFault("EService:Unavailable"))).toEqual([STATUS_ADVICE]);
    expect(await advice(localFault("ELocal:Unreadable answer"))).toEqual([
      `${STATUS_ADVICE} If it stays so, check base_url.`,
    ]);
    expect(await advice(localFault("ELocal:No key"))).toEqual(["Add a key to the profile."]);
  });
});

describe("counts", () => {
  it("are singular for one", async () => {
    expect((await client.call("get_open_orders")).text).toBe("[sandbox] No open orders.");
    await client.call("place_order", FAR_BUY);
    expect((await client.call("get_open_orders")).text).toMatch(/^\[sandbox\] 1 open order\./);
    await client.call("place_order", { ...FAR_BUY, price: "51000000" });
    expect((await client.call("get_open_orders")).text).toMatch(/^\[sandbox\] 2 open orders\./);
    const { text } = await client.call("get_balances");
    expect(text).toMatch(/\n- KRW: ₩10,000,000, available ₩9,[\d,.]+, locked ₩1\d\d,[\d,.]+(\n|$)/);
  });
});
