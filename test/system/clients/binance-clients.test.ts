/**
 * More clients of the alias endpoints' dialect, as published, with the sandbox's address as their only setting. All of them hand an
 * order's id through as the text it is, though their types call it a number.
 */
import { Spot } from "@binance/spot";
import { MainClient } from "binance";
import binanceApiNode from "binance-api-node";
import NodeBinanceApi from "node-binance-api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openVenue, type Venue } from "../../sandbox/http/venue.ts";

/** What a test asks of a client. */
interface Trader {
  /** What it reads of the market. */
  market(): Promise<readonly unknown[]>;
  /** Buys 0.001 BTC at 90,000,000 KRW. @returns the order's id */
  rest(): Promise<string>;
  stateOf(orderId: string): Promise<string>;
  openOrders(): Promise<readonly string[]>;
  cancel(orderId: string): Promise<string>;
  buyAtMarket(): Promise<string>;
  /** The orders that own trades belong to. */
  traded(): Promise<readonly string[]>;
}

// biome-ignore lint/suspicious/noExplicitAny: what the clients declare is another exchange's, where an id is a number
type Loose = any;

const symbol = "BTCKRW";
const limit = { symbol, side: "BUY", type: "LIMIT", timeInForce: "GTC", quantity: 0.001, price: 90_000_000 };
const market = { symbol, side: "BUY", type: "MARKET", quantity: 0.001 };
const idsOf = (rows: readonly { readonly orderId: string }[]) => rows.map(({ orderId }) => orderId);

const TRADERS: Readonly<Record<string, (sandbox: Venue["sandbox"]) => Trader>> = {
  "binance-api-node": ({ baseUrl, apiKey, apiSecret }) => {
    const create: Loose = binanceApiNode;
    const client: Loose = (create.default ?? create)({ apiKey, apiSecret, httpBase: baseUrl });
    return {
      market: () =>
        Promise.all([
          client.exchangeInfo(),
          client.book({ symbol }),
          client.aggTrades({ symbol }),
          client.candles({ symbol, interval: "1m" }),
          client.avgPrice({ symbol }),
        ]),
      rest: async () => (await client.order({ ...limit, quantity: "0.001", price: "90000000" })).orderId,
      stateOf: async (orderId) => (await client.getOrder({ symbol, orderId })).status,
      openOrders: async () => idsOf(await client.openOrders({ symbol })),
      cancel: async (orderId) => (await client.cancelOrder({ symbol, orderId })).status,
      buyAtMarket: async () => (await client.order({ ...market, quantity: "0.001" })).orderId,
      traded: async () => idsOf(await client.myTrades({ symbol })),
    };
  },
  binance: ({ baseUrl, apiKey, apiSecret }) => {
    const client: Loose = new MainClient({ api_key: apiKey, api_secret: apiSecret, baseUrl });
    return {
      market: () =>
        Promise.all([
          client.getExchangeInfo(),
          client.getOrderBook({ symbol }),
          client.getHistoricalTrades({ symbol }),
          client.getUIKlines({ symbol, interval: "1m" }),
          client.getAvgPrice({ symbol }),
        ]),
      rest: async () => (await client.submitNewOrder(limit)).orderId,
      stateOf: async (orderId) => (await client.getOrder({ symbol, orderId })).status,
      openOrders: async () => idsOf(await client.getOpenOrders({ symbol })),
      cancel: async (orderId) => (await client.cancelOrder({ symbol, orderId })).status,
      buyAtMarket: async () => (await client.submitNewOrder(market)).orderId,
      traded: async () => idsOf(await client.getAccountTradeList({ symbol })),
    };
  },
  "@binance/spot": ({ baseUrl, apiKey, apiSecret }) => {
    const configurationRestAPI = { apiKey, apiSecret, basePath: baseUrl };
    const client: Loose = new Spot({ configurationRestAPI }).restAPI;
    const data = async (answer: Promise<Loose>): Promise<Loose> => (await answer).data();
    return {
      market: () =>
        Promise.all([
          data(client.exchangeInfo({ showPermissionSets: false })),
          data(client.depth({ symbol })),
          data(client.accountCommission({ symbol })),
          data(client.orderTest({ ...limit, computeCommissionRates: true })),
          data(client.rateLimitOrder()),
        ]),
      rest: async () => (await data(client.newOrder(limit))).orderId,
      stateOf: async (orderId) => (await data(client.getOrder({ symbol, orderId }))).status,
      openOrders: async () => idsOf(await data(client.getOpenOrders({ symbol }))),
      cancel: async (orderId) => (await data(client.deleteOrder({ symbol, orderId }))).status,
      buyAtMarket: async () => (await data(client.newOrder(market))).orderId,
      traded: async () => idsOf(await data(client.myTrades({ symbol }))),
    };
  },
  "node-binance-api": ({ baseUrl, apiKey, apiSecret }) => {
    const settings = { APIKEY: apiKey, APISECRET: apiSecret, urls: { base: `${baseUrl}/api/` } };
    const client: Loose = new (NodeBinanceApi as Loose)().options(settings);
    return {
      market: () =>
        Promise.all([
          client.exchangeInfo(),
          client.depth(symbol),
          client.aggTrades(symbol),
          client.candlesticks(symbol, "1m"),
          client.balance(),
        ]),
      rest: async () => (await client.buy(symbol, 0.001, 90_000_000)).orderId,
      stateOf: async (orderId) => (await client.orderStatus(symbol, orderId)).status,
      openOrders: async () => idsOf(await client.openOrders(symbol)),
      cancel: async (orderId) => (await client.cancel(symbol, orderId)).status,
      buyAtMarket: async () => (await client.marketBuy(symbol, 0.001)).orderId,
      traded: async () => idsOf(await client.trades(symbol)),
    };
  },
};

describe.each(Object.keys(TRADERS))("%s", (name) => {
  let venue: Venue;
  let trader: Trader;
  beforeEach(async () => {
    // The clients sign with the time of this machine.
    venue = await openVenue({ now: Date.now });
    await venue.maker.order({ side: "sell", volume: "1", price: "100000000" });
    trader = (TRADERS[name] as (sandbox: Venue["sandbox"]) => Trader)(venue.sandbox);
  });
  afterEach(() => venue.sandbox.close());

  it("reads the market and what it costs", async () => {
    const [info, book, ...rest] = (await trader.market()) as [
      { readonly symbols: readonly unknown[] },
      { readonly asks: readonly unknown[] },
      ...unknown[],
    ];
    expect(info.symbols).toHaveLength(venue.sandbox.exchange.markets().length);
    expect(book.asks).toHaveLength(1);
    expect(rest).not.toContain(undefined);
  });

  it("places an order, finds it, cancels it, and trades", async () => {
    const resting = await trader.rest();
    const own = (orderId: string) => venue.sandbox.exchange.order(venue.sandbox.accountId, orderId)?.state;
    expect(own(resting)).toBe("open");
    expect(await trader.stateOf(resting)).toBe("NEW");
    expect(await trader.openOrders()).toEqual([resting]);
    expect(await trader.cancel(resting)).toBe("CANCELED");
    expect(await trader.openOrders()).toEqual([]);
    const bought = await trader.buyAtMarket();
    expect(own(bought)).toBe("filled");
    expect(await trader.traded()).toEqual([bought]);
  });
});
