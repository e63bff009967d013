/** A change of an order that is withdrawn on its way: what rests then, and what whoever asks next is told. */
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Desk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { serveOverHttp } from "../../src/serve/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { BEARER, TOKEN } from "../fixture/http-address.ts";
import { overStreams } from "../fixture/stdio-lines.ts";
import { connectHttp, connectStreams, ERAS, type TestClient } from "../mcp/client.ts";

const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "50000000" } as const;
const CHANGE = { userref: "mine", price: "49000000" } as const;
const BOOK = /^GET .*orderbook/;
const BALANCES = /^GET \/v1\/accounts/;
const CANCEL = /^DELETE \/v1\/orders/;
const SEND = /^POST \/v1\/orders/;

let exchange: ExchangeFixture;
/** Of the last change that was asked for. */
let withdrawn: AbortSignal | undefined;
const ends: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  exchange = await startExchange();
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await exchange.close();
});

type Road = "stdio" | "HTTP";
const WAYS = (["stdio", "HTTP"] as const).flatMap((road) => ERAS.map((era) => [road, era] as const));

function factory() {
  const desk: Desk = {
    ...exchange.desk,
    replace: (...asked) => {
      withdrawn = asked[2]?.withdrawn;
      return exchange.desk.replace(...asked);
    },
  };
  return createMcpServer({ desk, version: "0.0.0" });
}

/** A client with an order in the book. */
async function opened(road: Road, era: (typeof ERAS)[number]): Promise<TestClient> {
  const client = road === "HTTP" ? await overHttp(era) : await overStdio(era);
  const { structured } = await client.call("place_order", { ...ORDER, userref: "mine" });
  expect(structured).toMatchObject({ state: "open" });
  exchange.relay.seen.length = 0;
  return client;
}

async function overHttp(era: (typeof ERAS)[number]): Promise<TestClient> {
  const serving = await serveOverHttp({ factory: factory(), token: TOKEN, port: 0 });
  ends.push(() => serving.close());
  const client = await connectHttp(era, { url: serving.mcpUrl, headers: BEARER });
  ends.push(() => client.close());
  return client;
}

async function overStdio(era: (typeof ERAS)[number]): Promise<TestClient> {
  const { stdin, stdout, close } = overStreams(factory());
  ends.push(close);
  return connectStreams(era, stdin, stdout);
}

interface Changing {
  /** Resolves when the server knows. */
  withdraw(): Promise<void>;
}

function change(client: TestClient): Changing {
  const call = new AbortController();
  const first = client.call("replace_order", CHANGE, { signal: call.signal }).catch(() => undefined);
  return {
    withdraw: async () => {
      call.abort("the user has stopped it");
      await vi.waitFor(() => expect(withdrawn?.aborted).toBe(true), { timeout: 5_000 });
      await first;
    },
  };
}

/** Asks for the change, and returns when it has come to a request. */
async function changeUpTo(request: RegExp, road: Road = "stdio", era: (typeof ERAS)[number] = ERAS[0]) {
  const client = await opened(road, era);
  const held = exchange.relay.hold(request);
  const changing = change(client);
  await held.reached;
  return { client, held, changing };
}

const log = async (): Promise<string> => JSON.stringify(await exchange.desk.audit({ limit: 20 }));

const resting = () =>
  exchange.sandbox.exchange
    .orders(exchange.sandbox.accountId, { limit: 10 })
    .orders.filter(({ state }) => state === "open");
const prices = () => resting().map(({ price }) => `${(price ?? 0n) / 100_000_000n}`);

/** Nothing of it reached the exchange, and it is made when it is asked for again. */
async function nothingChanged(client: TestClient): Promise<readonly string[]> {
  await pause(100);
  expect(exchange.relay.writes()).toEqual([]);
  expect(prices()).toEqual([ORDER.price]);
  const again = await client.call("replace_order", CHANGE);
  expect(again.structured).toMatchObject({ outcome: "accepted", state: "open", replaced: { state: "canceled" } });
  return prices();
}

describe("before the old order is canceled, nothing changes", () => {
  it.each(WAYS)("when it is withdrawn while it is looked whether the new one can go: %s, %s", async (road, era) => {
    const { client, held, changing } = await changeUpTo(BOOK, road, era);
    await changing.withdraw();
    held.goOn();
    expect(await nothingChanged(client)).toEqual([CHANGE.price]);
  });

  it("when it is withdrawn while that is looked at once more, as the first look is old", async () => {
    const { client, held: book, changing } = await changeUpTo(BOOK);
    await pause(550);
    const look = exchange.relay.hold(BALANCES);
    book.goOn();
    await look.reached;
    await changing.withdraw();
    look.goOn();
    expect(await nothingChanged(client)).toEqual([CHANGE.price]);
  });

  it("when it is withdrawn while the cancel waits for its turn", async () => {
    const { client, held: book, changing } = await changeUpTo(BOOK);
    const turn = exchange.relay.hold(BALANCES);
    const before = exchange.desk.balances();
    await turn.reached;
    book.goOn();
    await vi.waitFor(async () => expect(await log()).toContain("cancel_requested"));
    await changing.withdraw();
    turn.goOn();
    await before;
    await vi.waitFor(async () => expect(await log()).toContain("ELocal:Withdrawn"));
    expect(await nothingChanged(client)).toEqual([CHANGE.price]);
  });
});

describe("once the old order is canceled", () => {
  it.each(WAYS)("no new one is sent, and whoever asks next is told what stands: %s, %s", async (road, era) => {
    const { client, held, changing } = await changeUpTo(CANCEL, road, era);
    await changing.withdraw();
    held.goOn();
    await vi.waitFor(() => expect(resting()).toEqual([]));
    await vi.waitFor(async () => expect(await log()).toContain('"to":"lapsed"'));
    const again = await client.call("replace_order", CHANGE);
    expect(again.structured).toMatchObject({
      outcome: "not_sent",
      state: "not_placed",
      replaced: { state: "canceled", executed_volume: "0" },
      error: { code: "ELocal:Withdrawn", message: expect.not.stringContaining("Nothing was sent") },
    });
    expect(again.text).toContain("neither is open now");
    expect(again.text).toContain("place_order");
    const looked = await client.call("get_order", { userref: "mine" });
    expect(looked.structured).toMatchObject({ state: "canceled" });
    expect(looked.structured["moved_to"]).toBeUndefined();
    expect(exchange.relay.writes().filter((line) => SEND.test(line))).toEqual([]);
  });
});

describe("once the new order was sent", () => {
  it.each(WAYS)("counts, and whoever asks next is told: %s, %s", async (road, era) => {
    const { client, held, changing } = await changeUpTo(SEND, road, era);
    await changing.withdraw();
    held.goOn();
    await vi.waitFor(() => expect(prices()).toEqual([CHANGE.price]));
    await vi.waitFor(async () => expect(await log()).toContain("withdrawn_late"));
    const looked = await client.call("get_order", { userref: "mine" });
    expect(looked.structured).toMatchObject({ moved_to: { price: CHANGE.price, state: "open" } });
    expect(looked.text).toContain("counts as sent");
    const again = await client.call("replace_order", CHANGE);
    expect(again.structured).toMatchObject({ outcome: "accepted", replaced: { state: "canceled" } });
    expect(again.text).toContain("counts as sent");
    expect(prices()).toEqual([CHANGE.price]);
  });
});
