/** Sessions that a server does not know, and opens anew from their ids: after a restart, at another server of the store; and all that may not be. */
import { randomBytes } from "node:crypto";
import { Client as LaterClient, StreamableHTTPClientTransport as LaterTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { digestOf, newAccessToken, type Secret } from "../../src/config/index.ts";
import { failed, localFault, ok } from "../../src/contract/index.ts";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer, SCOPES, type Scope } from "../../src/mcp/index.ts";
import { type HttpServing, type HttpSettings, serveOverHttp, tokenCallers } from "../../src/serve/index.ts";
import { openStore, type Store } from "../../src/store/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { BEARER, TOKEN } from "../fixture/http-address.ts";
import { LIMIT_BUY } from "../fixture/order-sample.ts";
import { LOOSE } from "../fixture/policy.ts";
import { unwrap } from "../fixture/result.ts";

const SOON = { timeout: 15_000, interval: 20 };
const JSON_HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const AWAY = failed(localFault("ELocal:Store unavailable"));
const INFO = { name: "test", version: "1" };

let exchange: ExchangeFixture;
let store: Store<string, unknown>;
let open: HttpServing[];
let ended: string[];

beforeAll(async () => {
  exchange = await startExchange();
  // The exchange has named the account.
  await exchange.desk.balances();
});
afterAll(() => exchange.close());
beforeEach(async () => {
  [open, ended] = [[], []];
  store = await newStore();
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.map((http) => http.close()));
  store.close();
});

function newStore(): Promise<Store<string, unknown>> {
  return openStore({ memory: true }, { clock: { now: () => Date.now(), sleep: async () => {} }, random: Math.random });
}

/** A server of the store, as another process would be. */
async function serve(settings: Partial<HttpSettings> = {}, desk: Partial<Desk> = {}): Promise<HttpServing> {
  const factory = createMcpServer({ desk: { ...exchange.desk, ...desk }, version: "0.0.0" });
  const observer = {
    around: (_: unknown, run: () => void) => run(),
    ended: () => undefined,
    dropped: () => undefined,
    sessionEnded: (why: string) => ended.push(why),
  };
  const http = await serveOverHttp({
    ...{ factory, token: TOKEN, port: 0, observer, callers: await tokenCallers(store.tokens, () => Date.now()) },
    ...{ seal: store.seal, endedSessions: store.endedSessions },
    ...settings,
  });
  open.push(http);
  return http;
}

/** Another process in the place of this one. */
async function restart(http: HttpServing, settings: Partial<HttpSettings> = {}, desk: Partial<Desk> = {}) {
  await http.close();
  return serve(settings, desk);
}

interface Asked {
  readonly session?: string;
  readonly token?: Secret;
  readonly method?: "GET" | "POST" | "DELETE";
  readonly headers?: object;
}

function send(http: HttpServing, message: object | undefined, asked: Asked = {}): Promise<Response> {
  const { session, token = TOKEN, method = "POST", headers = {} } = asked;
  const known = session === undefined ? {} : { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
  return fetch(`${http.url}/mcp`, {
    method,
    headers: { ...JSON_HEADERS, Authorization: `Bearer ${token.reveal()}`, ...known, ...headers },
    ...(message === undefined ? {} : { body: JSON.stringify({ jsonrpc: "2.0", ...message }) }),
  });
}

const PING = { id: 2, method: "ping" };

/** @returns the id of the session */
async function begin(http: HttpServing, asked: Asked = {}, capabilities: object = {}): Promise<string> {
  const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: INFO };
  const answer = await send(http, { id: 1, method: "initialize", params }, asked);
  await answer.text();
  expect(answer.status).toBe(200);
  return answer.headers.get("mcp-session-id") ?? "";
}

async function status(http: HttpServing, session: string, asked: Asked = {}): Promise<number> {
  const answer = await send(http, PING, { session, ...asked });
  await answer.text();
  return answer.status;
}

async function made(name: string, scopes: readonly Scope[] = SCOPES): Promise<Secret> {
  const token = newAccessToken(randomBytes);
  const kept = { name, scopes, digest: digestOf(token.reveal()), createdAtMs: Date.now() };
  expect(await unwrap(store.tokens.create(kept))).toBe("created");
  return token;
}

