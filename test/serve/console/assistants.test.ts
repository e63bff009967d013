import { Client, SSEClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ConsoleAssistants } from "../../../src/serve/console/console-api.ts";
import { eventually } from "../../fixture/command.ts";
import { type ExchangeFixture, startExchange } from "../../fixture/exchange.ts";
import { addressOf, BEARER, sseOf } from "../../fixture/http-address.ts";
import { connectHttp, ERAS } from "../../mcp/client.ts";
import { Browser, startConsole } from "./console-server.ts";
import { Listener } from "./event-client.ts";

let exchange: ExchangeFixture;

beforeAll(async () => {
  exchange = await startExchange();
});
afterAll(() => exchange.close());

it("shows who is connected, in either era and over the older transport, and what they called", async () => {
  const { http } = await startConsole(exchange);
  const browser = await Browser.open(http.pageLink());
  const page = new Listener(browser);
  await page.next("assistants", ({ connected }) => connected.length === 0);
  for (const era of ERAS) {
    const client = await connectHttp(era, addressOf(http));
    await client.call("get_balances");
    await client.call("get_order", { userref: "nothing" });
    const { connected, calls } = await page.next(
      "assistants",
      (view) => view.calls[0]?.tool === "get_order" && view.connected.some(({ last_call_at }) => last_call_at !== null),
    );
    expect(connected.at(-1)).toMatchObject({ caller: "http-token", client: expect.stringMatching(/./) });
    expect(calls.slice(0, 2)).toMatchObject([
      { tool: "get_order", outcome: "error", caller: "http-token", client: connected.at(-1)?.client },
      { tool: "get_balances", outcome: "ok" },
    ]);
    await client.close();
  }
  const sse = new Client({ name: `${"long ".repeat(30)}\u202e\n# evil`, version: "1" });
  await sse.connect(
    new SSEClientTransport(sseOf(http.url), {
      requestInit: { headers: BEARER },
      eventSourceInit: { fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, ...BEARER } }) },
    }),
  );
  const named = await page.next("assistants", ({ connected }) =>
    connected.some(({ client }) => client.startsWith("long")),
  );
  const name = named.connected.find(({ client }) => client.startsWith("long"))?.client ?? "";
  expect(name).toHaveLength(60);
  expect(name).not.toMatch(/[\p{C}\n]/u);
  for (let n = 0; n < 55; n += 1) await sse.callTool({ name: "get_markets", arguments: {} });
  await sse.close();
  await page.next("assistants", ({ connected }) => !connected.some(({ client }) => client === name));
  const view = await eventually(async () => {
    const read = await browser.view<ConsoleAssistants>("assistants");
    return read.calls.length === 50 ? read : undefined;
  });
  expect(view.calls.every(({ client, tool }) => client === name && tool === "get_markets")).toBe(true);
  page.close();
});
