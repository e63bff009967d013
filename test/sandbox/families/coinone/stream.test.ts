import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import {
  answered,
  BTC,
  type Coinone,
  type CoinoneClient,
  clearBook,
  type Fields,
  headersOf,
  openCoinone,
} from "./coinone-client.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
type Message = any;

/** Keeps what it receives. */
class Listener {
  readonly messages: Message[] = [];
  readonly ended: Promise<number>;
  readonly #web: WebSocket;

  private constructor(web: WebSocket) {
    this.#web = web;
    web.on("message", (data, isBinary) =>
      this.messages.push(isBinary ? "bytes" : JSON.parse((data as Buffer).toString("utf8"))),
    );
    this.ended = new Promise((resolve) => web.once("close", resolve));
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<Listener> {
    const web = new WebSocket(url, { headers });
    const listener = new Listener(web);
    await new Promise((resolve, reject) => web.once("open", resolve).once("error", reject));
    return listener;
  }

  send(message: unknown): void {
    this.#web.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  follow(channel: string, topic: unknown = BTC, more: Fields = {}): void {
    this.send({ request_type: "SUBSCRIBE", channel, topic, ...more });
  }

  /** Waits until so many have come, and takes them. */
  async take(count: number): Promise<readonly Message[]> {
    await expect.poll(() => this.messages.length).toBeGreaterThanOrEqual(count);
    return this.messages.splice(0, count);
  }

  /** All that came before the answer to a PING. */
  async rest(): Promise<readonly Message[]> {
    this.send({ request_type: "PING" });
    await expect.poll(() => this.messages.at(-1)?.response_type).toBe("PONG");
    return this.messages.splice(0).slice(0, -1);
  }

  close(): void {
    this.#web.close();
  }

  /** Reads no more, not even that the connection ends. */
  pause(): void {
    this.#web.pause();
  }
}

let coinone: Coinone;
let paper: CoinoneClient;
let maker: CoinoneClient;
let opened: Listener[] = [];
beforeAll(async () => {
  coinone = await openCoinone();
  ({ paper, maker } = coinone);
});
afterEach(async () => {
  for (const listener of opened) listener.close();
  await Promise.all(opened.map(({ ended }) => ended));
  opened = [];
  await clearBook(coinone);
});
afterAll(async () => {
  await coinone.venue.sandbox.close();
  expect(coinone.venue.defects).toEqual([]);
});

/** A connection that was welcomed. */
async function open(path = "", client?: CoinoneClient, fields: Fields = { timestamp: Date.now() }): Promise<Listener> {
  const headers = client ? headersOf(client.credentials, fields).headers : {};
  const listener = await Listener.open(`${coinone.venue.sandbox.streamUrl}${path}`, headers);
  opened.push(listener);
  return listener;
}

async function welcomed(path?: string, client?: CoinoneClient): Promise<Listener> {
  const listener = await open(path, client);
  expect(await listener.take(1)).toEqual([
    { response_type: "CONNECTED", data: { session_id: expect.stringMatching(/^[0-9a-f-]{36}$/) } },
  ]);
  return listener;
}

const offer = (price: string, qty: string) => maker.order({ side: "SELL", price, qty });

describe("the public stream", () => {
  it("acknowledges a topic, sends the book, and then each trade with a book and a ticker", async () => {
    await offer("90000000", "0.5");
    await offer("90010000", "0.2");
    const listener = await welcomed();
    for (const channel of ["ORDERBOOK", "TRADE", "TICKER"]) listener.follow(channel);
    const [first, book, ...others] = await listener.take(4);
    expect([first, ...others]).toEqual(
      ["ORDERBOOK", "TRADE", "TICKER"].map((channel) => ({ response_type: "SUBSCRIBED", channel, data: BTC })),
    );
    const asks = [
      { price: "90010000", qty: "0.2" },
      { price: "90000000", qty: "0.5" },
    ];
    expect(book).toEqual({
      response_type: "DATA",
      channel: "ORDERBOOK",
      data: { ...BTC, timestamp: coinone.venue.clock.now, id: expect.stringMatching(/^\d{16}$/), asks, bids: [] },
    });
    await paper.order({ qty: "0.1" });
    const news = Object.fromEntries((await listener.take(3)).map(({ channel, data }) => [channel, data]));
    expect(news["ORDERBOOK"].asks.at(-1)).toEqual({ price: "90000000", qty: "0.4" });
    expect(BigInt(news["ORDERBOOK"].id)).toBeGreaterThan(BigInt(book.data.id));
    expect(news["TRADE"]).toMatchObject({ ...BTC, price: "90000000", qty: "0.1", is_seller_maker: true });
    expect(news["TICKER"]).toMatchObject({ last: "90000000", target_volume: "0.1", ask_best_qty: "0.4" });
    expect(news["TICKER"].id).toBe(news["TRADE"].id);
  });

  it("has short names where they are asked for, and is silent about what is no longer followed", async () => {
    await offer("90000000", "0.5");
    const listener = await welcomed();
    for (const channel of ["ORDERBOOK", "TRADE", "TICKER"]) listener.follow(channel, BTC, { format: "SHORT" });
    const [, book] = await listener.take(4);
    expect(book).toMatchObject({
      r: "DATA",
      c: "ORDERBOOK",
      d: { qc: "KRW", a: [{ p: "90000000", q: "0.5" }], b: [] },
    });
    await paper.order();
    const news = Object.fromEntries((await listener.take(3)).map(({ c, d }) => [c, d]));
    expect(news["TRADE"]).toMatchObject({ tc: "BTC", p: "90000000", q: "0.001", sm: true });
    expect(news["TICKER"]).toMatchObject({ la: "90000000", abp: "90000000", bbp: null, vp: "100" });
    listener.send({ request_type: "UNSUBSCRIBE", channel: "ORDERBOOK", topic: BTC });
    expect(await listener.take(1)).toEqual([{ response_type: "UNSUBSCRIBED", channel: "ORDERBOOK", data: BTC }]);
    await offer("90000000", "0.1");
    expect(await listener.rest()).toEqual([]);
  });

  it("acknowledges a market that there is none of, and then says so", async () => {
    const listener = await welcomed();
    listener.follow("TRADE", { quote_currency: "KRW", target_currency: "NONE" });
    expect(await listener.take(2)).toMatchObject([
      { response_type: "SUBSCRIBED" },
      { response_type: "ERROR", error_code: 160_012, message: "Invalid Topic" },
    ]);
  });

  it.each([
    ["what is no JSON", "hello", { error_code: 160_010 }],
    ["another request", { request_type: "LISTEN" }, { error_code: 160_011, field: "request_type" }],
    ["another channel", { request_type: "SUBSCRIBE", channel: "CHARTS" }, { error_code: 160_011, field: "channel" }],
    ["own orders", { request_type: "SUBSCRIBE", channel: "MYORDER" }, { error_code: 160_011, field: "channel" }],
    ["another format", { request_type: "SUBSCRIBE", channel: "TRADE", format: "LONG" }, { field: "format" }],
    ["a missing topic", { request_type: "SUBSCRIBE", channel: "TRADE" }, { error_code: 160_012 }],
  ])("refuses %s, and goes on", async (_, message, error) => {
    const listener = await welcomed();
    listener.send(message);
    expect(await listener.rest()).toMatchObject([{ response_type: "ERROR", ...error }]);
  });

  it("is 20 connections of an address at most", async () => {
    for (let count = 0; count < 20; count++) await welcomed();
    expect(await (await open()).ended).toBe(4290);
  });

  it("is nowhere else", async () => {
    await expect(open("/v2")).rejects.toThrow("404");
  });
});

describe("the private stream", () => {
  it("tells of an order from its beginning to its end, to its account alone", async () => {
    const [own, others] = [await welcomed("/v1/private", paper), await welcomed("/v1/private", maker)];
    own.follow("MYORDER", [BTC]);
    others.send({ request_type: "SUBSCRIBE", channel: "MYORDER" });
    expect(await own.take(1)).toEqual([{ response_type: "SUBSCRIBED", channel: "MYORDER", data: [BTC] }]);
    const order_id = answered(await paper.order({ user_order_id: "mine" })).order_id;
    await offer("90000000", "0.0004");
    await offer("90000000", "0.0006");
    const [wait, trade, last, done] = (await own.take(4)).map(({ data }) => data);
    expect(wait).toMatchObject({
      ...{ order_id, user_order_id: "mine", type: "LIMIT", status: "wait", side: "BID", order_price: "90000000.0000" },
      ...{ order_qty: "0.00100000", order_amount: null, executed_qty: null, remain_qty: null },
    });
    expect(trade).toMatchObject({
      ...{ order_id, status: "trade", is_maker: true, executed_price: "90000000", executed_qty: "0.0004" },
      ...{ remain_qty: "0.00060000", order_price: null },
    });
    expect(last).toMatchObject({ status: "trade", remain_qty: "0.00000000" });
    expect(done).toMatchObject({ status: "trade_done", remain_qty: "0.00000000", executed_qty: "0.0006" });
    const now = coinone.venue.clock.now;
    const { completed_orders: fills } = answered(
      await paper.post("order/completed_orders", { ...BTC, size: 2, from_ts: now - 1_000, to_ts: now }),
    );
    expect([done.trade_id, trade.trade_id]).toEqual(fills.map(({ trade_id }: { trade_id: string }) => trade_id));
    const sold = ["wait", "trade", "trade_done"];
    expect((await others.take(7)).slice(1).map(({ data }) => data.status)).toEqual([...sold, ...sold]);
  });

  it("tells that an order was canceled, and that one was only to be made", async () => {
    await offer("90000000", "1");
    const listener = await welcomed("/v1/private", paper);
    listener.follow("MYORDER", [], { format: "SHORT" });
    await listener.take(1);
    const { order_id } = answered(await paper.order({ price: "80000000" }));
    await paper.cancel({ order_id });
    await paper.order({ post_only: true });
    expect((await listener.take(4)).map(({ c, d }) => [c, d.st, d.op, d.rq])).toEqual([
      ["MYORDER", "wait", "80000000.0000", null],
      ["MYORDER", "cancel", null, "0.00000000"],
      ["MYORDER", "wait", "90000000.0000", null],
      ["MYORDER", "cancel_post_only", null, "0.00000000"],
    ]);
  });

  it("tells nothing of other markets than those that are asked for", async () => {
    const listener = await welcomed("/private", paper);
    listener.follow("MYORDER", [{ quote_currency: "KRW", target_currency: "ETH" }]);
    await listener.take(1);
    await paper.order();
    expect(await listener.rest()).toEqual([]);
  });

  it("ends with a code of its own for whom it does not know", async () => {
    const withoutTime = await open("/v1/private", paper, {});
    const ofNobody = await open("/v1/private");
    expect([await withoutTime.ended, await ofNobody.ended]).toEqual([4280, 4280]);
    expect([...withoutTime.messages, ...ofNobody.messages]).toEqual([]);
  });
});

describe("both streams", () => {
  it("end with the exchange, whether or not their clients answer", async () => {
    const { venue } = await openCoinone();
    const listener = await Listener.open(venue.sandbox.streamUrl);
    listener.pause();
    const before = performance.now();
    await venue.sandbox.close();
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});
