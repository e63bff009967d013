/** Signing in at a real provider, as a person without the printed link does. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { Secret } from "../../../src/config/index.ts";
import type { SignInSettings } from "../../../src/serve/console/console-endpoint.ts";
import type { HttpSettings } from "../../../src/serve/index.ts";
import { Stamp } from "../../../src/serve/wire/stamp.ts";
import { type AuthorizationServer, agreeTo, startAuthorizationServer } from "../../fixture/authorization-server.ts";
import { freePort } from "../../fixture/command.ts";
import { type ExchangeFixture, startExchange } from "../../fixture/exchange.ts";
import { type Answer, ask, startConsole } from "./console-server.ts";

const CLIENT_SECRET = "a-secret-that-the-provider-knows-too";

let exchange: ExchangeFixture;
let provider: AuthorizationServer;
let port: number;
let origin: string;
let back: string;
let troubles: string[];
let stamp: Stamp;

beforeAll(async () => {
  exchange = await startExchange();
});
afterAll(() => exchange.close());
beforeEach(async () => {
  port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  back = `${origin}/console/sign-in/callback`;
  troubles = [];
  const client = { client_id: "console", client_secret: CLIENT_SECRET, redirect_uris: [back] };
  provider = await startAuthorizationServer(`${origin}/mcp`, [client]);
});
afterEach(() => provider.close());

async function serve(more: Partial<SignInSettings> = {}, settings: Partial<HttpSettings> = {}): Promise<void> {
  const signIn = {
    ...{ issuer: provider.issuer, clientId: "console", secret: new Secret(CLIENT_SECRET), subjects: ["kim"], origin },
    onTrouble: (message: string) => troubles.push(message),
    ...more,
  };
  const { store } = await startConsole(exchange, { ...settings, port, parts: { signIn } });
  stamp = new Stamp("sign-in", store.seal);
}

/** The cookie with something else under the right stamp, as only this server could make it. */
async function altered(cookie: string, change: object): Promise<string> {
  const [name = "", kept = ""] = cookie.split("=");
  const begun = JSON.parse((await stamp.open(kept)) ?? "") as object;
  return `${name}=${await stamp.sign(JSON.stringify({ ...begun, ...change }))}`;
}

/** As a browser comes back from another site. */
const FROM_ELSEWHERE = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };

const cookiesOf = ({ headers }: Answer): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ((headers["set-cookie"] as string[] | undefined) ?? []).map((text) => [text.split("=", 1)[0] ?? "", text]),
  );

async function begun(): Promise<{ readonly url: URL; readonly cookie: string }> {
  const answer = await ask(`${origin}/console/sign-in`);
  expect(answer.status).toBe(303);
  const [text = ""] = Object.values(cookiesOf(answer));
  expect(text).toMatch(/; HttpOnly; SameSite=Lax; Path=\/console\/sign-in; Max-Age=600$/);
  return { url: new URL(String(answer.headers["location"])), cookie: /^[^;]+/.exec(text)?.[0] ?? "" };
}

const comeBack = (query: URLSearchParams | string, cookie: string, headers: object = {}): Promise<Answer> =>
  ask(`${back}?${query}`, { headers: { cookie, ...FROM_ELSEWHERE, ...headers } });

function expectOutside({ status, headers }: Answer): void {
  expect(status).toBe(403);
  expect(JSON.stringify(headers["set-cookie"] ?? [])).not.toContain("hoga-page");
}

it("lets in who the settings name, once, in the browser that began it", async () => {
  await serve();
  expect((await ask(origin)).text).toContain('href="/console/sign-in"');
  const { url, cookie } = await begun();
  expect(url.searchParams.get("code_challenge_method")).toBe("S256");
  expect([url.searchParams.get("scope"), url.searchParams.get("response_type")]).toEqual(["openid", "code"]);
  const given = await agreeTo(url, [back]);
  expectOutside(await comeBack(given, ""));
  const other = await begun();
  expectOutside(await comeBack(given, other.cookie));
  const answer = await comeBack(given, cookie);
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('content="0;url=/"')]);
  const session = cookiesOf(answer)[`hoga-page-${port}`] ?? "";
  expect(session).toMatch(/; HttpOnly; SameSite=Strict; /);
  expect(cookiesOf(answer)[`hoga-sign-in-${port}`]).toContain("Max-Age=0");
  const inside = { cookie: /^[^;]+/.exec(session)?.[0] ?? "", "sec-fetch-site": "same-origin" };
  expect((await ask(`${origin}/console/session`, { headers: inside })).status).toBe(200);
  expectOutside(await comeBack(given, cookie));
  expect(troubles).toEqual([]);
}, 60_000);

