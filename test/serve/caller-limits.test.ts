/** One caller or tenant that asks for more than its share is told when to come again, and the others notice nothing. */
import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { digestOf, newAccessToken, type Secret } from "../../src/config/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { CallerQuota } from "../../src/serve/access/caller-limits.ts";
import { type HttpServing, type HttpSettings, serveOverHttp, tokenCallers } from "../../src/serve/index.ts";
import { openStore, type Store } from "../../src/store/index.ts";
import { eventually } from "../fixture/command.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { TOKEN } from "../fixture/http-address.ts";
import { unwrap } from "../fixture/result.ts";

let exchange: ExchangeFixture;
let store: Store<string, unknown>;
let greedy: Secret;
let modest: Secret;
/** Two of one tenant, and one of another. */
let alice: Secret;
let alices: Secret;
let bob: Secret;
let http: HttpServing;
let nowMs = 0;

beforeAll(async () => {
  exchange = await startExchange();
  store = await openStore({ memory: true }, { clock: { now: Date.now, sleep: async () => {} }, random: Math.random });
  [greedy, modest] = [await made("greedy"), await made("modest")];
  for (const name of ["alice", "bob"])
    await unwrap(store.tenants.create({ name, profile: "paper", createdAtMs: Date.now() }));
  [alice, alices, bob] = [await made("one", "alice"), await made("two", "alice"), await made("three", "bob")];
});
afterAll(async () => {
  store.close();
  await exchange.close();
});
afterEach(() => http.close());

async function made(name: string, tenant?: string): Promise<Secret> {
  const token = newAccessToken(randomBytes);
  const kept = { name, scopes: ["market:read", "account:read"], digest: digestOf(token.reveal()) };
  await unwrap(store.tokens.create({ ...kept, createdAtMs: Date.now(), ...(tenant === undefined ? {} : { tenant }) }));
  return token;
}

async function serve(limits: HttpSettings["limits"]): Promise<void> {
  const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
  const callers = await tokenCallers(store.tokens, Date.now);
  const settings = { factory, token: TOKEN, callers, tenants: async () => factory, port: 0, now: () => nowMs };
  http = await serveOverHttp({ ...settings, ...(limits && { limits }) });
}

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const INITIALIZE = {
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

interface Sent {
  readonly session?: string;
  readonly method?: string;
  readonly message?: object;
}

function send(token: Secret, { session, method = "POST", message }: Sent = {}): Promise<Response> {
  const headers = { ...HEADERS, authorization: `Bearer ${token.reveal()}` };
  const named = session === undefined ? {} : { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
  const body = method === "POST" ? { body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }) } : {};
  return fetch(`${http.url}/mcp`, { method, headers: { ...headers, ...named }, ...body });
}

async function begin(token: Secret): Promise<Response> {
  const answer = await send(token, { message: INITIALIZE });
  await answer.clone().text();
  return answer;
}

const idOf = (answer: Response): string => answer.headers.get("mcp-session-id") ?? "";

it("requests in a second have a limit, and come in again one by one", async () => {
  await serve({ callerBurst: 3, callerPerSecond: 2 });
  const statuses = async (token: Secret, count: number): Promise<readonly number[]> => {
    const answers = [];
    for (let n = 0; n < count; n++) answers.push((await send(token, { message: { method: "ping" } })).status);
    return answers;
  };
  expect(await statuses(greedy, 5)).toEqual([400, 400, 400, 429, 429]);
  const refused = await send(greedy);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(await refused.json()).toMatchObject({
    jsonrpc: "2.0",
    id: null,
    error: { message: expect.stringContaining("2 a second") },
  });
  expect(await statuses(modest, 3)).toEqual([400, 400, 400]);
  expect(await statuses(TOKEN, 9)).toEqual(Array.from({ length: 9 }, () => 400));
  nowMs += 500;
  expect(await statuses(greedy, 2)).toEqual([400, 429]);
  nowMs += 60_000;
  expect(await statuses(greedy, 4)).toEqual([400, 400, 400, 429]);
});