/** One caller, whose tokens say what they may; as of an authorization server. */
const byScopes: NonNullable<HttpSettings["callers"]> = {
  identify: async (token) => {
    const identity = { key: "kim", name: "kim", scopes: token.split(",") as Scope[] };
    return { ok: true, grant: { identity, isRevoked: async () => false } };
  },
};
const tokenOf = (...scopes: readonly Scope[]) => ({ reveal: () => scopes.join(",") }) as Secret;

/** What the tests call of the SDK's two clients of this era. */
interface RealClient {
  call(name: string): Promise<unknown>;
  readonly session: () => string | undefined;
  close(): Promise<void>;
}

const CLIENTS: readonly (readonly [string, (url: URL) => Promise<RealClient>])[] = [
  [
    "1.x",
    async (url) => {
      const [client, transport] = [
        new Client(INFO),
        new StreamableHTTPClientTransport(url, { requestInit: { headers: BEARER } }),
      ];
      await client.connect(transport as unknown as Transport);
      const call = (name: string) => client.callTool({ name, arguments: {} });
      return { call, session: () => transport.sessionId, close: () => client.close() };
    },
  ],
  [
    "2.x",
    async (url) => {
      const [client, transport] = [
        new LaterClient(INFO, { versionNegotiation: { mode: "legacy" } }),
        new LaterTransport(url, { requestInit: { headers: BEARER } }),
      ];
      await client.connect(transport);
      const call = (name: string) => client.callTool({ name, arguments: {} });
      return { call, session: () => transport.sessionId, close: () => client.close() };
    },
  ],
];

describe.each(CLIENTS)("the client %s", (_, connected) => {
  it("goes on in its session where the server was started anew", async () => {
    const http = await serve();
    const client = await connected(new URL(`${http.url}/mcp`));
    const session = client.session();
    expect(await client.call("get_balances")).toMatchObject({ structuredContent: { environment: "sandbox" } });
    await restart(http, { port: Number(new URL(http.url).port) });
    const again = () => client.call("get_balances").catch((error: unknown) => error);
    await expect.poll(again, SOON).toMatchObject({ structuredContent: { environment: "sandbox" } });
    expect(client.session()).toBe(session);
    await client.close();
  });
});

describe("a session", () => {
  it("is opened anew at another server of the store, once, and goes on at both", async () => {
    const [one, other] = [await serve(), await serve()];
    const session = await begin(one);
    expect(await Promise.all([1, 2, 3].map(() => status(other, session)))).toEqual([200, 200, 200]);
    const metrics = await serve({
      metrics: async ({ sessions }) => ({ contentType: "text/plain", text: `${sessions}` }),
    });
    await Promise.all([1, 2, 3].map(() => status(metrics, session)));
    expect(await (await fetch(`${metrics.url}/metrics`, { headers: BEARER })).text()).toBe("1");
    expect([await status(one, session), await status(other, session)]).toEqual([200, 200]);
  });

  it("has the stream of notifications again, also from a place in the one before", async () => {
    const [one, other] = [await serve(), await serve()];
    const session = await begin(one);
    const stream = await send(other, undefined, {
      session,
      method: "GET",
      headers: { "last-event-id": "7__GET_stream" },
    });
    expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    await stream.body?.cancel();
    // The call that it was in ended with its process.
    const lost = await send(other, undefined, { session, method: "GET", headers: { "last-event-id": "7_a-call" } });
    expect(lost.status).toBe(400);
  });

  it("is given its place back when it is used again after a while", async () => {
    const http = await serve({ limits: { sessionIdleMs: 300 } });
    const session = await begin(http);
    await expect.poll(() => ended, SOON).toEqual(["idle"]);
    expect(await status(http, session)).toBe(200);
  });

  it("is not opened anew after a day", async () => {
    const [one, other, third] = [await serve(), await serve(), await serve()];
    const session = await begin(one);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 23 * 3_600_000 });
    expect(await status(other, session)).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_001 });
    expect(await status(third, session)).toBe(404);
    // Where it is open it goes on.
    expect(await status(other, session)).toBe(200);
  });

  it("is never opened by initialize, which begins another", async () => {
    const [one, other] = [await serve(), await serve()];
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO };
    const answer = await send(other, { id: 1, method: "initialize", params }, { session: await begin(one) });
    expect(answer.status).toBe(404);
  });

  it("has an id that opens nothing when its client begins anew by itself, or says too much of itself", async () => {
    const [one, other] = [await serve(), await serve()];
    const asks = await begin(one, { headers: { "Hoga-Begins-Anew": "1" } });
    const long = await begin(one, {}, { extensions: { "com.example/much": { text: "x".repeat(3_000) } } });
    for (const session of [asks, long]) {
      expect(session).toHaveLength(36);
      expect([await status(one, session), await status(other, session)]).toEqual([200, 404]);
    }
  });

  it("waits where the store cannot say whether it was ended, and the account whose it is", async () => {
    const session = await begin(await serve());
    const unreadable = { ...store.endedSessions, has: async () => AWAY };
    const away = await serve({ endedSessions: unreadable });
    const stamp = () => ({ environment: "sandbox", account: "unknown", unit: "KRW" }) as const;
    const nameless = await serve({}, { stamp, pending: async () => AWAY });
    for (const http of [away, nameless]) {
      const answer = await send(http, PING, { session });
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    }
    // One that began before the account was known.
    expect(await status(await serve(), await begin(nameless))).toBe(404);
  });
});

