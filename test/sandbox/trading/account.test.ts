import { afterEach, describe, expect, it } from "vitest";
import { LIMITS, TRADING_OPERATION_IDS, TRADING_OPERATIONS, tradingPath } from "../../../src/contract/index.ts";
import { nextNonce, send, sign } from "../http/signed-client.ts";
import { COMPLIANCE, FORM_TYPE, type Form, formOf, refusalOf, resultOf, TradingCaller } from "./trading-caller.ts";
import { openTrading, type TradingVenue } from "./venue.ts";

let trading: TradingVenue;
afterEach(() => trading.venue.sandbox.close());

const PRIVATE = TRADING_OPERATION_IDS.filter((id) => TRADING_OPERATIONS[id].auth !== "none");

describe("an account", () => {
  it("shows its balances, and how much of them is held by orders", async () => {
    trading = await openTrading();
    const { paper, maker } = trading;
    await maker.add({ type: "sell", volume: "1", price: "100000000" });
    await paper.add({ volume: "0.01", price: "100000000" });
    await paper.add({ volume: "0.001", price: "90000000" });
    expect(resultOf("Balance", await paper.post("Balance"))).toEqual({ KRW: "8999500", BTC: "0.01" });
    expect(resultOf("BalanceEx", await paper.post("BalanceEx"))).toEqual({
      KRW: { balance: "8999500", hold_trade: "90045", unsettled: "0" },
      BTC: { balance: "0.01", hold_trade: "0", unsettled: "0" },
    });
  });

  it("shows its volume of 30 days, and the fees of the requested markets", async () => {
    trading = await openTrading();
    const { paper, maker, venue } = trading;
    await maker.add({ type: "sell", volume: "1", price: "100000000" });
    await paper.add({ volume: "0.01", price: "100000000" });
    venue.clock.now += 29 * 86_400_000;
    await paper.add({ volume: "0.02", price: "100000000" });
    const bare = resultOf("TradeVolume", await paper.post("TradeVolume"));
    expect(bare).toEqual({ currency: "KRW", volume: "3000000", account_id: "paper" });
    venue.clock.now += 2 * 86_400_000;
    const fees = { minfee: "0.05", maxfee: "0.05", nextfee: null, nextvolume: null, tiervolume: "0" };
    const full = await paper.post("TradeVolume", { pair: "XBTKRW", "fee-info": "true" });
    expect(resultOf("TradeVolume", full)).toMatchObject({
      volume: "2000000",
      fees: { "BTC/KRW": { fee: "0.05", ...fees } },
      fees_maker: { "BTC/KRW": { fee: "0.04" } },
    });
    expect(refusalOf(await paper.post("TradeVolume", { pair: "NOPE" }))).toBe("EQuery:Unknown asset pair");
  });

  it("gets a new token for the stream with every call", async () => {
    trading = await openTrading();
    const first = resultOf("GetWebSocketsToken", await trading.paper.post("GetWebSocketsToken"));
    expect(first).toMatchObject({ expires: 900, expires_at: "2026-07-20T09:15:00.000Z" });
    const second = resultOf("GetWebSocketsToken", await trading.paper.post("GetWebSocketsToken"));
    expect(second.token).not.toBe(first.token);
  });
});

describe.each(PRIVATE)("%s", (operation) => {
  const path = tradingPath(operation);
  const call = (headers: Record<string, string>, body: string) =>
    send(trading.paper.baseUrl, "POST", path, { ...FORM_TYPE, ...headers }, body);

  it("requires a key, a nonce, a signature and its permission", async () => {
    trading = await openTrading();
    const { apiKey, apiSecret } = trading.paper.credentials;
    const lastNonce = () => trading.venue.sandbox.exchange.lastNonce(apiKey);
    const nonce = nextNonce();
    const body = `nonce=${nonce}`;
    const signed = { "API-Key": apiKey, "API-Sign": sign(apiSecret, nonce, path, body) };
    expect(refusalOf(await call({}, body))).toBe("EAPI:Invalid key");
    expect(refusalOf(await call({ ...signed, "API-Key": "nobody" }, body))).toBe("EAPI:Invalid key");
    expect(refusalOf(await call({ "API-Key": apiKey }, body))).toBe("EAPI:Invalid signature");
    expect(refusalOf(await call(signed, `${body}&x=1`))).toBe("EAPI:Invalid signature");
    expect(refusalOf(await call(signed, ""))).toBe("EAPI:Invalid nonce");
    expect(lastNonce()).toBe(0n);
    const allowed: Record<string, "query" | "trade"> = { query: "trade", trade: "query" };
    const without = trading.addKey({ permissions: [allowed[TRADING_OPERATIONS[operation].auth] ?? "query"] });
    expect(refusalOf(await without.post(operation))).toBe("EGeneral:Permission denied");
  });

  it("has its weight, and its answer shows what is left", async () => {
    trading = await openTrading({ limits: { weightPerMinute: LIMITS.weightPerMinute } });
    const { headers } = await trading.paper.post(operation);
    const { weight } = TRADING_OPERATIONS[operation];
    expect(headers["ratelimit-limit"]).toBe("1200");
    expect(headers["ratelimit-remaining"]).toBe(String(1200 - weight));
  });
});

