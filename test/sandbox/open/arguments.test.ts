import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { refusal, wrongField } from "../http/refusal.ts";
import { send } from "../http/signed-client.ts";
import { must, openVenue, type Venue } from "../http/venue.ts";

let venue: Venue;
beforeAll(async () => {
  venue = await openVenue();
});
afterAll(() => venue.sandbox.close());

describe("an order is refused, with the field, for", () => {
  it.each<[string, Record<string, unknown>]>([
    ["side", { side: "BUY " }],
    ["side", { side: "Buy" }],
    ["side", { side: undefined }],
    ["type", { type: "banana" }],
    ["type", { type: ["limit"] }],
    ["volume", { volume: "-1" }],
    ["volume", { volume: 0.001 }],
    ["volume", { volume: 1 }],
    ["volume", { volume: "1e-3" }],
    ["volume", { volume: "0.000000001" }],
    ["volume", { volume: "1,000" }],
    ["volume", { volume: " 1" }],
    ["volume", { volume: "" }],
    ["volume", { volume: "NaN" }],
    ["volume", { volume: "0x10" }],
    ["volume", { volume: "１" }],
    ["volume", { volume: "01" }],
    ["volume", { volume: null }],
    ["volume", { volume: { toString: "1" } }],
    ["volume", { volume: "1234567890123456789" }],
    ["volume", { volume: "0" }],
    ["price", { price: 90_000_000 }],
    ["price", { price: "Infinity" }],
    ["price", { price: undefined }],
    ["amount", { amount: "50000" }],
    ["symbol", { symbol: "BTC-KRW" }],
    ["symbol", { symbol: "" }],
    ["symbol", { symbol: 7 }],
    ["symbol", { symbol: undefined }],
    ["time_in_force", { time_in_force: "gtc" }],
    ["post_only", { post_only: "true" }],
    ["post_only", { post_only: true, time_in_force: "IOC" }],
    ["userref", { userref: "a b" }],
    ["userref", { userref: "x".repeat(65) }],
    ["userref", { userref: 42 }],
    ["userref", { userref: "주문" }],
    ["validate_only", { validate_only: 1 }],
    ["compliance", { compliance: null }],
    ["compliance", { compliance: "TIER2" }],
    ["dryRun", { dryRun: true }],
    ["timeInForce", { timeInForce: "IOC" }],
    ["nonce", { nonce: "1" }],
    ["constructor", { constructor: {} }],
  ])("%s in %j", async (field, fields) => {
    expect(refusal(await venue.paper.order(fields))).toEqual(wrongField(field));
  });

  it.each<[string, Record<string, unknown>]>([
    ["volume", {}],
    ["volume", { volume: "1", amount: "50000" }],
    ["price", { volume: "1", price: "90000000" }],
    ["post_only", { volume: "1", post_only: true }],
  ])("%s in a market order with %j", async (field, fields) => {
    expect(
      refusal(await venue.paper.post("/v1/orders", { symbol: "BTCKRW", side: "buy", type: "market", ...fields })),
    ).toEqual(wrongField(field));
  });

  it.each([
    ["timeInForce", "time_in_force"],
    ["post-only", "post_only"],
    ["prize", "price"],
    ["ammount", "amount"],
    ["userRef", "userref"],
  ])("%s, suggesting %s", async (written, meant) => {
    const { json } = await venue.paper.order({ [written]: "1" });
    expect(json.error.message).toContain(`did you mean ${meant}?`);
  });

  it("an amount as a JSON number, with how to send it", async () => {
    const { json } = await venue.paper.order({ volume: 0.015 });
    expect(json.error.message).toContain('send "0.015" as a string');
  });
});

