import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Secret } from "../../src/config/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type HttpServing, serveOverHttp } from "../../src/serve/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { addressOf, BEARER, TOKEN } from "../fixture/http-address.ts";
import { connectHttp, ERAS } from "../mcp/client.ts";

const MINUTE = 60_000;

let exchange: ExchangeFixture;
let http: HttpServing;
let nowMs = 0;

beforeAll(async () => {
  exchange = await startExchange();
  http = await serveOverHttp({
    factory: createMcpServer({ desk: exchange.desk, version: "0.0.0" }),
    token: TOKEN,
    port: 0,
    now: () => nowMs,
  });
});
afterAll(async () => {
  await http.close();
  await exchange.close();
});
beforeEach(() => {
  nowMs = 0;
  exchange.relay.seen.length = 0;
});

type Sent = { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string };

function ask(path: string, sent: Sent = {}): Promise<Response> {
  return fetch(new URL(path, http.url), { redirect: "manual", ...sent });
}

const PLACE = {
  method: "POST",
  headers: {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "place_order",
  },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "place_order",
      arguments: { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "1000000" },
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  }),
};

const WRONG: readonly (readonly [string, string | undefined])[] = [
  ["no token", undefined],
  ["an empty one", "Bearer "],
  ["another", `Bearer ${TOKEN.reveal().replace("a", "b")}`],
  ["a part of it", `Bearer ${TOKEN.reveal().slice(0, -1)}`],
  ["more than it", `Bearer ${TOKEN.reveal()}x`],
  ["another scheme", `Basic ${Buffer.from(`hoga:${TOKEN.reveal()}`).toString("base64")}`],
  ["the token alone", TOKEN.reveal()],
];

describe("a program", () => {
  it.each(WRONG)("when it comes with %s, is refused everywhere and learns nothing", async (_, authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    const refused = await Promise.all([
      ask("/mcp", { ...PLACE, headers: { ...PLACE.headers, ...headers } }),
      ask("/mcp", { headers }),
      ask("/mcp", { method: "DELETE", headers: { ...headers, "mcp-session-id": "x" } }),
      ask("/page-link", { method: "POST", headers }),
      ask("/", { method: "POST", headers }),
      ask("/nothing", { headers }),
      ask("/./healthz/../mcp", { headers }),
    ]);
    const bodies = await Promise.all(refused.map((answer) => answer.text()));
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 401));
    for (const { headers: told } of refused) expect(told.get("www-authenticate")).toMatch(/^Bearer/);
    // The same words whatever was asked for, and none of them of what is here.
    expect(new Set(bodies).size).toBe(1);
    expect(JSON.parse(bodies[0] ?? "")).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32001 } });
    expect(bodies[0]).not.toMatch(/hoga|desk|sandbox|live|paper|account|order|session|method/i);
    expect(exchange.relay.seen).toEqual([]);
  });

  it("is not let in by the token in its address, or by the cookie of a page", async () => {
    const cookie = await opened(http.pageLink());
    for (const sent of [{ path: `/mcp?token=${TOKEN.reveal()}` }, { path: "/mcp", cookie }]) {
      const headers = { ...PLACE.headers, ...(sent.cookie === undefined ? {} : { cookie: sent.cookie }) };
      expect((await ask(sent.path, { ...PLACE, headers })).status).toBe(401);
    }
    expect(exchange.relay.seen).toEqual([]);
  });

  it("comes in with the token, in either era", async () => {
    for (const era of ERAS) {
      const client = await connectHttp(era, addressOf(http));
      expect((await client.call("get_balances")).isError).toBe(false);
      await client.close();
    }
  });

  it("learns without a token that the server lives, and no more", async () => {
    expect(await (await ask("/healthz")).json()).toEqual({ status: "ok" });
    expect(await (await ask("/readyz")).json()).toEqual({ status: "ready" });
  });
});

/** Opens a link as a browser does. @returns the cookie that it is given. */
async function opened(link: string): Promise<string> {
  const answer = await ask(link);
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
  const cookie = answer.headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/;/);
  return /^[^;]+/.exec(cookie)?.[0] ?? "";
}

async function expectClosed(path: string, headers: Record<string, string> = {}): Promise<void> {
  const answer = await ask(path, { headers });
  expect([answer.status, answer.headers.get("set-cookie")]).toEqual([401, null]);
  expect(await answer.text()).not.toMatch(/hoga|desk|sandbox|live|paper|account|₩/i);
}

describe("the page", () => {
  it("opens with its link, once, and then by the cookie", async () => {
    const link = http.pageLink();
    await expectClosed("/");
    const cookie = await opened(link);
    expect(await (await ask("/", { headers: { cookie } })).text()).toContain('"name":"hoga"');
    await expectClosed(link);
    await expectClosed("/", { cookie: `${cookie}x` });
    // Whoever has opened it may do so again: it is their own browser.
    expect((await ask(link, { headers: { cookie } })).status).toBe(303);
  });

  it("does not open with a link that nobody opened within ten minutes", async () => {
    const link = http.pageLink();
    nowMs = 10 * MINUTE;
    await expectClosed(link);
    expect(exchange.relay.seen).toEqual([]);
  });

  it("is closed again after twelve hours", async () => {
    const cookie = await opened(http.pageLink());
    nowMs = 12 * 60 * MINUTE - 1;
    expect((await ask("/", { headers: { cookie } })).status).toBe(200);
    nowMs += 1;
    await expectClosed("/", { cookie });
  });

  it("gets another link for whoever has the token", async () => {
    const answer = await ask("/page-link", { method: "POST", headers: BEARER });
    expect(answer.status).toBe(201);
    const { page_url } = (await answer.json()) as { readonly page_url: string };
    await opened(page_url);
    expect((await ask("/", { headers: BEARER })).status).toBe(200);
  });
});

it("no server is made with a token that could be guessed", async () => {
  const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
  const error = await serveOverHttp({ factory, token: new Secret("swordfish"), port: 0 }).catch((reason) => reason);
  expect(error).toMatchObject({ name: "ServeError", code: "weak_token" });
});
