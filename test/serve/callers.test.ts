/** Tokens that a person has made: what each lets in, for how long, and that nobody goes on in another's session. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { digestOf, newAccessToken, type Secret } from "../../src/config/index.ts";
import { createMcpServer, SCOPES, type Scope, TOOLS } from "../../src/mcp/index.ts";
import { type HttpServing, serveOverHttp, tokenCallers } from "../../src/serve/index.ts";
import { openStore, type Store } from "../../src/store/index.ts";
import { eventually } from "../fixture/command.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { addressOf, BEARER, type HttpAddress, TOKEN } from "../fixture/http-address.ts";
import { unwrap } from "../fixture/result.ts";
import { connectHttp, connectSse, ERAS } from "../mcp/client.ts";

let exchange: ExchangeFixture;
let store: Store<string, unknown>;
let http: HttpServing;
let aheadMs = 0;
const now = () => Date.now() + aheadMs;

beforeAll(async () => {
  exchange = await startExchange();
  store = await openStore({ memory: true }, { clock: { now, sleep: async () => {} }, random: Math.random });
  http = await serveOverHttp({
    factory: createMcpServer({ desk: exchange.desk, version: "0.0.0" }),
    token: TOKEN,
    callers: await tokenCallers(store.tokens, now),
    port: 0,
  });
});
afterAll(async () => {
  await http.close();
  store.close();
  await exchange.close();
});
beforeEach(() => {
  aheadMs = 0;
  exchange.relay.seen.length = 0;
});

const READS: readonly Scope[] = ["market:read", "account:read"];

async function made(name: string, scopes: readonly Scope[] = READS, lifeMs?: number): Promise<Secret> {
  const token = newAccessToken(randomBytes);
  const life = lifeMs === undefined ? {} : { expiresAtMs: now() + lifeMs };
  const kept = { name, scopes, digest: digestOf(token.reveal()), createdAtMs: now(), ...life };
  await store.tokens.revoke(name, now());
  expect(await unwrap(store.tokens.create(kept))).toBe("created");
  return token;
}

function headersOf(token: Secret): { readonly authorization: string } {
  return { authorization: `Bearer ${token.reveal()}` };
}

function address(token: Secret): HttpAddress {
  return { ...addressOf(http), headers: headersOf(token) };
}

const POST = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A request of the later era. */
function modern(token: Secret, method: string, params: { readonly name?: string; readonly uri?: string } = {}) {
  const named = params.name ?? params.uri;
  return fetch(`${http.url}/mcp`, {
    method: "POST",
    headers: {
      ...{ ...POST, ...headersOf(token), "mcp-protocol-version": "2026-07-28", "mcp-method": method },
      ...(named === undefined ? {} : { "mcp-name": named }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params: { ...params, _meta: META } }),
  });
}

/** One of the era of sessions. */
function inSession(token: Secret, session: string, init: RequestInit & { readonly body?: string } = {}) {
  const headers = { ...POST, ...headersOf(token), "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
  return fetch(`${http.url}/mcp`, { method: "POST", ...init, headers });
}

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});
const LIST = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/list" });

async function begun(token: Secret): Promise<string> {
  const headers = { ...POST, ...headersOf(token) };
  const answer = await fetch(`${http.url}/mcp`, { method: "POST", headers, body: INITIALIZE });
  await answer.text();
  expect(answer.status).toBe(200);
  return answer.headers.get("mcp-session-id") ?? "";
}

