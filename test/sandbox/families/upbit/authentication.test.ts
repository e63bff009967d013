import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { must } from "../../http/venue.ts";
import { openUpbit, refusal, tokenOf, type Upbit, UpbitClient } from "./upbit-client.ts";

let upbit: Upbit;
let paper: UpbitClient;
beforeEach(async () => {
  upbit = await openUpbit();
  ({ paper } = upbit);
});
afterEach(async () => {
  await upbit.venue.sandbox.close();
  expect(upbit.venue.defects).toEqual([]);
});

describe("a token", () => {
  it.each(["HS256", "HS512"] as const)("is taken when it is signed with %s", async (algorithm) => {
    expect(await paper.get("accounts", {}, { algorithm })).toMatchObject({ status: 200 });
    expect(await paper.order({}, { algorithm })).toMatchObject({ status: 201 });
  });

  it("signs with the bytes of the secret's text, not with what they are in base64", async () => {
    const { apiKey, apiSecret } = paper.credentials;
    const decoded = tokenOf({ apiKey, apiSecret: Buffer.from(apiSecret, "base64").toString("latin1") }, "");
    expect(refusal(await paper.get("accounts", {}, { authorization: `Bearer ${decoded}` }))[0]).toBe(401);
  });

  it("is refused a second time, whatever is asked, and used up by a right one only", async () => {
    const nonce = randomUUID();
    expect(refusal(await paper.get("accounts", {}, { nonce, secret: "wrong" }))).toEqual([401, "jwt_verification"]);
    expect(refusal(await paper.get("order", { uuid: "a" }, { nonce, claims: claimsOf("uuid=b", nonce) }))).toEqual([
      401,
      "invalid_query_payload",
    ]);
    expect((await paper.get("accounts", {}, { nonce })).status).toBe(200);
    expect(refusal(await paper.get("accounts", {}, { nonce }))).toEqual([401, "nonce_used"]);
    expect(refusal(await paper.order({}, { nonce }))).toEqual([401, "nonce_used"]);
  });

  it.each([
    ["no header", { authorization: null }, "no_authorization_token"],
    ["another scheme", { authorization: "Basic abc" }, "jwt_verification"],
    ["two parts", { authorization: "Bearer a.b" }, "jwt_verification"],
    ["no JSON in it", { authorization: "Bearer YQ.YQ.YQ" }, "jwt_verification"],
    ["no algorithm that is known", { authorization: `Bearer ${unsigned()}` }, "jwt_verification"],
    ["no key", { claims: { nonce: "1" } }, "invalid_access_key"],
    ["a key that is not there", { claims: { access_key: "nobody", nonce: "1" } }, "invalid_access_key"],
    ["another secret", { secret: "another" }, "jwt_verification"],
  ] as const)("is refused with %s", async (_, options, name) => {
    expect(refusal(await paper.get("accounts", {}, options))).toEqual([401, name]);
  });

  it("is refused without a nonce", async () => {
    const claims = { access_key: paper.credentials.apiKey };
    expect(refusal(await paper.get("accounts", {}, { claims }))).toEqual([401, "jwt_verification"]);
  });

  it("is refused as expired when its key was revoked", async () => {
    const { sandbox, clock } = upbit.venue;
    must(sandbox.exchange.apply({ type: "revokeKey", keyId: paper.credentials.apiKey }, clock.now));
    expect(refusal(await paper.get("accounts"))).toEqual([401, "expired_access_key"]);
  });
});

