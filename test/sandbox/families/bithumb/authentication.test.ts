import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send } from "../../http/signed-client.ts";
import { type Bithumb, BithumbClient, openBithumb, refusal } from "./bithumb-client.ts";

let bithumb: Bithumb;
let paper: BithumbClient;
beforeAll(async () => {
  bithumb = await openBithumb();
  ({ paper } = bithumb);
});
afterAll(async () => {
  await bithumb.venue.sandbox.close();
  expect(bithumb.venue.defects).toEqual([]);
});

const fields = { market: "KRW-BTC" };

describe("a token", () => {
  it.each([
    ["none", { authorization: null }, "jwt_verification"],
    ["one that is none", { authorization: "Bearer a.b" }, "jwt_verification"],
    ["one of another algorithm", { algorithm: "HS512" }, "jwt_verification"],
    ["one of no algorithm", { algorithm: "none" }, "jwt_verification"],
    ["one signed with another secret", { secret: "wrong" }, "jwt_verification"],
    ["one without a time", { claims: { timestamp: undefined } }, "jwt_verification"],
    ["one whose time is text", { claims: { timestamp: "1784538000000" } }, "jwt_verification"],
    ["one without a nonce", { claims: { nonce: undefined } }, "jwt_verification"],
    ["one of an unknown key", { claims: { access_key: "nobody" } }, "invalid_access_key"],
    ["one without the hash", { claims: { query_hash: undefined } }, "invalid_query_payload"],
    ["one of other parameters", { hashed: "market=KRW-ETH" }, "invalid_query_payload"],
    ["one hashed in another way", { claims: { query_hash_alg: "SHA256" } }, "invalid_query_payload"],
  ])("is refused: %s", async (_, options, name) => {
    expect(refusal(await paper.get("/v1/orders/chance", fields, options))).toEqual([401, name]);
  });

  it("is taken once, and used up by a right one only", async () => {
    const nonce = randomUUID();
    expect(refusal(await paper.get("/v1/accounts", {}, { nonce, secret: "wrong" }))[1]).toBe("jwt_verification");
    expect((await paper.get("/v1/accounts", {}, { nonce })).status).toBe(200);
    expect(refusal(await paper.get("/v1/accounts", {}, { nonce }))).toEqual([401, "jwt_verification"]);
  });

  it("may be of any time, as nobody says how long one lives", async () => {
    expect((await paper.get("/v1/accounts", {}, { claims: { timestamp: 1 } })).status).toBe(200);
  });

  it("has the hash of a body's members in their order, lists item by item", async () => {
    const ids = { order_ids: ["C01", "C02"] };
    expect((await paper.post("/v2/orders/search", ids, { hashed: "order_ids[]=C01&order_ids[]=C02" })).json).toEqual(
      [],
    );
    expect(refusal(await paper.post("/v2/orders/search", ids, { hashed: "order_ids=C01,C02" }))).toEqual([
      401,
      "invalid_query_payload",
    ]);
  });
});

describe("a key", () => {
  it("does what it has the right to, from where it may", async () => {
    const clientOf = ({ credentials }: { credentials: BithumbClient["credentials"] }) =>
      new BithumbClient(paper.baseUrl, credentials);
    const looking = clientOf(bithumb.venue.addKey({ permissions: ["query"] }));
    expect((await looking.get("/v1/accounts")).status).toBe(200);
    expect(refusal(await looking.order())).toEqual([401, "out_of_scope"]);
    const elsewhere = clientOf(bithumb.venue.addKey({ ipAllowList: ["192.0.2.1"] }));
    expect(refusal(await elsewhere.get("/v1/accounts"))).toEqual([401, "NotAllowIP"]);
  });
});

describe("a body", () => {
  it.each(["[]", "{", '{"a":{"b":"c"}}', '{"order_ids":[1]}', '{"order_ids":[["C01"]]}'])(
    "is refused unless it is a flat object: %s",
    async (text) => {
      const headers = { "Content-Type": "application/json" };
      expect(refusal(await send(paper.baseUrl, "POST", "/v2/orders", headers, text))).toEqual([
        400,
        "invalid_parameter",
      ]);
    },
  );
});

describe("an unknown path", () => {
  it("is not found", async () => {
    expect((await paper.get("/v2/nothing")).json.error.name).toBe(404);
  });
});