it("requests and streams at once have a limit, and make room when they end", async () => {
  await serve({ callerOpenMax: 2 });
  const sessions = [idOf(await begin(greedy)), idOf(await begin(greedy))];
  const streams = await Promise.all(sessions.map((session) => send(greedy, { session, method: "GET" })));
  expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  const refused = await send(greedy, { session: sessions[0] ?? "", message: { method: "tools/list" } });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  expect((await begin(modest)).status).toBe(200);
  await streams[0]?.body?.cancel();
  const again = () => send(greedy, { session: sessions[0] ?? "", message: { method: "tools/list" } });
  expect(await eventually(async () => ((await again()).status === 200 ? "served" : undefined))).toBe("served");
});

it("sessions in use have a limit; one that has only begun gives way to the next of the same caller, and of no other", async () => {
  await serve({ callerSessionsMax: 2, sessionsMax: 8 });
  const theirs = idOf(await begin(modest));
  const [first, second, third] = [await begin(greedy), await begin(greedy), await begin(greedy)].map(idOf);
  const use = (session = "") => send(greedy, { session, message: { method: "tools/list" } });
  expect((await use(first)).status).toBe(404);
  expect([(await use(second)).status, (await use(third)).status]).toEqual([200, 200]);
  const refused = await begin(greedy);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  expect((await send(modest, { session: theirs, message: { method: "tools/list" } })).status).toBe(200);
  for (let n = 0; n < 4; n++) expect((await begin(TOKEN)).status).toBe(200);
});

it("all callers of a tenant have one share together, of requests a second and at once; other tenants and the operator's have theirs", async () => {
  await serve({ callerBurst: 4, callerPerSecond: 1, callerOpenMax: 2, tenantCallers: 1 });
  const session = idOf(await begin(alice));
  const stream = await send(alice, { session, method: "GET" });
  const other = await send(alices, { session: idOf(await begin(alices)), method: "GET" });
  expect([stream.status, other.status]).toEqual([200, 200]);
  nowMs += 60_000;
  const ping = { message: { method: "ping" } };
  const open = await send(alices, ping);
  expect([open.status, open.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(await open.text()).toContain("all callers of this tenant together may have 2 open");
  for (const token of [bob, modest]) expect((await begin(token)).status).toBe(200);
  for (const { body } of [stream, other]) await body?.cancel();
  await eventually(async () => {
    nowMs += 1_000;
    return (await send(alices, ping)).status === 400 ? true : undefined;
  });
  nowMs += 60_000;
  const statuses = [];
  for (const token of [alice, alices, alice, alices, alices, bob, modest])
    statuses.push((await send(token, ping)).status);
  expect(statuses).toEqual([400, 400, 400, 400, 429, 400, 400]);
  expect(await (await send(alice, ping)).text()).toContain("all callers of this tenant together may send 1 a second");
});

it("sessions of one tenant in use have a limit, and end none of another's", async () => {
  await serve({ tenantSessionsMax: 2, sessionsMax: 3 });
  const use = async (token: Secret, session: string) =>
    (await send(token, { session, message: { method: "tools/list" } })).status;
  const [bobs, operators] = [idOf(await begin(bob)), idOf(await begin(modest))];
  // Theirs have only begun, so in a table of one they would give way.
  for (const token of [alice, alices]) expect(await use(token, idOf(await begin(token)))).toBe(200);
  expect((await begin(alice)).status).toBe(503);
  expect([await use(bob, bobs), await use(modest, operators)]).toEqual([200, 200]);
  expect(await use(bob, idOf(await begin(bob)))).toBe(200);
  expect((await begin(bob)).status).toBe(503);
});

it("what is remembered of callers is no more than those that asked lately", async () => {
  const quota = new CallerQuota({ callerOpenMax: 1, callerPerSecond: 1, callerBurst: 2 }, () => nowMs);
  const enter = (key: string) => quota.enter({ key, name: key, scopes: [] }, Promise.resolve());
  expect(enter("first")).toBeUndefined();
  for (let n = 0; n < 5_000; n++) {
    nowMs += 10;
    enter(`caller ${n}`);
    // Its request has ended.
    await Promise.resolve();
  }
  expect(quota.size).toBeLessThanOrEqual(1_024);
});
