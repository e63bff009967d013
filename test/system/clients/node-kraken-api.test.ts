/**
 * node-kraken-api, the most used client of the dialect, as published. It has its address and https built in, so its requests are led
 * to the sandbox at Node's own `https.request`, and are otherwise as they leave it: public calls with fields are forms with a nonce.
 */
import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from "node:http";
import https from "node:https";
import { Kraken } from "node-kraken-api";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { COMPLIANCE } from "../../sandbox/trading/trading-caller.ts";
import { openTrading, type TradingVenue } from "../../sandbox/trading/venue.ts";

let trading: TradingVenue;
let client: Kraken;
/** What was sent, as the first words of each request. */
let sent: string[];
beforeEach(async () => {
  trading = await openTrading();
  sent = [];
  const { hostname, port } = new URL(trading.paper.baseUrl);
  vi.spyOn(https, "request").mockImplementation(((
    options: RequestOptions,
    done: (answer: IncomingMessage) => void,
  ): ClientRequest => {
    const started = request({ ...options, hostname, port }, done);
    const write = started.write.bind(started) as (text: string) => boolean;
    started.write = (text: string) => {
      sent.push(`${options.path} ${text}`);
      return write(text);
    };
    return started;
  }) as typeof https.request);
  const { apiKey: key, apiSecret: secret } = trading.addKey().credentials;
  client = new Kraken({ key, secret, timeout: 10_000 });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await trading.venue.sandbox.close();
});

const PAIR = { pair: "XBTKRW" };

it("reads the market, with a nonce that nobody asked for", async () => {
  await trading.maker.add({ type: "sell", volume: "1", price: "90000000" });
  expect((await client.time()).unixtime).toBe(1784538000);
  expect((await client.systemStatus()).status).toBe("online");
  expect(Object.keys(await client.assets({ asset: "XBT" }))).toEqual(["BTC"]);
  expect((await client.assetPairs(PAIR))["BTC/KRW"]?.ordermin).toBe("0.00001");
  expect((await client.ticker(PAIR))["BTC/KRW"]?.a?.[0]).toBe("90000000");
  expect((await client.depth({ ...PAIR, count: 5 }))["BTC/KRW"]?.asks).toHaveLength(1);
  expect((await client.ohlc({ ...PAIR, interval: 60 }))["BTC/KRW"]).toEqual([]);
  expect((await client.trades(PAIR))["BTC/KRW"]).toEqual([]);
  expect((await client.spread(PAIR))["BTC/KRW"]).toEqual([]);
  expect(sent.filter((text) => /^\/0\/public\/Ticker pair=XBTKRW&nonce=\d+$/.test(text))).toHaveLength(1);
});

it("places, finds and cancels an order, trades, and sees its account", async () => {
  const limit = { ...PAIR, ordertype: "limit", type: "buy", volume: "0.001", price: "90000000", ...COMPLIANCE };
  const [resting = ""] = (await client.addOrder(limit)).txid ?? [];
  expect(Object.keys((await client.openOrders()).open ?? {})).toEqual([resting]);
  expect((await client.queryOrders({ txid: resting }))[resting]?.status).toBe("open");
  expect((await client.cancelOrder({ txid: resting })).count).toBe(1);
  await trading.maker.add({ type: "sell", volume: "1", price: "90000000" });
  await client.addOrder(limit);
  expect(await client.balance()).toEqual({ KRW: "9909955", BTC: "0.001" });
  expect(Object.keys((await client.tradesHistory()).trades ?? {})).toEqual(["T1"]);
  expect(Object.keys((await client.closedOrders()).closed ?? {})).toHaveLength(2);
  expect((await client.getWebSocketsToken()).expires).toBe(900);
});

it("gets the reason of a refusal", async () => {
  await expect(client.ticker({ pair: "NOPE" })).rejects.toThrow("EQuery:Unknown asset pair");
  await expect(
    client.addOrder({ ...PAIR, ordertype: "limit", type: "buy", volume: "1", price: "1000" }),
  ).rejects.toThrow("ECompliance:Missing travel-rule metadata");
});
