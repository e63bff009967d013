/** What a client of the 2025 protocol era sees of its streams and requests when a line breaks, a call is cancelled, or the server ends. */
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type HttpServing, type HttpSettings, serveOverHttp } from "../../src/serve/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { BEARER, TOKEN } from "../fixture/http-address.ts";

let exchange: ExchangeFixture;
let http: HttpServing;
let session: Record<string, string>;

async function serve(settings: Partial<HttpSettings> = {}): Promise<void> {
  const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
  http = await serveOverHttp({ factory, token: TOKEN, port: 0, ...settings });
}

beforeEach(async () => {
  exchange = await startExchange();
  await serve();
  session = await begin();
});
afterEach(async () => {
  await http.close();
  await exchange.close();
});

const HEADERS = { ...BEARER, "content-type": "application/json", accept: "application/json, text/event-stream" };

function post(message: object, headers: Record<string, string> = session): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  return fetch(`${http.url}/mcp`, { method: "POST", headers: { ...HEADERS, ...headers }, body });
}

async function begin(): Promise<Record<string, string>> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const answer = await post({ id: 0, method: "initialize", params }, {});
  await answer.text();
  return { "mcp-session-id": answer.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-11-25" };
}

/** The answer in a body, which is one event or JSON. */
async function messageOf(answer: Response): Promise<object> {
  const text = await answer.text();
  return JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? text) as object;
}

const PING = { id: 1, method: "ping" };
/** Waits for an order that stays open for as long as this call may. */
const WAIT = {
  id: 7,
  method: "tools/call",
  params: { name: "await_order", arguments: { userref: "w", timeout_s: 50 } },
};

async function placed(): Promise<void> {
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "50000000" } as const;
  await exchange.desk.place({ ...order, userref: "w" });
}

/** The stream for notifications, over a connection of its own. Resolves with its head. */
function listen(): Promise<{ readonly sent: ClientRequest; readonly answer: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${http.url}/mcp`, { headers: { ...HEADERS, ...session }, agent: false }, (answer) =>
      resolve({ sent, answer: answer.resume() }),
    );
    sent.on("error", reject).end();
  });
}

describe("the stream for notifications", () => {
  it("has its head at once, and is opened again as soon as its connection is lost", async () => {
    const begun = performance.now();
    const first = await listen();
    expect(first.answer.statusCode).toBe(200);
    first.sent.on("error", () => undefined).destroy();
    await expect
      .poll(async () => {
        const again = await listen();
        again.sent.on("error", () => undefined);
        if (again.answer.statusCode !== 200) again.sent.destroy();
        return again.answer.statusCode;
      })
      .toBe(200);
    // A keep-alive event would bring both about, after 15 s.
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it("is one for each session", async () => {
    expect((await listen()).answer.statusCode).toBe(200);
    expect((await listen()).answer.statusCode).toBe(409);
  });
});

describe("a request", () => {
  it("gets no answer when it is cancelled, and its stream ends", async () => {
    await placed();
    const waiting = post(WAIT);
    await pause(100);
    await post({ method: "notifications/cancelled", params: { requestId: 7 } });
    expect(await (await waiting).text()).not.toContain('"id":7');
    expect(await messageOf(await post({ ...PING, id: 7 }))).toMatchObject({ id: 7, result: {} });
  });

  it("when it has the id of another that runs, is refused, and both have their answer", async () => {
    await placed();
    const waiting = post(WAIT);
    await pause(100);
    const twice = await post({ ...PING, id: 7 });
    expect(twice.status).toBe(400);
    expect(await messageOf(twice)).toMatchObject({ id: 7, error: { code: -32600 } });
    await exchange.desk.cancelAll();
    expect(await messageOf(await waiting)).toMatchObject({ id: 7, result: { structuredContent: {} } });
    expect((await post({ ...PING, id: 7 })).status).toBe(200);
  });

  it("nested deeper than the parsers go is refused in the form of the protocol", async () => {
    for (const nested of ['{"a":', "[", '{"__proto__":'].map((open) => open.repeat(10_000))) {
      const close = nested.replaceAll(/[^[{]/g, "").replaceAll("[", "]").replaceAll("{", "}");
      const args = `{"name":"place_order","arguments":{"symbol":"BTC/KRW","x":${nested}1${close}}}`;
      const answer = await fetch(`${http.url}/mcp`, {
        method: "POST",
        headers: { ...HEADERS, ...session },
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${args}}`,
      });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32600 } });
    }
    expect((await post(PING)).status).toBe(200);
  });
});

describe("the end of the server", () => {
  const era = (message: { readonly params: object }) => ({
    ...message,
    params: {
      ...message.params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  });
  const MODERN = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "await_order",
  };

  it("tells who still waits that no answer comes, in either era", async () => {
    await placed();
    const waiting = [post(WAIT), post(era(WAIT), MODERN)];
    await pause(200);
    const closed = http.close();
    for (const answer of waiting)
      expect(await messageOf(await answer)).toMatchObject({
        id: 7,
        error: { code: -32000, message: expect.stringContaining("The server stops") },
      });
    await closed;
  });

  it("lets an answer that is on its way arrive, however slowly it is read", async () => {
    await http.close();
    const balances: Desk["balances"] = async () => {
      const found = await exchange.desk.balances();
      if (!found.ok) return found;
      const all = found.value.balances;
      return { ...found, value: { ...found.value, balances: Array.from({ length: 12_000 }, () => all).flat() } };
    };
    await serve({ factory: createMcpServer({ desk: { ...exchange.desk, balances }, version: "0.0.0" }) });
    session = await begin();
    const answer = await post({ id: 3, method: "tools/call", params: { name: "get_balances", arguments: {} } });
    await pause(300);
    const closed = http.close();
    await pause(300);
    expect(await messageOf(answer)).toMatchObject({
      id: 3,
      result: { structuredContent: { value: expect.anything() } },
    });
    await closed;
  });

  it("lets a read that runs be answered", async () => {
    await http.close();
    const balances: Desk["balances"] = async () => {
      await pause(400);
      return exchange.desk.balances();
    };
    await serve({ factory: createMcpServer({ desk: { ...exchange.desk, balances }, version: "0.0.0" }) });
    session = await begin();
    const reading = post({ id: 3, method: "tools/call", params: { name: "get_balances", arguments: {} } });
    await pause(100);
    const closed = http.close();
    expect(await messageOf(await reading)).toMatchObject({
      id: 3,
      result: { structuredContent: { value: expect.anything() } },
    });
    await closed;
  });
});

describe("connections", () => {
  it("when they send no head in time, are closed in time", async () => {
    await http.close();
    await serve({ limits: { headersMs: 300 } });
    const begun = performance.now();
    const socket = connect(Number(new URL(http.url).port), "127.0.0.1").resume();
    socket.write("POST /mcp HTTP/1.1\r\nHost: localhost\r\n");
    await new Promise((resolve) => socket.on("error", () => undefined).on("close", resolve));
    expect(performance.now() - begun).toBeLessThan(3_000);
  });
});
