import { describe, expect, it } from "vitest";
import {
  CHECKSUM_LEVELS,
  CHECKSUM_VECTORS,
  type ChecksumVector,
  PRIVATE_CHANNELS,
  PUBLIC_CHANNELS,
  STREAM_CLOSE,
  STREAM_EVENTS,
  STREAM_LIMITS,
  STREAM_OPS,
  STREAM_PATH,
  streamAck,
  streamHeartbeat,
  streamUrl,
} from "../../../src/contract/index.ts";
import { order } from "../../fixture/order-sample.ts";

/** CRC-32 bit by bit, as no checksum code is in the contract. */
function crc32(text: string): number {
  let crc = 0xff_ff_ff_ff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xed_b8_83_20 : 0);
  }
  return (crc ^ 0xff_ff_ff_ff) >>> 0;
}

function textOf({ buys, asks }: ChecksumVector["tick"]): string {
  const side = (levels: typeof buys) =>
    levels
      .slice(0, CHECKSUM_LEVELS)
      .map(([price, volume]) => `${price}:${volume}`)
      .join(",");
  return `${side(buys)}|${side(asks)}`;
}

describe("checksum vectors", () => {
  it.each(CHECKSUM_VECTORS)("hold for $name", ({ tick, text, checksum }) => {
    expect(textOf(tick)).toBe(text);
    expect(crc32(text)).toBe(checksum);
  });

  it("are of the CRC-32 whose check value is published", () => {
    expect(crc32("123456789")).toBe(0xcb_f4_39_26);
  });

  it("cover an empty side, decimals, more levels than count, and sums beyond 31 bits", () => {
    expect(CHECKSUM_VECTORS.some(({ tick }) => tick.buys.length === 0 && tick.asks.length > 0)).toBe(true);
    expect(CHECKSUM_VECTORS.some(({ tick }) => tick.buys.length > CHECKSUM_LEVELS)).toBe(true);
    expect(CHECKSUM_VECTORS.some(({ text }) => text.includes("."))).toBe(true);
    expect(CHECKSUM_VECTORS.some(({ checksum }) => checksum > 0x7f_ff_ff_ff)).toBe(true);
  });
});

describe("the stream's figures", () => {
  it("are the limits of the service", () => {
    expect(STREAM_PATH).toBe("/v1/stream");
    expect(STREAM_LIMITS).toMatchObject({
      connectionsPerKey: 10,
      subscriptionsPerConnection: 200,
      messagesPerSecond: 20,
      heartbeatMs: 5_000,
      silenceMs: 15_000,
      reconnectMinMs: 250,
      reconnectMaxMs: 30_000,
    });
    expect(PUBLIC_CHANNELS).toEqual(["orderbook", "trades", "ticker"]);
    expect(PRIVATE_CHANNELS).toEqual(["orders", "fills", "balances"]);
  });

  it("include where it is", () => {
    expect(streamUrl("http://127.0.0.1:8420")).toBe("ws://127.0.0.1:8420/v1/stream");
    expect(streamUrl("https://api.example.com/base/")).toBe("wss://api.example.com/base/v1/stream");
  });

  it("have one close code for each reason", () => {
    const codes = Object.values(STREAM_CLOSE);
    expect(new Set(codes).size).toBe(codes.length);
  });
});

type Op = keyof typeof STREAM_OPS;

/** Field and fix of the first thing wrong; undefined when nothing is. */
function wrong(message: { readonly op: Op }): string | undefined {
  const parsed = STREAM_OPS[message.op].safeParse(message);
  const issue = parsed.error?.issues[0];
  if (issue === undefined) return undefined;
  return issue.code === "unrecognized_keys" ? `unknown ${issue.keys[0]}` : `${issue.path.join(".")}: ${issue.message}`;
}

