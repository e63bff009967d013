/**
 * A client that gives up before it has its answer, over every transport: what was placed is the answer to the same request, and what had not
 * left by then does not leave.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { serveOverHttp } from "../../src/serve/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { BEARER, TOKEN } from "../fixture/http-address.ts";
import { LOOSE } from "../fixture/policy.ts";
import { openLines, overStreams, type StdioLines } from "../fixture/stdio-lines.ts";
import { connectHttp, connectSse, connectStreams, type TestClient } from "../mcp/client.ts";

const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "50000000" } as const;
const BOOK = /^GET .*orderbook/;

let exchange: ExchangeFixture;
/** The desk as it is; its next answer to an order is held back until `hear` is called. */
let desk: Desk;
let hear: () => void;
let answered: Promise<void>;
/** Of the last order that was asked for. */
let withdrawn: AbortSignal | undefined;
/** What the server has not answered yet. */
const open = new Set<ServerResponse>();
const onRequest = (message: unknown): void => {
  const { request, response } = message as { readonly request: IncomingMessage; readonly response: ServerResponse };
  if (!/^\/(mcp|sse)/.test(request.url ?? "")) return;
  open.add(response);
  response.once("close", () => open.delete(response));
};
const ends: (() => Promise<unknown>)[] = [];
beforeAll(() => subscribe("http.server.request.start", onRequest));
afterAll(() => unsubscribe("http.server.request.start", onRequest));

beforeEach(async () => {
  exchange = await startExchange();
  hear = () => undefined;
  let held: Promise<void> | undefined;
  let tell = (): void => undefined;
  desk = {
    ...exchange.desk,
    place: async (...order) => {
      withdrawn = order[2]?.withdrawn;
      const report = await exchange.desk.place(...order);
      const gate = held;
      held = undefined;
      tell();
      await gate;
      return report;
    },
  };
  holdAnswer = () => {
    held = new Promise((resolve) => {
      hear = resolve;
    });
    answered = new Promise((resolve) => {
      tell = resolve;
    });
  };
});
let holdAnswer: () => void;
afterEach(async () => {
  hear();
  for (const end of ends.splice(0).reverse()) await end();
  await exchange.close();
});

interface Server {
  connect(): Promise<TestClient>;
}

const factory = () => createMcpServer({ desk, version: "0.0.0" });

async function http(): Promise<{ readonly url: string; readonly headers: Record<string, string> }> {
  const serving = await serveOverHttp({ factory: factory(), token: TOKEN, port: 0 });
  ends.push(() => serving.close());
  return { url: serving.mcpUrl, headers: BEARER };
}

async function overHttp(connect: (address: Awaited<ReturnType<typeof http>>) => Promise<TestClient>): Promise<Server> {
  const address = await http();
  return { connect: () => connect(address) };
}

/** Each client has a server of its own, on the same desk. */
async function overStdio(era: "2025-11-25" | "2026-07-28"): Promise<Server> {
  return {
    connect: async () => {
      const { stdin, stdout, close } = overStreams(factory());
      ends.push(close);
      return connectStreams(era, stdin, stdout);
    },
  };
}

const placed = () => exchange.sandbox.exchange.orders(exchange.sandbox.accountId, { limit: 10 }).orders.length;

async function connected(server: Server): Promise<TestClient> {
  const client = await server.connect();
  ends.push(() => client.close().catch(() => undefined));
  return client;
}

/** Resolves when the server knows. */
type GiveUp = (client: TestClient, call: AbortController) => Promise<void>;
const cancels: GiveUp = async (_, call) => {
  call.abort("the user has stopped it");
  await vi.waitFor(() => expect(withdrawn?.aborted).toBe(true), { timeout: 5_000 });
};
const drops: GiveUp = async (client) => {
  await client.close();
  await vi.waitFor(() => expect(open.size).toBe(0), { timeout: 5_000 });
};

const WAYS: readonly (readonly [string, () => Promise<Server>, GiveUp])[] = [
  ["stdio, 2025, cancelled", () => overStdio("2025-11-25"), cancels],
  ["stdio, 2026, cancelled", () => overStdio("2026-07-28"), cancels],
  ["HTTP, 2025, cancelled", () => overHttp((at) => connectHttp("2025-11-25", at)), cancels],
  ["HTTP, 2025, dropped", () => overHttp((at) => connectHttp("2025-11-25", at)), drops],
  ["HTTP, 2026, given up", () => overHttp((at) => connectHttp("2026-07-28", at)), cancels],
  ["HTTP+SSE, cancelled", () => overHttp(connectSse), cancels],
  ["HTTP+SSE, dropped", () => overHttp(connectSse), drops],
];

