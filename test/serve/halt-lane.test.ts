/** What halts or cancels has limits and turns of its own, over HTTP in both eras: neither its caller's other requests nor anybody's stand before it. */
import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { digestOf, newAccessToken, type Secret } from "../../src/config/index.ts";
import { createMcpServer, Pictures, Turns } from "../../src/mcp/index.ts";
import { type HttpServing, type HttpSettings, serveOverHttp, tokenCallers } from "../../src/serve/index.ts";
import { RunningCalls } from "../../src/serve/sessions/running-calls.ts";
import { Connections } from "../../src/serve/wire/connections.ts";
import { InFlight } from "../../src/serve/wire/in-flight.ts";
import { openStore, type Store } from "../../src/store/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { TOKEN } from "../fixture/http-address.ts";
import { unwrap } from "../fixture/result.ts";

let exchange: ExchangeFixture;
let store: Store<string, unknown>;
let caller: Secret;
let http: HttpServing;
let nowMs = 0;
/** Pictures that are finished by hand. */
let finish: (() => void)[] = [];

beforeAll(async () => {
  exchange = await startExchange();
  store = await openStore({ memory: true }, { clock: { now: Date.now, sleep: async () => {} }, random: Math.random });
  caller = newAccessToken(randomBytes);
  const scopes = ["market:read", "account:read", "trade:write", "safety:write"];
  const kept = { name: "caller", scopes, digest: digestOf(caller.reveal()), createdAtMs: Date.now() };
  await unwrap(store.tokens.create(kept));
});
afterAll(async () => {
  store.close();
  await exchange.close();
});
afterEach(() => http?.close());

async function serve(limits: HttpSettings["limits"] = {}): Promise<void> {
  finish = [];
  const drawing = { png: Buffer.from("png"), labeled: true };
  const painter = {
    draw: () => new Promise<typeof drawing>((resolve) => finish.push(() => resolve(drawing))),
    close: () => undefined,
  };
  const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0", pictures: new Pictures(() => painter) });
  const callers = await tokenCallers(store.tokens, Date.now);
  http = await serveOverHttp({ factory, token: TOKEN, callers, port: 0, now: () => nowMs, limits });
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

function call(name: string, args: object = {}, token: Secret = caller): Promise<Response> {
  const params = { name, arguments: args, _meta: META };
  return fetch(`${http.url}/mcp`, {
    method: "POST",
    headers: {
      ...HEADERS,
      ...{ authorization: `Bearer ${token.reveal()}`, "mcp-protocol-version": "2026-07-28" },
      ...{ "mcp-method": "tools/call", "mcp-name": name },
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params }),
  });
}

const symbol = "BTC/KRW";
const look = () => call("get_ticker", { symbol });
/** Of another market each, as what looks the same is drawn once. */
const drawn = (asset: string, token?: Secret) => call("get_orderbook", { symbol: `${asset}/KRW`, chart: true }, token);

describe("a caller over its limits", () => {
  it("is still let in to halt and to cancel, in so many words a second, and for nothing else", async () => {
    await serve({ callerBurst: 1, callerPerSecond: 1 });
    expect((await look()).status).toBe(200);
    expect((await look()).status).toBe(429);
    for (const [tool, args] of [
      ["halt_trading", {}],
      ["cancel_all_orders", {}],
      ["cancel_order", { userref: "none" }],
    ] as const)
      expect((await call(tool, args)).status).toBe(200);
    const told = await look();
    expect([told.status, told.headers.get("retry-after")]).toEqual([429, "1"]);
    // What is larger than any halt is not read.
    expect((await call("halt_trading", { reason: "x".repeat(9_000) })).status).toBe(429);
    const many = await Promise.all(Array.from({ length: 60 }, () => call("cancel_order", {})));
    const refused = many.filter(({ status }) => status === 429).length;
    expect(refused).toBeGreaterThan(10);
    expect(refused).toBeLessThan(60);
  });

  it("is charged what a call weighs, and told when to come again", async () => {
    await serve({ callerBurst: 20, callerPerSecond: 2 });
    const long = () => call("get_candles", { symbol, interval: "1m", limit: 500 });
    expect((await long()).status).toBe(200);
    const refused = await long();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await refused.json()).toMatchObject({ id: 7, error: { message: expect.stringContaining("weighs 11") } });
    expect((await look()).status).toBe(200);
    expect((await call("halt_trading")).status).toBe(200);
    nowMs += 10_000;
    expect((await long()).status).toBe(200);
  });
});

