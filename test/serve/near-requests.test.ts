/** What is not quite a request, over every way in: answered once or never, nothing of it reaches the exchange, and the server goes on. */
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type HttpServing, serveOverHttp } from "../../src/serve/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { BEARER, TOKEN } from "../fixture/http-address.ts";
import { overStreams, type ServedStreams } from "../fixture/stdio-lines.ts";

let exchange: ExchangeFixture;
let http: HttpServing;
let streams: ServedStreams;
/** Of the 2026 era, which a connection is in from its first message on. */
let later: ServedStreams;
let said = "";

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const clientInfo = { name: "test", version: "1" };
const INITIALIZE = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
const HEADERS = { ...BEARER, "content-type": "application/json", accept: "*/*" };
const ERAS = {
  "2025-11-25": async () => ({ "mcp-session-id": await begun(), "mcp-protocol-version": "2025-11-25" }),
  "2026-07-28": async () => ({ "mcp-protocol-version": "2026-07-28" }),
} as const;

const LIST_2026 = { method: "resources/templates/list", params: { _meta: ENVELOPE } };
const streamsOf = () => streams;
const streamsOf2026 = () => later;

const post = (body: string, headers: object = {}): Promise<Response> =>
  fetch(`${http.url}/mcp`, { method: "POST", headers: { ...HEADERS, ...headers }, body });

async function begun(): Promise<string> {
  const message = { jsonrpc: "2.0", id: 1, method: "initialize", params: INITIALIZE };
  return (await post(JSON.stringify(message))).headers.get("mcp-session-id") ?? "";
}

beforeAll(async () => {
  exchange = await startExchange();
  const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
  http = await serveOverHttp({ factory, token: TOKEN, port: 0 });
  streams = overStreams(factory);
  later = overStreams(factory);
  streams.stdout.on("data", (part: Buffer) => {
    said += part.toString();
  });
});

afterAll(async () => {
  await streams.close();
  await later.close();
  await http.close();
  await exchange.close();
});

beforeEach(() => {
  exchange.relay.seen.length = 0;
});

interface Near {
  readonly text: string;
  /** What its answer names; undefined where it has none. */
  readonly id: string | number | null | undefined;
}

const call = {
  name: "place_order",
  arguments: { symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "6000" },
};
const object = (id: Near["id"], ...changes: readonly object[]): Near => ({
  text: JSON.stringify(Object.assign({ jsonrpc: "2.0", id: "near", method: "tools/call", params: call }, ...changes)),
  id,
});
const lacking = (name: string, id: Near["id"]): Near => object(id, { [name]: undefined });
const odd = fc.oneof(fc.integer({ min: 3 }), fc.boolean(), fc.constant([]), fc.constant([1]), fc.constant("x"));
const strangeId = fc.constantFrom(null, 1.5, true, [], {}, [1]);

/** Each with what has to come of it. */
const near: fc.Arbitrary<Near> = fc.oneof(
  fc
    .constantFrom("{", "not JSON", "[1,", '{"jsonrpc":"2.0","id":9,"method":"ping"', "\u0000", "'a'")
    .map((text) => ({ text, id: null })),
  fc.constantFrom("7", "null", "true", '"ping"', "[]", "{}").map((text) => ({ text, id: null })),
  fc
    .array(fc.constant(object("x").text), { minLength: 1, maxLength: 3 })
    .map((all) => ({ text: `[${all.join(",")}]`, id: null })),
  fc.constant(lacking("jsonrpc", "near")),
  fc.constantFrom("1.0", "2", 2, null).map((jsonrpc) => object("near", { jsonrpc })),
  fc.constant(lacking("method", "near")),
  fc.constantFrom(null, 5, {}, []).map((method) => object("near", { method })),
  strangeId.map((id) => object(null, { id })),
  odd.filter((params) => params !== null).map((params) => object("near", { params })),
  fc.constantFrom("result", "error", "extra", "__proto__x").map((name) => object("near", { [name]: {} })),
  fc
    .constantFrom("{", "BTC/KRW", '{"symbol":"BTC/KRW","symbol":"ETH/KRW"}')
    .map((given) => object("near", { params: { ...call, arguments: given } })),
  // Nobody waits for these.
  odd.map((params) => object(undefined, { id: undefined, params })),
  fc.constantFrom("1.0", null).map((jsonrpc) => object(undefined, { id: undefined, jsonrpc })),
  fc
    .constantFrom({ result: {} }, { result: 5 }, { error: { code: 1, message: "no" } }, { error: "no" })
    .chain((end) =>
      fc
        .constantFrom("near", null, undefined)
        .map((id) => object(undefined, { method: undefined, params: undefined, id }, end)),
    ),
);

