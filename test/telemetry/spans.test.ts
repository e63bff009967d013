import { afterAll, describe, expect, it } from "vitest";
import { eventually, oneLine, quartet } from "../fixture/command.ts";
import { wideHome } from "../fixture/home.ts";
import { cleanUp, run, start, startSandbox } from "../fixture/in-process.ts";
import { connectHttp, ERAS, type TestClient } from "../mcp/client.ts";
import { type Collector, type ReceivedSpan, startCollector } from "./collector.ts";
import { type Operated, operated } from "./operated.ts";

afterAll(cleanUp);

const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.00123", price: "90210000" };
const CANARY = "canary7f3a91c0ffee";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const TRACEPARENT = `00-${TRACE}-${CALLER}-01`;
const OTHER = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;

/** A client whose every request names its place in a trace. */
async function tracedClient(
  { address }: Operated,
  era: (typeof ERAS)[number],
  traceparent: string,
): Promise<TestClient> {
  return connectHttp(era, { ...address, headers: { ...address.headers, traceparent } });
}

const named = ({ spans }: Collector, name: string): readonly ReceivedSpan[] =>
  spans.filter((span) => span.name === name);

/** Once it has arrived, which is after those below it. */
const arrived = (collector: Collector, name: string): Promise<ReceivedSpan> =>
  eventually(() => named(collector, name).at(-1));

/** Names from a span up to the one that its caller has. */
function wayUp({ spans }: Collector, from: ReceivedSpan | undefined): readonly string[] {
  if (from === undefined) return [];
  const above = spans.find(({ spanId }) => spanId === from.parentSpanId);
  return [from.name, ...(above === undefined ? [from.parentSpanId ?? "nobody"] : wayUp({ spans } as Collector, above))];
}

