import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { must } from "../../http/venue.ts";
import { answered, type CallOptions, type Coinone, CoinoneClient, openCoinone, refusal } from "./coinone-client.ts";

let coinone: Coinone;
let paper: CoinoneClient;
beforeAll(async () => {
  coinone = await openCoinone();
  ({ paper } = coinone);
});
afterAll(async () => {
  await coinone.venue.sandbox.close();
  expect(coinone.venue.defects).toEqual([]);
});

const balances = (options?: CallOptions, client = paper) => client.post("account/balance/all", {}, options);
const other = (key: Parameters<Coinone["venue"]["addKey"]>[0]) =>
  new CoinoneClient(paper.baseUrl, coinone.venue.addKey(key).credentials);

describe("a payload", () => {
  it("is what counts, whatever the body is", async () => {
    for (const body of ["", "hello", "e30="])
      expect(answered(await balances({ body }))).toMatchObject({ balances: [{ currency: "KRW" }] });
  });

  it("is signed with the bytes of the secret's text, not with what they are in base64", async () => {
    const secret = Buffer.from(paper.credentials.apiSecret, "base64").toString("latin1");
    expect(refusal(await balances({ secret }))).toBe("123");
  });

  it("has its nonce once, which a right signature alone uses up", async () => {
    const nonce = randomUUID();
    expect(refusal(await balances({ nonce, secret: "wrong" }))).toBe("123");
    answered(await balances({ nonce }));
    expect(refusal(await balances({ nonce }))).toBe("132");
    expect(refusal(await paper.order({}, { nonce: nonce.toUpperCase() }))).toBe("132");
    answered(await balances({ nonce }, other({})));
  });

  const token = `"access_token":"nobody"`;
  it.each<[string, CallOptions, string]>([
    ["no payload", { payload: null }, "120"],
    ["no signature", { signature: null }, "121"],
    ["another signature", { signature: "0".repeat(128) }, "123"],
    ["no base64", { payload: "{}" }, "101"],
    ["no JSON", { text: "hello" }, "101"],
    ["a list", { text: "[]" }, "101"],
    ["a name twice", { text: `{${token},${token}}` }, "101"],
    ["no token", { text: "{}" }, "11"],
    ["a token of nobody", { text: `{${token}}` }, "12"],
    ["a token that is a number", { text: `{"access_token":1}` }, "12"],
    ["no nonce", { nonce: null }, "122"],
    ["a number for a nonce", { nonce: 1_784_538_000_000 }, "133"],
    ["a UUID of version 1", { nonce: "0e30219d-1e4d-11e9-9ec7-00e04c3600d7" }, "133"],
  ])("is refused with %s", async (_, options, code) => {
    expect(refusal(await balances(options))).toBe(code);
  });
});

describe("a key", () => {
  it("needs the right for what is asked", async () => {
    const [looking, trading] = [other({ permissions: ["query"] }), other({ permissions: ["trade"] })];
    answered(await balances({}, looking));
    expect(refusal(await looking.order())).toBe("40");
    answered(await trading.order());
    expect(refusal(await balances({}, trading))).toBe("40");
  });

  it("is refused from an address that is not on its list, and once it is revoked", async () => {
    expect(refusal(await balances({}, other({ ipAllowList: ["10.0.0.1"] })))).toBe("10");
    const here = other({ ipAllowList: ["127.0.0.1"] });
    answered(await balances({}, here));
    const { sandbox, clock } = coinone.venue;
    must(sandbox.exchange.apply({ type: "revokeKey", keyId: here.credentials.apiKey }, clock.now));
    expect(refusal(await balances({}, here))).toBe("12");
  });
});