const answers = (text: string): readonly { readonly id?: unknown; readonly error?: { readonly message: string } }[] =>
  text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [JSON.parse(line)]));

const isPlain = (text: string): boolean => !/"?(code|path|expected)\\?":\s*\\?"?(invalid|\[)/.test(text);

describe("what is not quite a request", () => {
  it.each([
    ["2025-11-25", streamsOf, { method: "initialize", params: INITIALIZE }, { method: "ping" }],
    ["2026-07-28", streamsOf2026, LIST_2026, LIST_2026],
  ])(
    "is answered once or never over stdio in the era of %s, and the next request is answered",
    async (_, streamsOfEra, first, next) => {
      const { stdin, stdout } = streamsOfEra();
      let said = "";
      stdout.on("data", (part: Buffer) => {
        said += part.toString();
      });
      const write = (text: string) => stdin.write(`${text}\n`);
      write(JSON.stringify({ jsonrpc: "2.0", id: 0, ...first }));
      await vi.waitFor(() => expect(said).toContain('"id":0'), { timeout: 10_000 });
      let round = 0;
      await fc.assert(
        fc.asyncProperty(near, async ({ text, id }) => {
          said = "";
          round += 1;
          write(text);
          write(JSON.stringify({ jsonrpc: "2.0", id: `then ${round}`, ...next }));
          await vi.waitFor(() => expect(said).toContain(`then ${round}"`), { timeout: 5_000, interval: 2 });
          const others = answers(said).filter((answer) => answer.id !== `then ${round}`);
          expect(others.map((answer) => answer.id)).toEqual(id === undefined ? [] : [id]);
          for (const { error } of others) expect(isPlain(error?.message ?? "")).toBe(true);
        }),
        { numRuns: 300 },
      );
      expect(exchange.relay.seen).toEqual([]);
    },
  );

  it.each(Object.entries(ERAS))("is answered once or never over HTTP in the era of %s", async (era, begin) => {
    const headers = await begin();
    const params = era === "2026-07-28" ? { _meta: ENVELOPE } : {};
    await fc.assert(
      fc.asyncProperty(near, async ({ text, id }) => {
        const answer = await post(text, {
          ...headers,
          ...(era === "2026-07-28" && { "mcp-method": "tools/call", "mcp-name": "place_order" }),
        });
        const body = await answer.text();
        if (id === undefined) {
          expect([body, answer.status < 500]).toEqual(["", true]);
          return;
        }
        expect(answer.status).toBe(400);
        expect(JSON.parse(body)).toMatchObject({ jsonrpc: "2.0", id, error: { message: expect.any(String) } });
        expect(isPlain(body)).toBe(true);
      }),
      { numRuns: 200 },
    );
    const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params });
    expect(await (await post(list, { ...headers, "mcp-method": "tools/list" })).text()).toContain("place_order");
    expect(exchange.relay.seen).toEqual([]);
  });
});

describe("what is not quite a request over HTTP+SSE", () => {
  it("is answered once or never, by the post or the stream, and the next request is answered", async () => {
    const leaving = new AbortController();
    const stream = await fetch(`${http.url}/sse`, {
      headers: { ...BEARER, accept: "text/event-stream" },
      signal: leaving.signal,
    });
    let heard = "";
    const reading = (async () => {
      for await (const part of stream.body ?? []) heard += Buffer.from(part).toString();
    })().catch(() => undefined);
    await vi.waitFor(() => expect(heard).toMatch(/data: \/\S+/), { timeout: 5_000 });
    const address = `${http.url}${/data: (\/\S+)/.exec(heard)?.[1]}`;
    const send = (body: string) => fetch(address, { method: "POST", headers: HEADERS, body });
    const told = () => [...heard.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
    await send(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: INITIALIZE }));
    await vi.waitFor(() => expect(heard).toContain('"id":0'), { timeout: 5_000 });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(near, async ({ text, id }) => {
        heard = "";
        round += 1;
        const posted = await send(text);
        const body = await posted.text();
        const next = await send(JSON.stringify({ jsonrpc: "2.0", id: `then ${round}`, method: "ping" }));
        expect([posted.status < 500, next.status]).toEqual([true, 202]);
        await vi.waitFor(() => expect(heard).toContain(`then ${round}"`), { timeout: 5_000, interval: 2 });
        const inPost = body.startsWith("{") ? [JSON.parse(body)] : [];
        const all = [...inPost, ...told()].filter((answer) => answer.id !== `then ${round}`);
        expect(all.map((answer) => answer.id)).toEqual(id === undefined ? [] : [id]);
        for (const { error } of all) expect(isPlain(error?.message ?? "")).toBe(true);
      }),
      { numRuns: 200 },
    );
    expect(exchange.relay.seen).toEqual([]);
    leaving.abort();
    await reading;
  });
});

