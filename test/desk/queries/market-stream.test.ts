/**
 * The desk over the exchange's own stream, by way of a line that can be broken. Where it matters that no look of its own accord
 * found something out, time stands: a pause of the desk's ends only when it is woken.
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SharedMarketStream } from "../../../src/cli/composition/market-stream.ts";
import type { Order } from "../../../src/contract/index.ts";
import { rate } from "../../../src/decimal/index.ts";
import type { Clock, StreamListener, StreamWatch } from "../../../src/desk/index.ts";
import { Stream } from "../../../src/venues/index.ts";
import { createClock, openWorld, type Seat, type SeatOptions, type World } from "../../fixture/desk-over-sandbox.ts";
import { LIMIT_BUY } from "../../fixture/order-sample.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { StreamRelay } from "../../fixture/stream-relay.ts";

const userref = "followed";
const order = { ...LIMIT_BUY, base_volume: "0.002", userref };

/** The shortest pause between two looks; longer ones stand. */
const APART_MS = 250;

let world: World;
let relay: StreamRelay;
let facts: SharedMarketStream | undefined;

beforeEach(async () => {
  facts = undefined;
  world = await openWorld();
  relay = await StreamRelay.open(() => world.sandbox.streamUrl);
});
afterEach(async () => {
  await facts?.close();
  await relay.close();
  await world.close();
});

async function follower(options: SeatOptions = {}): Promise<Seat> {
  return world.seat({
    ...options,
    live: (client) => {
      facts = new SharedMarketStream(() => new Stream({ url: relay.url, reader: client }), createClock());
      return facts;
    },
  });
}

function standing(): { readonly clock: Clock; readonly pauses: number[] } {
  const clock = createClock();
  const pauses: number[] = [];
  const sleep: Clock["sleep"] = (ms, signal) => {
    pauses.push(ms);
    return clock.sleep(ms > APART_MS ? 1_000_000 : ms, signal);
  };
  return { clock: { now: () => clock.now(), rising: () => clock.rising(), sleep }, pauses };
}

async function isLive(): Promise<void> {
  const watch = facts?.watch({ channel: "orders" }, () => undefined);
  await expect.poll(() => watch?.live, { timeout: 10_000, interval: 5 }).toBe(true);
  watch?.close();
}

describe("await_order with a stream", () => {
  it("is told of a fill, and does not find it by looking", async () => {
    const { clock, pauses } = standing();
    const seat = await follower({ clock });
    await seat.desk.place(order);
    const waiting = seat.desk.awaitOrder({ userref, until: "filled", timeoutMs: 50_000 });
    await expect.poll(() => pauses, { timeout: 10_000 }).toContain(5_000);
    world.rest("sell", "100000000", "0.001");
    world.rest("sell", "100000000", "0.001");
    expect(await waiting).toMatchObject({ ok: true, value: { reached: true, state: "filled" } });
  });

  it("is told of a cancel by somebody else", async () => {
    const { clock, pauses } = standing();
    const seat = await follower({ clock });
    await seat.desk.place(order);
    const waiting = seat.desk.awaitOrder({ userref, until: "closed", timeoutMs: 50_000 });
    await expect.poll(() => pauses, { timeout: 10_000 }).toContain(5_000);
    const other = await world.seat();
    await other.desk.cancel({ userref });
    expect(await waiting).toMatchObject({ ok: true, value: { reached: true, state: "canceled" } });
  });

  it("reports what the venue answers, and not what it was told", async () => {
    const placed = await (await world.seat()).desk.place(order);
    const said = { ...placed.order, state: "filled", executed_volume: "0.002" } as Order;
    const seat = await world.seat({
      live: () => ({
        book: () => undefined,
        trades: () => undefined,
        pulse: () => undefined,
        hear: () => Promise.resolve(false),
        watch: (_, tell) => {
          tell(said);
          return { live: true, close: () => undefined };
        },
      }),
    });
    const report = await seat.desk.awaitOrder({ userref, until: "filled", timeoutMs: 700 });
    expect(report).toMatchObject({ ok: true, value: { reached: false, state: "open" } });
  });

  it("looks by itself where there is no stream", async () => {
    await relay.close();
    const seat = await follower();
    await seat.desk.place(order);
    setTimeout(() => world.rest("sell", "100000000", "0.002"), 300);
    const report = await seat.desk.awaitOrder({ userref, until: "filled", timeoutMs: 20_000 });
    expect(report).toMatchObject({ ok: true, value: { reached: true, state: "filled" } });
  });

  it("looks by itself again when the stream ends in the middle of a wait", async () => {
    const seat = await follower();
    await seat.desk.place(order);
    const waiting = seat.desk.awaitOrder({ userref, until: "filled", timeoutMs: 50_000 });
    await isLive();
    await relay.close();
    world.rest("sell", "100000000", "0.002");
    expect(await waiting).toMatchObject({ ok: true, value: { reached: true, state: "filled" } });
  });

  it("looks a few times, however much it is told", async () => {
    let looks = 0;
    const seat = await world.seat({
      live: () => ({
        book: () => undefined,
        trades: () => undefined,
        pulse: () => undefined,
        hear: () => Promise.resolve(false),
        watch: (_, tell) => chatter(tell),
      }),
    });
    await seat.desk.place(order);
    const onProgress = () => {
      looks += 1;
    };
    const report = await seat.desk.awaitOrder({ userref, until: "filled", timeoutMs: 1_500, onProgress });
    expect(report).toMatchObject({ ok: true, value: { reached: false, state: "open" } });
    const waited = report.ok ? report.value.waited_ms : 0;
    expect(looks).toBeLessThan(2 + waited / 250);
  });
});

