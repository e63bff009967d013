/** The real program where its store cannot be opened: no order leaves, and what needs no store is done. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { eventually, limitBuy, oneLine, quartet } from "../../fixture/command.ts";
import { wideHome } from "../../fixture/home.ts";
import { cleanUp, run, start, startSandbox } from "../../fixture/program.ts";
import { type Relay, startRelay } from "../../fixture/relay.ts";

const NO_STORE = /hoga\.db is not a file, so the store cannot be opened/;
const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };
const CLIENT = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
};

interface Answer {
  readonly id: string;
  readonly result: { readonly isError?: boolean; readonly structuredContent?: object };
}

let home: string;
let env: Readonly<Record<string, string>>;
let relay: Relay;
beforeEach(async () => {
  const { line } = await startSandbox({});
  relay = await startRelay(line.base_url);
  env = quartet(relay.url, line.api_key, line.api_secret);
  const healthy = await run(["call", ...limitBuy()], { home: wideHome(), env });
  expect(healthy.code).toBe(0);
  home = wideHome();
  mkdirSync(join(home, "hoga.db"));
  return () => relay.close();
});
afterAll(cleanUp);

/** Orders that have arrived at the exchange since the one of `beforeEach`. */
const arrived = (): number => relay.arrivals.filter(({ method }) => method === "POST").length - 1;

describe("where hoga.db is a directory", () => {
  it("a server answers the queries and cancels that it is sent, refuses an order, and ends with the error", async () => {
    const server = start(["serve"], { home, env });
    const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const calls = { get_ticker: {}, get_balances: {}, get_open_orders: {}, place_order: ORDER, cancel_all_orders: {} };
    send({ id: "initialize", method: "initialize", params: CLIENT });
    send({ method: "notifications/initialized" });
    for (const [name, args] of Object.entries(calls))
      send({ id: name, method: "tools/call", params: { name, arguments: args } });
    const answers = () =>
      server
        .stdout()
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Answer);
    await eventually(() => answers().length === 6 || undefined);
    const results = Object.fromEntries(answers().map(({ id, result }) => [id, result]));
    expect(results["get_ticker"]).not.toHaveProperty("isError");
    expect(results["get_balances"]).toMatchObject({ structuredContent: { account: "paper" } });
    expect(results["get_open_orders"]).not.toHaveProperty("isError");
    expect(results["cancel_all_orders"]).toMatchObject({ structuredContent: { canceled: 1, remaining: 0 } });
    const error = { code: "ELocal:Not started", message: expect.stringMatching(NO_STORE), retryable: false };
    expect(results["place_order"]).toMatchObject({
      isError: true,
      structuredContent: { outcome: "not_sent", state: "denied", error },
    });
    expect(await server.ended).toMatchObject({ code: 1, stderr: expect.stringMatching(NO_STORE) });
    expect(arrived()).toBe(0);
  });

  it.each([
    ["orders", ["orders"]],
    ["call place_order", ["call", ...limitBuy()]],
    ["call cancel_all_orders", ["call", "cancel_all_orders"]],
    ["call get_ticker", ["call", "get_ticker"]],
    ["audit show", ["audit", "show"]],
  ])("a command ends with the error and sends nothing: %s", async (_, words) => {
    const before = relay.arrivals.length;
    const ended = await run([...words, "--json"], { home, env });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/\n {2}→ Make sure that \S+hoga\.db is a file/);
    expect(oneLine(ended)).toMatchObject({
      error: { code: "ELocal:Store unavailable", message: expect.stringMatching(NO_STORE) },
    });
    expect(relay.arrivals).toHaveLength(before);
  });
});
