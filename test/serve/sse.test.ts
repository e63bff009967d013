/**
 * The older transport, HTTP+SSE, to the real client that speaks it. What every client does is in the story (test/mcp/story.test.ts), a
 * person's answer in test/approval; here is what is its own.
 */
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ok } from "../../src/contract/index.ts";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type HttpServing, type HttpSettings, serveOverHttp } from "../../src/serve/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { addressOf, BEARER, sseOf, TOKEN } from "../fixture/http-address.ts";
import { LIMIT_BUY } from "../fixture/order-sample.ts";
import { LOOSE } from "../fixture/policy.ts";
import { connectHttp, connectSse, type TestClient } from "../mcp/client.ts";

const SOON = { timeout: 15_000, interval: 20 };
const ORDERS = "hoga://orders/open";

let exchange: ExchangeFixture;
let http: HttpServing;
let clients: TestClient[];

async function serve(settings: Partial<HttpSettings> = {}): Promise<void> {
  const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
  http = await serveOverHttp({ factory, token: TOKEN, port: 0, ...settings });
}

async function served(settings: Partial<HttpSettings>): Promise<void> {
  await http.close();
  await serve(settings);
}

beforeEach(async () => {
  clients = [];
  exchange = await startExchange({ stream: true });
  await serve();
});
afterEach(async () => {
  for (const client of clients) await client.close();
  await http.close();
  await exchange.close();
});

async function connected(): Promise<TestClient> {
  const client = await connectSse(addressOf(http));
  clients.push(client);
  return client;
}

interface Stream {
  readonly status: number | undefined;
  /** Where to post. */
  readonly address: string;
  /** Everything that came. */
  readonly text: () => string;
  readonly sent: ClientRequest;
  readonly answer: IncomingMessage;
}

/** A stream as no real client leaves it. */
async function stream(): Promise<Stream> {
  const { sent, answer } = await new Promise<Pick<Stream, "sent" | "answer">>((resolve, reject) => {
    const opening = request(sseOf(http.url), { headers: BEARER, agent: false }, (answer) =>
      resolve({ sent: opening, answer }),
    );
    opening.on("error", reject).end();
  });
  sent.on("error", () => undefined);
  let text = "";
  answer.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  answer.on("error", () => undefined);
  if (answer.statusCode === 200) await expect.poll(() => text, SOON).toContain("\n\n");
  const address = new URL(/^data: (.*)$/m.exec(text)?.[1] ?? "/", http.url).href;
  return { status: answer.statusCode, address, text: () => text, sent, answer };
}

const JSON_TYPE = { "content-type": "application/json" };

function post(address: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(address, { method: "POST", headers: { ...BEARER, ...JSON_TYPE, ...headers }, body });
}

const message = (rest: object): string => JSON.stringify({ jsonrpc: "2.0", ...rest });
const PING = message({ id: 1, method: "ping" });
const call = (id: number, name: string, args: object): string =>
  message({ id, method: "tools/call", params: { name, arguments: args } });
const WAIT = { userref: "w", timeout_s: 50 };

describe("a client", () => {
  it("is notified of what it subscribes to", async () => {
    const client = await connected();
    const told: string[] = [];
    const end = await client.follow([ORDERS], (uri) => told.push(uri));
    await expect.poll(() => told, SOON).toEqual([ORDERS]);
    told.length = 0;
    await exchange.desk.place(LIMIT_BUY);
    await expect.poll(() => told, SOON).toContain(ORDERS);
    await end();
  });

  it("leaves nothing behind when it goes", async () => {
    let watched = 0;
    const watch: Desk["watch"] = async (...args) => {
      const found = await exchange.desk.watch(...args);
      if (!found.ok) return found;
      watched += 1;
      const close = (): void => {
        watched -= 1;
        found.value.close();
      };
      return ok({ live: found.value.live, close });
    };
    await served({ factory: createMcpServer({ desk: { ...exchange.desk, watch }, version: "0.0.0" }) });
    const client = await connectSse(addressOf(http));
    await client.follow([ORDERS], () => undefined);
    await expect.poll(() => watched, SOON).toBe(1);
    await client.close();
    await expect.poll(() => watched, SOON).toBe(0);
  });

  it("comes back by itself after the server was closed, and reads on", async () => {
    const client = await connected();
    expect((await client.call("get_balances")).isError).toBe(false);
    await served({ port: Number(new URL(http.url).port) });
    const balances = () =>
      client.call("get_balances").then(
        ({ isError }) => isError,
        () => undefined,
      );
    await expect.poll(balances, SOON).toBe(false);
  });

  it.each([
    ["paper", true, { asked: 1, state: "open" }],
    ["real money", false, { asked: 0, state: "awaiting_approval" }],
  ])("is asked for a yes as any other over HTTP: %s", async (_, isPractice, expected) => {
    exchange.policy.value = ok({ ...LOOSE, mode: "confirm", approveBy: ["client"] });
    const desk: Desk = { ...exchange.desk, isPractice: () => isPractice };
    await served({ factory: createMcpServer({ desk, version: "0.0.0" }) });
    const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: { form: {} } } });
    let asked = 0;
    client.setRequestHandler(ElicitRequestSchema, async () => {
      asked += 1;
      return { action: "accept", content: { approve: true } };
    });
    await client.connect(new SSEClientTransport(sseOf(http.url), { requestInit: { headers: BEARER } }));
    const { structuredContent } = await client.callTool({ name: "place_order", arguments: { ...LIMIT_BUY } });
    expect({ asked, ...(structuredContent as object) }).toMatchObject(expected);
    await client.close();
  });
});

