/** One caller that asks for more than its share is told when to come again, and the others notice nothing. */
import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { digestOf, newAccessToken, type Secret } from "../../src/config/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { CallerQuota } from "../../src/serve/caller-limits.ts";
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
let http: HttpServing;
let nowMs = 0;

beforeAll(async () => {
  exchange = await startExchange();
  store = await openStore({ memory: true }, { clock: { now: Date.now, sleep: async () => {} }, random: Math.random });
  [greedy, modest] = [await made("greedy"), await made("modest")];
});
afterAll(async () => {
  store.close();
  await exchange.close();
});
afterEach(() => http.close());

async function made(name: string): Promise<Secret> {
  const token = newAccessToken(randomBytes);
  const scopes = ["market:read", "account:read"];
  await unwrap(store.tokens.create({ name, scopes, digest: digestOf(token.reveal()), createdAtMs: Date.now() }));
  return token;
}

async function serve(limits: HttpSettings["limits"]): Promise<void> {
  const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
  const callers = await tokenCallers(store.tokens, Date.now);
  http = await serveOverHttp({ factory, token: TOKEN, callers, port: 0, now: () => nowMs, ...(limits && { limits }) });
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