describe("the exchange refuses an order for", () => {
  it.each<[string, string | undefined, Record<string, unknown>]>([
    ["EOrder:Insufficient funds", undefined, { volume: "9" }],
    ["EOrder:Order minimum not met", "volume", { volume: "0.00001" }],
    ["EOrder:Tick size check failed", "price", { price: "90000001" }],
    ["EOrder:Invalid price", "price", { price: "0" }],
  ])("%s", async (code, field, fields) => {
    expect(refusal(await venue.paper.order(fields))).toEqual([422, code, field]);
  });

  it("an unknown market, a halted one, a duplicate userref, a crossing post-only order", async () => {
    expect(refusal(await venue.paper.order({ symbol: "XYZ/KRW" }))).toEqual([
      404,
      "EQuery:Unknown asset pair",
      "symbol",
    ]);
    const guarded = venue.addKey({ rejectDuplicateUserref: true, accountId: "maker" });
    expect((await guarded.order({ userref: "once" })).status).toBe(201);
    expect(refusal(await guarded.order({ userref: "once" }))).toEqual([409, "EOrder:Duplicate userref", "userref"]);
    const crossing = { side: "sell", price: "90000000", post_only: true };
    expect(refusal(await venue.addKey({ accountId: "maker" }).order(crossing))).toEqual([
      422,
      "EOrder:Post only order",
      "price",
    ]);
    must(
      venue.sandbox.exchange.apply({ type: "setMarketStatus", symbol: "BTC/KRW", status: "halted" }, venue.clock.now),
    );
    expect(refusal(await venue.paper.order())).toEqual([422, "EOrder:Market halted", undefined]);
    must(
      venue.sandbox.exchange.apply({ type: "setMarketStatus", symbol: "BTC/KRW", status: "trading" }, venue.clock.now),
    );
    await guarded.delete("/v1/orders/batch");
  });

  it("a cancel of an order that has ended, with its final state", async () => {
    const { uuid } = (await venue.maker.order()).json;
    await venue.maker.delete(`/v1/orders/BTCKRW/${uuid}`);
    const again = await venue.maker.delete(`/v1/orders/BTCKRW/${uuid}`);
    expect(refusal(again)).toEqual([409, "EOrder:Order already closed", undefined]);
    expect(again.json.error.state).toBe("canceled");
  });
});

describe("compliance", () => {
  const all = {
    vasp_purpose_code: "P2B_TRADE",
    originator_vasp_id: "vasp-kr-001",
    kyc_level: "TIER2",
    settlement_mode: "INSTANT_KRW",
  };

  it("reports the missing fields, and only those", async () => {
    const { kyc_level: _, originator_vasp_id: __, ...some } = all;
    const code = "ECompliance:Missing travel-rule metadata: originator_vasp_id, kyc_level";
    expect(refusal(await venue.paper.order({ compliance: some }))).toEqual([422, code, "compliance"]);
    const none = await venue.paper.order({ compliance: {} });
    expect(none.json.error.code).toBe(`ECompliance:Missing travel-rule metadata: ${Object.keys(all).join(", ")}`);
  });

  it("is not reported when another field is wrong or unknown", async () => {
    expect(refusal(await venue.paper.order({ compliance: { ...all, kyc_level: "TIER9" } }))).toEqual(
      wrongField("compliance.kyc_level"),
    );
    expect(refusal(await venue.paper.order({ compliance: { ...all, kycLevel: "TIER1" } }))).toEqual(
      wrongField("compliance.kycLevel"),
    );
    expect(refusal(await venue.paper.order({ compliance: { kyc_level: "TIER9" } }))).toEqual(
      wrongField("compliance.kyc_level"),
    );
    expect(refusal(await venue.paper.order({ compliance: {}, volume: 1 }))).toEqual(wrongField("volume"));
  });

  it("refuses an order that the stated KYC level does not cover", async () => {
    const big = { volume: "0.2", compliance: { ...all, kyc_level: "TIER1" } };
    const tooLow = [422, "ECompliance:KYC level too low", "compliance.kyc_level"];
    const refused = await venue.paper.order(big);
    expect(refusal(refused)).toEqual(tooLow);
    expect(refused.json.error.message).toBe("an order of 18000000 KRW needs kyc_level TIER2 at least, not TIER1");
    expect(refusal(await venue.paper.order({ ...big, validate_only: true }))).toEqual(tooLow);
    expect((await venue.maker.order({ ...big, compliance: all })).status).toBe(201);
    expect((await venue.maker.order({ volume: "0.2" })).status).toBe(201);
  });

  it("needs a linked KRW account to settle at once", async () => {
    const accountId = "unlinked";
    must(venue.sandbox.exchange.apply({ type: "createAccount", accountId, krwAccountLinked: false }, venue.clock.now));
    must(
      venue.sandbox.exchange.apply({ type: "deposit", accountId, asset: "KRW", amount: 10n ** 15n }, venue.clock.now),
    );
    const client = venue.addKey({ accountId });
    expect(refusal(await client.order({ compliance: all }))).toEqual([
      422,
      "ECompliance:KRW account not linked",
      undefined,
    ]);
    expect(refusal(await client.order())).toEqual([422, "ECompliance:KRW account not linked", undefined]);
    const later = await client.order({ compliance: { ...all, settlement_mode: "STANDARD_KRW" } });
    expect(later.json.settlement).toEqual({
      mode: "STANDARD_KRW",
      expected_settle_time: "T+1",
      krw_account_linked: false,
      state: null,
    });
  });
});

