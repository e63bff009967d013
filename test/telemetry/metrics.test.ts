import { afterAll, describe, expect, it } from "vitest";
import type { Desk } from "../../src/desk/index.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { oneLine } from "../fixture/command.ts";
import { ORDER_POST } from "../fixture/fault-proxy.ts";
import { cleanUp, run } from "../fixture/in-process.ts";
import { ERAS } from "../mcp/client.ts";
import { operated } from "./operated.ts";

afterAll(cleanUp);

const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };
const CANARY = "canary7f3a91c0ffee";

describe("the figures", () => {
  it("have fifty names of tenants at most, and the rest is one", async () => {
    const metrics = new Metrics({ account: "paper", environment: "sandbox", version: "0" });
    for (let n = 0; n < 60; n++) await metrics.of(`t${n}`).around("get_balances", async () => ({ content: [] }), {});
    const halted = { standing: async () => ({ ok: true, value: { halted: true } }) } as unknown as Desk;
    const tenants = new Map([["t0", halted] as const, ["t59", halted] as const]);
    const { text } = await metrics.text(halted, () => tenants)({ connections: 0, sessions: 0, inFlight: 0 });
    const names = [...text.matchAll(/^hoga_tool_calls_total\{.*tenant="(\w+)".*\} (\d+)$/gm)].map(([, name, n]) => [
      name,
      n,
    ]);
    expect(names).toHaveLength(51);
    expect(names).toContainEqual(["other", "10"]);
    expect([...text.matchAll(/^hoga_trading_halted\{(.*)\} 1$/gm)].map(([, labels]) => labels)).toEqual([
      'account="paper"',
      'tenant="t0",account="paper"',
    ]);
  });

  it.each(ERAS)("move by what is done, in %s", async (era) => {
    const { client, figures, proxy } = await operated({ policy: { max_order_krw: "100000" } });
    const assistant = await client(era);
    await assistant.call("get_balances");
    const before = await figures();
    expect(before.of("hoga_orders_total", { outcome: "accepted", rule: "" })).toBeUndefined();

    expect((await assistant.call("place_order", ORDER)).structured).toMatchObject({ outcome: "accepted" });
    const large = await assistant.call("place_order", { ...ORDER, base_volume: "0.01" });
    expect(large.structured).toMatchObject({ outcome: "not_sent", error: { rule: "order_size" } });
    await assistant.call("place_order", { ...ORDER, base_volume: "nothing" });

    const after = await figures();
    const calls = (tool: string, outcome: string) => after.of("hoga_tool_calls_total", { tool, outcome });
    expect([calls("get_balances", "ok"), calls("place_order", "accepted")]).toEqual([1, 1]);
    expect(calls("place_order", "not_sent")).toBe(2);
    expect(after.of("hoga_tool_call_seconds_count", { tool: "place_order" })).toBe(3);
    expect(after.of("hoga_orders_total", { outcome: "accepted", rule: "" })).toBe(1);
    expect(after.of("hoga_orders_total", { outcome: "denied", rule: "order_size" })).toBe(1);
    expect(after.of("hoga_budget_limit", { rule: "order_size" })).toBe(100_000);
    expect(after.of("hoga_budget_used", { rule: "open_orders" })).toBe(1);
    expect(after.of("hoga_budget_used", { rule: "day_budget" })).toBe(90_000);
    const posts = proxy.log.filter(({ method }) => method === "POST").length;
    expect(after.of("hoga_venue_requests_total", { endpoint: "createOrder", outcome: "ok" })).toBe(posts);
    expect(after.of("hoga_lane_wait_seconds_count")).toBeGreaterThanOrEqual(2);
    expect(after.of("hoga_sessions")).toBe(era === "2025-11-25" ? 1 : 0);
    expect(after.of("hoga_http_in_flight")).toBeGreaterThanOrEqual(1);
    expect(after.of("hoga_build_info", { version: "0.1.0", environment: "sandbox" })).toBe(1);
    expect(after.of("hoga_store_readable")).toBe(1);
    expect(Math.abs(after.of("hoga_clock_offset_seconds") ?? Number.NaN)).toBeLessThan(5);
  });

  it("tell of an order without an answer, and of a halt", async () => {
    const { client, figures, proxy } = await operated();
    const assistant = await client();
    await assistant.call("get_balances");
    const quiet = await figures();
    expect([quiet.of("hoga_intents_unknown"), quiet.of("hoga_trading_halted")]).toEqual([0, 0]);
    proxy.plan(/^GET \/v1\/orders/, "deny", 99);
    proxy.plan(ORDER_POST, "lose_reset");
    expect((await assistant.call("place_order", ORDER)).structured).toMatchObject({ outcome: "unknown" });
    await assistant.call("halt_trading", { reason: CANARY });
    const loud = await figures();
    expect([loud.of("hoga_intents_unknown"), loud.of("hoga_trading_halted")]).toEqual([1, 1]);
    expect(loud.of("hoga_orders_total", { outcome: "unknown", rule: "" })).toBe(1);
    expect(loud.of("hoga_venue_requests_total", { endpoint: "createOrder", outcome: "no_answer" })).toBe(1);
    expect(loud.text).not.toContain(CANARY);
  });

  it("tell how sessions have ended", async () => {
    const { client, figures } = await operated();
    const assistant = await client("2025-11-25");
    const transport = assistant.raw.transport as unknown as { terminateSession(): Promise<void> };
    await transport.terminateSession();
    const after = await figures();
    expect([after.of("hoga_sessions"), after.of("hoga_sessions_ended_total", { reason: "client" })]).toEqual([0, 1]);
  });

  it("tell of an order that waits for a person", async () => {
    const { client, figures } = await operated({ policy: { mode: "confirm" } });
    const assistant = await client("2025-11-25");
    expect((await assistant.call("place_order", ORDER)).structured).toMatchObject({ state: "awaiting_approval" });
    const waiting = await figures();
    expect(waiting.of("hoga_approvals_waiting")).toBe(1);
    expect(waiting.of("hoga_orders_total", { outcome: "waiting", rule: "" })).toBe(1);
  });

  it("have no label of a caller's words: unknown tools, paths, methods, symbols, ids", async () => {
    const { client, figures, get, address } = await operated();
    const assistant = await client();
    await assistant.call("get_ticker", { symbols: ["BTC/KRW"] });
    await get("/nothing");
    const known: (readonly string[])[] = [];
    for (const word of [CANARY, `${CANARY}-2`]) {
      await assistant.call(word, { [word]: word }).catch(() => undefined);
      await assistant.call("get_ticker", { symbols: [word] });
      await get(`/${word}?${word}=${word}`);
      await get("/metrics", { ...address.headers, "X-Request-Id": word, "mcp-session-id": word });
      await fetch(address.url, { method: word.toUpperCase(), headers: address.headers }).catch(() => undefined);
      known.push((await figures()).names);
    }
    const after = await figures();
    expect(after.text.toLowerCase()).not.toContain(CANARY);
    // What happens again makes no figure that was not there before.
    expect(known[1]).toEqual(known[0]);
    expect(after.of("hoga_http_requests_total", { method: "GET", path: "other", status: "404" })).toBe(3);
    expect(after.of("hoga_http_refused_total", { reason: "not_found" })).toBe(3);
  });
});

describe("/metrics", () => {
  it("is for a token with the scope account:read, and for nobody without one", async () => {
    const { home, get } = await operated();
    const tokenOf = async (name: string, scopes: string): Promise<string> => {
      const made = await run(["tokens", "create", name, "--scopes", scopes, "--json"], { home });
      return oneLine<{ token: string }>(made).token;
    };
    const by = async (token: string) => get("/metrics", { Authorization: `Bearer ${token}` });
    expect((await get("/metrics", {})).status).toBe(401);
    const market = await by(await tokenOf("market", "market:read"));
    expect([market.status, market.headers.get("www-authenticate")]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="market:read account:read"',
    ]);
    const scraper = await by(await tokenOf("scraper", "account:read"));
    expect(scraper.status).toBe(200);
    expect(scraper.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await scraper.text();
    expect(text).toContain("process_cpu_seconds_total{");
    expect(text).toMatch(/hoga_http_refused_total\{reason="unauthorized",.*\} 1\n/);
  });
});
