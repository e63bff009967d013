/** Resources that change, over Streamable HTTP, to real clients of both eras. */
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SharedMarketStream } from "../../src/cli/composition/market-stream.ts";
import { ok } from "../../src/contract/index.ts";
import type { MarketStream } from "../../src/desk/index.ts";
import { createMcpServer, type ServerFactory } from "../../src/mcp/index.ts";
import { type HttpServing, serveOverHttp, serveOverStdio } from "../../src/serve/index.ts";
import { Stream } from "../../src/venues/index.ts";
import { createClock, openWorld, type Seat, type World } from "../fixture/desk-over-sandbox.ts";
import { addressOf, TOKEN } from "../fixture/http-address.ts";
import { LIMIT_BUY } from "../fixture/order-sample.ts";
import { changeablePolicy, LOOSE } from "../fixture/policy.ts";
import { StreamRelay } from "../fixture/stream-relay.ts";
import { connectHttp, connectStreams, ERAS, type Era, type TestClient } from "../mcp/client.ts";

const ORDERS = "hoga://orders/open";
const BALANCES = "hoga://balances";
const BOOK = "hoga://orderbook/BTC-KRW";
const POLICY = "hoga://policy";
const SOON = { timeout: 15_000, interval: 10 };
const INTERVAL_MS = 1_000;
const order = { ...LIMIT_BUY, price: "90000000" };
const policy = changeablePolicy();

let world: World;
let relay: StreamRelay;
let facts: SharedMarketStream;
let seat: Seat;
let factory: ServerFactory;
let http: HttpServing;
/** Channels that the desk watches now. */
let watched: string[];
let clients: TestClient[];

beforeEach(async () => {
  [watched, clients] = [[], []];
  policy.value = ok(LOOSE);
  world = await openWorld();
  relay = await StreamRelay.open(() => world.sandbox.streamUrl);
  seat = await world.seat({
    policy,
    patient: true,
    live: (client) => {
      facts = new SharedMarketStream(() => new Stream({ url: relay.url, reader: client }), createClock());
      return counted(facts);
    },
  });
  factory = createMcpServer({ desk: seat.desk, version: "0.0.0" });
  http = await serveOverHttp({ factory, token: TOKEN, port: 0 });
});
afterEach(async () => {
  for (const client of clients) await client.close();
  await http.close();
  await facts.close();
  await relay.close();
  await world.close();
});

function counted(live: MarketStream): MarketStream {
  return {
    book: (symbol) => live.book(symbol),
    trades: (symbol) => live.trades(symbol),
    pulse: (topic) => live.pulse(topic),
    hear: () => live.hear(),
    watch: (topic, onChange) => {
      const watch = live.watch(topic, onChange);
      watched.push(topic.channel);
      return {
        get live() {
          return watch.live;
        },
        close: () => {
          watched.splice(watched.indexOf(topic.channel), 1);
          watch.close();
        },
      };
    },
  };
}

async function connected(era: Era): Promise<TestClient> {
  const client = await connectHttp(era, addressOf(http));
  clients.push(client);
  return client;
}

async function connectedStdio(era: Era): Promise<TestClient> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  serveOverStdio(async () => factory, { stdin, stdout, signals: { once: () => undefined, off: () => undefined } });
  const client = await connectStreams(era, stdin, stdout);
  clients.push(client);
  return client;
}

