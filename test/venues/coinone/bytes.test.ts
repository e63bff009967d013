import { createHmac } from "node:crypto";
import { coinone } from "ccxt";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CALLS, venueCall } from "../../../src/venues/coinone/calls.ts";
import { CoinoneKey, payload, signedHeaders, signedText } from "../../../src/venues/coinone/sign.ts";

/** It signs with the secret in capitals, which the exchange's own samples do not: in capitals both are one. */
const SECRET = "SECRET-1";
const NONCE = "123e4567-e89b-42d3-a456-426614174000";
const oracle = new coinone({ apiKey: "token-1", secret: SECRET });
oracle.uuid = () => NONCE;

/** As the exchange's page has it in JavaScript, written anew. */
function byThePage(secret: string, fields: object) {
  const encoded = Buffer.from(JSON.stringify({ access_token: "token-1", nonce: NONCE, ...fields })).toString("base64");
  return { encoded, signature: createHmac("sha512", secret).update(encoded).digest("hex") };
}

const text = fc.oneof(fc.stringMatching(/^[ -~]{0,20}$/), fc.constantFrom("한글", "호가 주문", 'a"b\\c', "📈"));
const value = fc.oneof(text, fc.boolean(), fc.integer(), fc.array(text, { maxLength: 4 }));
const field = fc.stringMatching(/^[a-z][a-z_]{0,11}$/);

describe("what is signed", () => {
  it("is what another client and the exchange's page sign, whatever the parameters", () => {
    fc.assert(
      fc.property(fc.dictionary(field, value, { maxKeys: 6 }), (given) => {
        const signed = oracle.sign("order", "v2_1Private", "POST", { ...given });
        const ours = signedHeaders(SECRET, payload("token-1", NONCE, JSON.stringify(given)));
        expect(ours["x-coinone-payload"]).toBe(signed.headers["X-COINONE-PAYLOAD"]);
        expect(ours["x-coinone-signature"]).toBe(signed.headers["X-COINONE-SIGNATURE"]);
        const page = byThePage("Mixed-Secret", given);
        const own = signedHeaders("Mixed-Secret", payload("token-1", NONCE, JSON.stringify(given)));
        expect([own["x-coinone-payload"], own["x-coinone-signature"]]).toEqual([page.encoded, page.signature]);
        expect(signedText(own)).toBe(Buffer.from(page.encoded, "base64").toString());
      }),
      { numRuns: 500 },
    );
  });

  it("agrees with the vector that another client publishes", () => {
    const made = signedHeaders("secret-key", payload("access-key", NONCE, '{"side":"BUY"}'));
    expect(made).toEqual({
      "x-coinone-payload":
        "eyJhY2Nlc3NfdG9rZW4iOiJhY2Nlc3Mta2V5Iiwibm9uY2UiOiIxMjNlNDU2Ny1lODliLTQyZDMtYTQ1Ni00MjY2MTQxNzQwMDAiLCJzaWRlIjoiQlVZIn0=",
      "x-coinone-signature":
        "7f1bd5e812545548a1609fcbab9b463e7020f555c039999b8d98e6c690e4054adbb123fdb9732c36b5082e1862b01bd98507109e37abdc905e88081849e2a927",
    });
  });
});

const PAIR = { quote_currency: "KRW", target_currency: "BTC" };
const signer = new CoinoneKey({ apiKey: "token-1", apiSecret: SECRET }, () => NONCE).signer();
const sent = (call: ReturnType<(typeof CALLS)[keyof typeof CALLS]>) => {
  if (signer === undefined) throw new Error("no signer");
  return venueCall(call as never).request({ origin: "", prefix: "" }, { nonce: "1", signer });
};

