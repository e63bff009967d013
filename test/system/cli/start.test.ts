import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, describe, expect, it } from "vitest";
import { freePort, oneLine } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { cleanUp, environment, run, start } from "../../fixture/program.ts";
import { send } from "../../sandbox/http/signed-client.ts";

afterAll(cleanUp);

interface Started {
  readonly exchange_url: string;
  readonly mcp_url: string;
  readonly console_url: string;
  readonly mcpServers: { readonly hoga: { readonly command: string; readonly args: readonly string[] } };
}

/** What the policy lets through that is there from the start. */
const ORDER = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "10000" };

async function place(transport: Transport, userref: string): Promise<unknown> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  const { structuredContent } = await client.callTool({ name: "place_order", arguments: { ...ORDER, userref } });
  await client.close();
  return structuredContent;
}

describe("hoga start", () => {
  it("runs everything, and the addresses that it prints work", async () => {
    const home = freshHome();
    const ports = ["--port", String(await freePort()), "--exchange-port", String(await freePort())];
    const running = start(["start", "--json", ...ports], { home });
    const started = JSON.parse(await running.firstLine()) as Started;
    const { exchange_url, mcp_url, console_url, mcpServers } = started;
    expect([exchange_url, console_url].map((url) => new URL(url).port)).toEqual([ports[3], ports[1]]);
    expect(await send(exchange_url, "GET", "/v1/markets")).toMatchObject({ status: 200 });
    expect(await send(console_url, "GET", "/")).toMatchObject({ status: 200, text: expect.stringContaining("<html") });

    const overHttp = new StreamableHTTPClientTransport(new URL(mcp_url)) as unknown as Transport;
    expect(await place(overHttp, "http")).toMatchObject({ outcome: "accepted", environment: "sandbox" });
    const { command, args } = mcpServers.hoga;
    const overStdio = new StdioClientTransport({ command, args: [...args], env: environment({ home }) });
    expect(await place(overStdio, "stdio")).toMatchObject({ outcome: "accepted" });
    expect(oneLine(await run(["orders", "--state", "all", "--json"], { home }))).toMatchObject({
      orders: [{ userref: "stdio" }, { userref: "http" }],
    });

    const { code, signal, stdout, stderr } = await running.stop("SIGTERM");
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: "" });
    expect(JSON.parse(stdout)).toEqual(started);
    const key = JSON.parse(readFileSync(join(home, "sandbox", "key.json"), "utf8")) as { api_secret: string };
    expect(stdout).not.toContain(key.api_secret);
  });
});

describe("hoga serve --http", () => {
  it("serves MCP where it says, and ends on a signal that comes at once", async () => {
    const home = freshHome();
    const running = start(["serve", "--http", "--port", "0", "--json"], { home });
    const { mcp_url } = JSON.parse(await running.firstLine()) as { mcp_url: string };
    const transport = new StreamableHTTPClientTransport(new URL(mcp_url)) as unknown as Transport;
    expect(await place(transport, "x")).toMatchObject({ outcome: "accepted" });
    expect(await running.stop()).toMatchObject({ code: 0, signal: null });
    const hasty = start(["serve", "--http", "--port", "0", "--json"], { home });
    await hasty.firstLine();
    expect(await hasty.stop()).toMatchObject({ code: 0, signal: null });
  });
});