/** What is told from the moment on when everything is live and quiet. */
async function followed(client: TestClient, uris: readonly string[]) {
  const told: string[] = [];
  const end = await client.follow(uris, (uri) => told.push(uri));
  // Each begins with its first snapshot.
  await expect.poll(() => new Set(told).size, SOON).toBe(uris.length);
  await pause(INTERVAL_MS * 1.5);
  told.length = 0;
  return { told, end };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The older client ends its session only when it is asked to. */
async function leave(client: TestClient, era: Era): Promise<void> {
  const { transport } = client.raw;
  if (era === "2025-11-25") await (transport as { terminateSession?(): Promise<void> }).terminateSession?.();
  await client.close();
}

describe.each(ERAS)("a client of %s", (era) => {
  it("is notified of its orders, balances and books as they change, until it unsubscribes", async () => {
    const client = await connected(era);
    const { told, end } = await followed(client, [ORDERS, BALANCES, BOOK]);
    await seat.desk.place(order);
    await expect.poll(() => new Set(told), SOON).toEqual(new Set([ORDERS, BALANCES, BOOK]));
    expect(await client.read(ORDERS)).toMatchObject({ orders: [{ price: "90000000" }] });
    expect(await client.read(BOOK)).toMatchObject({ best_bid: "90000000" });
    await end();
    await expect.poll(() => watched, SOON).toEqual([]);
    told.length = 0;
    await seat.desk.cancelAll();
    await pause(INTERVAL_MS * 1.5);
    expect(told).toEqual([]);
  });

  it("is notified of one order until it has ended, and of none that does not exist", async () => {
    const client = await connected(era);
    await expect(client.follow(["hoga://orders/nobody"], () => undefined)).rejects.toThrow("nobody");
    await seat.desk.place({ ...order, userref: "mine" });
    const mine = "hoga://orders/mine";
    const { told } = await followed(client, [mine]);
    await seat.desk.cancel({ userref: "mine" });
    await expect.poll(() => told, SOON).toContain(mine);
    expect(await client.read(mine)).toMatchObject({ state: "canceled", userref: "mine" });
  });

  it("is notified of a busy book once in an interval, and of its last change", async () => {
    const client = await connected(era);
    const { told } = await followed(client, [BOOK]);
    const startedAt = performance.now();
    for (let made = 1; made <= 200; made++) {
      world.rest("buy", `${90_000_000 + made * 1_000}`, "0.001");
      await pause(5);
    }
    const best = async () => (await client.read(BOOK))["best_bid"];
    await expect.poll(best, SOON).toBe("90200000");
    await pause(INTERVAL_MS * 1.5);
    expect(told.length).toBeGreaterThanOrEqual(2);
    expect(told.length).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - startedAt) / INTERVAL_MS));
  });

  it("shares one stream with the others, and leaves nothing behind", async () => {
    const first = await connected(era);
    const second = await connected(era);
    await first.follow([ORDERS], () => undefined);
    await second.follow([ORDERS, BOOK], () => undefined);
    await expect.poll(() => [...watched].sort(), SOON).toEqual(["orderbook", "orders"]);
    await expect.poll(() => relay.connections, SOON).toBe(1);
    await pause(200);
    expect(relay.connections).toBe(1);
    await leave(second, era);
    await expect.poll(() => watched, SOON).toEqual(["orders"]);
    await leave(first, era);
    await expect.poll(() => watched, SOON).toEqual([]);
  });

  it("is notified of what has no stream, and of orders where the stream has ended", async () => {
    await relay.close();
    const client = await connected(era);
    const told: string[] = [];
    await client.follow([POLICY, ORDERS], (uri) => told.push(uri));
    // The first look is what later ones are compared with.
    await expect.poll(() => [...told].sort(), SOON).toEqual([ORDERS, POLICY]);
    told.length = 0;
    policy.value = ok({ ...LOOSE, maxOpenOrders: 7 });
    await seat.desk.place(order);
    await expect.poll(() => [...told].sort(), SOON).toEqual([ORDERS, POLICY]);
    expect(await client.read(POLICY)).toMatchObject({ max_open_orders: 7 });
  });
});

describe("a client that subscribes to what does not exist", () => {
  it("when it is of the older era, is refused with the code of the fault", async () => {
    const client = await connected("2025-11-25");
    const follow = (uri: string) => client.follow([uri], () => undefined);
    await expect(follow("hoga://nothing")).rejects.toThrow("There is no such resource");
    await expect(follow("hoga://ticker/BTT-KRW")).rejects.toThrow("BTC/KRW");
    for (let made = 0; made < 100; made++) await follow(`hoga://ticker/BTC${"-".repeat(made)}`);
    await expect(follow(BOOK)).rejects.toThrow("Too many resources");
  });

  it.each([
    ["HTTP", connected],
    ["stdio", connectedStdio],
  ])(
    "when it is of the later one, is refused the same over %s, and disturbs no other client",
    async (_, connectedBy) => {
      const client = await connectedBy("2026-07-28");
      const follow = (...uris: readonly string[]) => client.follow(uris, () => undefined);
      await expect(follow("hoga://nothing", ORDERS)).rejects.toThrow("There is no such resource");
      await expect(follow(ORDERS, "hoga://ticker/BTT-KRW")).rejects.toThrow("BTC/KRW");
      const many = Array.from({ length: 101 }, (_, at) => `hoga://ticker/BTC${"-".repeat(at)}`);
      await expect(follow(...many)).rejects.toThrow("Too many resources");
      const told: string[] = [];
      await client.follow([ORDERS], (uri) => told.push(uri));
      await seat.desk.place(order);
      await expect.poll(() => new Set(told), SOON).toEqual(new Set([ORDERS]));
    },
  );

  it("is not refused a market that cannot be looked up now", async () => {
    world.proxy.plan(/markets/, "deny", 99);
    const client = await connected("2026-07-28");
    await expect(client.follow([BOOK], () => undefined)).resolves.toBeInstanceOf(Function);
  });
});
