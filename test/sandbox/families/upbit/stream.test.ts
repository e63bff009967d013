import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { openUpbit, tokenOf, type Upbit, type UpbitClient } from "./upbit-client.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
type Message = any;

/** Keeps what it receives, with whether it came as bytes. */
class Listener {
  readonly messages: Message[] = [];
  readonly #web: WebSocket;

  private constructor(web: WebSocket) {
    this.#web = web;
    web.on("message", (data, isBinary) =>
      this.messages.push({ ...JSON.parse((data as Buffer).toString("utf8")), isBinary }),
    );
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

  /** Sends a request, and waits until it was read. */
  async follow(...parts: readonly object[]): Promise<void> {
    this.send([{ ticket: "test" }, ...parts]);
    this.send("PING");
    const isRead = ({ status }: Message): boolean => status === "UP";
    await expect.poll(() => this.messages.some(isRead)).toBe(true);
    this.messages.splice(this.messages.findIndex(isRead), 1);
  }

  /** Waits until so many have come, and takes them. */
  async take(count: number): Promise<readonly Message[]> {
    await expect.poll(() => this.messages.length).toBeGreaterThanOrEqual(count);
    return this.messages.splice(0, count);
  }

  close(): void {
    this.#web.close();
  }

  /** Reads no more, not even that the connection ends. */
  pause(): void {
    this.#web.pause();
  }

  get ended(): Promise<unknown> {
    return new Promise((resolve) => this.#web.once("close", resolve));
  }
}

let upbit: Upbit;
let paper: UpbitClient;
let opened: Listener[];
beforeEach(async () => {
  opened = [];
  upbit = await openUpbit();
  ({ paper } = upbit);
});
afterEach(async () => {
  for (const listener of opened) listener.close();
  await upbit.venue.sandbox.close();
  expect(upbit.venue.defects).toEqual([]);
});

async function open(path = "", client?: UpbitClient): Promise<Listener> {
  const headers: Record<string, string> = client ? { Authorization: `Bearer ${tokenOf(client.credentials, "")}` } : {};
  const listener = await Listener.open(`${upbit.venue.sandbox.streamUrl}${path}`, headers);
  opened.push(listener);
  return listener;
}

const ticket = { ticket: "test" };

describe("the public stream", () => {
  it("sends snapshots and then what happens, as bytes, with the fields of quotations", async () => {
    await upbit.maker.order({ side: "ask", price: "90000000", volume: "0.5" });
    const listener = await open();
    listener.send([
      ticket,
      { type: "ticker", codes: ["KRW-BTC"] },
      { type: "trade", codes: ["KRW-BTC"] },
      { type: "orderbook", codes: ["KRW-BTC.5"] },
    ]);
    expect(await listener.take(2)).toMatchObject([
      { type: "ticker", code: "KRW-BTC", stream_type: "SNAPSHOT", market_state: "ACTIVE", isBinary: true },
      { type: "orderbook", code: "KRW-BTC", stream_type: "SNAPSHOT", orderbook_units: [{ ask_price: 90_000_000 }] },
    ]);
    await paper.order({ volume: "0.1" });
    const news = await listener.take(3);
    const byType = Object.fromEntries(news.map((message) => [message.type, message]));
    expect(byType["trade"]).toMatchObject({
      ...{ code: "KRW-BTC", trade_price: 90_000_000, trade_volume: 0.1, ask_bid: "BID", change: "FALL" },
      ...{ trade_date: "2026-07-20", trade_time: "09:00:00", stream_type: "REALTIME" },
    });
    expect(byType["orderbook"]).toMatchObject({ total_ask_size: 0.4, stream_type: "REALTIME" });
    expect(byType["ticker"]).toMatchObject({ trade_price: 90_000_000, acc_trade_volume: 0.1 });
    expect(byType["trade"]).not.toHaveProperty("market");
  });

  it("sends one kind alone where that is asked for, and lists with JSON_LIST", async () => {
    const listener = await open();
    listener.send([ticket, { type: "orderbook", codes: ["KRW-BTC"], is_only_snapshot: true }]);
    await listener.take(1);
    await paper.order();
    await listener.follow({ type: "orderbook", codes: ["KRW-BTC"], is_only_realtime: true }, { format: "JSON_LIST" });
    expect(listener.messages).toEqual([]);
    await paper.order();
    expect(await listener.take(1)).toMatchObject([{ 0: { type: "orderbook", total_bid_size: 0.002 } }]);
  });

  it("goes on with the last request alone, and answers PING", async () => {
    const listener = await open();
    listener.send([ticket, { type: "orderbook", codes: ["KRW-BTC"] }]);
    listener.send([ticket, { type: "orderbook", codes: ["KRW-ETH"] }]);
    await listener.take(2);
    await paper.order();
    listener.send("PING");
    expect(await listener.take(1)).toEqual([{ status: "UP", isBinary: false }]);
  });

  it.each([
    ["no JSON", "hello", "WRONG_FORMAT"],
    ["no list", {}, "WRONG_FORMAT"],
    ["another format", [ticket, { type: "ticker", codes: ["KRW-BTC"] }, { format: "XML" }], "WRONG_FORMAT"],
    ["no ticket", [{ type: "ticker", codes: ["KRW-BTC"] }], "NO_TICKET"],
    ["no type", [ticket], "NO_TYPE"],
    ["no codes", [ticket, { type: "ticker" }], "NO_CODES"],
    ["empty codes", [ticket, { type: "ticker", codes: [] }], "INVALID_PARAM"],
    ["another type", [ticket, { type: "weather", codes: ["KRW-BTC"] }], "INVALID_PARAM"],
    ["what is private", [ticket, { type: "myOrder" }], "INVALID_AUTH"],
  ])("refuses %s", async (_, message, name) => {
    const listener = await open();
    listener.send(message);
    expect(await listener.take(1)).toMatchObject([{ error: { name } }]);
  });

  it("ends with the exchange, whether or not its client answers", async () => {
    const listener = await open();
    listener.pause();
    const before = performance.now();
    await upbit.venue.sandbox.close();
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  it("is nowhere else", async () => {
    await expect(open("/info")).rejects.toThrow("404");
  });
});

describe("the private stream", () => {
  it("tells of an order from its beginning to its end, to its account alone", async () => {
    const [own, others] = [await open("/private", paper), await open("/private", upbit.maker)];
    for (const listener of [own, others]) await listener.follow({ type: "myOrder" });
    await paper.order({ identifier: "mine" });
    await upbit.maker.order({ side: "ask", volume: "0.0004" });
    await paper.delete("order", { identifier: "mine" });
    const mine = await own.take(3);
    expect(mine).toMatchObject([
      {
        ...{ type: "myOrder", code: "KRW-BTC", ask_bid: "BID", order_type: "limit", state: "wait", identifier: "mine" },
        ...{ price: 90_000_000, volume: 0.001, remaining_volume: 0.001, locked: 90_045, trades_count: 0 },
      },
      {
        ...{ state: "trade", price: 90_000_000, volume: 0.0004, executed_volume: 0.0004, is_maker: true },
        ...{ trade_fee: 18, paid_fee: 18, trades_count: 1, stream_type: "REALTIME" },
      },
      { state: "cancel", executed_volume: 0.0004, remaining_volume: 0.0006, locked: 0 },
    ]);
    const { json } = await paper.get("order", { identifier: "mine" });
    expect([mine[1].uuid, mine[1].trade_uuid]).toEqual([json.uuid, json.trades[0].uuid]);
    expect(await others.take(3)).toMatchObject([{ state: "wait" }, { state: "trade" }, { state: "done" }]);
  });

  it("tells of balances, and of orders in the markets that are asked for", async () => {
    const listener = await open("/private", paper);
    await listener.follow({ type: "myAsset" }, { type: "myOrder", codes: ["KRW-ETH"] });
    await paper.order();
    expect(await listener.take(1)).toMatchObject([
      { type: "myAsset", assets: [{ currency: "KRW", balance: 9_909_955, locked: 90_045 }], stream_type: "REALTIME" },
    ]);
    await paper.order({ market: "KRW-ETH", price: "1000000", volume: "0.01" });
    expect((await listener.take(2)).map(({ type }) => type)).toEqual(["myOrder", "myAsset"]);
  });

  it("refuses whom it does not know, and closes", async () => {
    const listener = await Listener.open(`${upbit.venue.sandbox.streamUrl}/private`);
    opened.push(listener);
    expect(await listener.take(1)).toMatchObject([{ error: { name: "INVALID_AUTH" } }]);
    await listener.ended;
  });
});