describe("an order that was placed for a client that had given up", () => {
  it.each(WAYS)("is the answer to the same request, once: %s", async (_way, start, giveUp) => {
    const server = await start();
    const client = await connected(server);
    const call = new AbortController();
    holdAnswer();
    const first = client.call("place_order", ORDER, { signal: call.signal }).catch(() => undefined);
    await answered;
    expect(placed()).toBe(1);
    await giveUp(client, call);
    hear();
    await first;
    const next = giveUp === drops ? await connected(server) : client;
    const again = await next.call("place_order", ORDER);
    expect(again.isError).toBe(false);
    expect(again.structured).toMatchObject({ outcome: "accepted", state: "open", userref: expect.any(String) });
    expect(again.structured["duplicate_of"]).toBe(again.structured["intent_id"]);
    expect(again.text).toContain("No second order was placed");
    expect(placed()).toBe(1);
    const wanted = await next.call("place_order", ORDER);
    expect(wanted.structured["duplicate_of"]).toBeUndefined();
    expect(placed()).toBe(2);
  });

  it("is heard by a client that comes back for its stream", async () => {
    const { url, headers } = await http();
    const post = (message: object, more: Record<string, string> = {}, signal?: AbortSignal) =>
      fetch(url, {
        method: "POST",
        headers: {
          ...headers,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...more,
        },
        body: JSON.stringify({ jsonrpc: "2.0", ...message }),
        ...(signal === undefined ? {} : { signal }),
      });
    const clientInfo = { name: "test", version: "1" };
    const begun = await post({
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
    });
    await begun.text();
    const session = {
      "mcp-session-id": begun.headers.get("mcp-session-id") ?? "",
      "mcp-protocol-version": "2025-11-25",
    };
    holdAnswer();
    const line = new AbortController();
    const broken = await post(
      { id: 1, method: "tools/call", params: { name: "place_order", arguments: ORDER } },
      session,
      line.signal,
    );
    const reader = broken.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    const place = /^id: (\S+)$/m.exec(Buffer.from(value ?? []).toString())?.[1] ?? "";
    await answered;
    line.abort();
    await vi.waitFor(() => expect(open.size).toBe(0), { timeout: 5_000 });
    hear();
    const resumed = await fetch(url, {
      headers: { ...headers, ...session, accept: "text/event-stream", "last-event-id": place },
    });
    expect(await resumed.text()).toContain('"outcome":"accepted"');
    const wanted = await post(
      { id: 2, method: "tools/call", params: { name: "place_order", arguments: ORDER } },
      session,
    );
    expect(await wanted.text()).not.toContain("duplicate_of");
    expect(placed()).toBe(2);
  });
});

describe("a request that is given up before it is sent", () => {
  const CANCELED = WAYS.filter(([, , giveUp]) => giveUp === cancels);
  const LOOKS = [
    ["of the book", BOOK],
    ["whether its userref is taken", /^GET .*orders\?.*userref=mine/],
  ] as const;

  it.each(CANCELED.flatMap(([way, start]) => LOOKS.map(([look, of]) => [way, look, start, of] as const)))(
    "is not sent: %s, during the look %s",
    async (_way, _look, start, of) => {
      const order = { ...ORDER, userref: "mine" };
      const client = await connected(await start());
      const call = new AbortController();
      const look = exchange.relay.hold(of);
      const first = client.call("place_order", order, { signal: call.signal }).catch(() => undefined);
      await look.reached;
      await cancels(client, call);
      await first;
      look.goOn();
      await pause(100);
      expect(exchange.relay.writes()).toEqual([]);
      expect((await client.call("place_order", order)).structured["duplicate_of"]).toBeUndefined();
      expect(placed()).toBe(1);
    },
  );

  it.each(CANCELED)("when given up while it waits for its turn, is not sent: %s", async (_way, start) => {
    const client = await connected(await start());
    const call = new AbortController();
    // So that the account is known, and nothing of the order is asked for in turn before its sending.
    await exchange.desk.balances();
    // One request of a key is on its way at a time.
    const turn = exchange.relay.hold(/^GET \/v1\/accounts/);
    const before = exchange.desk.balances();
    await turn.reached;
    const first = client.call("place_order", ORDER, { signal: call.signal }).catch(() => undefined);
    const log = async () => JSON.stringify(await exchange.desk.audit({ limit: 20 }));
    await vi.waitFor(async () => expect(await log()).toContain("intent_recorded"));
    await cancels(client, call);
    await first;
    turn.goOn();
    expect((await before).ok).toBe(true);
    await vi.waitFor(async () => expect(await log()).toContain('"to":"lapsed"'));
    expect(await log()).toContain("ELocal:Withdrawn");
    expect(exchange.relay.writes()).toEqual([]);
    expect((await client.call("place_order", ORDER)).structured).toMatchObject({ outcome: "accepted" });
    expect(placed()).toBe(1);
  });

  it.each(WAYS.filter(([, , giveUp]) => giveUp === drops))("is sent all the same: %s", async (_way, start, giveUp) => {
    const server = await start();
    const client = await connected(server);
    const book = exchange.relay.hold(BOOK);
    const first = client.call("place_order", ORDER).catch(() => undefined);
    await book.reached;
    await giveUp(client, new AbortController());
    await first;
    book.goOn();
    await vi.waitFor(() => expect(placed()).toBe(1));
    const again = await (await connected(server)).call("place_order", ORDER);
    expect(again.structured["duplicate_of"]).toBe(again.structured["intent_id"]);
    expect(placed()).toBe(1);
  });
});

