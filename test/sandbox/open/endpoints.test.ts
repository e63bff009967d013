import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINT_IDS, ENDPOINTS, type EndpointId, validatedOrder } from "../../../src/contract/index.ts";
import { type Reply, send } from "../http/signed-client.ts";
import { must, openVenue, START, type Venue } from "../http/venue.ts";

let venue: Venue;
/** The endpoints whose answer was checked: all of them in the end. */
const checked = new Set<EndpointId>();

/** The answer has exactly the shape of the contract: it parses, and parsing drops nothing. */
function fits(id: EndpointId, reply: Reply): Reply {
  expect(reply.json).toEqual(ENDPOINTS[id].response.parse(reply.json));
  expect(reply.status).toBe(ENDPOINTS[id].status);
  expect(reply.headers["api-version"]).toBe("1.4.0");
  expect(reply.headers["content-type"]).toBe("application/json");
  checked.add(id);
  return reply;
}

beforeAll(async () => {
  venue = await openVenue();
  // Trades at 100,000,000 and 101,000,000 KRW, a day apart; a book with both sides.
  await venue.maker.order({ side: "sell", volume: "0.5", price: "100000000" });
  await venue.paper.order({ volume: "0.01", price: "100000000", userref: "first" });
  venue.clock.now += 3_600_000;
  await venue.maker.order({ side: "sell", volume: "0.5", price: "101000000" });
  await venue.maker.order({ side: "buy", volume: "1", price: "99000000" });
});

afterAll(() => venue.sandbox.close());

describe("public endpoints", () => {
  const get = (target: string) => send(venue.sandbox.baseUrl, "GET", target);

  it("returns the time", async () => {
    const { json } = fits("time", await get("/v1/time"));
    expect(json).toEqual({ iso: "2026-07-20T10:00:00.000Z", unix_ms: START + 3_600_000 });
  });

  it("lists the markets with the tick at the last price", async () => {
    const { json } = fits("markets", await get("/v1/markets"));
    const [btc] = json.markets;
    expect(btc).toMatchObject({ symbol: "BTC/KRW", korean_name: "비트코인", status: "trading", tick_size: "1000" });
    expect(btc.tick_bands.at(-1)).toEqual({ from_price: "2000000", tick_size: "1000" });
  });

  it("returns tickers of one, several and all markets", async () => {
    const one = fits("tickers", await get("/v1/tickers?symbols=btckrw")).json.tickers;
    expect(one).toHaveLength(1);
    expect(one[0]).toMatchObject({ symbol: "BTC/KRW", last: "100000000", best_bid: "99000000", best_ask: "100000000" });
    const both = fits("tickers", await get("/v1/tickers?symbols=ETH%2FKRW,BTCKRW,ETHKRW")).json.tickers;
    expect(both.map((each: { symbol: string }) => each.symbol)).toEqual(["ETH/KRW", "BTC/KRW"]);
    const all = fits("tickers", await get("/v1/tickers")).json.tickers;
    expect(all.length).toBe(venue.sandbox.exchange.markets().length);
    expect(all[1]).toMatchObject({ last: null, change: null, change_rate: null, best_bid: null, volume: "0" });
  });

  it("returns the order book, best levels first, to the requested depth", async () => {
    const { json } = fits("orderbook", await get("/v1/orderbook/BTC%2FKRW"));
    expect(json.tick).toEqual({
      buys: [["99000000", "1"]],
      asks: [
        ["100000000", "0.49"],
        ["101000000", "0.5"],
      ],
    });
    expect((await get("/v1/orderbook/BTCKRW?depth=1")).json.tick.asks).toHaveLength(1);
  });

  it("returns recent trades and candles", async () => {
    const { json } = fits("trades", await get("/v1/trades/BTCKRW?limit=5"));
    expect(json.trades).toMatchObject([{ side: "buy", price: "100000000", volume: "0.01" }]);
    const candles = fits("candles", await get(`/v1/candles/BTC%2FKRW?interval=1h&from=${START}&to=${START + 1}`)).json;
    expect(candles.interval).toBe("1h");
    expect(candles.candles).toMatchObject([{ time: "2026-07-20T09:00:00.000Z", close: "100000000", volume: "0.01" }]);
  });

  it("accepts every spelling of a market, and no unknown one", async () => {
    for (const symbol of ["BTC%2FKRW", "BTC%2fKRW", "btc%2Fkrw", "BTCKRW", "bTcKrW"])
      expect((await get(`/v1/orderbook/${symbol}`)).json.symbol).toBe("BTC/KRW");
    for (const target of [
      "/v1/orderbook/XXXKRW",
      "/v1/trades/BTC",
      "/v1/candles/KRW%2FBTC",
      "/v1/tickers?symbols=BTCKRW,X",
    ]) {
      const reply = await get(target);
      expect([reply.status, reply.json.error.code]).toEqual([404, "EQuery:Unknown asset pair"]);
    }
  });
});

