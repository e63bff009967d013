/** Calls that only look are answered beside the SDK's server: with the same answer, and only where the message is exactly as expected. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createMcpServer, type ServerFactory, TOOLS } from "../../src/mcp/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { overStreams } from "../fixture/stdio-lines.ts";

type Message = Readonly<Record<string, unknown>>;

let exchange: ExchangeFixture;
let factory: ServerFactory;
/** Tools that were called without a server. */
const looked: string[] = [];
const clientInfo = { name: "test", version: "1" };

/** @param isDirect false: the SDK's server answers everything */
function connection(isDirect: boolean) {
  const look: ServerFactory["look"] = (tool, ...rest) => {
    const result = isDirect ? factory.look(tool, ...rest) : undefined;
    if (result !== undefined) looked.push(tool);
    return result;
  };
  const make = Object.assign((given?: Parameters<ServerFactory>[0]) => factory(given), factory, { look });
  const { stdin, stdout, close } = overStreams(make);
  let said = "";
  stdout.on("data", (part: Buffer) => {
    said += part.toString();
  });
  const heard = (): readonly Message[] =>
    said
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Message);
  const write = (message: object): void => void stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answerTo = (id: number) =>
    vi.waitFor(() => {
      const found = heard().find((message) => message["id"] === id);
      if (found === undefined) throw new Error(`no answer to ${id}`);
      return found;
    }, 20_000);
  let ids = 0;
  const ask = (method: string, params: object): Promise<Message> => {
    ids += 1;
    write({ id: ids, method, params });
    return answerTo(ids);
  };
  const greet = (capabilities: object = {}) =>
    ask("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo });
  return { write, ask, answerTo, heard, greet, close };
}

beforeAll(async () => {
  exchange = await startExchange();
  factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
});
afterAll(() => exchange.close());

/** Without what is of the clock: times, and how long something took or is apart. */
function steady(message: Message): string {
  return JSON.stringify(message)
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( UTC|Z)?/g, "then")
    .replaceAll(/-?\b\d+(\.\d+)? (ms|s|seconds?)\b/g, "a while")
    .replaceAll(/"(clock_offset_ms|age_ms|total_events|round_trip_ms)":-?[\d.]+/g, "")
    .replaceAll(/"seq":\d+/g, "");
}

const LOOKS: readonly (readonly [string, object])[] = [
  ["get_ticker", { symbols: ["BTC/KRW"] }],
  ["get_ticker", {}],
  ["get_ticker", { symbols: "BTC/KRW" }],
  ["get_ticker", { symbols: 5 }],
  ["get_ticker", { symbol: "BTC/KRW" }],
  ["get_markets", { limit: 2 }],
  ["get_orderbook", { symbol: "BTC/KRW" }],
  ["get_orderbook", { symbol: "NONE/KRW" }],
  ["get_candles", { symbol: "BTC/KRW", interval: "1m" }],
  ["get_recent_trades", { symbol: "BTC/KRW" }],
  ["get_balances", {}],
  ["get_portfolio", {}],
  ["get_open_orders", {}],
  ["get_order_history", { limit: 1 }],
  ["get_order", { userref: "none" }],
  ["get_order", {}],
  ["get_trade_history", { limit: 1 }],
  ["get_audit_log", { limit: 1 }],
  ["get_desk_status", {}],
  ["list_plans", {}],
  ["await_order", { userref: "none", timeout_s: 1 }],
];

