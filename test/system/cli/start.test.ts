import { chmodSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, describe, expect, it } from "vitest";
import { freePort, oneLine } from "../../fixture/command.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { addressIn, type HttpAddress } from "../../fixture/http-address.ts";
import { cleanUp, environment, run, start } from "../../fixture/program.ts";
import { send } from "../../sandbox/http/signed-client.ts";

afterAll(cleanUp);

interface Started {
  readonly exchange_url: string;
  readonly mcp_url: string;
  readonly console_url: string;
  readonly mcpServers: { readonly hoga: { readonly command: string; readonly args: readonly string[] } };
  readonly http_configuration: { readonly mcpServers: { readonly hoga: HttpAddress } };
}

function overHttp({ url, headers }: HttpAddress): Transport {
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as unknown as Transport;
}

/** As a browser opens a link: the cookie comes with the first answer and is shown at the second. */
async function pageOf(link: string): Promise<string> {
  const first = await fetch(link, { redirect: "manual" });
  const cookie = /^[^;]+/.exec(first.headers.get("set-cookie") ?? "")?.[0] ?? "";
  const page = await fetch(new URL(first.headers.get("location") ?? "", link), { headers: { cookie } });
  return page.text();
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
    const running = start(["start", "--json", "--show-token", ...ports], { home });
    const started = JSON.parse(await running.firstLine()) as Started;
    const { exchange_url, mcp_url, console_url, mcpServers, http_configuration } = started;
    expect([exchange_url, console_url].map((url) => new URL(url).port)).toEqual([ports[3], ports[1]]);
    expect(await send(exchange_url, "GET", "/v1/markets")).toMatchObject({ status: 200 });
    expect(http_configuration.mcpServers.hoga).toMatchObject({ type: "http", url: mcp_url });
    expect(new URL(console_url).hostname).toBe("localhost");
    expect(await pageOf(console_url)).toContain("<title>hoga");

    expect(await place(overHttp(http_configuration.mcpServers.hoga), "http")).toMatchObject({
      outcome: "accepted",
      environment: "sandbox",
    });
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
  it("serves MCP where it says", async () => {
    const home = freshHome();
    const running = start(["serve", "--http", "--port", "0", "--json", "--show-token"], { home });
    const address = addressIn(await running.firstLine());
    expect(await place(overHttp(address), "x")).toMatchObject({ outcome: "accepted" });
    expect(await running.stop()).toMatchObject({ code: 0, signal: null });
  });

  it("has one token in processes that begin together, which others cannot read", async () => {
    const home = freshHome();
    const both = [1, 2, 3].map(() => start(["serve", "--http", "--port", "0", "--json", "--show-token"], { home }));
    const addresses = await Promise.all(both.map(async (running) => addressIn(await running.firstLine())));
    expect(new Set(addresses.map(({ headers }) => JSON.stringify(headers))).size).toBe(1);
    const file = join(home, "http-token");
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    for (const running of both) expect(await running.stop()).toMatchObject({ code: 0 });

    chmodSync(file, 0o644);
    const { code, stdout, stderr } = await run(["serve", "--http", "--port", "0", "--json", "--show-token"], { home });
    expect(code).toBe(1);
    expect(stderr).toMatch(/http-token.*is open to other users.*\n {2}→ Remove it/);
    expect(`${stdout}${stderr}`).not.toContain(readFileSync(file, "utf8").trim());
  });

  // The last is what a program gets whose terminal is closed.
  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("ends in order on a %s that comes at once", async (signal) => {
    const home = freshHome();
    const hasty = start(["serve", "--http", "--port", "0", "--json", "--show-token"], { home });
    await hasty.firstLine();
    expect(await hasty.stop(signal)).toMatchObject({ code: 0, signal: null });
  });
});
