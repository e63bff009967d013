/** Reached from elsewhere: over TLS, or through a proxy that ends it; and never in the clear. */
import { request as sendPlain } from "node:http";
import { request as sendTls } from "node:https";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Agent, fetch as undiciFetch } from "undici";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createMcpServer } from "../../src/mcp/index.ts";
import { type HttpServing, type HttpSettings, ServeError, serveOverHttp } from "../../src/serve/index.ts";
import { checkAddress } from "../../src/serve/wire/address.ts";
import { Peers } from "../../src/serve/wire/peers.ts";
import { CERT, KEY } from "../fixture/certificate.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { BEARER, TOKEN } from "../fixture/http-address.ts";

let exchange: ExchangeFixture;
let http: HttpServing | undefined;
beforeAll(async () => {
  exchange = await startExchange();
});
afterAll(() => exchange.close());
afterEach(async () => {
  await http?.close();
  http = undefined;
});

const TLS = { cert: CERT, key: KEY };
let port = 0;

/** Serves with these settings at a port that is then known. */
async function serve(settings: Partial<HttpSettings>): Promise<HttpServing> {
  const factory = createMcpServer({ desk: exchange.desk, version: "0.0.0" });
  http = await serveOverHttp({ factory, token: TOKEN, port: 0, ...settings });
  port = Number(new URL(http.pageLink()).port);
  return http;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly cookie: string;
}

interface Asking {
  readonly headers?: Readonly<Record<string, string>>;
  /** The address of this machine to come from. */
  readonly from?: string;
  readonly tls?: boolean;
}

function ask(path: string, { headers = {}, from, tls = false }: Asking = {}, to = port): Promise<Answer> {
  const options = { host: "127.0.0.1", port: to, path, agent: false, headers, localAddress: from };
  const send = tls ? sendTls : sendPlain;
  return new Promise((resolve, reject) => {
    const asking = send({ ...options, servername: "hoga.test", ca: CERT }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => {
        const cookie = response.headers["set-cookie"]?.join() ?? "";
        resolve({ status: response.statusCode ?? 0, text, cookie });
      });
    });
    asking.on("error", reject).end();
  });
}

/** Finds the port of a server that is known by another name. */
async function servedAt(name: string, settings: Partial<HttpSettings>): Promise<HttpServing> {
  const { createServer } = await import("node:net");
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const address = taken.address();
  port = typeof address === "object" ? (address?.port ?? 0) : 0;
  await new Promise((resolve) => taken.close(resolve));
  const serving = await serve({ ...settings, resource: `https://${name}:${port}/mcp`, port });
  port = Number(new URL(serving.mcpUrl).port);
  return serving;
}

describe("over TLS", () => {
  it("a client is served under the name of the certificate", async () => {
    const { mcpUrl, url } = await servedAt("hoga.test", { tls: TLS });
    expect([url, mcpUrl]).toEqual([`https://hoga.test:${port}`, `https://hoga.test:${port}/mcp`]);
    const lookup = (_: string, __: object, found: (error: null, all: object[]) => void) =>
      found(null, [{ address: "127.0.0.1", family: 4 }]);
    const dispatcher = new Agent({ connect: { ca: CERT, lookup: lookup as never } });
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    const transport = new StreamableHTTPClientTransport(new URL(mcpUrl), {
      requestInit: { headers: BEARER },
      fetch: ((address: string, init: object) => undiciFetch(address, { ...init, dispatcher })) as never,
    });
    await client.connect(transport);
    expect(await client.callTool({ name: "get_balances", arguments: {} })).toMatchObject({ structuredContent: {} });
    await client.close();
    await dispatcher.close();
  });

  it("nothing is served in the clear, under another name, or without a token", async () => {
    await servedAt("hoga.test", { tls: TLS });
    const host = `hoga.test:${port}`;
    await expect(ask("/healthz", { headers: { host } })).rejects.toThrow(/socket hang up|ECONNRESET|Parse Error/);
    const tls = true;
    expect((await ask("/healthz", { tls, headers: { host } })).status).toBe(200);
    expect((await ask("/mcp", { tls, headers: { host } })).status).toBe(401);
    expect((await ask("/mcp", { tls, headers: { ...BEARER, host: "evil.example" } })).status).toBe(403);
    const origin = { origin: "https://evil.example" };
    expect((await ask("/mcp", { tls, headers: { ...BEARER, ...origin, host } })).status).toBe(403);
  });

  it("the page's link leads to its name, and its cookie is for TLS alone", async () => {
    const serving = await servedAt("hoga.test", { tls: TLS });
    const link = new URL(serving.pageLink());
    expect(link.origin).toBe(`https://hoga.test:${port}`);
    const opened = await ask(`/${link.search}`, { tls: true, headers: { host: link.host } });
    expect([opened.status, opened.cookie]).toEqual([303, expect.stringMatching(/; HttpOnly; .*; Secure$/)]);
  });

  it("a key that does not belong to its certificate is refused", async () => {
    const other = KEY.replace(/[A-Za-z0-9+/]{20}/, "A".repeat(20));
    const error = await serve({ tls: { cert: CERT, key: other }, resource: "https://hoga.test/mcp" }).catch((e) => e);
    expect(error).toBeInstanceOf(ServeError);
    expect(error).toMatchObject({ code: "bad_certificate", fix: expect.stringContaining("tls_key") });
    expect(String(error.message) + String(error.fix)).not.toContain(KEY.slice(40, 60));
  });
});