describe("the bytes of a private call", () => {
  const id = { order_id: "o-1", ...PAIR };
  const limitOrder = {
    side: "BUY",
    ...PAIR,
    type: "LIMIT",
    price: "1000",
    qty: "1",
    post_only: true,
    user_order_id: "hg1",
  };
  const span = { size: 100, from_ts: 1, to_ts: 2 };
  it.each([
    ["account/balance/all", {}, CALLS.balances()],
    ["account/trade_fee/KRW/BTC", {}, CALLS.fees(PAIR)],
    ["order", limitOrder, CALLS.place(limitOrder)],
    ["order/detail", id, CALLS.order("o-1", PAIR)],
    ["order/detail", { user_order_id: "hg1", ...PAIR }, CALLS.orderNamed("hg1", PAIR)],
    ["order/active_orders", {}, CALLS.active()],
    ["order/active_orders", PAIR, CALLS.active(PAIR)],
    ["order/completed_orders/all", span, CALLS.fills(undefined, 1, 2, 100)],
    ["order/completed_orders", { to_trade_id: "t-1", ...span, ...PAIR }, CALLS.fills(PAIR, 1, 2, 100, "t-1")],
    ["order/cancel", id, CALLS.cancel("o-1", PAIR)],
    ["order/cancel/all", PAIR, CALLS.cancelMarket(PAIR)],
  ] as const)("are another client's for %s %j", (path, given, call) => {
    const theirs = oracle.sign(path, "v2_1Private", "POST", { ...given });
    const ours = sent(call);
    expect(`https://api.coinone.co.kr${ours.path}`).toBe(theirs.url);
    expect(call.method).toBe("POST");
    expect(ours.headers["x-coinone-payload"]).toBe(theirs.headers["X-COINONE-PAYLOAD"]);
    expect(ours.headers["x-coinone-signature"]).toBe(theirs.headers["X-COINONE-SIGNATURE"]);
    expect(ours.headers["content-type"]).toBe("application/json");
    // Of the exchange's samples two send nothing and the others this; the other client sends the header's text.
    expect(Buffer.from(ours.body ?? "").toString("base64")).toBe(theirs.body);
  });
});

describe("the address of a public call", () => {
  it.each([
    ["markets/KRW", {}, CALLS.markets()],
    ["ticker_new/KRW", {}, CALLS.tickers()],
    ["ticker_new/KRW/BTC", {}, CALLS.ticker(PAIR)],
    ["orderbook/KRW/BTC", { size: 10 }, CALLS.book(PAIR, 7)],
    ["orderbook/KRW/BTC", { size: 16 }, CALLS.book(PAIR, 30)],
    ["trades/KRW/BTC", { size: 200 }, CALLS.trades(PAIR, 500)],
    ["chart/KRW/BTC", { interval: "1h", timestamp: 3_600_000, size: 500 }, CALLS.candles(PAIR, "1h", 3_600_000)],
  ] as const)("is another client's for %s %j", (path, given, call) => {
    const theirs = oracle.sign(path, "v2Public", "GET", { ...given });
    expect(`https://api.coinone.co.kr${sent(call).path}`).toBe(theirs.url);
    expect(sent(call).body).toBeUndefined();
  });

  it("names the market whose ticks are asked for, as the exchange's page does", () => {
    expect(sent(CALLS.units(PAIR)).path).toBe("/public/v2/range_units/KRW/BTC");
  });
});

describe("a key", () => {
  it("prints neither itself nor its secret, and says nothing of a wrong one", () => {
    const key = new CoinoneKey({ apiKey: "token-1", apiSecret: () => "canary secret" }, () => NONCE);
    expect(JSON.stringify(key)).toBe('"[credentials]"');
    expect(key.signer()).toBeUndefined();
    expect(() => new CoinoneKey({ apiKey: "token-1", apiSecret: "canary secret" }, () => NONCE)).toThrow(
      /^the API secret is empty/,
    );
  });

  it("uses another nonce for every call", () => {
    let made = 0;
    const signs = new CoinoneKey({ apiKey: "t", apiSecret: "s" }, () => `n-${++made}`).signer();
    const nonces = [1, 2].map(() => JSON.parse(signedText(signs?.("{}") ?? {})).nonce);
    expect(nonces).toEqual(["n-1", "n-2"]);
  });
});