describe("a request in the words of a host", () => {
  const shaped: readonly (readonly [string, string, object])[] = [
    ["null arguments", "get_balances", { arguments: null }],
    ["empty arguments", "get_balances", { arguments: "" }],
    ["arguments as JSON text", "get_ticker", { arguments: '{"symbol":"BTC/KRW"}' }],
    [
      "a flag and a number as text",
      "get_candles",
      { arguments: { symbol: "btc", interval: "1h", limit: "5", chart: "false" } },
    ],
    ["nothing in _meta", "get_balances", { _meta: null }],
    ["a null token of progress", "get_balances", { _meta: { progressToken: null } }],
  ];

  it.each(shaped)("is served with %s, over stdio and HTTP", async (_, name, more) => {
    const request = (id: string) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name, ...more } });
    streams.stdin.write(`\uFEFF${JSON.stringify(request("host"))}\n`);
    said = "";
    await vi.waitFor(() => expect(said).toContain('"id":"host"'), { timeout: 5_000 });
    expect(said).not.toContain('"isError":true');
    const answer = await post(`\uFEFF${JSON.stringify(request("host"))}`, await ERAS["2025-11-25"]());
    expect(await answer.text()).toMatch(/"result":(?!.*"isError":true)/);
  });

  it("is refused in words where the form is wrong, and nowhere with what a validator found", async () => {
    const headers = await ERAS["2025-11-25"]();
    const wrong: readonly (readonly [string, unknown])[] = [
      ["tools/call", {}],
      ["tools/call", { name: 5 }],
      ["tools/call", { name: "get_ticker", arguments: 5 }],
      ["tools/list", { cursor: 5 }],
      ["resources/read", {}],
      ["resources/subscribe", { uri: 5 }],
      ["prompts/get", { name: "market_brief", arguments: { symbol: 5 } }],
      ["prompts/get", { name: "market_brief", arguments: { symbol: "" } }],
      ["prompts/get", { name: "market_brief", arguments: { symbol: "BTC", foo: "x" } }],
      ["completion/complete", { ref: 5 }],
      ["completion/complete", {}],
    ];
    for (const [method, params] of wrong) {
      const answer = await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), headers);
      const text = await answer.text();
      expect([method, params, text]).toEqual([
        method,
        params,
        expect.stringMatching(/"error":\{"code":-32602,"message":"[^\\]*(\\"|[A-Z])/),
      ]);
      expect([text, isPlain(text)]).toEqual([text, true]);
    }
  });

  it("finds its address with a slash, a query or another slash, and accepts anything", async () => {
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: INITIALIZE });
    for (const path of ["/mcp/", "//mcp", "/mcp?x=1", "/mcp/?x=1"])
      for (const accept of ["*/*", "application/*", "application/json, text/event-stream"]) {
        const answer = await fetch(`${http.url}${path}`, {
          method: "POST",
          headers: { ...HEADERS, accept },
          body: message,
        });
        expect([path, accept, answer.status]).toEqual([path, accept, 200]);
      }
    for (const path of ["/sse/", "/sse?x=1"]) {
      const stream = await fetch(`${http.url}${path}`, { headers: BEARER });
      expect([path, stream.status]).toEqual([path, 200]);
      await stream.body?.cancel();
    }
    expect((await fetch(`${http.url}/MCP`, { method: "POST", headers: HEADERS, body: message })).status).toBe(404);
  });
});
