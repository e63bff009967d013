import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type Korbit, type KorbitClient, openKorbit, type SigningOptions } from "./korbit-client.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
type Message = any;

/** Keeps what it receives. */
class Listener {
  readonly messages: Message[] = [];
  readonly #web: WebSocket;

  private constructor(web: WebSocket) {
    this.#web = web;
    web.on("message", (data, isBinary) => {
      expect(isBinary).toBe(false);
      this.messages.push(JSON.parse((data as Buffer).toString("utf8")));
    });
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

  /** Waits until so many have come, and takes them. */
  async take(count: number): Promise<readonly Message[]> {
    await expect.poll(() => this.messages.length).toBeGreaterThanOrEqual(count);
    return this.messages.splice(0, count);
  }

  /** Sends a request, and waits until it was taken. */
  async ask(terms: object): Promise<void> {
    this.send([{ requestId: 7, method: "subscribe", ...terms }]);
    expect(await this.take(1)).toEqual([{ requestId: 7, status: "success" }]);
  }

  close(): void {
    this.#web.close();
  }
}

let korbit: Korbit;
let opened: Listener[] = [];
beforeAll(async () => {
  korbit = await openKorbit();
});
afterEach(() => {
  for (const listener of opened) listener.close();
  opened = [];
});
afterAll(async () => {
  await korbit.venue.sandbox.close();
  expect(korbit.venue.defects).toEqual([]);
});

const privateUrl = (client: KorbitClient, options?: SigningOptions): string =>
  `${korbit.venue.sandbox.streamUrl.replace("public", "private")}?${client.signed({}, options)}`;

async function open(client?: KorbitClient): Promise<Listener> {
  const { streamUrl } = korbit.venue.sandbox;
  const listener = await (client === undefined
    ? Listener.open(streamUrl)
    : Listener.open(privateUrl(client), client.headers()));
  opened.push(listener);
  return listener;
}

describe("a market", () => {
  it("is told of as it is, and then as it changes", async () => {
    const { maker } = korbit;
    const client = korbit.account("taker");
    const listener = await open();
    await maker.order({ side: "sell", price: "91000000", qty: "0.02" });
    await listener.ask({ type: "orderbook", symbols: ["btc_krw"] });
    const book = { type: "orderbook", symbol: "btc_krw", timestamp: korbit.venue.clock.now };
    expect(await listener.take(1)).toMatchObject([
      { ...book, snapshot: true, data: { bids: [], asks: [{ price: "91000000", qty: "0.02" }] } },
    ]);
    await listener.ask({ type: "trade", symbols: ["btc_krw"] });
    await listener.ask({ type: "ticker", symbols: ["btc_krw", "eth_krw"] });
    expect(await listener.take(2)).toMatchObject([
      { type: "ticker", symbol: "btc_krw", snapshot: true, data: { bestAskPrice: "91000000" } },
      { type: "ticker", symbol: "eth_krw", snapshot: true },
    ]);
    await client.order({ price: "91000000", qty: "0.01" });
    const messages = await listener.take(3);
    expect(messages).toMatchObject([
      { type: "trade", symbol: "btc_krw", data: [{ price: "91000000", qty: "0.01", isBuyerTaker: true }] },
      { ...book, data: { asks: [{ price: "91000000", qty: "0.01" }] } },
      { type: "ticker", symbol: "btc_krw", data: { close: "91000000" } },
    ]);
    for (const message of messages) expect(message).not.toHaveProperty("snapshot");
    listener.send([{ method: "unsubscribe", type: "ticker", symbols: ["btc_krw"] }]);
    await listener.ask({ method: "unsubscribe", type: "trade", symbols: ["btc_krw"] });
    await client.order({ price: "91000000", qty: "0.01" });
    expect(await listener.take(1)).toMatchObject([{ type: "orderbook", data: { asks: [] } }]);
    await listener.ask({ type: "trade", symbols: ["btc_krw"] });
    expect(await listener.take(1)).toMatchObject([{ type: "trade", snapshot: true, data: [{ qty: "0.01" }] }]);
  });
});

describe("a request", () => {
  it.each([
    ["a market that is none", { type: "ticker", symbols: ["eth_btc"] }, "INVALID_SYMBOL"],
    ["no market", { type: "ticker" }, "INVALID_SYMBOL"],
    ["what belongs to an account", { type: "myOrder", symbols: ["btc_krw"] }, "INVALID_TYPE"],
    ["another method", { method: "follow", type: "ticker", symbols: ["btc_krw"] }, "INVALID_METHOD"],
    ["a book by another level", { type: "orderbook", symbols: ["btc_krw"], level: "3" }, "INVALID_LEVEL"],
  ])("fails for %s, though it has no number", async (_, terms, code) => {
    const listener = await open();
    listener.send([{ method: "subscribe", ...terms }]);
    expect(await listener.take(1)).toEqual([{ status: "fail", code, message: expect.any(String) }]);
  });

  it("is an error where it is no list", async () => {
    const listener = await open();
    for (const text of ["{", "{}", "[]", '[{"requestId":"one"}]']) listener.send(text);
    const error = { status: "error", message: expect.any(String) };
    expect(await listener.take(4)).toEqual([error, error, error, error]);
  });
});

describe("an account", () => {
  it("is told of its orders, trades and balances, and nobody else is", async () => {
    const client = korbit.account("owner");
    const listener = await open(client);
    const other = await open(korbit.account("other"));
    for (const each of [listener, other])
      for (const type of ["myOrder", "myTrade", "myAsset"])
        await each.ask({ type, ...(type === "myAsset" ? {} : { symbols: ["btc_krw"] }) });
    const { now: timestamp } = korbit.venue.clock;
    const { orderId } = (await client.order({ clientOrderId: "mine", price: "92000000", qty: "0.01" })).json.data;
    const order = { orderId, clientOrderId: "mine", side: "buy", orderType: "limit", price: "92000000", qty: "0.01" };
    const told = (status: string) => ({
      ...{ channelType: "myOrder", timestamp, symbol: "btc_krw" },
      order: { orders: [{ ...order, status }] },
    });
    const [rests, reserved] = await listener.take(2);
    expect(rests).toMatchObject(told("unfilled"));
    expect(rests.order).not.toHaveProperty("accountSeq");
    expect(reserved).toEqual({
      ...{ channelType: "myAsset", timestamp },
      asset: {
        assets: [
          {
            currency: "krw",
            balance: "10000000",
            available: "9078620",
            tradeInUse: "921380",
            withdrawalInUse: "0",
            avgPrice: "0",
            updatedAt: timestamp,
          },
        ],
      },
    });
    await korbit.maker.order({ side: "sell", price: "92000000", qty: "0.01" });
    const messages = await listener.take(3);
    expect(messages.find(({ channelType }: Message) => channelType === "myOrder")).toMatchObject(told("filled"));
    expect(messages.find(({ channelType }: Message) => channelType === "myTrade")).toEqual({
      ...{ channelType: "myTrade", timestamp, symbol: "btc_krw" },
      trade: {
        trades: [
          {
            ...{ tradeId: expect.any(Number), orderId, side: "buy", price: "92000000", qty: "0.01" },
            ...{ fee: "0", feeCurrency: "krw", filledAt: timestamp, isTaker: false },
          },
        ],
      },
    });
    expect(other.messages).toEqual([]);
  });

  it("is named where that is asked for", async () => {
    const client = korbit.account("named");
    const listener = await open(client);
    await listener.ask({ type: "myOrder", symbols: ["btc_krw"], accountSeqs: [1] });
    await client.order();
    expect((await listener.take(1))[0].order).toMatchObject({ accountSeq: 1, orders: [{ status: "unfilled" }] });
    listener.send([{ method: "subscribe", type: "myAsset", accountSeqs: [2] }]);
    expect(await listener.take(1)).toMatchObject([{ status: "fail" }]);
  });

  it.each<[why: string, status: number, name: string, options: SigningOptions, headers: Record<string, string>]>([
    ["a wrong signature", 401, "INVALID_SIGNATURE", { sent: (text) => `${text}0` }, {}],
    ["an old time", 400, "EXCEED_TIME_WINDOW", { timestamp: 1 }, {}],
    ["no key", 401, "KEY_NOT_FOUND", {}, { "X-KAPI-KEY": "nobody" }],
  ])("is refused for %s before it is connected, with why", async (_, status, name, options, headers) => {
    const client = korbit.account(`refused-${name.toLowerCase()}`);
    const web = new WebSocket(privateUrl(client, options), { headers: { ...client.headers(), ...headers } });
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      web.once("error", reject);
      web.once("unexpected-response", (_request, response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }));
      });
    });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ success: false, error: { code: status, message: name } });
  });
});
