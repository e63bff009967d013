import { request } from "node:http";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Running } from "../fixture/command.ts";
import { cleanUp, start } from "../fixture/command-line.ts";
import { addressIn, type HttpAddress } from "../fixture/http-address.ts";
import { decimal, floor, ONE, units } from "./figures.ts";
import { balanceOf, ordersOf } from "./ledger.ts";
import { expectCanceled, remembers, storyHome, tellStory } from "./story.ts";
import { clients, overSse, sdk } from "./story-client.ts";
import { type BookSeen, type CanceledSeen, type OpenSeen, type PlacedSeen, Teller } from "./teller.ts";

/** The two ways to have a server, each printing where it is as one line of JSON. */
const SERVERS = {
  start: ["start", "--json", "--show-token", "--port", "0", "--exchange-port", "0"],
  serve: ["serve", "--http", "--json", "--show-token", "--port", "0"],
} as const;

let home: string;
let server: Running | undefined;

/** Starts a server on the data directory of this test. */
async function open(kind: keyof typeof SERVERS): Promise<HttpAddress> {
  server = start(SERVERS[kind], { home });
  return addressIn(await server.firstLine());
}

async function stop(): Promise<void> {
  const ended = await server?.stop();
  server = undefined;
  if (ended !== undefined && ended.code !== 0)
    throw new Error(`the server ended with ${ended.code ?? ended.signal}: ${ended.stderr}`);
}

beforeEach(async () => {
  home = await storyHome();
});
afterEach(stop);
afterAll(cleanUp);

describe.each(clients())("$name over HTTP", ({ name, overHttp, protocol }) => {
  it("tells the whole story, and remembers it tomorrow", async () => {
    const kind = name.startsWith("sdk") ? "serve" : "start";
    const today = await overHttp(await open(kind));
    expect(today.server?.protocol).toBe(protocol);
    const memory = await tellStory(today);
    await today.close();
    await stop();
    const tomorrow = await overHttp(await open(kind));
    await remembers(tomorrow, memory);
    await tomorrow.close();
  }, 60_000);
});

describe("the server", () => {
  it("serves all kinds of clients at once, on one account", async () => {
    const address = await open("start");
    const kinds = [...clients().map(({ overHttp }) => overHttp), overSse];
    const opened = await Promise.all(kinds.map((open) => open(address)));
    const tellers = opened.map((client) => new Teller(client));
    await Promise.all(tellers.map((teller) => teller.tools()));
    const [first, second] = tellers;
    if (first === undefined || second === undefined) throw new Error("no clients");
    const { content } = await first.tell<BookSeen>("get_orderbook", { symbol: "BTC/KRW", depth: 1 });
    const price = decimal(floor((units(content.best_bid) * 96n) / 100n, 100_000n * ONE));
    const order = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price };
    // Just the same at the same time would be taken for the same order asked for again.
    const placing = tellers.flatMap((teller, at) =>
      [1, 2, 3].map((nth) => teller.tell<PlacedSeen>("place_order", { ...order, userref: `client-${at}-${nth}` })),
    );
    const orderIds = (await Promise.all(placing)).map((placed) => placed.content.order.orderId);
    expect(new Set(orderIds).size).toBe(3 * kinds.length);
    for (const teller of tellers) {
      const { orders } = (await teller.tell<OpenSeen>("get_open_orders")).content;
      expect(orders.map(({ orderId }) => orderId).sort()).toEqual([...orderIds].sort());
    }
    expectCanceled((await second.tell<CanceledSeen>("cancel_all_orders")).content, orderIds);
    expect(await ordersOf(first, 100)).toHaveLength(3 * kinds.length);
    expect(await balanceOf(first, "KRW")).toEqual({
      asset: "KRW",
      total: "10000000",
      available: "10000000",
      locked: "0",
    });
    await Promise.all(opened.map((client) => client.close()));
  });

  it("lets no other page, no rebound name and nobody without the token place an order", async () => {
    const address = await open("start");
    const url = new URL(address.url);
    const { host } = url;
    const evil = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { host: "evil.example" },
      { host: `${host}.evil.example`, origin: `http://${host}.evil.example` },
    ];
    for (const headers of evil)
      expect({ headers, status: await placeRaw(url, { ...address.headers, ...headers }) }).toEqual({
        headers,
        status: 403,
      });
    // As any other user of this machine may.
    expect(await placeRaw(url, {})).toBe(401);
    const client = await sdk.overHttp(address);
    const teller = new Teller(client);
    await teller.tools();
    const openOrders = () => teller.tell<OpenSeen>("get_open_orders");
    expect((await openOrders()).content.orders).toEqual([]);
    // The very same request with the token alone is a good one, so that nothing else has kept it out.
    expect(await placeRaw(url, address.headers)).toBe(200);
    expect((await openOrders()).content.orders).toHaveLength(1);
    await client.close();
  });
});

/** One self-contained order as a browser would send it. @returns the HTTP status. */
function placeRaw(url: URL, headers: Readonly<Record<string, string>>): Promise<number> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "evil", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const order = { symbol: "XRP/KRW", side: "buy", type: "limit", base_volume: "100", price: "1000", userref: "evil" };
  const params = { name: "place_order", arguments: order, _meta };
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "place_order",
          connection: "close",
          ...headers,
        },
      },
      (response) => {
        response.resume();
        response.on("end", () => resolve(response.statusCode ?? 0));
      },
    );
    sent.on("error", reject);
    sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
  });
}
