/** The stream against the sandbox itself, over a real socket. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { OpenApiClient, Stream, type StreamNotice, type StreamOptions } from "../../../src/client/index.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/index.ts";
import { eventually } from "./scripted-venue.ts";

let sandbox: Sandbox;
let reader: OpenApiClient;
let notices: StreamNotice[];
const streams: Stream[] = [];
beforeEach(async () => {
  sandbox = await startSandbox({ marketMaker: false, limits: { streamConnectionsPerKey: 1 } });
  const { baseUrl, apiKey, apiSecret } = sandbox;
  reader = new OpenApiClient({ environment: "sandbox", baseUrl, credentials: { apiKey, apiSecret } });
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
const buy = async (): Promise<void> => {
  const order = { symbol: "BTC/KRW", side: "buy", type: "limit", volume: "0.001", price: PRICE } as const;
  const placed = await reader.submit({ ...order, userref: "one" }, async () => true);
  if (!placed.ok) throw new Error(JSON.stringify(placed.fault));
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
  it("that throws is reported, and does not disturb the others", async () => {
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
