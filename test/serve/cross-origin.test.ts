/** Which pages may call MCP from a browser, and which may not: the browser's question, and the call that follows. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type HttpServing, serveOverHttp } from "../../src/serve/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { BEARER, TOKEN } from "../fixture/http-address.ts";

const NEAR = "http://localhost:6274";
const FAR = ["https://example.com", "http://localhost.example.com", "null"];
const SENT = [
  "authorization",
  "content-type",
  "accept",
  "mcp-protocol-version",
  "mcp-session-id",
  "last-event-id",
  "mcp-method",
  "mcp-name",
];

let exchange: ExchangeFixture;
let http: HttpServing;

beforeAll(async () => {
  exchange = await startExchange();
  const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
  http = await serveOverHttp({ factory, token: TOKEN, port: 0 });
});

afterAll(async () => {
  await http.close();
  await exchange.close();
});

const ask = (path: string, origin: string, method: string): Promise<Response> =>
  fetch(`${http.url}${path}`, {
    method: "OPTIONS",
    // A page by one name of this machine is another site to a server by its other name.
    headers: { origin, "sec-fetch-site": "cross-site", "access-control-request-method": method },
  });

describe("a page of another origin", () => {
  it.each([
    ["/mcp", "POST"],
    ["/mcp", "GET"],
    ["/mcp", "DELETE"],
    ["/mcp/", "POST"],
    ["/sse", "GET"],
    ["/messages", "POST"],
  ])("when it is of this machine, may call %s by %s, without a token in the question", async (path, method) => {
    const { status, headers } = await ask(path, NEAR, method);
    expect([status, headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual([204, NEAR, "Origin"]);
    expect(headers.get("access-control-allow-methods")).toContain(method);
    const allowed = (headers.get("access-control-allow-headers") ?? "").toLowerCase().split(", ");
    expect(allowed).toEqual(expect.arrayContaining(SENT));
    expect(headers.get("access-control-allow-credentials")).toBeNull();
  });

  it.each(FAR)("when it is %s, may not call, and reads nothing", async (origin) => {
    for (const path of ["/mcp", "/sse", "/messages"]) {
      const asked = await ask(path, origin, "POST");
      const called = await fetch(`${http.url}${path}`, { method: "POST", headers: { origin, ...BEARER } });
      for (const { status, headers } of [asked, called])
        expect([path, status, headers.get("access-control-allow-origin")]).toEqual([path, 403, null]);
    }
  });

  it("when it is of this machine, may call nothing but MCP", async () => {
    for (const path of ["/", "/page-link", "/healthz", "/metrics"]) {
      const { headers } = await ask(path, NEAR, "POST");
      expect([path, headers.get("access-control-allow-origin")]).toEqual([path, null]);
    }
  });

  it("when it is of this machine, reads its session, and how to come in where it is not let in", async () => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "page", version: "1" } };
    const call = (more: object) =>
      fetch(`${http.url}/mcp`, {
        method: "POST",
        headers: { origin: NEAR, "sec-fetch-site": "cross-site", "content-type": "application/json", ...more },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
      });
    const [begun, refused] = [await call({ ...BEARER }), await call({})];
    expect([begun.status, refused.status]).toEqual([200, 401]);
    for (const { headers } of [begun, refused]) {
      expect(headers.get("access-control-allow-origin")).toBe(NEAR);
      for (const name of ["Mcp-Session-Id", "MCP-Protocol-Version", "WWW-Authenticate", "Retry-After"])
        expect(headers.get("access-control-expose-headers")).toContain(name);
    }
  });

  it("when it is of this machine, opens the stream of the older transport", async () => {
    const stream = await fetch(`${http.url}/sse`, { headers: { origin: NEAR, ...BEARER } });
    expect([stream.status, stream.headers.get("access-control-allow-origin")]).toEqual([200, NEAR]);
    await stream.body?.cancel();
  });
});