describe("account endpoints", () => {
  it("returns balances after a trade: fee taken, base received", async () => {
    const { json } = fits("accounts", await venue.paper.get("/v1/accounts"));
    expect(json).toEqual({
      account_id: "paper",
      balances: [
        { asset: "KRW", total: "8999500", available: "8999500", locked: "0", unsettled: "0" },
        { asset: "BTC", total: "0.01", available: "0.01", locked: "0", unsettled: "0" },
      ],
    });
  });

  it("lists own fills", async () => {
    const { json } = fits("fills", await venue.paper.get("/v1/trades/history?symbol=BTCKRW"));
    expect(json.trades).toMatchObject([
      { userref: "first", side: "buy", value: "1000000", liquidity: "taker", fee: "500", fee_currency: "KRW" },
    ]);
    expect(json.next_cursor).toBeNull();
  });

  it("issues stream tokens, each different, for 15 minutes", async () => {
    const { json } = fits("streamToken", await venue.paper.post("/v1/ws/token"));
    expect(json.expires_at).toBe(new Date(venue.clock.now + 900_000).toISOString());
    expect((await venue.paper.post("/v1/ws/token")).json.token).not.toBe(json.token);
    expect(json.token.length).toBeGreaterThanOrEqual(43);
  });
});

describe("order endpoints", () => {
  it("places a limit order, locks its funds, shows it, and cancels it", async () => {
    const placed = fits("createOrder", await venue.paper.order({ volume: "0.015", price: "95000000", userref: "u.1" }));
    const { orderId } = placed.json;
    expect(placed.json).toMatchObject({ uuid: orderId, txid: [orderId], state: "open", remaining_volume: "0.015" });
    expect(placed.json.descr.order).toBe("buy 0.01500000 BTC/KRW @ limit 95000000");
    expect(placed.json.settlement).toEqual({
      mode: "INSTANT_KRW",
      expected_settle_time: "T+0",
      krw_account_linked: true,
      state: null,
    });
    expect("trades" in placed.json).toBe(false);
    const krw = (await venue.paper.get("/v1/accounts")).json.balances[0];
    expect(krw).toEqual({
      asset: "KRW",
      total: "8999500",
      available: "7573787.5",
      locked: "1425712.5",
      unsettled: "0",
    });

    const open = fits("orders", await venue.paper.get("/v1/orders"));
    expect(open.json.orders).toEqual([placed.json]);
    const byRef = await venue.paper.get("/v1/orders?userref=u.1&state=all");
    expect(byRef.json.orders).toEqual([placed.json]);
    const one = fits("order", await venue.paper.get(`/v1/orders/BTCKRW/${orderId}`));
    expect(one.json).toEqual({ ...placed.json, trades: [] });

    const canceled = fits("cancelOrder", await venue.paper.delete(`/v1/orders/BTC%2FKRW/${orderId}`));
    expect(canceled.json).toMatchObject({ orderId, state: "canceled", executed_volume: "0" });
    expect((await venue.paper.get("/v1/accounts")).json.balances[0].locked).toBe("0");
  });

  it("shows an order's trades on the single query", async () => {
    const [fill] = (await venue.paper.get("/v1/trades/history")).json.trades;
    const { json } = fits("order", await venue.paper.get(`/v1/orders/BTC%2FKRW/${fill.orderId}`));
    expect(json).toMatchObject({ state: "filled", avg_price: "100000000", fee: "500", executed_value: "1000000" });
    expect(json.trades).toEqual([fill]);
  });

  it("places market orders by volume and by amount", async () => {
    const base = { symbol: "btckrw", type: "market" };
    const sold = fits("createOrder", await venue.paper.post("/v1/orders", { ...base, side: "sell", volume: "0.005" }));
    expect(sold.json).toMatchObject({ price: null, volume: "0.005", state: "filled", symbol: "BTC/KRW" });
    expect(sold.json.descr.order).toBe("sell 0.00500000 BTC/KRW @ market");
    const bought = fits("createOrder", await venue.paper.post("/v1/orders", { ...base, side: "buy", amount: "50000" }));
    expect(bought.json).toMatchObject({
      volume: null,
      amount: "50000",
      remaining_volume: null,
      executed_volume: "0.0005",
    });
    expect(bought.json.descr.order).toBe("buy BTC/KRW for 50000 KRW @ market");
    expect([sold.json.time_in_force, bought.json.time_in_force]).toEqual(["GTC", "GTC"]);
  });

  it("lets the rest of a market order expire, whatever its time in force", async () => {
    const { exchange } = venue.sandbox;
    const accountId = "eth-seller";
    must(exchange.apply({ type: "createAccount", accountId, krwAccountLinked: true }, START));
    must(exchange.apply({ type: "deposit", accountId, asset: "ETH", amount: 100_000_000n }, START));
    const seller = venue.addKey({ accountId });
    const market = { symbol: "ETH/KRW", type: "market", side: "buy", volume: "0.02" };
    for (const asked of [{}, { time_in_force: "GTC" }]) {
      await seller.order({ symbol: "ETH/KRW", side: "sell", volume: "0.01", price: "3000000" });
      const { json } = await venue.maker.post("/v1/orders", { ...market, ...asked });
      expect(json).toMatchObject({ time_in_force: "GTC", state: "expired", executed_volume: "0.01" });
    }
    expect((await venue.maker.get("/v1/orders?symbol=ETHKRW")).json.orders).toEqual([]);
  });

  it("settles in the requested mode", async () => {
    const compliance = {
      vasp_purpose_code: "P2B_TRADE",
      originator_vasp_id: "vasp-kr-001",
      kyc_level: "TIER2",
      settlement_mode: "STANDARD_KRW",
    };
    const { json } = fits("createOrder", await venue.paper.order({ compliance }));
    expect(json.settlement).toMatchObject({ mode: "STANDARD_KRW", expected_settle_time: "T+1" });
  });

  it("only checks an order with validate_only", async () => {
    const before = (await venue.paper.get("/v1/orders?state=all")).json.orders.length;
    const reply = await venue.paper.order({ validate_only: true });
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({ descr: { order: "buy 0.00100000 BTC/KRW @ limit 90000000" } });
    expect(reply.json).toEqual(validatedOrder.parse(reply.json));
    const poor = await venue.paper.order({ validate_only: true, volume: "9" });
    expect([poor.status, poor.json.error.code]).toEqual([422, "EOrder:Insufficient funds"]);
    expect((await venue.paper.get("/v1/orders?state=all")).json.orders).toHaveLength(before);
  });

  it("cancels all orders, of one market or of every", async () => {
    await venue.paper.delete("/v1/orders/batch");
    const ids: string[] = [(await venue.paper.order()).json.uuid, (await venue.paper.order()).json.uuid];
    const none = fits("cancelBatch", await venue.paper.delete("/v1/orders/batch?symbol=ETHKRW"));
    expect(none.json).toEqual({ requested: [], failed: [] });
    const both = fits("cancelBatch", await venue.paper.delete("/v1/orders/batch?symbol=BTC%2FKRW"));
    expect(new Set(both.json.requested)).toEqual(new Set(ids));
  });

  it("filters orders by state", async () => {
    const states = async (state: string): Promise<string[]> => {
      const { json } = fits("orders", await venue.paper.get(`/v1/orders?state=${state}`));
      return [...new Set<string>(json.orders.map((order: { state: string }) => order.state))].sort();
    };
    await venue.paper.order();
    expect(await states("open")).toEqual(["open"]);
    expect(await states("filled")).toEqual(["filled"]);
    expect(await states("closed")).toEqual(["canceled", "filled"]);
    expect(await states("all")).toEqual(["canceled", "filled", "open"]);
  });
});

it("covered every endpoint of the table", () => {
  expect([...checked].sort()).toEqual([...ENDPOINT_IDS].sort());
});