function chatter(tell: StreamListener): StreamWatch {
  const telling = setInterval(() => tell(), 1);
  return { live: true, close: () => clearInterval(telling) };
}

describe("the stream of a desk", () => {
  it("is one, whoever waits, and begins with the first order or wait", async () => {
    const seat = await follower();
    await seat.desk.status();
    await seat.desk.orderbook("BTC/KRW");
    expect(relay.connections).toBe(0);
    await seat.desk.place(order);
    await seat.desk.place({ ...order, userref: "second" });
    const waits = ["followed", "second", "followed"].map((name) =>
      seat.desk.awaitOrder({ userref: name, until: "filled", timeoutMs: 50_000 }),
    );
    await isLive();
    world.rest("sell", "100000000", "0.004");
    expect((await Promise.all(waits)).map((report) => report.ok && report.value.reached)).toEqual([true, true, true]);
    expect(relay.connections).toBe(1);
  });
});

describe("an order with a stream", () => {
  const BOOK = /orderbook|Depth/;
  const booksAsked = () => world.proxy.log.filter(({ path }) => BOOK.test(path)).length;

  async function followedBook(bid: string): Promise<void> {
    const best = () => facts?.book("BTC/KRW")?.tick.buys[0]?.[0];
    await expect.poll(best, { timeout: 10_000, interval: 5 }).toBe(bid);
  }

  it("is judged by the book it tells, and by what the venue answers once that is old", async () => {
    const seat = await follower({
      policy: changeablePolicy({ ...LOOSE, priceCollar: rate("0.05"), bookMaxAgeMs: 3_000 }),
    });
    world.rest("buy", "99000000", "1");
    world.rest("sell", "101000000", "1");
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
    expect(booksAsked()).toBe(1);
    await followedBook("100000000");
    expect(await seat.desk.place({ ...order, userref: "live" })).toMatchObject({ outcome: "accepted" });
    expect(booksAsked()).toBe(1);
    world.rest("buy", "100900000", "1");
    world.rest("buy", "100950000", "1");
    await followedBook("100950000");
    const far = { ...order, side: "sell", userref: "far", price: "95900000" } as const;
    expect(await seat.desk.place(far)).toMatchObject({ outcome: "not_sent", error: { rule: "price_collar" } });
    expect(booksAsked()).toBe(1);
    relay.plan("stall");
    world.clock.skewMs = 2_000;
    expect(await seat.desk.place({ ...order, userref: "old" })).toMatchObject({ outcome: "accepted" });
    expect(booksAsked()).toBe(2);
  });

  it("is held against the trades it tells, and against what the venue answers once that is old", async () => {
    const TRADES = /\/trades|Trades/;
    const tradesAsked = () => world.proxy.log.filter(({ path }) => TRADES.test(path)).length;
    const seat = await follower({
      policy: changeablePolicy({ ...LOOSE, priceCollar: rate("0.05"), bookMaxAgeMs: 3_000 }),
    });
    world.trade("94000000", "0.1");
    world.rest("buy", "99000000", "1");
    world.rest("sell", "101000000", "1");
    const denied = {
      error: {
        rule: "price_collar",
        message: expect.stringContaining("above the middle of the last trades ₩94,000,000"),
      },
    };
    expect(await seat.desk.place(order)).toMatchObject(denied);
    expect(tradesAsked()).toBe(1);
    const prices = () => facts?.trades("BTC/KRW")?.trades.map(({ price }) => price);
    await expect.poll(prices, { timeout: 10_000, interval: 5 }).toEqual(["94000000"]);
    world.trade("99500000", "0.01");
    await expect.poll(prices, { timeout: 10_000, interval: 5 }).toEqual(["99500000", "94000000"]);
    expect(await seat.desk.place(order)).toMatchObject(denied);
    expect(tradesAsked()).toBe(1);
    relay.plan("stall");
    world.clock.skewMs = 2_000;
    expect(await seat.desk.place(order)).toMatchObject(denied);
    expect(tradesAsked()).toBe(2);
  });

  it("is not judged by a book in which something is missing", async () => {
    const seat = await follower();
    world.rest("buy", "99000000", "1");
    facts?.book("BTC/KRW");
    await followedBook("99000000");
    relay.plan("lose", (text) => text.includes("orderbook"));
    world.rest("buy", "99100000", "1");
    await expect.poll(() => relay.done.lose, { timeout: 10_000 }).toBe(1);
    // What comes next shows the gap, and the answer to the new subscription does not come.
    relay.plan("stall", (text) => text.includes("ack"));
    world.rest("buy", "99200000", "1");
    await expect.poll(() => relay.done.stall, { timeout: 10_000 }).toBe(1);
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
    expect(booksAsked()).toBe(1);
  });

  it("is judged by what the venue answers when the stream has ended", async () => {
    const seat = await follower();
    world.rest("sell", "101000000", "1");
    facts?.book("BTC/KRW");
    await isLive();
    await relay.close();
    await expect.poll(() => facts?.book("BTC/KRW"), { timeout: 10_000 }).toBeUndefined();
    expect(await seat.desk.place(order)).toMatchObject({ outcome: "accepted" });
    expect(booksAsked()).toBe(1);
  });
});