it.each(["a caller", "the owner"])("%s has three pictures under way, and is told when to come again", async (who) => {
  await serve();
  const token = who === "the owner" ? TOKEN : caller;
  const open = [drawn("BTC", token), drawn("ETH", token), drawn("XRP", token)];
  await expect.poll(() => finish.length).toBe(1);
  const refused = await drawn("SOL", token);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(await refused.json()).toMatchObject({ id: 7, error: { message: expect.stringContaining("picture") } });
  expect((await call("get_orderbook", { symbol }, token)).status).toBe(200);
  expect((await call("halt_trading", {}, token)).status).toBe(200);
  for (let at = 0; at < 3; at++) {
    await expect.poll(() => finish.length).toBe(at + 1);
    finish[at]?.();
  }
  for (const { status } of await Promise.all(open)) expect(status).toBe(200);
});

describe("turns", () => {
  const end = () => {
    let ends = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      ends = resolve;
    });
    return { ended, ends };
  };
  const turned = () => new Promise((resolve) => setTimeout(resolve, 20));

  it("nothing that looks begins while something urgent is under way, and then one after another", async () => {
    const turns = new Turns();
    const urgent = end();
    turns.urgent(urgent.ended);
    const begun: string[] = [];
    for (const name of ["a", "b", "c"]) void turns.look(name, 1, end().ended)?.then(() => begun.push(name));
    await turned();
    expect(begun).toEqual([]);
    urgent.ends();
    await turned();
    expect(begun).toEqual(["a", "b", "c"]);
    expect(turns.look("d", 1, end().ended)).toBeUndefined();
  });

  it("looks are held for three seconds at most", async () => {
    const turns = new Turns();
    turns.urgent(end().ended);
    const before = performance.now();
    await turns.look("a", 1, end().ended);
    expect(performance.now() - before).toBeGreaterThan(2_900);
  });

  it("give a caller a little of what is heavy at a time, by its weight, and others theirs", async () => {
    const turns = new Turns();
    const heavy = Array.from({ length: 6 }, end);
    const waits = heavy.map(({ ended }) => turns.look("a", 3, ended));
    expect(waits.map((wait) => wait === undefined)).toEqual([true, true, true, true, false, false]);
    await turns.look("b", 3, end().ended);
    await turns.look("a", 1, end().ended);
    // One that weighs more than all of that together is alone.
    await turns.look("c", 21, end().ended);
    expect(turns.look("c", 2, end().ended)).toBeInstanceOf(Promise);
    heavy[4]?.ends();
    await waits[4];
    heavy[0]?.ends();
    await waits[5];
  });
});

it("a halt begins where as many calls of a session run as may", () => {
  const calls = new RunningCalls(new InFlight<unknown>(), async () => undefined);
  const message = (id: number, name: string) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name } });
  for (let id = 0; id < 256; id++) expect(calls.begin(message(id, "get_ticker"))).toBeUndefined();
  expect(calls.begin(message(256, "get_ticker"))?.status).toBe(503);
  expect(calls.begin(message(257, "halt_trading"))).toBeUndefined();
});

it("some connections always give way, however many callers have something under way", () => {
  const connections = new Connections(32, () => undefined);
  const destroyed: number[] = [];
  const socketOf = (remotePort: number) =>
    ({
      remoteAddress: "10.0.0.1",
      remotePort,
      once: () => undefined,
      destroy: () => destroyed.push(remotePort),
    }) as never;
  const never = new Promise<void>(() => undefined);
  const hasRoom = Array.from({ length: 32 }, (_, port) => {
    connections.take(socketOf(port));
    return connections.letIn(socketOf(port), port < 30 ? never : Promise.resolve());
  });
  expect(hasRoom.filter(Boolean)).toHaveLength(30);
  // The requests of the last two are refused, and end.
  return Promise.resolve().then(() => {
    connections.take(socketOf(99));
    expect(destroyed).toEqual([30]);
  });
});