describe("an id", () => {
  it("counts with its caller's token alone", async () => {
    const [mine, theirs] = [await made("mine"), await made("theirs")];
    const one = await serve();
    const [session, owners] = [await begin(one, { token: mine }), await begin(one)];
    const other = await serve();
    for (const token of [theirs, TOKEN]) expect(await status(other, session, { token })).toBe(404);
    for (const method of ["GET", "DELETE"] as const)
      expect((await send(other, undefined, { session, token: theirs, method })).status).toBe(404);
    expect(await status(other, owners, { token: mine })).toBe(404);
    expect(await status(other, session, { token: mine })).toBe(200);
    await store.tokens.revoke("mine", Date.now());
    expect(await status(await serve(), session, { token: mine })).toBe(401);
    // The name is given to another token.
    expect(await status(await serve(), session, { token: await made("mine") })).toBe(404);
  });

  it("counts while its caller may do what it could, and opens no more than the token does", async () => {
    const READS = ["market:read", "account:read"] as const;
    const session = await begin(await serve({ callers: byScopes }), { token: tokenOf(...READS) });
    const other = await serve({ callers: byScopes });
    expect(await status(other, session, { token: tokenOf("market:read") })).toBe(404);
    const tools = async (token: Secret) => {
      const answer = await send(other, { id: 3, method: "tools/list" }, { session, token });
      return (await answer.text()).includes('"place_order"');
    };
    expect(await tools(tokenOf(...READS))).toBe(false);
    expect(await tools(tokenOf(...READS, "trade:write"))).toBe(true);
  });

  it.each<readonly [string, Partial<Desk>]>([
    ["environment", { environment: "live", stamp: () => ({ ...exchange.desk.stamp(), environment: "live" }) }],
    ["profile", { profile: "other" }],
    ["account", { stamp: () => ({ ...exchange.desk.stamp(), account: "other" }) }],
  ])("opens nothing at a server of another %s", async (_, other) => {
    const http = await serve();
    const session = await begin(http);
    expect(await status(await restart(http, {}, other), session)).toBe(404);
  });

  it("opens nothing when it was not signed here", async () => {
    const session = await begin(await serve());
    const [text = "", mac = ""] = session.split(".");
    const said = JSON.parse(Buffer.from(text, "base64url").toString()) as { untilMs: number };
    const longer = Buffer.from(JSON.stringify({ ...said, untilMs: said.untilMs + 1 })).toString("base64url");
    const elsewhere = await newStore();
    const theirs = await begin(await serve({ seal: elsewhere.seal }));
    const sealed = await unwrap(store.seal.sign(JSON.stringify(said)));
    const other = await serve();
    for (const forged of [
      `${longer}.${mac}`,
      `${text}.`,
      `${text}.${mac}=`,
      `.${mac}`,
      text,
      theirs,
      sealed,
      "a.b",
      ".",
    ])
      expect([forged, await status(other, forged)]).toEqual([forged, 404]);
    expect(await status(other, session)).toBe(200);
    elsewhere.close();
  });

  it("names neither the token nor the account", async () => {
    const token = await made("mine");
    const session = await begin(await serve(), { token });
    const said = Buffer.from(session.split(".")[0] ?? "", "base64url").toString();
    const { account } = exchange.desk.stamp();
    for (const secret of [token.reveal(), digestOf(token.reveal()), `"${account}"`]) expect(said).not.toContain(secret);
    expect(session.length).toBeLessThan(1_000);
  });
});