describe("a call that only looks", () => {
  it("is one of every tool that does", () => {
    const tools = TOOLS.filter(({ writes, scope }) => !writes && scope.endsWith(":read")).map(({ name }) => name);
    expect([...new Set(LOOKS.map(([name]) => name))].sort()).toEqual([...tools].sort());
  });

  it.each(LOOKS)("has the answer of the server: %s %o", async (name, given) => {
    const [direct, served] = [connection(true), connection(false)];
    looked.length = 0;
    await Promise.all([direct.greet(), served.greet()]);
    const params = { name, arguments: given };
    const [one, other] = [await direct.ask("tools/call", params), await served.ask("tools/call", params)];
    expect(looked).toEqual([name]);
    expect(steady(one)).toBe(steady(other));
    expect(Object.keys(one)).toEqual(Object.keys(other));
    await Promise.all([direct.close(), served.close()]);
  });

  it("tells progress, and goes on where another asks", async () => {
    const { write, ask, answerTo, heard, greet, close } = connection(true);
    await greet();
    await exchange.desk.place(
      { symbol: "BTC/KRW", side: "buy", type: "limit", price: "1000000", base_volume: "0.01", userref: "waited" },
      "assistant",
    );
    const call = { name: "await_order", arguments: { userref: "waited", timeout_s: 2 }, _meta: { progressToken: "p" } };
    write({ id: 70, method: "tools/call", params: call });
    expect(await ask("ping", {})).toMatchObject({ result: {} });
    expect(await answerTo(70)).toMatchObject({ result: { structuredContent: { state: "open" } } });
    const told = heard().filter((message) => message["method"] === "notifications/progress");
    expect(told[0]).toMatchObject({ params: { progressToken: "p", message: expect.any(String) } });
    await close();
  });

  it.each(["get_order", "await_order"])(
    "tells whoever asked of an order that nobody had heard of: %s",
    async (name) => {
      const { ask, greet, close } = connection(true);
      await greet();
      const order = { symbol: "BTC/KRW", side: "buy", type: "limit", price: "1000000", base_volume: "0.02" } as const;
      const { userref } = await exchange.desk.place(order, name, { whenHeard: () => undefined });
      const again = () => ask("tools/call", { name: "place_order", arguments: order });
      const seen = await ask("tools/call", {
        name,
        arguments: { userref, ...(name === "await_order" && { timeout_s: 1 }) },
      });
      expect(seen).toMatchObject({ result: { structuredContent: { state: "open" } } });
      expect(JSON.stringify(await again())).not.toContain("duplicate_of");
      await close();
    },
  );

  it("gets no answer once it is withdrawn, and waits no longer", async () => {
    const { write, ask, heard, greet, close } = connection(true);
    await greet();
    write({
      ...{ id: 71, method: "tools/call" },
      params: { name: "await_order", arguments: { userref: "waited", timeout_s: 50 } },
    });
    await ask("ping", {});
    write({ method: "notifications/cancelled", params: { requestId: 71 } });
    expect(await ask("ping", {})).toMatchObject({ result: {} });
    const begun = Date.now();
    await close();
    expect(Date.now() - begun).toBeLessThan(1_900);
    expect(heard().some((message) => message["id"] === 71)).toBe(false);
  });

  it("is answered before the end of a connection", async () => {
    const { write, heard, greet, close } = connection(true);
    await greet();
    for (let id = 100; id < 120; id++) write({ id, method: "tools/call", params: { name: "get_balances" } });
    await close();
    expect(heard().filter((message) => Number(message["id"]) >= 100 && "result" in message)).toHaveLength(20);
  });
});

const TICKER = { name: "get_ticker", arguments: { symbols: ["BTC/KRW"] } };
const VIEWS = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };

describe("the server has", () => {
  it.each<[string, object]>([
    ["what can change something", { name: "cancel_order", arguments: { userref: "none" } }],
    ["what is shown before it is sent", { name: "preview_order", arguments: { symbol: "BTC/KRW" } }],
    ["a tool that is not there", { name: "get_nothing" }],
    ["arguments that are none", { ...TICKER, arguments: ["BTC/KRW"] }],
    ["a field of its own", { ...TICKER, task: {} }],
    ["what the protocol names", { ...TICKER, _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } }],
    ["a name that is none", { name: 5 }],
  ])("a call with %s", async (_, params) => {
    const { ask, greet, close } = connection(true);
    await greet();
    looked.length = 0;
    const answer = await ask("tools/call", params);
    expect(looked).toEqual([]);
    expect("result" in answer || "error" in answer).toBe(true);
    await close();
  });

  it("the calls of a client that shows views", async () => {
    const { ask, greet, close } = connection(true);
    await greet(VIEWS);
    looked.length = 0;
    expect(await ask("tools/call", TICKER)).toMatchObject({ result: {} });
    expect(looked).toEqual([]);
    await close();
  });

  it("a call before it has greeted", async () => {
    const { ask, close } = connection(true);
    looked.length = 0;
    await ask("tools/call", TICKER);
    expect(looked).toEqual([]);
    await close();
  });
});
