/** Tenants by an authorization server: a subject is served as the tenant that it was admitted to; and what an operator sees of tenants. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { eventually, oneLine, type Running } from "../fixture/command.ts";
import { cleanUp, run, start } from "../fixture/command-line.ts";
import { freshHome } from "../fixture/data-dir.ts";
import { addressIn, type HttpAddress } from "../fixture/http-address.ts";
import { AUDIENCE, type Issuer, startIssuer } from "../fixture/issuer.ts";
import { connectHttp } from "../mcp/client.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
afterAll(cleanUp);

let home: string;
let issuer: Issuer;
let server: Running;
let owner: HttpAddress;

const hoga = (...args: string[]) => run([...args, "--json"], { home });

beforeAll(async () => {
  home = freshHome();
  issuer = await startIssuer();
  const http = `[http]\nauth = "oauth"\nissuer = "${issuer.url}"\nresource = "${AUDIENCE}"\n`;
  writeFileSync(join(home, "config.toml"), http, { mode: 0o600 });
  server = start(["serve", "--http", "--json", "--show-token", "--port", "0"], {
    home,
    env: { HOGA_LOG_LEVEL: "info" },
  });
  owner = addressIn(await server.firstLine());
  return () => issuer.close();
});

async function addressOf(sub: string): Promise<HttpAddress> {
  return {
    url: owner.url,
    headers: { Authorization: `Bearer ${await issuer.token({ sub, scope: "market:read account:read trade:write" })}` },
  };
}

async function statusFor(sub: string): Promise<number> {
  const { url, headers } = await addressOf(sub);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const answer = await fetch(url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body,
  });
  await answer.text();
  return answer.status;
}

describe("a subject", () => {
  it("is the operator's where there are no tenants, and then its tenant's or nobody's", async () => {
    expect(await statusFor("kim")).not.toBe(403);
    const before = await connectHttp("2025-11-25", await addressOf("kim"));
    for (const name of ["alice", "bob"]) await hoga("tenants", "create", name);
    expect(await statusFor("kim")).toBe(403);
    expect(oneLine(await hoga("tenants", "admit", "alice", "--subject", "kim"))).toEqual({
      ...{ name: "alice", issuer: issuer.url, subject: "kim" },
    });
    expect(await hoga("tenants", "admit", "bob", "--subject", "kim")).toMatchObject({ code: 1 });
    // What began as the operator's is not gone on with.
    await expect(before.call("get_balances")).rejects.toThrow(/404|not found|closed/i);
    const kim = await connectHttp("2025-11-25", await addressOf("kim"));
    const order = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "50000" };
    expect((await kim.call("place_order", order)).structured).toMatchObject({ outcome: "accepted" });
    const orders = async (...more: string[]) =>
      oneLine<{ orders: readonly unknown[] }>(await hoga("orders", "--state", "filled", ...more)).orders.length;
    expect([await orders("--tenant", "alice"), await orders("--tenant", "bob"), await orders()]).toEqual([1, 0, 0]);
    expect(await statusFor("lee")).toBe(403);
  });

  it("is seen by the operator under its tenant's name, in figures and log", async () => {
    // One who has not called yet is opened in the background.
    const figures = await eventually(async () => {
      const text = await (await fetch(new URL("/metrics", owner.url), { headers: owner.headers })).text();
      return text.includes('hoga_trading_halted{tenant="bob"') ? text : undefined;
    });
    const calls = /^hoga_tool_calls_total\{tool="place_order",outcome="accepted",tenant="alice",.*\} 1$/m;
    expect(figures).toMatch(calls);
    expect(figures).toMatch(/^hoga_trading_halted\{tenant="bob",.*\} 0$/m);
    expect(figures).toMatch(/^hoga_trading_halted\{account="paper"\} 0$/m);
    const lines = await eventually(() => {
      const said = server
        .stderr()
        .split("\n")
        .filter((line) => line.startsWith("{") && line.includes('"alice"'));
      return ["call", "request"].every((msg) => said.some((line) => line.includes(`"msg":"${msg}"`)))
        ? said
        : undefined;
    });
    expect(JSON.parse(lines.find((line) => line.includes("place_order")) ?? "{}")).toMatchObject({ tenant: "alice" });
  });

  it("is let in no more once it is dismissed, and its session ends", async () => {
    const kim = await connectHttp("2025-11-25", await addressOf("kim"));
    expect(oneLine(await hoga("tenants", "dismiss", "--subject", "kim"))).toEqual({ dismissed: "kim", name: "alice" });
    await expect(kim.call("get_balances")).rejects.toThrow(/403|Forbidden/i);
    expect(await hoga("tenants", "dismiss", "--subject", "kim")).toMatchObject({ code: 1 });
    await hoga("tenants", "admit", "bob", "--subject", "kim");
    await expect(kim.call("get_balances")).rejects.toThrow(/404|not found|closed/i);
    const { tenants } = oneLine<{ tenants: readonly object[] }>(await hoga("tenants", "list"));
    expect(tenants).toMatchObject([{ subjects: [] }, { subjects: ["kim"] }]);
  });
});