describe("the hash of the parameters", () => {
  it("is of the text in the order sent, lists with brackets", async () => {
    expect((await paper.get("orders/open", { states: ["wait", "watch"], market: "KRW-BTC" })).status).toBe(200);
  });

  it.each([
    ["absent", {}],
    ["of another order of parameters", { hash: "limit=5&market=KRW-BTC" }],
    ["of nothing", { hash: "" }],
  ])("is refused when it is %s", async (_, { hash }: { hash?: string }) => {
    const claims = hash === undefined ? { access_key: paper.credentials.apiKey, nonce: randomUUID() } : claimsOf(hash);
    expect(refusal(await paper.get("orders/open", { market: "KRW-BTC", limit: "5" }, { claims }))).toEqual([
      401,
      "invalid_query_payload",
    ]);
  });

  it("is refused with another algorithm than SHA512", async () => {
    const claims = { ...claimsOf("market=KRW-BTC"), query_hash_alg: "SHA256" };
    expect(refusal(await paper.get("orders/chance", { market: "KRW-BTC" }, { claims }))[1]).toBe(
      "invalid_query_payload",
    );
  });

  it("is refused when it is of encoded text that encoding changed", async () => {
    const time = "2026-07-20T18:00:00+09:00";
    expect((await paper.get("orders/closed", { end_time: time })).status).toBe(200);
    const claims = claimsOf(`end_time=${encodeURIComponent(time)}`);
    expect(refusal(await paper.get("orders/closed", { end_time: time }, { claims }))[1]).toBe("invalid_query_payload");
  });

  it("is of the members of the body in their order", async () => {
    const text = "market=KRW-BTC&side=bid&volume=0.01&price=100.0&ord_type=limit";
    // The vector of Upbit's guide.
    expect(Reflect.get(claimsOf(text), "query_hash")).toMatch(/^1db802a392c559d55c99662a20c6911b.*ad2bbdd24$/);
    const body = { market: "KRW-BTC", side: "bid", volume: "0.01", price: "100.0", ord_type: "limit" };
    expect(refusal(await paper.post("orders", body, { claims: claimsOf(text) }))[1]).toBe("under_min_total_bid");
    expect(refusal(await paper.post("orders", body, { claims: claimsOf(`${text}&x=1`) }))[1]).toBe(
      "invalid_query_payload",
    );
  });
});

describe("a key", () => {
  const clientOf = (part: object) => {
    const { credentials } = upbit.venue.addKey(part);
    return new UpbitClient(upbit.venue.sandbox.baseUrl, credentials);
  };

  it("does what it has the right to, and no more", async () => {
    const [looks, orders] = [clientOf({ permissions: ["query"] }), clientOf({ permissions: ["trade"] })];
    expect((await looks.get("accounts")).status).toBe(200);
    expect(refusal(await looks.order())).toEqual([401, "out_of_scope"]);
    expect(refusal(await orders.get("accounts"))).toEqual([401, "out_of_scope"]);
    expect((await orders.order()).status).toBe(201);
    expect((await orders.get("api_keys")).json).toEqual([
      { access_key: orders.credentials.apiKey, expire_at: "2027-07-20T18:00:00+09:00" },
    ]);
  });

  it("is refused from an address that is not on its list", async () => {
    expect(refusal(await clientOf({ ipAllowList: ["192.0.2.1"] }).get("accounts"))).toEqual([
      401,
      "no_authorization_ip",
    ]);
    expect((await clientOf({ ipAllowList: ["127.0.0.1"] }).get("accounts")).status).toBe(200);
  });
});

function unsigned(): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part({ access_key: "a" })}.AA`;
}

function claimsOf(text: string, nonce: string = randomUUID()): object {
  const { apiKey, apiSecret } = paper.credentials;
  const [, claims = ""] = tokenOf({ apiKey, apiSecret }, text, { nonce }).split(".");
  return JSON.parse(Buffer.from(claims, "base64url").toString()) as object;
}

describe("the other variant", () => {
  it("does what other sources say, where they differ", async () => {
    await upbit.venue.sandbox.close();
    upbit = await openUpbit({ variant: "other" });
    ({ paper } = upbit);
    const time = "2026-07-20T18:00:00+09:00";
    expect(refusal(await paper.get("orders/closed", { end_time: time }))).toEqual([401, "invalid_query_payload"]);
    const claims = claimsOf(`end_time=${encodeURIComponent(time)}`);
    expect((await paper.get("orders/closed", { end_time: time }, { claims })).status).toBe(200);
    expect((await paper.get("orders/open", { states: ["wait"], market: "KRW-BTC" })).status).toBe(200);
    const clientOf = (part: object) => new UpbitClient(paper.baseUrl, upbit.venue.addKey(part).credentials);
    expect(refusal(await clientOf({ ipAllowList: ["192.0.2.1"] }).get("accounts"))).toEqual([
      403,
      "no_authorization_i_p",
    ]);
    expect(refusal(await clientOf({ permissions: ["query"] }).order())).toEqual([403, "out_of_scope"]);
    const rests = { time_in_force: "post_only", smp_type: "none" };
    expect(refusal(await paper.order(rests))).toEqual([400, "invalid_parameter"]);
    expect((await paper.order({ ...rests, smp_type: "" })).status).toBe(201);
  });
});
