import { createHash, createHmac } from "node:crypto";
import { upbit } from "ccxt";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashedText } from "../../../src/venues/token-key.ts";
import { CALLS, venueCall } from "../../../src/venues/upbit/calls.ts";
import { token, upbitKey } from "../../../src/venues/upbit/sign.ts";

const oracle = new upbit({ apiKey: "key-1", secret: "secret-1" });
oracle.uuid = () => "nonce-1";

const claimsOf = (bearer: string): unknown =>
  JSON.parse(Buffer.from(bearer.split(".")[1] ?? "", "base64url").toString());

const value = fc.oneof(fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/), fc.constantFrom("한글", "호가 주문", "a+b,c"));
const field = fc.stringMatching(/^[a-z][a-z_]{0,11}$/);

describe("a token", () => {
  it("has the claims and the hash of another client's, whatever the parameters", () => {
    fc.assert(
      fc.property(
        fc.dictionary(field, value, { maxKeys: 6 }),
        fc.constantFrom("GET", "POST", "DELETE"),
        (given, method) => {
          const signed = oracle.sign("orders", "private", method, { ...given });
          const text = hashedText(Object.entries(given));
          const bearer = String(signed.headers.Authorization).slice("Bearer ".length);
          expect(claimsOf(token("key-1", "secret-1", "nonce-1", text))).toEqual(claimsOf(bearer));
        },
      ),
      { numRuns: 500 },
    );
  });

  it("hashes arrays under one name, and is signed with HS512 over the secret's text", () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), (given) => {
        // The other client numbers the members of an array, which the exchange does not.
        const theirs = String(oracle.rawencode({ "uuids[]": given })).replace(/\[\d+\](?==)/g, "");
        const text = hashedText(given.map((each) => ["uuids[]", each]));
        expect(text).toBe(theirs);
        const made = token("key-1", "secret-1", "n", text);
        const [head = "", claims = "", signature] = made.split(".");
        expect(Buffer.from(head, "base64url").toString()).toBe('{"alg":"HS512","typ":"JWT"}');
        expect(signature).toBe(createHmac("sha512", "secret-1").update(`${head}.${claims}`).digest("base64url"));
        const hash = createHash("sha512").update(text).digest("hex");
        expect(claimsOf(made)).toMatchObject(text === "" ? { nonce: "n" } : { query_hash: hash });
      }),
    );
  });

  it("agrees with the published hash", () => {
    const parts = { market: "KRW-BTC", side: "bid", volume: "0.01", price: "100.0", ord_type: "limit" };
    const claims = claimsOf(token("k", "s", "n", hashedText(Object.entries(parts)))) as { query_hash: string };
    expect(claims.query_hash).toMatch(/^1db802a392c559d55c99662a20c6911b.*bbdd24$/);
  });
});

describe("the bytes of a call", () => {
  const signer = upbitKey({ apiKey: "key-1", apiSecret: "secret-1" }).signer();
  const sent = (call: Parameters<typeof venueCall>[0]) => {
    if (signer === undefined) throw new Error("no signer");
    return venueCall(call as never, () => "nonce-1").request({ origin: "", prefix: "" }, { nonce: "1", signer });
  };

  it.each([
    ["orders/chance", "GET", { market: "KRW-BTC" }, CALLS.chance("KRW-BTC")],
    ["order", "GET", { identifier: "hg0123" }, CALLS.orderNamed("hg0123")],
    ["order", "GET", { uuid: "u-1" }, CALLS.order("u-1")],
    ["order", "DELETE", { uuid: "u-1" }, CALLS.cancel("u-1")],
    ["accounts", "GET", {}, CALLS.accounts()],
    ["orders/open", "DELETE", { pairs: "KRW-BTC", count: 300 }, CALLS.cancelOpen("KRW-BTC")],
    ["orders", "POST", { market: "KRW-BTC", side: "bid" }, CALLS.place({ market: "KRW-BTC", side: "bid" })],
  ] as const)("are another client's for %s %s %j", (path, method, given, call) => {
    const theirs = oracle.sign(path, "private", method, { ...given });
    const ours = sent(call as never);
    expect(`https://api.upbit.com${ours.path}`).toBe(theirs.url);
    expect(ours.body).toBe(theirs.body);
    const { authorization = "" } = ours.headers;
    expect(claimsOf(authorization.slice(7))).toEqual(claimsOf(String(theirs.headers.Authorization).slice(7)));
  });

  it("name the members of an array with brackets", () => {
    expect(sent(CALLS.cancelThese(["a", "b"]) as never).path).toBe("/v1/orders/uuids?uuids[]=a&uuids[]=b");
  });
});

it("a key prints neither itself nor its secret, and says nothing of a wrong one", () => {
  const key = upbitKey({ apiKey: "key-1", apiSecret: () => "canary secret" });
  expect(JSON.stringify(key)).toBe('"[credentials]"');
  expect(key.signer()).toBeUndefined();
  expect(() => upbitKey({ apiKey: "key-1", apiSecret: "canary secret" })).toThrow(/^the API secret is empty/);
});
