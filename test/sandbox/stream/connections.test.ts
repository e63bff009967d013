import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { openExchange } from "../../../src/sandbox/engine/index.ts";
import { streamFamily } from "../../../src/sandbox/families/stream/stream-family.ts";
import { createApiServer } from "../../../src/sandbox/http/server.ts";
import { createService, DEFAULT_LIMITS } from "../../../src/sandbox/service/service.ts";
import { must, openVenue, START, type Venue } from "../http/venue.ts";
import { StreamClient } from "./stream-client.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function opened(limits: Parameters<typeof openVenue>[0] = {}): Promise<Venue> {
  const venue = await openVenue(limits);
  closers.push(() => venue.sandbox.close());
  return venue;
}

const ONE = 100_000_000n;

/** A stream of an exchange whose disk answers when the test says so. */
async function slowDisk(): Promise<{
  readonly url: string;
  readonly defects: unknown[];
  readonly order: () => void;
  readonly disk: (answer: "written" | "failed") => void;
}> {
  const exchange = await openExchange({ memory: true, seed: 1, marketMaker: false, now: () => START });
  const waiting: ((answer: "written" | "failed") => void)[] = [];
  const defects: unknown[] = [];
  const durable = () =>
    new Promise<void>((resolve, reject) => {
      waiting.push((answer) => (answer === "written" ? resolve() : reject(new Error("the disk is gone"))));
    });
  const service = createService({
    journaled: { ...exchange, durable, failed: undefined },
    limits: DEFAULT_LIMITS,
    now: () => START,
    randomBytes: (length) => Buffer.alloc(length, 7),
    onDefect: (error) => defects.push(error),
  });
  const api = createApiServer(service, [streamFamily(service)]);
  await new Promise<void>((resolve) => api.server.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    await api.close(100);
    await exchange.close();
  });
  const address = api.server.address();
  if (typeof address !== "object" || address === null) throw new Error("no address");
  must(exchange.apply({ type: "createAccount", accountId: "a", krwAccountLinked: true }, START));
  must(exchange.apply({ type: "deposit", accountId: "a", asset: "KRW", amount: 1_000_000n * ONE }, START));
  let orders = 0;
  return {
    url: `ws://127.0.0.1:${address.port}/v1/stream`,
    defects,
    order: () => {
      orders += 1;
      const name = { orderId: `o${orders}`, symbol: "BTC/KRW", side: "buy", orderType: "limit" } as const;
      const size = { price: 90_000_000n * ONE, volume: ONE / 1000n, amount: null, userref: null } as const;
      const rest = { timeInForce: "GTC", postOnly: false, settlementMode: "INSTANT_KRW", keyId: null } as const;
      must(exchange.apply({ type: "place", accountId: "a", ...name, ...size, ...rest }, START));
    },
    disk: (answer) => {
      for (const each of waiting.splice(0)) each(answer);
    },
  };
}

describe("an event", () => {
  it("is sent only once the change it shows is on disk, and so is a snapshot", async () => {
    const { url, order, disk } = await slowDisk();
    const client = await StreamClient.open(url);
    client.send({ op: "subscribe", id: 1, channel: "orderbook", symbol: "BTC/KRW" });
    await pause(50);
    expect(client.frames).toEqual([]);
    disk("written");
    expect(await client.event("orderbook")).toMatchObject({ type: "snapshot", tick: { buys: [] } });
    order();
    await pause(50);
    expect(client.frames.filter(({ channel }) => channel === "orderbook")).toEqual([]);
    disk("written");
    expect(await client.event("orderbook")).toMatchObject({ type: "update", tick: { buys: [["90000000", "0.001"]] } });
    await client.close();
  });

  it("closes every connection instead when it can never be on disk", async () => {
    const { url, order, disk, defects } = await slowDisk();
    const client = await StreamClient.open(url);
    client.send({ op: "subscribe", id: 1, channel: "orderbook", symbol: "BTC/KRW" });
    await pause(20);
    disk("written");
    await client.event("orderbook");
    order();
    disk("failed");
    expect(await client.ended).toEqual({ code: 1011, reason: "the exchange cannot go on" });
    expect(client.frames.filter(({ channel }) => channel === "orderbook")).toEqual([]);
    expect(defects).toHaveLength(1);
  });
});

describe("a connection", () => {
  it("receives heartbeats", async () => {
    const { sandbox } = await opened({ limits: { streamHeartbeatMs: 20 } });
    const client = await StreamClient.open(sandbox.streamUrl);
    for (let beat = 0; beat < 3; beat++)
      expect(await client.next(() => true)).toEqual({ op: "heartbeat", time: "2026-07-20T09:00:00.000Z" });
    await client.close();
  });

  it("when it does not read, is closed with a reason, and affects no other", async () => {
    const venue = await opened({ limits: { streamUnreadBytesMax: 50_000, streamMessagesPerSecond: 10_000 } });
    for (let level = 0; level < 300; level++)
      await venue.maker.order({ side: "sell", price: String(91_000_000 + level * 10_000), volume: "0.001" });
    const client = await StreamClient.open(venue.sandbox.streamUrl);
    const reader = await StreamClient.open(venue.sandbox.streamUrl);
    await reader.follow("orderbook", { symbol: "BTC/KRW" });
    client.web.pause();
    // Snapshots of some 8 kB each: far more than the operating system's buffers hold.
    for (let id = 0; id < 1_500; id++) {
      client.send({ op: "subscribe", id, channel: "orderbook", symbol: "BTC/KRW" });
      await pause(0);
    }
    client.web.resume();
    expect(await client.ended).toMatchObject({ code: 4000, reason: expect.stringContaining("read faster") });
    await venue.maker.order({ price: "80000000" });
    expect(await reader.event("orderbook")).toMatchObject({ tick: { buys: [["80000000", "0.001"]] } });
    await reader.close();
  });

  it("ends when it answers no ping any more", async () => {
    const { sandbox } = await opened({ limits: { streamHeartbeatMs: 10 } });
    const client = await StreamClient.open(sandbox.streamUrl, { autoPong: false });
    expect(await client.ended).toMatchObject({ code: 1006 });
  });

  it("stays open when it answers pings", async () => {
    const { sandbox } = await opened({ limits: { streamHeartbeatMs: 10 } });
    const client = await StreamClient.open(sandbox.streamUrl);
    await pause(300);
    expect(client.web.readyState).toBe(1);
    await client.close();
  });

  it("is closed with the sandbox, promptly and with a reason", async () => {
    const { sandbox } = await opened();
    const client = await StreamClient.open(sandbox.streamUrl);
    await client.follow("orderbook", { symbol: "BTC/KRW" });
    const deaf = await StreamClient.open(sandbox.streamUrl);
    deaf.web.pause();
    const before = Date.now();
    await sandbox.close();
    expect(Date.now() - before).toBeLessThan(5_000);
    expect(await client.ended).toEqual({ code: 1001, reason: "the exchange is shutting down" });
    deaf.web.terminate();
  });
});
