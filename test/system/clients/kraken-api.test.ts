/**
 * kraken-api, a client of the dialect, unchanged but for its address: it posts public calls as forms without a content type, and
 * its nonces are microseconds.
 */
import KrakenClient from "kraken-api";
import { afterEach, beforeEach, expect, it } from "vitest";
import { COMPLIANCE } from "../../sandbox/trading/trading-caller.ts";
import { openTrading, type TradingVenue } from "../../sandbox/trading/venue.ts";

let trading: TradingVenue;
let client: KrakenClient;
beforeEach(async () => {
  trading = await openTrading();
  const { apiKey, apiSecret } = trading.addKey().credentials;
  client = new KrakenClient(apiKey, apiSecret, { url: trading.paper.baseUrl });
});
afterEach(() => trading.venue.sandbox.close());

const LIMIT = { pair: "XBTKRW", type: "buy", ordertype: "limit", volume: "0.001", price: "90000000" };

it("reads the market", async () => {
  await trading.maker.add({ type: "sell", volume: "1", price: "100000000" });
  expect((await client.api("Time")).result.unixtime).toBe(1784538000);
  expect(Object.keys((await client.api("Assets")).result)).toContain("BTC");
  expect((await client.api("AssetPairs", { pair: "XBTKRW" })).result["BTC/KRW"].ordermin).toBe("0.00001");
  expect((await client.api("Ticker", { pair: "XBTKRW" })).result["BTC/KRW"].a[0]).toBe("100000000");
  expect((await client.api("Depth", { pair: "XBTKRW", count: 5 })).result["BTC/KRW"].asks).toHaveLength(1);
  expect((await client.api("OHLC", { pair: "XBTKRW", interval: 60 })).result["BTC/KRW"]).toEqual([]);
  expect((await client.api("Trades", { pair: "XBTKRW" })).result["BTC/KRW"]).toEqual([]);
  expect((await client.api("Spread", { pair: "XBTKRW" })).result["BTC/KRW"]).toEqual([]);
});

it("places, finds and cancels an order", async () => {
  const { result } = await client.api("AddOrder", { ...LIMIT, ...COMPLIANCE, userref: 4711 });
  expect(result.descr.order).toBe("buy 0.00100000 BTC/KRW @ limit 90000000");
  const [txid] = result.txid;
  expect((await client.api("OpenOrders", { trades: true })).result.open[txid]).toMatchObject({ userref: "4711" });
  expect((await client.api("QueryOrders", { txid })).result[txid]).toMatchObject({ status: "open" });
  expect((await client.api("CancelOrder", { txid })).result).toMatchObject({ count: 1 });
  expect((await client.api("ClosedOrders")).result).toMatchObject({
    closed: { [txid]: { status: "canceled" } },
    count: 1,
  });
  await expect(client.api("CancelOrder", { txid })).rejects.toThrow("Order:Order already closed");
});

it("trades, and sees balances, fills and volume", async () => {
  await trading.maker.add({ type: "sell", volume: "1", price: "90000000" });
  const { result } = await client.api("AddOrder", { ...LIMIT, ...COMPLIANCE });
  expect((await client.api("Balance")).result).toEqual({ KRW: "9909955", BTC: "0.001" });
  const { trades } = (await client.api("TradesHistory")).result;
  expect(trades).toMatchObject({ T1: { ordertxid: result.txid[0], cost: "90000", maker: false } });
  expect((await client.api("QueryTrades", { txid: "T1" })).result).toEqual(trades);
  expect((await client.api("TradeVolume", { pair: "XBTKRW" })).result.volume).toBe("90000");
  expect((await client.api("GetWebSocketsToken")).result.expires).toBe(900);
});

it("gets the reason of a refusal", async () => {
  await expect(client.api("AddOrder", { ...LIMIT })).rejects.toThrow(
    "Compliance:Missing travel-rule metadata: vasp_purpose_code",
  );
  await expect(client.api("AddOrder", { ...LIMIT, ...COMPLIANCE, volume: "1" })).rejects.toThrow(
    "Order:Insufficient funds",
  );
  await expect(client.api("Ticker", { pair: "NOPE" })).rejects.toThrow("Query:Unknown asset pair");
  const stranger = new KrakenClient("nobody", trading.paper.credentials.apiSecret, { url: trading.paper.baseUrl });
  await expect(stranger.api("Balance")).rejects.toThrow("API:Invalid key");
});