describe("what is posted", () => {
  it("when its id is not a stream's own, is not found, whoever asks, and nothing of it is done", async () => {
    await connected();
    const other = await connectHttp("2025-11-25", addressOf(http));
    clients.push(other);
    const { sessionId } = other.raw.transport as { readonly sessionId?: string };
    exchange.relay.seen.length = 0;
    for (const id of [crypto.randomUUID(), "", "__proto__", sessionId ?? ""]) {
      const answer = await post(`${http.url}/messages?sessionId=${id}`, call(1, "get_balances", {}));
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { code: -32001 } });
    }
    expect((await post(`${http.url}/messages`, PING)).status).toBe(404);
    // Nor is it read.
    expect((await post(`${http.url}/messages?sessionId=x`, "{")).status).toBe(404);
    expect(exchange.relay.seen).toEqual([]);
  });

  it("is taken until the stream ends", async () => {
    const { address, sent, text } = await stream();
    expect((await post(address, PING)).status).toBe(202);
    await expect.poll(text, SOON).toContain('"id":1');
    sent.destroy();
    await expect.poll(async () => (await post(address, PING)).status, SOON).toBe(404);
  });

  it("when the stream ends meanwhile, is not found, and nothing of it is done", async () => {
    const { address, sent } = await stream();
    const posted = new Promise<number | undefined>((resolve, reject) => {
      const headers = { ...BEARER, ...JSON_TYPE };
      const posting = request(address, { method: "POST", headers, agent: false }, (answer) =>
        resolve(answer.resume().statusCode),
      );
      posting.on("error", reject).write(PING.slice(0, 5));
      setTimeout(() => sent.destroy(), 150);
      setTimeout(() => posting.end(PING.slice(5)), 300);
    });
    expect(await posted).toBe(404);
  });

  it.each<[string, string, Record<string, string>, number]>([
    ["too large", "x".repeat(300 * 1024), {}, 413],
    ["not JSON", "{", {}, 400],
    ["no message", "7", {}, 400],
    ["null", "null", {}, 400],
    ["several messages", `[${PING}]`, {}, 400],
    [
      "nested too deeply",
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(9_999)}1${"}".repeat(9_999)}}`,
      {},
      400,
    ],
    ["of another type", PING, { "content-type": "text/plain" }, 415],
    ["without the token", PING, { authorization: "" }, 401],
  ])("is refused where it is %s, and the stream goes on", async (_, body, headers, status) => {
    const { address, text } = await stream();
    expect((await post(address, body, headers)).status).toBe(status);
    expect((await post(address, message({ id: 2, method: "ping" }))).status).toBe(202);
    await expect.poll(text, SOON).toContain('"id":2');
    expect(text()).not.toContain('"id":1');
  });

  it("when it has an argument that parsers drop, is refused by its name", async () => {
    const { address, text } = await stream();
    const args =
      '{"symbol":"BTC/KRW","side":"buy","type":"limit","base_volume":"1","price":"1000","__proto__":{"a":1}}';
    const body = call(3, "place_order", {}).replace('"arguments":{}', `"arguments":${args}`);
    expect((await post(address, body)).status).toBe(202);
    await expect.poll(text, SOON).toContain("__proto__ (not a field)");
    expect(exchange.relay.writes()).toEqual([]);
  });

  it("and answered shows no secret", async () => {
    const { address, text } = await stream();
    expect((await post(address, call(3, "get_ticker", { symbol: `BTC ${TOKEN.reveal()}` }))).status).toBe(202);
    await expect.poll(text, SOON).toContain('"id":3');
    expect(text()).toContain("BTC [secret]");
    expect(text()).not.toContain(TOKEN.reveal());
  });

  it("when it has the id of a request that runs, is refused, and cancelled it frees the id", async () => {
    await exchange.desk.place({ ...LIMIT_BUY, price: "50000000", userref: "w" });
    const { address, text } = await stream();
    expect((await post(address, call(7, "await_order", WAIT))).status).toBe(202);
    expect((await post(address, message({ id: 7, method: "ping" }))).status).toBe(400);
    await post(address, message({ method: "notifications/cancelled", params: { requestId: 7 } }));
    expect((await post(address, message({ id: 7, method: "ping" }))).status).toBe(202);
    await expect.poll(text, SOON).toContain('{"result":{},"jsonrpc":"2.0","id":7}');
    expect(text().match(/"id":7/g)).toHaveLength(1);
  });

  it("is refused while too much waits to be read, and taken again when it was read", async () => {
    const { address, answer } = await stream();
    answer.pause();
    const list = () => post(address, message({ id: crypto.randomUUID(), method: "tools/list" }));
    await expect.poll(async () => (await list()).status, { ...SOON, interval: 1 }).toBe(503);
    answer.resume();
    await expect.poll(async () => (await list()).status, SOON).toBe(202);
  });

  it("when it is many requests at once, is taken up to a bound", async () => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const found = await exchange.desk.balances();
    const balances = () => released.then(() => found);
    await served({ factory: createMcpServer({ desk: { ...exchange.desk, balances }, version: "0.0.0" }) });
    const { address } = await stream();
    const asked = Array.from({ length: 257 }, (_, id) => post(address, call(id, "get_balances", {})));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 202)).toEqual([503]);
    release();
  });
});

describe("a stream", () => {
  it("passes through proxies at once, and shows that it is there while nothing happens", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    try {
      const { answer, text } = await stream();
      expect(answer.headers).toMatchObject({ "x-accel-buffering": "no", "cache-control": "no-cache, no-transform" });
      vi.advanceTimersByTime(15_000);
      await expect.poll(text, SOON).toContain(": keepalive");
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("sessions", () => {
  it("have one bound for both transports", async () => {
    await served({ limits: { sessionsMax: 2 } });
    clients.push(await connectHttp("2025-11-25", addressOf(http)));
    const first = await stream();
    const second = await stream();
    expect([first.status, second.status, second.answer.headers["retry-after"]]).toEqual([200, 503, "60"]);
    first.sent.destroy();
    await expect.poll(async () => (await stream()).status, SOON).toBe(200);
  });

  it("are not opened by a post, so that a client of the newer transport finds out that it has the wrong address", async () => {
    const answer = await post(sseOf(http.url).href, PING);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET"]);
  });
});

describe("the end of the server", () => {
  it("tells who still waits that no answer comes", async () => {
    await exchange.desk.place({ ...LIMIT_BUY, price: "50000000", userref: "w" });
    const client = await connected();
    const waiting = client.call("await_order", WAIT).catch((error: unknown) => error);
    await pause(200);
    const closing = http.close();
    expect(await waiting).toMatchObject({ code: -32000, message: expect.stringContaining("The server stops") });
    await closing;
  });

  it("lets a write end and answers it", async () => {
    let began = (): void => {};
    const begun = new Promise<void>((resolve) => {
      began = resolve;
    });
    const place: Desk["place"] = async (...args) => {
      began();
      await pause(300);
      return exchange.desk.place(...args);
    };
    await served({ factory: createMcpServer({ desk: { ...exchange.desk, place }, version: "0.0.0" }) });
    const client = await connected();
    const placing = client.call("place_order", LIMIT_BUY);
    await begun;
    await http.close();
    expect((await placing).structured).toMatchObject({ outcome: "accepted", state: "open" });
    expect(exchange.relay.writes()).toEqual(["POST /v1/orders"]);
  });
});
