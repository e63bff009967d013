/** Tokens of an authorization server: only what it has signed, for this server and for now, lets anybody in. */
import { createHmac } from "node:crypto";
import type { JWTPayload } from "jose";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createMcpServer, SCOPES, TOOLS } from "../../src/mcp/index.ts";
import { type HttpServing, oauthCallers, serveOverHttp } from "../../src/serve/index.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { TOKEN } from "../fixture/http-address.ts";
import { AUDIENCE, type Issuer, startIssuer } from "../fixture/issuer.ts";
import { connectHttp, ERAS } from "../mcp/client.ts";

let exchange: ExchangeFixture;
let issuer: Issuer;
let http: HttpServing;
let troubles: string[];
let aheadMs: number;

beforeAll(async () => {
  exchange = await startExchange();
  return () => exchange.close();
});
beforeEach(async () => {
  issuer = await startIssuer();
  troubles = [];
  aheadMs = 0;
  const callers = await oauthCallers({
    ...{ issuer: issuer.url, audience: AUDIENCE },
    now: () => Date.now() + aheadMs,
    onTrouble: (message) => troubles.push(message),
  });
  http = await serveOverHttp({
    factory: createMcpServer({ desk: exchange.desk, version: "0.0.0" }),
    ...{ token: TOKEN, callers, issuer: issuer.url, resource: AUDIENCE, port: 0 },
  });
  exchange.relay.seen.length = 0;
});
afterEach(async () => {
  await http.close();
  await issuer.close();
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function call(token: string | undefined, name = "get_balances"): Promise<Response> {
  return fetch(`${http.url}/mcp`, {
    method: "POST",
    headers: {
      ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
      ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name },
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name, arguments: {}, _meta: META } }),
  });
}

const METADATA = "http://127.0.0.1:8421/.well-known/oauth-protected-resource/mcp";

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const seconds = (): number => Math.floor((Date.now() + aheadMs) / 1_000);

/** What a good token says. */
function good(): JWTPayload {
  return { iss: issuer.url, aud: AUDIENCE, sub: "kim", exp: seconds() + 300, scope: SCOPES.join(" ") };
}

function signedByPublicKey(): string {
  const text = `${base64({ alg: "HS256", typ: "at+jwt", kid: "one" })}.${base64(good())}`;
  return `${text}.${createHmac("sha256", issuer.publicPem).update(text).digest("base64url")}`;
}

const BAD: readonly (readonly [string, () => Promise<string> | string])[] = [
  ["for another audience", () => issuer.token({ aud: "https://other.example/mcp" })],
  ["of another issuer", () => issuer.token({ iss: "https://other.example" })],
  ["that has expired", () => issuer.token({ exp: seconds() - 6 })],
  ["that does not count yet", () => issuer.token({ nbf: seconds() + 60 })],
  ["without a signature (alg none)", () => `${base64({ alg: "none" })}.${base64(good())}.`],
  ["signed with the public key (HS256)", signedByPublicKey],
  ["of a key that nobody knows", () => issuer.token({}, { kid: "two" })],
  ["forged under the name of a known key", () => issuer.forged()],
  ["changed after it was signed", async () => withPayload(await issuer.token(), good())],
  ["that names nobody", () => issuer.sign({ ...good(), sub: "" })],
  ["without an end", () => issuer.sign({ ...good(), exp: undefined })],
  [
    "for an audience that begins like this one",
    () => issuer.sign({ ...good(), aud: [`${AUDIENCE}/other`, [AUDIENCE]] }),
  ],
  ["of an issuer by another spelling", () => issuer.sign({ ...good(), iss: `${issuer.url}/` })],
  ["whose scope is a list", () => issuer.sign({ ...good(), scope: ["trade:write"] })],
  ["that says who signed in (an ID token)", () => issuer.sign(good(), { typ: "JWT" })],
  ["that says who signed out", () => issuer.sign(good(), { typ: "logout+jwt" })],
  ["that does not say what it is for", () => issuer.sign(good(), { typ: undefined })],
  ["with an extension that nobody knows", () => issuer.sign(good(), { crit: ["other"], other: 1 })],
  ["that brings its own key", () => issuer.forged({}, { jwk: issuer.otherKey, x5c: ["AAAA"] })],
  ["that says where its key is", () => issuer.forged({}, { jku: `${issuer.url}/other`, x5u: `${issuer.url}/other` })],
  ["whose key is a path", () => issuer.sign(good(), { kid: "../../keys" })],
  ["that is none", () => "not.a.token"],
  ["that is long", async () => `${"a".repeat(4_000)}.b.c`],
];

function withPayload(token: string, payload: object): string {
  const [header, , signature] = token.split(".");
  return [header, base64(payload), signature].join(".");
}