const PROXY = "127.0.0.9";
const NAME = "hoga.example.com";

describe("behind a proxy that is trusted", () => {
  const forwarded = { ...BEARER, "x-forwarded-proto": "https", "x-forwarded-host": NAME, host: "127.0.0.1" };
  const resource = `https://${NAME}/mcp`;

  it("the name that the client used is believed, and that it used TLS", async () => {
    await serve({ trustedProxies: [PROXY], resource });
    expect((await ask("/", { from: PROXY, headers: forwarded })).status).toBe(200);
    const evil = { ...forwarded, "x-forwarded-host": "evil.example" };
    expect((await ask("/", { from: PROXY, headers: evil })).status).toBe(403);
    const link = new URL(http?.pageLink() ?? "");
    const { "x-forwarded-proto": proto, "x-forwarded-host": name } = forwarded;
    const reader = { "x-forwarded-proto": proto, "x-forwarded-host": name };
    expect((await ask(`/${link.search}`, { from: PROXY, headers: reader })).cookie).toMatch(/; Secure$/);
  });

  it("a client that came to it in the clear is refused", async () => {
    await serve({ trustedProxies: [`${PROXY}/32`], resource });
    const plain = await ask("/", { from: PROXY, headers: { ...forwarded, "x-forwarded-proto": "http" } });
    expect([plain.status, plain.text]).toEqual([403, expect.stringContaining("without TLS")]);
    expect(
      (await ask("/healthz", { from: PROXY, headers: { ...forwarded, "x-forwarded-proto": "http" } })).status,
    ).toBe(403);
  });

  it("nobody else is believed", async () => {
    await serve({ trustedProxies: [PROXY], resource });
    const evil = { ...forwarded, host: "evil.example" };
    // What it says of itself would be let in; its own Host is not.
    expect((await ask("/", { headers: evil })).status).toBe(403);
    expect((await ask("/", { headers: { ...forwarded, "x-forwarded-host": "evil.example" } })).status).toBe(200);
    const link = new URL(http?.pageLink() ?? "");
    expect((await ask(`/${link.search}`, { headers: { "x-forwarded-proto": "https" } })).cookie).not.toContain(
      "Secure",
    );
  });
});

describe("what came over the network", () => {
  const peers = new Peers(["10.0.0.5", "10.1.0.0/16", "fd00::1"]);
  const from = (remoteAddress: string, headers = {}, encrypted = {}) =>
    peers.wayOf({ headers: { host: NAME, ...headers }, socket: { remoteAddress, ...encrypted } as never });
  const https = { "x-forwarded-proto": "https" };

  it.each(["192.0.2.1", "10.0.0.6", "::ffff:192.0.2.1", "fd00::2", ""])(
    "when it came in the clear from %s, is not served",
    (address) => {
      expect(from(address)).toBeUndefined();
      expect(from(address, https)).toBeUndefined();
      expect(from(address, https, { encrypted: true })).toEqual({ host: NAME, isEncrypted: true });
    },
  );

  it.each(["10.0.0.5", "10.1.200.3", "::ffff:10.0.0.5", "fd00::1"])("is believed of the proxy at %s", (address) => {
    expect(from(address, https)).toEqual({ host: NAME, isEncrypted: true });
    expect(from(address, { ...https, "x-forwarded-host": "other.example" })).toMatchObject({ host: "other.example" });
    // A proxy that does not say how its client came is not set up for this.
    expect(from(address)).toBeUndefined();
    expect(from(address, { "x-forwarded-proto": "http" })).toBeUndefined();
    expect(from(address, { "x-forwarded-proto": "https, http" })).toBeUndefined();
  });
});

it("a server listens beyond loopback only with TLS or a proxy", () => {
  const address = { host: "0.0.0.0", port: 1, scheme: "http" } as const;
  expect(() => checkAddress({ ...address, isGuarded: false })).toThrow(/nothing here is encrypted/);
  expect(() => checkAddress({ ...address, isGuarded: true })).not.toThrow();
});
