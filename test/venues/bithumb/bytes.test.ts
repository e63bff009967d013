import { createHash, createHmac } from "node:crypto";
import { bithumb } from "ccxt";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CALLS, type Call, venueCall } from "../../../src/venues/bithumb/calls.ts";
import { bithumbKey, token } from "../../../src/venues/bithumb/sign.ts";
import { hashedText } from "../../../src/venues/token-key.ts";

const AT_MS = 1_783_145_146_000;
const MOMENT = { nonce: "nonce-1", atMs: AT_MS };

const oracle = new bithumb({ apiKey: "key-1", secret: "secret-1" });
oracle.uuid = () => MOMENT.nonce;
oracle.milliseconds = () => AT_MS;

const claimsOf = (bearer: string): unknown =>
  JSON.parse(Buffer.from(bearer.split(".")[1] ?? "", "base64url").toString());

const plain = fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/);
const anything = fc.oneof(plain, fc.constantFrom("한글", "호가 주문", "a+b/c=", "2026-07-04T15:05:46+09:00"));
const field = fc.stringMatching(/^[a-z][a-z_]{0,11}$/);
const given = fc.dictionary(field, fc.oneof(anything, fc.array(anything, { minLength: 1, maxLength: 4 })), {
  maxKeys: 6,
});

type Given = Readonly<Record<string, string | readonly string[]>>;

const pairsOf = (parameters: Given): [string, string][] =>
  Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" ? [[name, value]] : value.map((each) => [`${name}[]`, each]),
  );

/** By the exchange's guide: raw values, brackets for arrays, nothing for no parameter. */
function byTheGuide(parameters: Given): object {
  const text = pairsOf(parameters)
    .map((pair) => pair.join("="))
    .join("&");
  const bare = { access_key: "key-1", nonce: MOMENT.nonce, timestamp: AT_MS };
  if (text === "") return bare;
  return { ...bare, query_hash: createHash("sha512").update(text).digest("hex"), query_hash_alg: "SHA512" };
}

describe("a token", () => {
  it("has the claims that the guide asks for, whatever the parameters", () => {
    fc.assert(
      fc.property(given, (parameters) => {
        const made = token("key-1", "secret-1", MOMENT, hashedText(pairsOf(parameters)));
        expect(claimsOf(made)).toEqual(byTheGuide(parameters));
        const [head = "", claims = "", signature] = made.split(".");
        expect(Buffer.from(head, "base64url").toString()).toBe('{"alg":"HS256","typ":"JWT"}');
        expect(signature).toBe(createHmac("sha256", "secret-1").update(`${head}.${claims}`).digest("base64url"));
      }),
      { numRuns: 500 },
    );
  });

  it("is byte for byte that of another client, which hashes what it has encoded", () => {
    fc.assert(
      fc.property(given, fc.constantFrom("GET", "POST", "DELETE"), (parameters, method) => {
        const signed = oracle.sign("v2/orders", "private", method, structuredClone(parameters));
        const encoded = pairsOf(parameters).map(([name, value]) => [name, encodeURIComponent(value)] as const);
        const theirs = String(signed.headers.Authorization).slice("Bearer ".length);
        const ours = token("key-1", "secret-1", MOMENT, hashedText(encoded));
        expect(claimsOf(ours)).toEqual(claimsOf(theirs));
      }),
      { numRuns: 500 },
    );
  });
});

describe("the bytes of a call", () => {
  const signer = bithumbKey({ apiKey: "key-1", apiSecret: "secret-1" }).signer();
  const sent = (call: Call<never>) => {
    if (signer === undefined) throw new Error("no signer");
    return venueCall(call, () => MOMENT.nonce).request({ origin: "", prefix: "" }, { nonce: String(AT_MS), signer });
  };
  const order = { market: "KRW-BTC", side: "bid", order_type: "limit", price: "95000000", volume: "0.001" };

  it.each([
    ["v1/accounts", "GET", {}, CALLS.accounts()],
    ["v1/orders/chance", "GET", { market: "KRW-BTC" }, CALLS.chance("KRW-BTC")],
    ["v1/order", "GET", { uuid: "C0101" }, CALLS.order("C0101")],
    ["v1/order", "GET", { client_order_id: "hg0123" }, CALLS.orderNamed("hg0123")],
    [
      ...(["v2/orders/pending", "GET", { state: "wait", limit: 100, order_by: "desc" }] as const),
      CALLS.pending(undefined, "wait"),
    ],
    [
      ...(["v2/orders/history", "GET"] as const),
      { market: "KRW-BTC", start_time: 1, end_time: 2, limit: 100, order_by: "desc" },
      CALLS.history("KRW-BTC", 1, 2, 100),
    ],
    ["v2/orders", "POST", order, CALLS.place(order)],
    ["v2/order", "DELETE", { order_id: "C0101" }, CALLS.cancel("C0101")],
  ] as const)("are another client's for %s %s %j", (path, method, parameters, call) => {
    const theirs = oracle.sign(path, "private", method, { ...parameters });
    const ours = sent(call as never);
    expect(`https://api.bithumb.com${ours.path}`).toBe(theirs.url);
    expect(ours.body).toBe(theirs.body);
    const { authorization = "" } = ours.headers;
    expect(claimsOf(authorization.slice(7))).toEqual(claimsOf(String(theirs.headers.Authorization).slice(7)));
  });

  it("are encoded where the hash is over the key of a page as it is, or over what travels when that is asked for", () => {
    const call = CALLS.pending("KRW-BTC", "wait", "alpha+/=");
    const text = "market=KRW-BTC&state=wait&limit=100&order_by=desc&next_key=";
    const hashOf = (made: { readonly headers: Record<string, string> }): unknown =>
      (claimsOf(made.headers["authorization"]?.slice(7) ?? "") as { query_hash: unknown }).query_hash;
    for (const [hashesEncoded, key] of [
      [false, "alpha+/="],
      [true, "alpha%2B%2F%3D"],
    ] as const) {
      const made = sent({ ...call, hashesEncoded } as never);
      expect(made.path).toBe(`/v2/orders/pending?${text}alpha%2B%2F%3D`);
      expect(hashOf(made as never)).toBe(
        createHash("sha512")
          .update(text + key)
          .digest("hex"),
      );
    }
  });
});

it("a key prints neither itself nor its secret, and says nothing of a wrong one", () => {
  const key = bithumbKey({ apiKey: "key-1", apiSecret: () => "canary secret" });
  expect(JSON.stringify(key)).toBe('"[credentials]"');
  expect(key.signer()).toBeUndefined();
  expect(() => bithumbKey({ apiKey: "key-1", apiSecret: "canary secret" })).toThrow(/^the API secret is empty/);
});