describe("spans", () => {
  it.each(ERAS)("make an order over HTTP one trace, from the caller's to the exchange, in %s", async (era) => {
    const collector = await startCollector();
    const place = await operated({ env: collector.env });
    const assistant = await tracedClient(place, era, TRACEPARENT);
    const { structured } = await assistant.call("place_order", { ...ORDER, userref: CANARY });
    await assistant.close();
    const call = await arrived(collector, "tools/call place_order");
    await eventually(() => collector.spans.find(({ spanId }) => spanId === call.parentSpanId));
    const ids = { "hoga.outcome": "accepted", "hoga.intent_id": structured["intent_id"] };
    expect(call).toMatchObject({ kind: 2, failed: false, attributes: { "gen_ai.tool.name": "place_order", ...ids } });
    expect(call.resource).toMatchObject({ "service.name": "hoga", "hoga.account": "environment" });
    const [sent] = named(collector, "POST /v1/orders");
    expect(wayUp(collector, sent)).toEqual([
      "POST /v1/orders",
      "desk place",
      "tools/call place_order",
      "POST /mcp",
      CALLER,
    ]);
    expect(sent).toMatchObject({
      kind: 3,
      attributes: { "http.response.status_code": 201, "http.request.resend_count": 0, "hoga.reached": "yes" },
    });
    expect(named(collector, "desk place")[0]?.attributes).toMatchObject(ids);
    for (const step of ["lane", "journal begin"])
      expect(wayUp(collector, named(collector, step)[0]).slice(1)).toEqual(wayUp(collector, sent).slice(1));
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
    const token = place.address.headers["Authorization"]?.slice(7) ?? "";
    const hidden = [CANARY, token, ORDER.price, ORDER.base_volume];
    // A time in nanoseconds may have the digits of a price.
    const told = collector.bytes().replaceAll(/(?<=UnixNano":")\d{19}(?=")/g, "");
    expect(told).not.toBe(collector.bytes());
    expect(hidden.filter((text) => told.includes(text))).toEqual([]);
  });

  it("say of a tenant whose they are, from the request to the exchange; of the operator none does", async () => {
    const collector = await startCollector();
    const place = await operated({ env: collector.env });
    await run(["tenants", "create", "alice"], place);
    const made = await run(["tokens", "create", "a", "--tenant", "alice", "--scopes", "all", "--json"], place);
    const headers = { Authorization: `Bearer ${oneLine<{ token: string }>(made).token}` };
    const alice = await tracedClient({ ...place, address: { ...place.address, headers } }, "2026-07-28", TRACEPARENT);
    const operator = await tracedClient(place, "2026-07-28", OTHER);
    const market = { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "50000" };
    for (const [client, order] of [[alice, market] as const, [operator, ORDER] as const]) {
      expect((await client.call("place_order", order)).structured).toMatchObject({ outcome: "accepted" });
      await client.close();
    }
    const ofOrder = ["POST /v1/orders", "tools/call place_order", "POST /mcp"];
    const tenantsIn = (traceId: string) =>
      ofOrder.map((name) => named(collector, name).find((span) => span.traceId === traceId)?.attributes["hoga.tenant"]);
    const isThere = (traceId: string) =>
      ofOrder.every((name) => named(collector, name).some((span) => span.traceId === traceId));
    await eventually(() => (isThere(TRACE) && isThere("a".repeat(32)) ? true : undefined));
    expect(tenantsIn(TRACE)).toEqual(["alice", "alice", "alice"]);
    expect(tenantsIn("a".repeat(32))).toEqual([undefined, undefined, undefined]);
  });

  it("follow the message where it names another trace than the request that brought it", async () => {
    const collector = await startCollector();
    const place = await operated({ env: collector.env });
    const assistant = await tracedClient(place, "2026-07-28", OTHER);
    const ask = (traceparent: string) => assistant.raw.callTool({ name: "get_balances", _meta: { traceparent } });
    await ask(TRACEPARENT);
    const call = await arrived(collector, "tools/call get_balances");
    expect(call).toMatchObject({ traceId: TRACE, parentSpanId: CALLER });
    const request = await eventually(() => collector.spans.find(({ spanId }) => spanId === call.links[0]));
    expect(request).toMatchObject({ name: "POST /mcp", traceId: "a".repeat(32), parentSpanId: "b".repeat(16) });
    const others = [OTHER, CANARY, `00-${"0".repeat(32)}-${CALLER}-01`];
    await Promise.all(others.map(ask));
    const calls = await eventually(() =>
      named(collector, call.name).length > others.length ? named(collector, call.name) : undefined,
    );
    const ofRequest = { traceId: "a".repeat(32), links: [] };
    expect(calls.slice(1)).toMatchObject(others.map(() => ofRequest));
    await assistant.close();
  });

  it("leave a server over stdio too, the last ones when it ends; none for what nobody called", async () => {
    const collector = await startCollector();
    const { line } = await startSandbox({});
    const env = { ...quartet(line.base_url, line.api_key, line.api_secret), ...collector.env };
    const server = start(["serve"], { home: wideHome(), env });
    const clientInfo = { name: "test", version: "1" };
    const said = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    said({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
    said({ method: "notifications/initialized" });
    const params = { name: "place_order", arguments: ORDER, _meta: { traceparent: TRACEPARENT } };
    said({ id: 1, method: "tools/call", params });
    await eventually(() => server.stdout().includes('"id":1}\n') || undefined);
    server.stdin.end();
    expect((await server.ended).code).toBe(0);
    const sent = named(collector, "POST /v1/orders")[0];
    expect(wayUp(collector, sent)).toEqual(["POST /v1/orders", "desk place", "tools/call place_order", CALLER]);
    expect(collector.bytes().includes(line.api_secret)).toBe(false);
    for (const span of collector.spans) expect(wayUp(collector, span).at(-1)).toBe(CALLER);
  });

  it.each(["hangs", "refuses"] as const)("delay no call and no end where the collector %s", async (behaviour) => {
    const collector = await startCollector(behaviour);
    const place = await operated({ env: collector.env });
    const assistant = await place.client();
    await assistant.call("place_order", ORDER);
    await eventually(() => collector.requests() > 0 || undefined);
    const begun = performance.now();
    for (let calls = 0; calls < 3; calls++) expect((await assistant.call("get_balances")).isError).toBe(false);
    expect(performance.now() - begun).toBeLessThan(2_000);
    if (behaviour === "refuses") await eventually(() => place.server.stderr().includes("does not take") || undefined);
    const stopping = performance.now();
    expect((await place.server.stop()).code).toBe(0);
    expect(performance.now() - stopping).toBeLessThan(2_500);
  });
});