describe("a token that was made", () => {
  it.each(ERAS)("lets its caller see and do what it may, in %s", async (era) => {
    const client = await connectHttp(era, address(await made("reader")));
    const tools = await client.listTools();
    const expected = TOOLS.filter(({ scope }) => READS.includes(scope)).map(({ name }) => name);
    expect(tools.map(({ name }) => name)).toEqual(expected);
    expect(await client.call("get_balances")).toMatchObject({ isError: false });
    await expect(client.call("place_order", { symbol: "BTC/KRW" })).rejects.toThrow(/trade:write|403/);
    expect(exchange.relay.writes()).toEqual([]);
    await client.close();
  });

  it("trades as the owner does when it has every scope", async () => {
    const client = await connectHttp("2026-07-28", address(await made("trader", SCOPES)));
    const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "90000000" };
    expect((await client.call("place_order", order)).structured).toMatchObject({ outcome: "accepted" });
    await client.close();
  });

  it.each([
    ["tools/call", { name: "place_order" }, "trade:write"],
    ["tools/call", { name: "halt_trading" }, "safety:write"],
    ["prompts/get", { name: "rebalance" }, "trade:write"],
    ["tools/call", { name: "send_remittance" }, "transfer:write"],
  ])("is told which scope %s %j lacks, and no more", async (method, params, scope) => {
    const token = await made("reader");
    const answer = await modern(token, method, params);
    expect(answer.status).toBe(403);
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer error="insufficient_scope", scope="market:read account:read ${scope}"`,
    );
    const message = `Forbidden: the token of "reader" lacks the scope ${scope}.`;
    expect(await answer.json()).toEqual({ jsonrpc: "2.0", id: 7, error: { code: -32001, message } });
    const session = await begun(token);
    const again = await inSession(token, session, { body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }) });
    expect([again.status, await again.json()]).toEqual([
      403,
      { jsonrpc: "2.0", id: 7, error: { code: -32001, message } },
    ]);
    expect(exchange.relay.seen).toEqual([]);
  });

  it("opens MCP and nothing else", async () => {
    const headers = headersOf(await made("all", SCOPES));
    for (const [path, method] of [
      ["/", "GET"],
      ["/page-link", "POST"],
      ["/nothing", "GET"],
    ] as const) {
      const answer = await fetch(new URL(path, http.url), { method, headers });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(await answer.text()).not.toMatch(/code=|₩|balance/);
    }
  });

  it("lets nobody in once it has expired, to the millisecond", async () => {
    const token = await made("brief", READS, 60_000);
    expect((await modern(token, "tools/list")).status).toBe(200);
    aheadMs = 60_001;
    const late = await modern(token, "tools/list");
    expect([late.status, late.headers.get("www-authenticate")]).toEqual([401, 'Bearer error="invalid_token"']);
  });

  it("is noted as used, to the hour", async () => {
    await modern(await made("noted"), "tools/list");
    const kept = await eventually(async () => {
      const found = (await unwrap(store.tokens.list())).find(({ name }) => name === "noted");
      return found?.usedAtMs === undefined ? undefined : found;
    });
    expect(kept.usedAtMs).toBe(kept.createdAtMs - (kept.createdAtMs % 3_600_000));
  });

  it("does not wait for that note where another process has the store", async () => {
    const token = await made("hurried");
    const register = {
      find: (digest: string) => store.tokens.find(digest),
      used: () => new Promise<never>(() => {}),
    };
    const callers = await tokenCallers(register, now);
    expect(await callers.identify(token.reveal())).toMatchObject({
      ok: true,
      grant: { identity: { name: "hurried" } },
    });
  }, 2_000);
});

describe("a session", () => {
  it("is unknown to every other token, also the owner's", async () => {
    const [one, other] = [await made("one"), await made("other", SCOPES)];
    const session = await begun(one);
    for (const token of [other, TOKEN]) {
      for (const init of [{ body: LIST }, { method: "GET" }, { method: "DELETE" }]) {
        const [theirs, unknown] = [await inSession(token, session, init), await inSession(token, "none", init)];
        expect([theirs.status, await theirs.text()]).toEqual([404, await unknown.text()]);
      }
    }
    expect((await inSession(one, session, { body: LIST })).status).toBe(200);
  });

  it("when it is the owner's, stays unknown to others too", async () => {
    const session = await begun(TOKEN);
    expect((await inSession(await made("other", SCOPES), session, { body: LIST })).status).toBe(404);
  });

  it("is not the next token's of the same name", async () => {
    const session = await begun(await made("one"));
    expect((await inSession(await made("one"), session, { body: LIST })).status).toBe(404);
  });
});

describe("a token that is revoked", () => {
  it("is refused at the next request, and its sessions and streams end within a second", async () => {
    const token = await made("leaver");
    const stays = await made("stayer");
    const [session, kept] = [await begun(token), await begun(stays)];
    const streams = await Promise.all([
      inSession(token, session, { method: "GET" }),
      modern(token, "subscriptions/listen", {
        notifications: { resourceSubscriptions: ["hoga://balances"] },
      } as object),
    ]);
    const other = await inSession(stays, kept, { method: "GET" });
    expect([...streams, other].map(({ status }) => status)).toEqual([200, 200, 200]);
    const ended = streams.map((stream) => drained(stream));
    const atMs = performance.now();
    await store.tokens.revoke("leaver", now());
    expect((await modern(token, "tools/list")).status).toBe(401);
    expect((await inSession(token, session, { body: LIST })).status).toBe(401);
    await Promise.all(ended);
    expect(performance.now() - atMs).toBeLessThan(1_500);
    // The session went too: its id means nothing, even to a token of the same name.
    expect((await inSession(stays, kept, { body: LIST })).status).toBe(200);
    expect(await isOpen(other)).toBe(true);
  });

  it("has nothing left that counts", async () => {
    const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
    const callers = await tokenCallers(store.tokens, now);
    const small = await serveOverHttp({ factory, token: TOKEN, callers, port: 0, limits: { sessionsMax: 1 } });
    const begin = (headers: object) =>
      fetch(`${small.url}/mcp`, { method: "POST", headers: { ...POST, ...headers }, body: INITIALIZE });
    const opened = await begin(headersOf(await made("full")));
    const used = {
      ...POST,
      ...headersOf(await made("spare")),
      "mcp-session-id": opened.headers.get("mcp-session-id") ?? "",
    };
    await opened.text();
    expect((await fetch(`${small.url}/mcp`, { method: "POST", headers: used, body: LIST })).status).toBe(404);
    await store.tokens.revoke("full", now());
    await eventually(async () => ((await begin(BEARER)).status === 200 ? true : undefined), 3_000);
    await small.close();
  });
});

describe("a stream of the older transport", () => {
  const posted = (token: Secret, address: string, body: string) =>
    fetch(new URL(address, http.url), { method: "POST", headers: { ...POST, ...headersOf(token) }, body });

  it("shows its caller what it may, is unknown to others, and ends with the token", async () => {
    const [token, other] = [await made("older"), await made("other", SCOPES)];
    const client = await connectSse(address(token));
    const expected = TOOLS.filter(({ scope }) => READS.includes(scope)).map(({ name }) => name);
    expect((await client.listTools()).map(({ name }) => name)).toEqual(expected);
    await client.close();
    const stream = await fetch(`${http.url}/sse`, { headers: headersOf(token) });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    const endpoint = /^data: (.*)$/m.exec((await reader?.read())?.value ?? "")?.[1] ?? "";
    for (const theirs of [other, TOKEN]) expect((await posted(theirs, endpoint, LIST)).status).toBe(404);
    const place = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "place_order" } });
    const beyond = await posted(token, endpoint, place);
    expect([beyond.status, await beyond.json()]).toMatchObject([403, { id: 7, error: { code: -32001 } }]);
    expect((await posted(token, endpoint, LIST)).status).toBe(202);
    await store.tokens.revoke("older", now());
    const atMs = performance.now();
    while ((await reader?.read().catch(() => undefined))?.done === false);
    expect(performance.now() - atMs).toBeLessThan(1_500);
    expect(exchange.relay.seen).toEqual([]);
  });
});

/** Reads a stream to its end, however it ends. */
async function drained(stream: Response): Promise<void> {
  await stream.text().catch(() => undefined);
}

async function isOpen(stream: Response): Promise<boolean> {
  const late = new Promise<"open">((resolve) => setTimeout(() => resolve("open"), 100));
  const first = await Promise.race([stream.body?.getReader().read(), late]);
  return first === "open" || first?.done === false;
}