describe("a session that was ended", () => {
  it("does not come back when its client ended it, wherever that was said and wherever it was open", async () => {
    const [one, copy, never] = [await serve(), await serve(), await serve()];
    const [session, second] = [await begin(one), await begin(one)];
    for (const each of [session, second]) expect(await status(copy, each)).toBe(200);
    expect((await send(one, undefined, { session, method: "DELETE" })).status).toBe(200);
    // By a server that did not know it.
    expect((await send(never, undefined, { session: second, method: "DELETE" })).status).toBe(200);
    const later = await restart(one);
    for (const each of [session, second]) {
      for (const http of [later, never]) expect(await status(http, each)).toBe(404);
      await expect.poll(() => status(copy, each), SOON).toBe(404);
      expect((await send(later, undefined, { session: each, method: "DELETE" })).status).toBe(404);
    }
  });

  it("is told to have been ended only where that was noted", async () => {
    const unwritable = { ...store.endedSessions, note: async () => AWAY };
    const http = await serve({ endedSessions: unwritable });
    const session = await begin(http);
    expect((await send(http, undefined, { session, method: "DELETE" })).status).toBe(503);
    expect(await status(http, session)).toBe(200);
  });

  it("does not come back when it ended for another, as there may be no more, and is counted", async () => {
    const http = await serve({ limits: { sessionsMax: 1 } });
    const first = await begin(http);
    const second = await begin(http);
    expect(ended).toEqual(["limit"]);
    expect([await status(http, first), await status(http, second)]).toEqual([404, 200]);
    const later = await restart(http);
    expect([await status(later, first), await status(later, second)]).toEqual([404, 200]);
    // That a server stops ends none.
    expect(ended).toEqual(["limit"]);
  });
});

describe("a question that was asked before", () => {
  const FORMS = { elicitation: { form: {} } };
  const YES = { action: "accept", content: { approve: true } };
  const order = (userref = "", base_volume = "") => ({
    ...{ id: userref, method: "tools/call" },
    params: { name: "place_order", arguments: { ...LIMIT_BUY, base_volume, userref } },
  });

  /** The form that a call is answered with first. */
  async function formIn(answer: Response): Promise<{ readonly id: number; readonly rest: Promise<string> }> {
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { value = "", done = true } = (await reader?.read()) ?? {};
      text += value;
      const asked = /^data: (.*"elicitation\/create".*)$/m.exec(text)?.[1];
      if (asked !== undefined) {
        const rest = (async () => {
          for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) text += next.value;
          return text;
        })().catch(() => text);
        return { id: (JSON.parse(asked) as { readonly id: number }).id, rest };
      }
      if (done) throw new Error(`no form: ${text}`);
    }
  }

  it.each(["after a restart", "elsewhere"])("counts no more %s: its order lapses", async (when) => {
    const [first, second] = [`old ${when}`, `new ${when}`].map((name) => name.replaceAll(" ", "-"));
    exchange.policy.value = ok({ ...LOOSE, mode: "confirm", approveBy: ["client"] });
    exchange.relay.seen.length = 0;
    const http = await serve();
    const session = await begin(http, {}, FORMS);
    const old = await formIn(await send(http, order(first, "0.0051"), { session }));
    const next = when === "after a restart" ? await restart(http) : await serve();
    const fresh = await formIn(await send(next, order(second, "0.0052"), { session }));
    expect(fresh.id).not.toBe(old.id);
    for (const id of [old.id, String(old.id)])
      expect((await send(next, { id, result: YES }, { session })).status).toBe(202);
    // Had it counted, it would have been sent by now.
    await exchange.desk.balances();
    expect(exchange.relay.writes()).toEqual([]);
    expect((await send(next, { id: fresh.id, result: YES }, { session })).status).toBe(202);
    expect(await fresh.rest).toContain('"outcome":"accepted"');
    expect(exchange.relay.writes()).toEqual(["POST /v1/orders"]);
    const waiting = await unwrap(exchange.desk.pending());
    expect(waiting.pending.map(({ userref }) => userref)).toContain(first);
    await exchange.desk.cancelAll();
    for (const { intent_id } of waiting.pending) await exchange.desk.deny(intent_id);
    exchange.policy.value = ok(LOOSE);
  });
});
