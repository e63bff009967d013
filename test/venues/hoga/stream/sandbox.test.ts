/** The stream against the sandbox itself, over a real socket. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../../../src/sandbox/index.ts";
import type { StreamNotice, StreamSocket } from "../../../../src/transport/index.ts";
import { webSocket } from "../../../../src/transport/socket/web-socket.ts";
import { OpenApiClient, Stream, type StreamOptions } from "../../../../src/venues/index.ts";
import { eventually } from "./scripted-venue.ts";

let sandbox: Sandbox;
let reader: OpenApiClient;
let notices: StreamNotice[];
/** The endpoints that the reader called, in order. */
let called: string[];
const streams: Stream[] = [];
beforeEach(async () => {
  sandbox = await startSandbox({ marketMaker: false, limits: { streamConnectionsPerKey: 1 } });
  const { baseUrl, apiKey, apiSecret } = sandbox;
  called = [];
  reader = new OpenApiClient({
    environment: "sandbox",
    baseUrl,
    credentials: { apiKey, apiSecret },
    onEvent: (event) => {
      if (event.type === "request_ended") called.push(event.endpoint);
    },
  });
  notices = [];
});
afterEach(async () => {
  for (const stream of streams.splice(0)) await stream.close();
  await reader.close();
  await sandbox.close();
});

function stream(options: Partial<StreamOptions> = {}): Stream {
  const onNotice = (notice: StreamNotice): void => {
    notices.push(notice);
  };
  const made = new Stream({ url: sandbox.streamUrl, reader, random: () => 0, onNotice, ...options });
  streams.push(made);
  return made;
}

const PRICE = "90000000";
const buy = async (): Promise<string> => {
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.001", price: PRICE } as const;
  const placed = await reader.submit({ ...order, userref: "one" }, async () => true);
  if (!placed.ok) throw new Error(JSON.stringify(placed.fault));
  return placed.value.orderId;
};

describe("a market", () => {
  it("may be written in any form, and is one subscription", async () => {
    const own = stream();
    const books: string[] = [];
    const tops: unknown[] = [];
    const book = own.orderbook("btckrw", ({ symbol }) => books.push(symbol));
    const same = own.orderbook("BTC/KRW", ({ tick }) => tops.push(tick.buys[0]?.[0]));
    const orders = own.orders(() => {}, "BTCKRW");
    expect(await own.until("live", AbortSignal.timeout(10_000))).toBe(true);
    expect([book.live, same.live, orders.live, own.freeSubscriptions]).toEqual([true, true, true, 198]);
    await buy();
    await eventually(() => tops.at(-1) === PRICE && orders.value?.length === 1);
    expect([new Set(books), book.value === same.value]).toEqual([new Set(["BTC/KRW"]), true]);
    expect(notices.filter(({ type }) => type !== "state")).toEqual([]);
  });
});

describe("a refusal that may pass", () => {
  it("is not live, and ends once the key has a place again", async () => {
    const first = stream();
    first.fills(() => {});
    await first.until("live", AbortSignal.timeout(10_000));
    const second = stream();
    const fills = second.fills(() => {});
    const ticker = second.ticker("BTC/KRW", () => {});
    await eventually(() => fills.fault !== undefined && ticker.live);
    expect(fills.fault?.code).toBe("EAPI:Rate limit exceeded");
    expect([second.state, fills.live]).toEqual(["syncing", false]);
    await first.close();
    expect(await second.until("live", AbortSignal.timeout(10_000))).toBe(true);
    expect([fills.live, fills.fault]).toEqual([true, undefined]);
  });
});

describe("a listener to the state", () => {
  it("when it throws, the stream reports it and does not disturb the others", async () => {
    const own = stream();
    const states: string[] = [];
    own.onState(() => {
      throw new Error("mine");
    });
    own.onState((state) => states.push(state));
    const ticker = own.ticker("BTC/KRW", () => {});
    expect(await own.until("live", AbortSignal.timeout(10_000))).toBe(true);
    expect([ticker.live, states]).toEqual([true, ["syncing", "live"]]);
    expect(notices).toContainEqual({ type: "listener_failed", channel: "state" });
    await own.close();
    expect(states.at(-1)).toBe("closed");
  });
});

describe("a gap", () => {
  it("is closed by orders, balances and the trade history, before the stream is live again", async () => {
    const sockets: StreamSocket[] = [];
    const own = stream({
      connect: (url, events) => {
        const socket = webSocket(url, events);
        sockets.push(socket);
        return socket;
      },
    });
    const seen: string[] = [];
    own.orders(({ orderId, state }) => seen.push(`${orderId} ${state}`));
    own.balances(() => {});
    expect(await own.until("live", AbortSignal.timeout(10_000))).toBe(true);
    called.length = 0;
    const readBeforeLive: string[][] = [];
    own.onState((state) => state === "live" && readBeforeLive.push([...called]));
    for (const socket of sockets) socket.drop();
    const orderId = await buy();
    const canceled = await reader.cancel("BTC/KRW", orderId);
    expect([canceled.ok, own.state]).toEqual([true, "connecting"]);
    await eventually(() => readBeforeLive.length > 0);
    expect(readBeforeLive[0]).toEqual(expect.arrayContaining(["orders", "accounts", "fills"]));
    expect(seen).toEqual([`${orderId} canceled`]);
  });
});