describe("one key on both APIs", () => {
  it("has one sequence of nonces: the last one answered is the fence for both", async () => {
    trading = await openTrading();
    const { paper, venue } = trading;
    resultOf("Balance", await paper.post("Balance", {}, { nonce: "5000000000" }));
    expect((await venue.paper.get("/v1/accounts", { nonce: "5000000000" })).json.error.code).toBe("EAPI:Invalid nonce");
    expect((await venue.paper.get("/v1/accounts", { nonce: "5000000001" })).status).toBe(200);
    const late = await paper.post("AddOrder", { pair: "BTCKRW" }, { nonce: "5000000001" });
    expect(refusalOf(late)).toBe("EAPI:Invalid nonce");
    expect(refusalOf(await paper.post("Balance", { x: "1" }, { nonce: "5000000002" }))).toMatch(/arguments:x$/);
    expect((await venue.paper.get("/v1/accounts", { nonce: "5000000002" })).json.error.code).toBe("EAPI:Invalid nonce");
  });

  it("has one limit per second and one per minute, and a refusal says how long to wait", async () => {
    const { callsPerSecond, weightPerMinute } = LIMITS;
    trading = await openTrading({ limits: { callsPerSecond, weightPerMinute } });
    const { paper, venue } = trading;
    for (let count = 0; count < 15; count++) {
      expect((await venue.paper.get("/v1/accounts")).status).toBe(200);
      resultOf("Balance", await paper.post("Balance"));
    }
    const refused = await paper.post("Balance");
    expect(refusalOf(refused)).toBe("EAPI:Rate limit exceeded");
    expect([refused.headers["retry-after"], refused.headers["ratelimit-remaining"]]).toEqual(["1", "0"]);
    expect((await venue.paper.get("/v1/accounts")).status).toBe(429);
    venue.clock.now += 1_000;
    const starter = trading.addKey({ tier: "starter" });
    for (let count = 0; count < 60; count++) {
      resultOf("ClosedOrders", await starter.post("ClosedOrders"));
      venue.clock.now += 100;
    }
    expect(refusalOf(await starter.post("Balance"))).toBe("EAPI:Rate limit exceeded");
  });

  it("is accepted from its own addresses only, whatever else is wrong", async () => {
    trading = await openTrading();
    const away = trading.addKey({ ipAllowList: ["10.0.0.1"] });
    expect(refusalOf(await away.post("Balance"))).toBe("EAPI:IP not allowed");
    const { apiKey } = away.credentials;
    expect(refusalOf(await send(away.baseUrl, "POST", "/0/nowhere", { "API-Key": apiKey }))).toBe(
      "EAPI:IP not allowed",
    );
    resultOf("Balance", await trading.addKey({ ipAllowList: ["127.0.0.1"] }).post("Balance"));
  });

  it("sees the orders of either, with the same ids", async () => {
    trading = await openTrading();
    const { paper, venue } = trading;
    const { orderId } = resultOf("AddOrder", await paper.add({ userref: "here" }));
    expect((await venue.paper.get(`/v1/orders/BTCKRW/${orderId}`)).json).toMatchObject({
      uuid: orderId,
      userref: "here",
    });
    const { uuid } = (await venue.paper.order({ userref: "there" })).json;
    expect(resultOf("QueryOrders", await paper.post("QueryOrders", { userref: "there" }))).toHaveProperty(uuid);
  });
});

describe("a form", () => {
  it("is signed over its path and its bytes, wherever the nonce is in it", async () => {
    trading = await openTrading();
    const { paper } = trading;
    const fields: Form = { pair: "BTC/KRW", type: "buy", ordertype: "limit", volume: "0.001", price: "90000000" };
    const rawBody = `${formOf({ ...fields, ...COMPLIANCE })}&nonce=7000000000`;
    resultOf("AddOrder", await paper.post("AddOrder", {}, { nonce: "7000000000", rawBody }));
    const unescaped = `nonce=7000000001&pair=BTC/KRW&trades=true`;
    resultOf("OpenOrders", await paper.post("OpenOrders", {}, { nonce: "7000000001", rawBody: unescaped }));
    const twice = await paper.post(
      "Balance",
      {},
      { nonce: "7000000002", rawBody: "nonce=7000000002&nonce=7000000002" },
    );
    expect(refusalOf(twice)).toBe("EAPI:Invalid nonce");
    const query = await new QueryCaller(paper.baseUrl, paper.credentials).post("Balance");
    expect(refusalOf(query)).toBe("EGeneral:Invalid arguments:query");
  });
});

/** Sends a field in the query of a private operation. */
class QueryCaller extends TradingCaller {
  override post(operation: string) {
    const [path, nonce] = [`/0/private/${operation}`, "7000000003"];
    const body = `nonce=${nonce}`;
    const signed = {
      "API-Key": this.credentials.apiKey,
      "API-Sign": sign(this.credentials.apiSecret, nonce, path, body),
    };
    return send(this.baseUrl, "POST", `${path}?trades=true`, { ...FORM_TYPE, ...signed }, body);
  }
}