async function lines(): Promise<StdioLines> {
  const client = openLines(factory());
  ends.push(() => client.close());
  return client;
}

const CALL = { id: 1, method: "tools/call", params: { name: "place_order", arguments: { ...ORDER, userref: "it" } } };
const CANCEL = { method: "notifications/cancelled", params: { requestId: 1 } };

describe("over standard input", () => {
  it("a call and its withdrawal in one write send nothing", async () => {
    const { write, heard, greet } = await lines();
    await greet({});
    write(CALL, CANCEL, { id: 2, method: "tools/call", params: { name: "get_balances", arguments: {} } });
    await heard('"id":2');
    await pause(100);
    expect(exchange.relay.writes()).toEqual([]);
  });

  it("a withdrawal while a form is open ends the order", async () => {
    exchange.policy.value = { ok: true, value: { ...LOOSE, mode: "confirm" } };
    const { write, heard, greet } = await lines();
    await greet({ elicitation: {} });
    write(CALL);
    await heard("elicitation/create");
    expect(await exchange.desk.pending()).toMatchObject({ value: { pending: [{ userref: "it" }] } });
    write(CANCEL);
    await vi.waitFor(async () => expect(await exchange.desk.pending()).toMatchObject({ value: { pending: [] } }));
    expect(await exchange.desk.order({ userref: "it" })).toMatchObject({ value: { state: "not_placed" } });
    const ended = { state: "lapsed", body: { fault: { code: "ELocal:Withdrawn" } } };
    expect(await exchange.store.journal.byUserref("paper", "it")).toMatchObject({ value: ended });
    expect(exchange.relay.writes()).toEqual([]);
  });

  it("a withdrawal after it was sent is noted, and whoever asks next is told", async () => {
    const { write, heard, greet } = await lines();
    await greet({});
    const sending = exchange.relay.hold(/^POST .*orders/);
    write(CALL);
    await sending.reached;
    write(CANCEL, { id: 2, method: "ping" });
    await heard('"id":2');
    sending.goOn();
    await vi.waitFor(() => expect(placed()).toBe(1));
    await vi.waitFor(async () =>
      expect(JSON.stringify(await exchange.desk.audit({ userref: "it", limit: 20 }))).toContain("withdrawn_late"),
    );
    const told = await exchange.desk.order({ userref: "it" });
    expect(told).toMatchObject({ value: { state: "open", next_action: expect.stringContaining("counts as sent") } });
  });

  it("one that was withdrawn on its way, and proves never to have arrived, is not said to count as sent", async () => {
    const { write, heard, greet } = await lines();
    await greet({});
    exchange.relay.loseRequests(/^POST .*orders/);
    write(CALL);
    const log = async () => JSON.stringify(await exchange.desk.audit({ userref: "it", limit: 20 }));
    await vi.waitFor(async () => expect(await log()).toContain('"to":"submitting"'));
    write(CANCEL, { id: 2, method: "ping" });
    await heard('"id":2');
    await vi.waitFor(async () => expect(await log()).toContain('"to":"not_placed"'), { timeout: 5_000 });
    const told = await exchange.desk.order({ userref: "it" });
    expect(told).toMatchObject({ value: { state: "not_placed" } });
    expect(JSON.stringify(told)).not.toContain("counts as sent");
  });
});