describe("what a client may say", () => {
  const book = { op: "subscribe", id: "1", channel: "orderbook", symbol: "BTC/KRW" } as const;
  const fills = { op: "subscribe", id: 2, channel: "fills", token: "t" } as const;

  it.each([
    book,
    { ...book, symbol: "btckrw", depth: 1 },
    { ...book, id: 0, depth: 500 },
    { ...book, op: "unsubscribe", depth: 5 },
    { ...book, channel: "ticker" },
    fills,
    { ...fills, symbol: "BTC/KRW" },
    { ...fills, channel: "balances" },
    { op: "unsubscribe", id: 3, channel: "fills" },
    { ...fills, op: "unsubscribe" },
    { op: "ping", id: "p" },
  ] as const)("may be %j", (message) => {
    expect(wrong(message)).toBeUndefined();
  });

  it.each([
    [{ ...book, pair: "BTC/KRW" }, "unknown pair"],
    [{ op: "ping", id: 1, channel: "ticker" }, "unknown channel"],
    [{ ...book, symbol: undefined }, "symbol: orderbook needs a symbol"],
    [{ ...book, symbol: "BTC KRW" }, "symbol: write the market as BTC/KRW or BTCKRW"],
    [{ ...book, depth: 0 }, "depth: use a whole number from 1 to 500"],
    [{ ...book, depth: 501 }, "depth: use a whole number from 1 to 500"],
    [{ ...book, depth: "5" }, "depth: use a whole number from 1 to 500"],
    [{ ...book, channel: "trades", depth: 5 }, "depth: only orderbook has a depth, trades has none"],
    [{ ...book, token: "t" }, "token: orderbook is public: leave token out"],
    [{ ...fills, token: undefined }, "token: fills is private: send a token from POST /v1/ws/token"],
    [
      { ...fills, channel: "balances", symbol: "BTC/KRW" },
      "symbol: balances are of the whole account: leave symbol out",
    ],
    [{ ...book, id: "a b" }, "id: use 1 to 64 characters out of A-Z a-z 0-9 . _ - or a whole number"],
    [{ ...book, id: -1 }, "id: use 1 to 64 characters out of A-Z a-z 0-9 . _ - or a whole number"],
  ] as const)("may not be %j", (message, words) => {
    expect(wrong(message)).toBe(words);
  });

  it("names the channel that is not there", () => {
    expect(wrong({ ...book, channel: "candles" } as never)).toMatch(/^channel: /);
  });
});

describe("what the service says", () => {
  const head = { type: "update", seq: 7, time: "2026-07-20T09:00:00.000Z" } as const;
  const tick = { buys: [["95000000", "0"]], asks: [] };

  it("may gain fields, which are dropped", () => {
    const event = { channel: "orderbook", symbol: "BTC/KRW", ...head, tick, checksum: 1, later: "text" };
    expect(STREAM_EVENTS.orderbook.parse(event)).not.toHaveProperty("later");
    expect(streamHeartbeat.parse({ op: "heartbeat", time: head.time, later: 1 })).not.toHaveProperty("later");
  });

  it("carries money as text only", () => {
    const event = { channel: "orderbook", symbol: "BTC/KRW", ...head, tick: { buys: [[95000000, "1"]], asks: [] } };
    expect(STREAM_EVENTS.orderbook.safeParse({ ...event, checksum: 1 }).success).toBe(false);
  });

  it("reports orders, fills and balances of all markets under a null symbol", () => {
    const orders = { channel: "orders", symbol: null, ...head, orders: [order] };
    expect(STREAM_EVENTS.orders.safeParse(orders).success).toBe(true);
    const balances = { channel: "balances", symbol: null, ...head, balances: [] };
    expect(STREAM_EVENTS.balances.safeParse(balances).success).toBe(true);
    expect(STREAM_EVENTS.balances.safeParse({ ...balances, symbol: "BTC/KRW" }).success).toBe(false);
    expect(STREAM_EVENTS.trades.safeParse({ ...balances, channel: "trades", trades: [] }).success).toBe(false);
  });

  it("acknowledges what had no readable id with a null one", () => {
    const error = { code: "EGeneral:Invalid arguments:id", message: "id is missing", field: "id" };
    expect(streamAck.parse({ op: "ack", id: null, ok: false, error })).toEqual({
      op: "ack",
      id: null,
      ok: false,
      error,
    });
  });
});
