import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type Bithumb, type BithumbClient, openBithumb, tokenOf } from "./bithumb-client.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
type Message = any;

/** Keeps what it receives. */
class Listener {
  readonly messages: Message[] = [];
  readonly #web: WebSocket;

  private constructor(web: WebSocket) {
    this.#web = web;
    web.on("message", (data) => this.messages.push(JSON.parse((data as Buffer).toString("utf8"))));
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
}

let bithumb: Bithumb;
let paper: BithumbClient;
let maker: BithumbClient;
const opened: Listener[] = [];
beforeAll(async () => {
  bithumb = await openBithumb();
  ({ paper, maker } = bithumb);
});
afterEach(() => {
  for (const listener of opened.splice(0)) listener.close();
});
afterAll(async () => {
  await bithumb.venue.sandbox.close();
  expect(bithumb.venue.defects).toEqual([]);
});

async function open(path = "/websocket/v1", client?: BithumbClient): Promise<Listener> {
  const headers: Record<string, string> = client ? { Authorization: `Bearer ${tokenOf(client.credentials, "")}` } : {};
  const listener = await Listener.open(`${paper.baseUrl.replace("http", "ws")}${path}`, headers);
  opened.push(listener);
  return listener;
}

const AT = Date.UTC(2026, 6, 20, 9);
const PRIVATE = "/websocket/v2/private";

describe("the public stream", () => {
  it("sends snapshots and then what happens, with Korea's dates, and books in microseconds", async () => {
    const listener = await open();
    const codes = ["KRW-BTC"];
    await listener.follow({ type: "ticker", codes }, { type: "orderbook", codes }, { type: "trade", codes });
    const [ticker, book] = await listener.take(2);
    expect(ticker).toMatchObject({ type: "ticker", code: "KRW-BTC", stream_type: "SNAPSHOT", timestamp: AT });
    expect(book).toMatchObject({ type: "orderbook", orderbook_units: [], level: 1, timestamp: AT * 1_000 });
    await maker.order({ side: "ask", volume: "0.5" });
    const [changed] = await listener.take(1);
    expect(changed.orderbook_units).toEqual([{ ask_price: 9e7, bid_price: 0, ask_size: 0.5, bid_size: 0 }]);
    await paper.order();
    const messages = await listener.take(3);
    expect(messages.find(({ type }) => type === "trade")).toMatchObject({
      ...{ code: "KRW-BTC", trade_price: 90_000_000, trade_volume: 0.001, ask_bid: "BID", stream_type: "REALTIME" },
      ...{ trade_date: "2026-07-20", trade_time: "18:00:00", trade_timestamp: AT },
    });
    expect(messages.find(({ type }) => type === "ticker")).toMatchObject({
      trade_date: "20260720",
      trade_time: "180000",
    });
  });

  it.each([
    ["{", "WRONG_FORMAT"],
    [[{ type: "ticker", codes: ["KRW-BTC"] }], "NO_TICKET"],
    [[{ ticket: "a" }], "NO_TYPE"],
    [[{ ticket: "a" }, { type: "ticker" }], "NO_CODES"],
    [[{ ticket: "a" }, { type: "ticker", codes: [] }], "INVALID_PARAM"],
    [[{ ticket: "a" }, { type: "myOrder" }], "WRONG_FORMAT"],
  ])("says what is wrong with %j", async (request, name) => {
    const listener = await open();
    listener.send(request);
    expect((await listener.take(1))[0].error.name).toBe(name);
  });
});

describe("the private stream", () => {
  it("tells of an order from its beginning to its end, to its account alone", async () => {
    const [own, other] = [await open(PRIVATE, paper), await open(PRIVATE, maker)];
    await own.follow({ type: "myOrder" });
    await other.follow({ type: "myOrder", codes: ["KRW-ETH"] });
    const { order_id: id } = (await paper.order({ client_order_id: "told", price: "91000000" })).json;
    const [begun, traded, done] = await own.take(3);
    expect(begun).toMatchObject({
      ...{ type: "myOrder", code: "KRW-BTC", order_id: id, client_order_id: "told", side: "buy", state: "wait" },
      ...{ order_type: "limit", order_price: 91_000_000, order_quantity: 0.001, order_amount: 91_000 },
    });
    expect(traded).toMatchObject({
      ...{ state: "trade", trade_price: 90_000_000, trade_quantity: 0.001, trade_amount: 90_000, paid_fee: 225 },
      ...{ executed_quantity: 0.001, remaining_quantity: 0, executed_amount: 90_000, trade_timestamp: AT },
    });
    expect(traded.trade_id).toMatch(/^C0101\d{15}$/);
    expect(done).toMatchObject({ state: "done", executed_quantity: 0.001 });
    expect(done).not.toHaveProperty("trade_id");
    await paper.order({ time_in_force: "post_only" });
    expect((await own.take(2))[1]).toMatchObject({ state: "cancel", cancel_type: "tif_cancel" });
    expect(other.messages).toEqual([]);
  });

  it("tells of balances as text", async () => {
    const own = await open(PRIVATE, paper);
    await own.follow({ type: "myAsset" });
    await paper.order({ price: "80000000" });
    expect((await own.take(1))[0]).toMatchObject({
      type: "myAsset",
      assets: [{ currency: "KRW", balance: expect.any(String), locked: "80200" }],
    });
  });

  it("lets nobody in without a right token, and nowhere else", async () => {
    await expect(open(PRIVATE)).rejects.toThrow("401");
    await expect(open("/websocket/v1/private", paper)).rejects.toThrow("404");
  });
});