describe("a token", () => {
  it.each(BAD)("%s lets nobody in, and the server goes on", async (_, make) => {
    const refused = await call(await make());
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toBe(
      `Bearer error="invalid_token", scope="market:read account:read", resource_metadata="${METADATA}"`,
    );
    expect(await refused.text()).not.toMatch(/kim|hoga|sandbox/);
    expect(exchange.relay.seen).toEqual([]);
    expect((await call(await issuer.token())).status).toBe(200);
    expect(troubles).toEqual([]);
  });

  it("when it has no signature, or one of a shared secret, is refused before the issuer is asked for anything", async () => {
    for (const token of [`${base64({ alg: "none" })}.${base64(good())}.`, signedByPublicKey(), "not.a.token"])
      expect((await call(token)).status).toBe(401);
    expect(issuer.asked).toEqual([]);
  });

  it("asks for keys once at most when its key is unknown, however often it comes", async () => {
    for (let n = 0; n < 5; n++) expect((await call(await issuer.token({}, { kid: `k${n}` }))).status).toBe(401);
    expect(issuer.asked).toEqual(["/.well-known/oauth-authorization-server", "/keys"]);
  });

  it("counts until its end, and five seconds longer for clocks that differ", async () => {
    const token = await issuer.token({ exp: seconds() + 60 });
    aheadMs = 63_000;
    expect((await call(token)).status).toBe(200);
    aheadMs = 66_000;
    expect((await call(token)).status).toBe(401);
  });

  it("when it has a scope too few, is told which, with those that it has", async () => {
    const refused = await call(await issuer.token(), "place_order");
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toBe(
      `Bearer error="insufficient_scope", scope="market:read account:read trade:write", resource_metadata="${METADATA}"`,
    );
    expect((await call(await issuer.token({ scope: "email" }), "get_markets")).status).toBe(403);
    expect(exchange.relay.seen).toEqual([]);
  });

  it.each(ERAS)("lets its caller do what its scopes say, in %s", async (era) => {
    const headers = { authorization: `Bearer ${await issuer.token({ scope: "market:read openid" })}` };
    const client = await connectHttp(era, { url: `${http.url}/mcp`, headers });
    const offered = TOOLS.filter(({ scope }) => scope === "market:read").map(({ name }) => name);
    expect((await client.listTools()).map(({ name }) => name)).toEqual(offered);
    await client.close();
  });

  it("lets nobody in here when it is one of hoga's tokens; the owner's does", async () => {
    expect((await call(`hoga_${"a".repeat(43)}`)).status).toBe(401);
    expect((await call(TOKEN.reveal())).status).toBe(200);
  });
});

describe("an issuer that", () => {
  it.each([
    ["fails", () => ({ status: 500, body: "" })],
    ["shows no keys", (path: string) => (path === "/keys" ? { status: 200, body: "{}" } : undefined)],
    ["shows no metadata", () => ({ status: 404, body: "" })],
    [
      "says to be another",
      () => ({ status: 200, body: JSON.stringify({ issuer: "http://a.example", jwks_uri: "http://a.example/k" }) }),
    ],
    [
      "has its keys elsewhere, in the clear",
      () => ({ status: 200, body: JSON.stringify({ issuer: issuer.url, jwks_uri: "http://a.example/k" }) }),
    ],
    ["answers without end", () => ({ status: 200, body: "x".repeat(300_000) })],
    ["leads elsewhere", () => ({ status: 302, body: "" })],
  ])("%s lets nobody in but the owner: 503, and when to ask again", async (_, answer) => {
    issuer.answer(answer);
    const token = await issuer.token();
    const asked: string[][] = [];
    for (let n = 0; n < 3; n++) {
      const refused = await call(token);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
      asked.push([...issuer.asked]);
    }
    // Who sends tokens here sends nothing on to the issuer.
    expect(asked).toEqual(asked.map(() => asked[0]));
    expect(exchange.relay.seen).toEqual([]);
    expect(troubles).toHaveLength(1);
    expect(troubles[0]).toContain(issuer.url);
    // The owner's token needs no issuer.
    expect((await call(TOKEN.reveal())).status).toBe(200);
  });

  it("cannot be reached lets nobody in, is not asked for every request, and is asked again", async () => {
    issuer.answer(() => ({ status: 500, body: "" }));
    const token = await issuer.token();
    for (let n = 0; n < 10; n++) expect((await call(token)).status).toBe(503);
    expect(issuer.asked).toHaveLength(1);
    issuer.answer(undefined);
    await new Promise((resolve) => setTimeout(resolve, 2_050));
    expect((await call(token)).status).toBe(200);
  });

  it("goes away later does not shut out whom its known keys have signed for", async () => {
    const token = await issuer.token();
    expect((await call(token)).status).toBe(200);
    issuer.answer(() => ({ status: 500, body: "" }));
    expect((await call(await issuer.token({}, { kid: "two" }))).status).toBe(401);
    expect((await call(token)).status).toBe(200);
  });
});

describe("a client without a token", () => {
  it("is led to the issuer, by both addresses, and by nothing else", async () => {
    const refused = await call(undefined);
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
      401,
      `Bearer scope="market:read account:read", resource_metadata="${METADATA}"`,
    ]);
    for (const path of ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]) {
      const answer = await fetch(new URL(path, http.url));
      expect(await answer.json()).toEqual({
        resource: AUDIENCE,
        authorization_servers: [issuer.url],
        scopes_supported: [...SCOPES],
        bearer_methods_supported: ["header"],
        resource_name: "hoga",
      });
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
    }
    expect((await fetch(new URL("/.well-known/oauth-authorization-server", http.url))).status).toBe(401);
  });
});
