import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMcpServer } from "../../src/mcp/index.ts";
import { serveOverHttp } from "../../src/serve/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { addressOf, TOKEN } from "../fixture/http-address.ts";
import { connect, connectHttp, connectSse, ERAS, type Progress, type TestClient, type ToolResult } from "./client.ts";

/** The whole story of a trader, told by every kind of client over every road. */
const roads = [
  ...ERAS.flatMap((era) => (["stdio", "http"] as const).map((road) => ({ era, road }))),
  { era: "2025-11-25", road: "sse" } as const,
];

interface OrderSeen {
  readonly orderId: string;
  readonly userref: string;
  readonly state: string;
  readonly executed_value: string;
}

function orderOf(result: ToolResult): OrderSeen {
  return result.structured["order"] as OrderSeen;
}

function listOf<Item>(result: ToolResult, name: string): Item[] {
  return result.structured[name] as Item[];
}

describe.each(roads)("a $era client over $road", ({ era, road }) => {
  let exchange: ExchangeFixture;
  let client: TestClient;
  let close: () => Promise<void>;
  let resting: string;

  beforeAll(async () => {
    exchange = await startExchange({ marketMaker: true });
    const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
    if (road === "stdio") {
      client = await connect(era, factory);
      close = async () => undefined;
    } else {
      const http = await serveOverHttp({ factory, token: TOKEN, port: 0 });
      client = await (road === "sse" ? connectSse(addressOf(http)) : connectHttp(era, addressOf(http)));
      close = () => http.close();
    }
    await client.listTools();
  });

  afterAll(async () => {
    await client.close();
    await close();
    await exchange.close();
  });

  it("finds a market by its Korean name", async () => {
    const found = await client.call("get_markets", { search: "비트코인" });
    expect(found.structured["markets"]).toMatchObject([{ symbol: "BTC/KRW", status: "trading" }]);
    expect(found.text).toContain("BTC/KRW");
    const all = await client.call("get_markets");
    expect(all.structured["total"]).toBe(12);
  });

  it("reads prices of one market, several and all, in any spelling", async () => {
    const one = await client.call("get_ticker", { symbol: "KRW-BTC" });
    expect(one.structured["tickers"]).toMatchObject([{ symbol: "BTC/KRW" }]);
    const two = await client.call("get_ticker", { symbols: ["btckrw", "ETH/KRW"] });
    expect(listOf(two, "tickers")).toHaveLength(2);
    expect(listOf(await client.call("get_ticker"), "tickers")).toHaveLength(12);
  });

  it("reads the book, and what a size would cost", async () => {
    const book = await client.call("get_orderbook", {
      symbol: "btckrw",
      depth: 3,
      side: "buy",
      quote_amount: "100000",
    });
    expect(listOf(book, "tick")).toMatchObject({ buys: { length: 3 }, asks: { length: 3 } });
    expect(book.structured["estimate"]).toMatchObject({ complete: true, fee_currency: "KRW" });
    expect(book.text).toContain('BTC/KRW (you wrote "btckrw")');
    expect(book.text).toMatch(/To buy 0\.0\d+ BTC now: ₩99,9/);
  });

  it("reads candles and public trades", async () => {
    const candles = await client.call("get_candles", { symbol: "BTC/KRW", interval: "1m", limit: 5 });
    expect(candles.structured).toMatchObject({ symbol: "BTC/KRW", interval: "1m" });
    const trades = await client.call("get_recent_trades", { symbol: "BTC/KRW", limit: 5 });
    expect(trades.structured["symbol"]).toBe("BTC/KRW");
    expect([candles.isError, trades.isError]).toEqual([false, false]);
  });

  it("reads balances with their worth", async () => {
    const balances = await client.call("get_balances");
    expect(balances.structured).toMatchObject({ environment: "sandbox", account: exchange.sandbox.accountId });
    expect(balances.text).toContain("[sandbox] Account");
    expect(balances.text).toContain("- KRW: ₩10,000,000, available ₩10,000,000, locked ₩0");
  });

  it("previews a market buy and places the draft, once", async () => {
    const order = { symbol: "KRW-BTC", side: "buy", type: "market", quote_amount: "100000" };
    const preview = await client.call("preview_order", order);
    expect(preview.structured).toMatchObject({ valid: true, order: { symbol: "BTC/KRW" }, problems: [] });
    expect(exchange.relay.writes()).toEqual([]);
    const draft_id = preview.structured["draft_id"];
    const placed = await client.call("place_order", { draft_id });
    expect(placed.structured).toMatchObject({ outcome: "accepted", state: "filled", environment: "sandbox" });
    expect(placed.text).toMatch(
      /^\[sandbox\] Accepted: buy for ₩100,000 on BTC\/KRW at market.*Filled: spent ₩99,9[\d.]+ of the ₩100,000 asked for: bought 0\.\d+ BTC for ₩99,9.*fee ₩(49\.|50\.)/,
    );
    const twice = await client.call("place_order", { draft_id });
    expect(orderOf(twice).orderId).toBe(orderOf(placed).orderId);
    expect(exchange.relay.writes()).toEqual(["POST /v1/orders"]);
  });

  it("places an order that rests, sees it open, and finds it by both names", async () => {
    const placed = await client.call("place_order", {
      symbol: "BTC/KRW",
      side: "buy",
      type: "limit",
      base_volume: "0.001",
      price: "50000000",
    });
    expect(placed.structured).toMatchObject({ outcome: "accepted", state: "open" });
    expect(placed.text).toContain("buy 0.001 BTC on BTC/KRW at ₩50,000,000 (limit, GTC). Open: it rests");
    resting = orderOf(placed).orderId;
    const open = await client.call("get_open_orders", { symbol: "btc/krw" });
    expect(listOf<OrderSeen>(open, "orders").map((order) => order.orderId)).toEqual([resting]);
    const byId = await client.call("get_order", { order_id: resting });
    const byUserref = await client.call("get_order", { userref: orderOf(placed).userref });
    expect([orderOf(byId).orderId, orderOf(byUserref).orderId]).toEqual([resting, resting]);
  });

  it("waits with progress, and stops waiting when the time is over", async () => {
    const seen: Progress[] = [];
    const waited = await client.call(
      "await_order",
      { order_id: resting, timeout_s: 2 },
      { onprogress: (progress) => seen.push(progress) },
    );
    expect(waited.structured).toMatchObject({ reached: false, state: "open" });
    expect(waited.text).toContain("Not reached (closed) after 2 s.");
    expect(seen.length).toBeGreaterThanOrEqual(2);
    expect(seen[0]).toMatchObject({ total: 2, message: "open, 0 BTC executed" });
    expect(seen.map(({ progress }) => progress)).toEqual(seen.map(({ progress }) => progress).sort((a, b) => a - b));
  });

  it("stops a wait that the client cancels, without touching the order", async () => {
    const stop = new AbortController();
    const waiting = client.call("await_order", { order_id: resting, timeout_s: 55 }, { signal: stop.signal });
    setTimeout(() => stop.abort(), 300);
    await expect(waiting).rejects.toThrow(/abort/i);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const before = exchange.relay.seen.length;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(exchange.relay.seen.length).toBe(before);
  });

  it("cancels and verifies, and answers a second cancel truthfully", async () => {
    const canceled = await client.call("cancel_order", { order_id: resting });
    expect(canceled.structured).toMatchObject({ outcome: "accepted", state: "canceled" });
    expect(canceled.text).toMatch(/^\[sandbox\] Canceled and verified: buy 0\.001 BTC/);
    const again = await client.call("cancel_order", { order_id: resting });
    expect(again).toMatchObject({ isError: true, structured: { outcome: "rejected", state: "canceled" } });
    expect(again.text).toContain("Not canceled: ");
  });

  it("cancels everything, order by order", async () => {
    const order = { side: "buy", type: "limit", base_volume: "0.01", price: "1000000" };
    await client.call("place_order", { ...order, symbol: "ETH/KRW" });
    await client.call("place_order", { ...order, symbol: "ETH/KRW", base_volume: "0.02" });
    const all = await client.call("cancel_all_orders", {});
    expect(all.structured).toMatchObject({ outcome: "accepted", canceled: 2, remaining: 0 });
    expect(all.text).toContain("[sandbox] Verified: 2 canceled, 0 still open.");
    expect((await client.call("cancel_all_orders", { symbol: "ETH-KRW" })).text).toContain(
      "There were no open orders.",
    );
  });

  it("reads the history: orders and own trades of a period, with fees and totals", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const orders = await client.call("get_order_history", { from: today, to: today });
    expect(listOf(orders, "orders")).toHaveLength(4);
    const page = await client.call("get_order_history", { limit: 1 });
    const next = await client.call("get_order_history", { limit: 1, cursor: page.structured["next_cursor"] });
    expect(next.structured["orders"]).not.toEqual(page.structured["orders"]);
    const trades = await client.call("get_trade_history", { symbol: "BTC/KRW", from: `${today}T00:00:00+09:00` });
    expect(listOf(trades, "trades").length).toBeGreaterThan(0);
    expect(trades.structured["totals"]).toMatchObject({ sell_value: "0", fees: [{ currency: "KRW" }] });
    const none = await client.call("get_trade_history", { to: "2020-01-01" });
    expect(none.structured["trades"]).toEqual([]);
  });

  it("reports the desk's status", async () => {
    const status = await client.call("get_desk_status");
    expect(status.structured).toMatchObject({ profile: "paper", venue: "up", can_trade: true, unresolved: [] });
    expect(status.text).toContain("paper money");
  });

  it("gives resources, prompts and completions", async () => {
    const resource = await client.raw.readResource({ uri: "hoga://markets" });
    expect(JSON.stringify(resource)).toContain("ETH/KRW");
    const prompt = await client.raw.getPrompt({ name: "market_brief", arguments: { symbol: "BTC/KRW" } });
    expect(JSON.stringify(prompt.messages)).toContain("BTC/KRW");
    const completed = await client.raw.complete({
      ref: { type: "ref/prompt", name: "place_an_order" },
      argument: { name: "symbol", value: "do" },
    });
    expect(completed.completion.values).toEqual(expect.arrayContaining(["DOGE/KRW", "DOT/KRW"]));
  });
});
