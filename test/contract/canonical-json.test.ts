import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalDigest, canonicalJson } from "../../src/contract/index.ts";

/** The same value with the members of every object in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe("canonical JSON", () => {
  it.each([
    [{ b: 1, a: [true, null, "x"] }, '{"a":[true,null,"x"],"b":1}'],
    [{ a: undefined, b: Number.NaN, c: -0, d: new Date(0) }, '{"b":null,"c":0,"d":"1970-01-01T00:00:00.000Z"}'],
    [{ 10: 1, 9: 2, é: 3, z: 4, "\u{10000}": 5, "\uffff": 6 }, '{"10":1,"9":2,"z":4,"é":3,"𐀀":5,"\uffff":6}'],
    [[1e21, 1e-7, 0.1, 2 ** 53], "[1e+21,1e-7,0.1,9007199254740992]"],
    [JSON.parse('{"__proto__":1,"a":2}'), '{"__proto__":1,"a":2}'],
    ["\u2028\ud800\u0000\n", '"\u2028\\ud800\\u0000\\n"'],
  ])("writes %j", (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it("means the same as the value, has one text for it, and is its own canonical text", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reversed(value))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(text).not.toMatch(/^\s|\n|\r|\t|\s$/);
      }),
    );
  });
});

/** SHA-256 over texts that are on disk: a digest that changes is a stored order or approval that is not recognised any more. */
describe("the digest of a value", () => {
  const order = {
    symbol: "BTC/KRW",
    side: "buy",
    type: "limit",
    volume: "0.015",
    price: "95000000",
    time_in_force: undefined,
    userref: "desk-0001",
    compliance: {
      vasp_purpose_code: "P2B_TRADE",
      originator_vasp_id: "VASP-KR-1",
      kyc_level: "TIER2",
      settlement_mode: "INSTANT_KRW",
    },
  };
  const terms = {
    priceSeen: "95000000",
    value: "1425000",
    unit: "KRW",
    askedAtMs: 1784538000000,
    expiresAtMs: 1784538300000,
  };
  const refund = { kind: "refund_payment", payment_id: "p-1", amount: "50000", userref: undefined };

  it.each([
    [
      "an order with its account and environment",
      { account: "main", environment: "sandbox", order },
      "43a9b41e71e5ac5b2d3e5cac36696e7ccd267da73545d97cac91c47747df5ba0",
    ],
    [
      "what a person approves",
      { intentId: "i-1", account: "main", order, environment: "sandbox", keyId: "k-1", ...terms },
      "26b1077ff55523f58c2049b6e30814fe3041c53e8b6c22328313c8264610838a",
    ],
    [
      "a transfer's request",
      { account: "main", environment: "sandbox", request: refund },
      "d3681d3ce24f129aa386df59c4298a8241ffafed1dd68111be8d63bd44b7689c",
    ],
    [
      "numbers, text beyond ASCII and a lone surrogate",
      [
        { b: 1, a: [true, null, "x", -0, 1e21, 0.1] },
        "\u2028\ud800\n호가",
        { "\u{10000}": 5, "\uffff": 6, 10: 1, 9: 2 },
      ],
      "28bc0de6540c4b9df0f645d95f3f8a9042f99fbd8e19a1cd35a85e74ed78564e",
    ],
  ])("is what it was in every version: %s", (_what, value, digest) => {
    expect(canonicalDigest(value)).toBe(digest);
  });
});