it("lets nobody in whom the settings do not name, or whose answer is of another sign-in", async () => {
  await serve({ subjects: ["lee", "ki", "kim2"] });
  const { url, cookie } = await begun();
  const given = await agreeTo(url, [back]);
  expectOutside(await comeBack(given, cookie));
  // Each is of a sign-in of its own, which nobody has ended.
  const forged: readonly ((state: string, kept: string) => readonly [query: string, kept: string])[] = [
    (_, kept) => ["", kept],
    (_, kept) => ["code=x", kept],
    (state, kept) => [`code=x&state=${state}`, kept],
    (state, kept) => [`code=x&state=${state}&iss=https%3A%2F%2Fevil.example`, kept],
    (state, kept) => [`error=access_denied&state=${state}`, kept],
    (state, kept) => [`code=x&state=${state.slice(1)}`, kept],
    (state, kept) => [`code=x&state=${state}`, `${kept}.more`],
    (state) => [`code=x&state=${state}`, state],
    () => ["code=x&state=", ".."],
  ];
  for (const forge of forged) {
    const { cookie: own } = await begun();
    const [name = "", kept = ""] = own.split("=");
    const { state } = JSON.parse((await stamp.open(kept)) ?? "") as { readonly state: string };
    const [query, shown] = forge(state, kept);
    expectOutside(await comeBack(query, `${name}=${shown}`));
  }
  expect(troubles).toEqual([]);
}, 60_000);

it("refuses the ID token of a sign-in with another nonce, or without its verifier", async () => {
  await serve();
  for (const part of ["nonce", "verifier"]) {
    const { url, cookie } = await begun();
    const given = await agreeTo(url, [back]);
    expectOutside(await comeBack(given, await altered(cookie, { [part]: "x".repeat(43) })));
  }
  expect(troubles).toEqual([]);
}, 60_000);

it("opens nothing else to strangers, and without the settings not even that", async () => {
  await serve();
  for (const path of ["/console/session", "/console/sign-in/", "/console/sign-in/x", "/console/events"])
    expect((await ask(`${origin}${path}`)).status).toBe(401);
  expect((await ask(`${origin}/console/session`, { headers: FROM_ELSEWHERE })).status).toBe(403);
  const { http } = await startConsole(exchange);
  expect((await ask(`${http.url}/console/sign-in`)).status).toBe(401);
  expect((await ask(http.url)).text).not.toContain("sign-in");
});

it("says so where the provider cannot be asked, once, and asks it again no oftener than it may", async () => {
  await serve();
  await provider.close();
  for (let n = 0; n < 40; n += 1) expect((await ask(`${origin}/console/sign-in`)).status).toBe(503);
  expect(troubles).toEqual([expect.stringContaining(provider.issuer)]);
});

it("asks the provider nothing about what it did not begin, so that strangers cannot shut the way in", async () => {
  await serve();
  const { url, cookie } = await begun();
  const [name = "", kept = ""] = cookie.split("=");
  const text = (state: string) => JSON.stringify({ state, nonce: "n", verifier: "v".repeat(43), atMs: Date.now() });
  const asked = provider.asked();
  for (let n = 0; n < 40; n += 1) {
    const state = `made-up-${n}`;
    const body = Buffer.from(text(state)).toString("base64url");
    for (const shown of [`${state}.n.v`, `${body}.${kept.split(".")[1]}`, body])
      expectOutside(await comeBack(`code=x&state=${state}`, `${name}=${shown}`));
  }
  // Nor about one that took too long, or that the provider has refused already.
  const old = await altered(cookie, { atMs: Date.now() - 600_000 });
  const given = await agreeTo(url, [back]);
  const before = provider.asked();
  expectOutside(await comeBack(given, old));
  expectOutside(await comeBack(`error=access_denied&state=${given.get("state")}`, cookie));
  expect([asked, provider.asked()]).toEqual([0, before]);
  expect((await comeBack(given, `${name}=planted; ${cookie}; ${name}=`)).status).toBe(200);
  expect(troubles).toEqual([]);
}, 60_000);

it("lets one address use up its own share alone, and what it has begun can still be ended", async () => {
  await serve({}, { trustedProxies: ["127.0.0.1"] });
  const from = (address: string) => ({ "x-forwarded-for": `203.0.113.9, ${address}` });
  for (let n = 0; n < 6; n += 1) {
    const { url, cookie } = await begun();
    const made = `code=made-up&state=${url.searchParams.get("state")}`;
    const answer = await comeBack(made, cookie, from("198.51.100.7"));
    expect([n, answer.status, answer.headers["retry-after"]]).toEqual(n < 5 ? [n, 403, undefined] : [n, 429, "60"]);
    if (n === 5) expect(answer.headers["set-cookie"]).toBeUndefined();
  }
  const { url, cookie } = await begun();
  const given = await agreeTo(url, [back]);
  expect((await comeBack(given, cookie, from("198.51.100.7"))).status).toBe(429);
  expect((await comeBack(given, cookie, from("198.51.100.8"))).status).toBe(200);
}, 60_000);
