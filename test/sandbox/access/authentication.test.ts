import { createSecretKey, Hash, Hmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { ENDPOINT_IDS, ENDPOINTS, type Endpoint, SIGNING_VECTORS } from "../../../src/contract/index.ts";
import { plainAddress } from "../../../src/sandbox/access/address.ts";
import { equalSignatures, signatureOf } from "../../../src/sandbox/access/signature.ts";
import { refusal } from "../http/refusal.ts";
import { nextNonce, type Reply, SignedClient, send, sign, signedHeaders } from "../http/signed-client.ts";
import { openVenue, type Venue } from "../http/venue.ts";

let venue: Venue;
beforeAll(async () => {
  venue = await openVenue();
});
afterAll(() => venue.sandbox.close());

const UUID = "01999f3e-7a10-7c31-9a52-0c6d5b1f2a77";
const privateTargets = ENDPOINT_IDS.map((id): Endpoint => ENDPOINTS[id])
  .filter(({ auth }) => auth !== "none")
  .map(({ method, path }) => [method, path.replace("{symbol}", "BTC%2FKRW").replace("{uuid}", UUID)] as const);

describe("signing vectors", () => {
  it.each(SIGNING_VECTORS)("match: $name", ({ secret, nonce, prefix, body, signature }) => {
    const key = createSecretKey(Buffer.from(secret, "base64"));
    expect(signatureOf(key, { nonce, prefix, body: Buffer.from(body) })).toBe(signature);
    expect(sign(secret, nonce, prefix, body)).toBe(signature);
  });

  it("are accepted as requests, in the order of their nonces", async () => {
    const vectors = SIGNING_VECTORS.filter(({ prefix }) => prefix.includes(" /v1/"));
    const { credentials } = venue.addKey({ secret: vectors[0]?.secret ?? "" });
    const answers: unknown[] = [];
    for (const { prefix, nonce, body, signature } of vectors) {
      const [method = "", target = ""] = prefix.split(" ");
      const type: Record<string, string> = body === "" ? {} : { "Content-Type": "application/json" };
      const signed = { "API-Key": credentials.apiKey, "API-Nonce": nonce, "API-Sign": signature };
      const { status, json } = await send(venue.sandbox.baseUrl, method, target, { ...type, ...signed }, body);
      answers.push([status, json.error?.code]);
    }
    // Each passes authentication: the body of one has an unknown field, the order of the last does not exist.
    expect(answers).toEqual([
      [200, undefined],
      [200, undefined],
      [400, "EGeneral:Invalid arguments:note"],
      [404, "EOrder:Unknown order"],
    ]);
  });

  it("are compared as complete texts", () => {
    expect(equalSignatures("abc", "abc")).toBe(true);
    for (const given of ["abd", "ab", "abcd", "", "Abc", "abc "]) expect(equalSignatures("abc", given)).toBe(false);
  });
});

describe.each(privateTargets)("%s %s", (method, target) => {
  const withHeaders = (change: (headers: Record<string, string>) => void) => {
    const headers = signedHeaders(venue.paper.credentials, method, target);
    change(headers);
    return send(venue.sandbox.baseUrl, method, target, headers);
  };
  const lastNonce = () => venue.sandbox.exchange.lastNonce(venue.sandbox.apiKey);

  it("requires a key, a nonce and a signature", async () => {
    const before = lastNonce();
    expect(refusal(await send(venue.sandbox.baseUrl, method, target))).toEqual([401, "EAPI:Invalid key", undefined]);
    expect(refusal(await withHeaders((headers) => delete headers["API-Key"]))).toEqual([
      401,
      "EAPI:Invalid key",
      undefined,
    ]);
    expect(refusal(await withHeaders((headers) => delete headers["API-Nonce"]))).toEqual([
      401,
      "EAPI:Invalid nonce",
      undefined,
    ]);
    expect(refusal(await withHeaders((headers) => delete headers["API-Sign"]))).toEqual([
      401,
      "EAPI:Invalid signature",
      undefined,
    ]);
    expect(lastNonce()).toBe(before);
  });

  it("refuses a wrong signature and an unknown key with the same message", async () => {
    const before = lastNonce();
    const wrong = await withHeaders((headers) => {
      headers["API-Sign"] = sign(venue.sandbox.apiSecret, headers["API-Nonce"] ?? "", `${method} /v1/other`, "");
    });
    const unknown = await withHeaders((headers) => {
      headers["API-Key"] = "nobody";
    });
    expect(refusal(wrong)).toEqual([401, "EAPI:Invalid signature", undefined]);
    expect(refusal(unknown)).toEqual([401, "EAPI:Invalid key", undefined]);
    const { code: _, request_id: __, ...words } = wrong.json.error;
    const { code: ___, request_id: ____, ...others } = unknown.json.error;
    expect(words).toEqual(others);
    expect(Object.keys(wrong.headers)).toEqual(Object.keys(unknown.headers));
    expect(lastNonce()).toBe(before);
  });
});

describe("signature", () => {
  it("costs the same work under an unknown key as a wrong one does, so that timing reveals nothing", async () => {
    const work = [vi.spyOn(Hash.prototype, "update"), vi.spyOn(Hmac.prototype, "update")];
    onTestFinished(() => void vi.restoreAllMocks());
    const costOf = async (headers: Record<string, string>): Promise<readonly number[]> => {
      for (const spy of work) spy.mockClear();
      const { status } = await venue.paper.get("/v1/accounts", { headers });
      expect(status).toBe(401);
      return work.map(({ mock }) => mock.calls.length);
    };
    const wrong = await costOf({ "API-Sign": Buffer.alloc(64).toString("base64") });
    expect(wrong.every((calls) => calls > 0)).toBe(true);
    expect(await costOf({ "API-Key": "nobody" })).toEqual(wrong);
  });

  it("covers method, path, query, nonce and body, to the byte", async () => {
    const { baseUrl } = venue.sandbox;
    const { credentials } = venue.paper;
    const body = '{"symbol":"BTC/KRW","side":"buy","type":"limit","volume":"0.001","price":"90000000"}';
    const type = { "Content-Type": "application/json" };
    const signed = signedHeaders(credentials, "POST", "/v1/orders", body);
    const changes: (() => Promise<Reply>)[] = [
      () => send(baseUrl, "POST", "/v1/orders", { ...type, ...signed }, body.replace("0.001", "0.002")),
      () => send(baseUrl, "POST", "/v1/orders", { ...type, ...signed }, `${body} `),
      () => send(baseUrl, "POST", "/v1/orders?", { ...type, ...signed }, body),
      () => send(baseUrl, "POST", "/v1/orders", { ...type, ...signed, "API-Nonce": nextNonce() }, body),
      () => send(baseUrl, "GET", "/v1/orders?a", signedHeaders(credentials, "GET", "/v1/orders?b")),
      () =>
        send(
          baseUrl,
          "GET",
          "/v1/orders?symbol=BTC/KRW",
          signedHeaders(credentials, "GET", "/v1/orders?symbol=BTC%2FKRW"),
        ),
      () => send(baseUrl, "DELETE", "/v1/orders/batch", signedHeaders(credentials, "GET", "/v1/orders/batch")),
      () => send(baseUrl, "GET", "/v1/accounts", { ...signed, "API-Sign": signed["API-Sign"]?.replace("=", "") ?? "" }),
    ];
    for (const change of changes) expect(refusal(await change())).toEqual([401, "EAPI:Invalid signature", undefined]);
    expect((await venue.paper.get("/v1/orders?state=all")).json.orders).toEqual([]);
    const right = await send(
      baseUrl,
      "POST",
      "/v1/orders",
      { ...type, ...signedHeaders(credentials, "POST", "/v1/orders", body) },
      body,
    );
    expect(right.status).toBe(201);
  });
});

describe("nonce", () => {
  it.each(["", "-1", "1.5", "1e3", "0x10", "abc", " ", "007", "99999999999999999999", "123456789012345678901"])(
    "when its form is %j, is refused even with a valid signature",
    async (nonce) => {
      const client = venue.addKey();
      expect(refusal(await client.get("/v1/accounts", { nonce }))).toEqual([401, "EAPI:Invalid nonce", undefined]);
    },
  );

  it("must rise strictly, up to 2^64 - 1", async () => {
    const client = venue.addKey();
    expect(refusal(await client.get("/v1/accounts", { nonce: "0" }))).toEqual([401, "EAPI:Invalid nonce", undefined]);
    expect((await client.get("/v1/accounts", { nonce: "5" })).status).toBe(200);
    expect(refusal(await client.get("/v1/accounts", { nonce: "5" }))).toEqual([401, "EAPI:Invalid nonce", undefined]);
    expect(refusal(await client.get("/v1/accounts", { nonce: "4" }))).toEqual([401, "EAPI:Invalid nonce", undefined]);
    expect((await client.get("/v1/accounts", { nonce: "9007199254740993" })).status).toBe(200);
    expect(refusal(await client.get("/v1/accounts", { nonce: "9007199254740992" }))).toEqual([
      401,
      "EAPI:Invalid nonce",
      undefined,
    ]);
    expect((await client.get("/v1/accounts", { nonce: "18446744073709551615" })).status).toBe(200);
  });

  it("is a fence: once a request with nonce N was answered, one with N-1 has no effect", async () => {
    const client = venue.addKey();
    expect((await client.get("/v1/orders?userref=late", { nonce: "101" })).json.orders).toEqual([]);
    expect(refusal(await client.order({ userref: "late" }, { nonce: "100" }))).toEqual([
      401,
      "EAPI:Invalid nonce",
      undefined,
    ]);
    expect((await client.get("/v1/orders?userref=late&state=all", { nonce: "102" })).json.orders).toEqual([]);
  });

  it("is not used up by a wrong signature", async () => {
    const client = venue.addKey();
    const forger = new SignedClient(client.baseUrl, { ...client.credentials, apiSecret: "d3Jvbmc=" });
    expect(refusal(await forger.get("/v1/accounts", { nonce: "1000" }))).toEqual([
      401,
      "EAPI:Invalid signature",
      undefined,
    ]);
    expect((await client.get("/v1/accounts", { nonce: "1" })).status).toBe(200);
  });

  it.each([
    ["permission", 403, { permissions: ["query"] as const }, () => ({}), {}],
    ["version", 400, {}, () => ({}), { "API-Version": "9.9.9" }],
    ["shape", 400, {}, () => ({ volume: 1 }), {}],
    ["funds", 422, {}, () => ({ volume: "9" }), {}],
  ])("is used up by a request that is refused for its %s", async (_, status, key, fields, headers) => {
    const client = venue.addKey(key);
    const refused = await client.order(fields(), { nonce: "50", headers });
    expect(refused.status).toBe(status);
    expect(refusal(await client.get("/v1/accounts", { nonce: "50" }))).toEqual([401, "EAPI:Invalid nonce", undefined]);
    expect((await client.get("/v1/accounts", { nonce: "51" })).status).toBe(200);
  });

  it("is counted for each key separately", async () => {
    const [one, other] = [venue.addKey(), venue.addKey()];
    expect((await one.get("/v1/accounts", { nonce: "9" })).status).toBe(200);
    expect((await other.get("/v1/accounts", { nonce: "8" })).status).toBe(200);
  });
});

describe("permission", () => {
  it.each(["query", "trade", "transfer"] as const)(
    "%s permits what the table of endpoints says and nothing else",
    async (permission) => {
      const client = venue.addKey({ permissions: [permission] });
      const endpoints = ENDPOINT_IDS.map((id): Endpoint => ENDPOINTS[id]).filter(({ auth }) => auth !== "none");
      const denied: string[] = [];
      for (const { method, path } of endpoints) {
        const reply = await client.call(method, path.replace("{symbol}", "BTCKRW").replace("{uuid}", UUID));
        if (reply.status === 403)
          denied.push(`${method} ${path}: ${reply.json.error.code}, ${reply.json.error.message}`);
      }
      const others = endpoints.filter(({ auth }) => auth !== permission);
      expect(denied).toEqual(
        others.map(
          ({ method, path, auth }) =>
            `${method} ${path}: EGeneral:Permission denied, this key lacks the permission "${auth}"`,
        ),
      );
    },
  );

  it("does not show another account's orders", async () => {
    const { uuid } = (await venue.paper.order()).json;
    expect(refusal(await venue.maker.get(`/v1/orders/BTCKRW/${uuid}`))).toEqual([
      404,
      "EOrder:Unknown order",
      undefined,
    ]);
    expect(refusal(await venue.maker.delete(`/v1/orders/BTCKRW/${uuid}`))).toEqual([
      404,
      "EOrder:Unknown order",
      undefined,
    ]);
    expect((await venue.maker.get("/v1/orders?state=all")).json.orders).toEqual([]);
    expect(refusal(await venue.paper.get(`/v1/orders/ETHKRW/${uuid}`))).toEqual([
      404,
      "EOrder:Unknown order",
      undefined,
    ]);
    expect(refusal(await venue.paper.delete(`/v1/orders/ETHKRW/${uuid}`))).toEqual([
      404,
      "EOrder:Unknown order",
      undefined,
    ]);
    expect((await venue.paper.get(`/v1/orders/BTCKRW/${uuid}`)).json.state).toBe("open");
  });
});

describe("address allow-list", () => {
  it("accepts a listed address", async () => {
    const client = venue.addKey({ ipAllowList: ["10.0.0.1", "127.0.0.1"] });
    expect((await client.get("/v1/accounts")).status).toBe(200);
  });

  it("compares addresses, however they are written", async () => {
    for (const written of ["::ffff:127.0.0.1", "::FFFF:7F00:1", "0:0:0:0:0:ffff:127.0.0.1"]) {
      const client = venue.addKey({ ipAllowList: [written] });
      expect((await client.get("/v1/accounts")).status).toBe(200);
    }
    const client = venue.addKey({ ipAllowList: ["::1", "::127.0.0.1", "::ffff:127.0.0.2"] });
    expect((await client.get("/v1/accounts")).status).toBe(403);
  });

  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["0:0:0:0:0:0:0:1", "::1"],
    ["2001:DB8:0:0::1", "2001:db8::1"],
    ["fe80::1%eth0", "fe80::1"],
    ["", ""],
  ])("normalizes %j to %j", (written, normal) => {
    expect(plainAddress(written)).toBe(normal);
  });

  it("refuses every other address before anything else is checked", async () => {
    const client = venue.addKey({ ipAllowList: ["10.0.0.1"], permissions: [] });
    const { apiKey } = client.credentials;
    expect(refusal(await client.get("/v1/accounts"))).toEqual([403, "EAPI:IP not allowed", undefined]);
    expect(refusal(await send(client.baseUrl, "GET", "/v1/accounts", { "API-Key": apiKey }))).toEqual([
      403,
      "EAPI:IP not allowed",
      undefined,
    ]);
    expect(refusal(await send(client.baseUrl, "GET", "/v1/nowhere", { "API-Key": apiKey }))).toEqual([
      403,
      "EAPI:IP not allowed",
      undefined,
    ]);
    const large = await client.post("/v1/orders", undefined, { rawBody: "x".repeat(70_000) });
    expect(refusal(large)).toEqual([403, "EAPI:IP not allowed", undefined]);
    expect(venue.sandbox.exchange.lastNonce(apiKey)).toBe(0n);
  });
});