describe("bodies", () => {
  const order = '{"symbol":"BTC/KRW","side":"buy","type":"limit","volume":"0.001","price":"90000000"';

  it.each<[string, string | Buffer, string]>([
    ["not JSON", "hello", "body"],
    ["cut off", order, "body"],
    ["followed by more", `${order}} {}`, "body"],
    ["empty", " ", "body"],
    ["an array", "[]", "body"],
    ["null", "null", "body"],
    ["a string", '"BTC"', "body"],
    ["form-encoded", "symbol=BTC%2FKRW&side=buy", "body"],
    [
      "not UTF-8",
      Buffer.concat([Buffer.from(`${order},"userref":"`), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
      "body",
    ],
    ["behind a byte order mark", `\ufeff${order}}`, "body"],
    ["with a key twice", `${order},"volume":"9"}`, "volume"],
    ["with a key twice, once escaped", `${order},"vo\\u006cume":"0.002"}`, "body"],
    [
      "with a key twice inside",
      `${order},"compliance":{"vasp_purpose_code":"A","originator_vasp_id":"B","kyc_level":"TIER1","settlement_mode":"INSTANT_KRW","kyc_level":"TIER2"}}`,
      "kyc_level",
    ],
    ["with __proto__", `${order},"__proto__":{"volume":"9"}}`, "__proto__"],
    ["nested 30,000 deep", `${order},"userref":${"[".repeat(30_000)}${"]".repeat(30_000)}}`, "userref"],
    ["nested 30,000 deep as a whole", `${"[".repeat(30_000)}${"]".repeat(30_000)}`, "body"],
  ])("when %s, are refused", async (_, rawBody, field) => {
    expect(refusal(await venue.paper.post("/v1/orders", undefined, { rawBody }))).toEqual(wrongField(field));
  });

  it("may have colons, quotes and escapes in their texts", async () => {
    const rawBody = `${order},"validate_only":true,\n "userref"\t:"a","compliance":{"vasp_purpose_code":"A","originator_vasp_id":"a:b:c","kyc_level":"TIER1","settlement_mode":"INSTANT_KRW"}}`;
    expect((await venue.paper.post("/v1/orders", undefined, { rawBody })).status).toBe(200);
    expect(refusal(await venue.paper.order({ userref: 'a":"b\\":{' }))).toEqual(wrongField("userref"));
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "application/json; charset=euc-kr"])(
    "when of type %s, are refused",
    async (type) => {
      expect(refusal(await venue.paper.order({}, { headers: { "Content-Type": type } }))).toEqual(
        wrongField("Content-Type"),
      );
    },
  );

  it("may be of type application/json with a UTF-8 charset", async () => {
    const headers = { "Content-Type": "Application/JSON; charset=UTF-8" };
    expect((await venue.paper.order({ validate_only: true }, { headers })).status).toBe(200);
  });

  it("may be an empty object where a POST expects none", async () => {
    expect((await venue.paper.post("/v1/ws/token", {})).status).toBe(200);
    expect(refusal(await venue.paper.post("/v1/ws/token", { ttl: 1 }))).toEqual(wrongField("ttl"));
    expect(refusal(await venue.paper.post("/v1/ws/token", []))).toEqual(wrongField("body"));
  });

  it("are refused where none is expected", async () => {
    expect(refusal(await venue.paper.delete("/v1/orders/batch", { body: { symbol: "BTC/KRW" } }))).toEqual(
      wrongField("body"),
    );
    expect(refusal(await venue.paper.get("/v1/accounts", { body: {} }))).toEqual(wrongField("body"));
  });
});

describe("queries and paths", () => {
  it.each([
    ["depth", "/v1/orderbook/BTCKRW?depth=0"],
    ["depth", "/v1/orderbook/BTCKRW?depth=501"],
    ["depth", "/v1/orderbook/BTCKRW?depth=1e2"],
    ["limit", "/v1/trades/BTCKRW?limit=-1"],
    ["interval", "/v1/candles/BTCKRW?interval=2m"],
    ["from", "/v1/candles/BTCKRW?from=yesterday"],
    ["from", "/v1/candles/BTCKRW?from=2&to=1"],
    ["symbol", "/v1/orderbook/"],
    ["symbol", "/v1/orderbook/BTC-KRW"],
    ["symbol", "/v1/orderbook/%E0%A4%A"],
    ["symbol", "/v1/orderbook/%00"],
    ["symbols", "/v1/tickers?symbols="],
    ["symbols", "/v1/tickers?symbols=BTCKRW,,ETHKRW"],
    ["page", "/v1/time?page=1"],
    ["depht", "/v1/orderbook/BTCKRW?depht=1"],
    ["depth", "/v1/orderbook/BTCKRW?depth=1&depth=2"],
    ["depth", "/v1/orderbook/BTCKRW?depth=1&%64epth=2"],
    ["depth", "/v1/orderbook/BTCKRW?depth=%zz"],
    ["__proto__", "/v1/orderbook/BTCKRW?__proto__=1"],
    ["query", "/v1/orderbook/BTCKRW?=1"],
    ["query", "/v1/orderbook/BTCKRW?depth=1&"],
  ])("when they have a bad %s, are refused: %s", async (field, target) => {
    expect(refusal(await send(venue.sandbox.baseUrl, "GET", target))).toEqual(wrongField(field));
  });

  it.each([
    ["state", "/v1/orders?state=live"],
    ["limit", "/v1/orders?limit=0"],
    ["limit", "/v1/orders?limit=501"],
    ["cursor", "/v1/orders?cursor=!"],
    ["cursor", "/v1/orders?cursor=bm9uc2Vuc2U"],
    [
      "cursor",
      `/v1/trades/history?cursor=${Buffer.from("order:01999f3e-7a10-7c31-9a52-0c6d5b1f2a77").toString("base64url")}`,
    ],
    ["cursor", `/v1/trades/history?cursor=${Buffer.from("fill:-5").toString("base64url")}`],
    ["from", "/v1/trades/history?from=9&to=8"],
    ["pair", "/v1/trades/history?pair=BTCKRW"],
    ["uuid", "/v1/orders/BTCKRW/1"],
    ["uuid", "/v1/orders/BTCKRW/01999F3E-7A10-7C31-9A52-0C6D5B1F2A77"],
    ["uuid", "/v1/orders/BTCKRW/..%2f..%2fkey"],
  ])("when an account's have a bad %s, are refused: %s", async (field, target) => {
    expect(refusal(await venue.paper.get(target))).toEqual(wrongField(field));
  });

  it.each([
    ["GET", "/v1"],
    ["GET", "/v1/time/"],
    ["GET", "/V1/time"],
    ["GET", "/v1/orderbook/BTC/KRW"],
    ["GET", "//v1/time"],
    ["GET", "/v1/../v1/time"],
    ["GET", "/v1/%74ime"],
    ["PUT", "/v1/orders"],
    ["POST", "/v1/time"],
    ["PATCH", "/v1/orders"],
    ["OPTIONS", "/v1/orders"],
    ["DELETE", "/v1/orders"],
  ])("there is nothing at %s %s", async (method, target) => {
    const reply = await send(venue.sandbox.baseUrl, method, target);
    expect(refusal(reply)).toEqual([404, "EGeneral:Unknown method", undefined]);
  });

  it("sends only plain characters of a caller's text back", async () => {
    const { text } = await venue.paper.order({ '<script>alert("x")</script>\n': 1 });
    expect(text).toContain("EGeneral:Invalid arguments:?script?alert??x???/script??");
    expect((await venue.paper.order({ ["x".repeat(5000)]: 1 })).text.length).toBeLessThan(500);
  });
});

it("has placed nothing and broken nothing in all these tests", async () => {
  expect((await venue.paper.get("/v1/orders?state=all")).json.orders).toEqual([]);
  expect(venue.defects).toEqual([]);
});
