import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Secret } from "../../../src/config/index.ts";
import { failed, localFault } from "../../../src/contract/index.ts";
import { ConsoleAddress } from "../../../src/passkeys/index.ts";
import type { ConsoleFailure, ConsoleSession } from "../../../src/serve/console/console-api.ts";
import { type ExchangeFixture, startExchange } from "../../fixture/exchange.ts";
import { BEARER } from "../../fixture/http-address.ts";
import { type Answer, ask, Browser, startConsole } from "./console-server.ts";
import { Listener } from "./event-client.ts";

const HOUR = 3_600_000;

let exchange: ExchangeFixture;

beforeAll(async () => {
  exchange = await startExchange();
});
afterAll(() => exchange.close());

/** Another link, for the owner's token. */
async function linkOf(url: string): Promise<string> {
  const answer = await ask(`${url}/page-link`, { method: "POST", headers: BEARER });
  return (answer.json as { readonly page_url: string }).page_url;
}

const codeOf = (answer: { readonly json: unknown }): string => (answer.json as ConsoleFailure).error.code;

describe("signing in", () => {
  it("takes the printed link, once, and only the cookie of this very server opens the console", async () => {
    const [{ http }, other] = [await startConsole(exchange), await startConsole(exchange)];
    const link = http.pageLink();
    expect(new URL(link).hostname).toBe("localhost");
    const browser = await Browser.open(link);
    expect(browser.cookie).toMatch(/^hoga-page-\d+=[\w-]{43}$/);
    expect((await ask(link)).status).toBe(401);
    expect((await browser.get("session")).status).toBe(200);

    const stranger = await Browser.open(other.http.pageLink());
    const value = stranger.cookie.split("=")[1] ?? "";
    const [name = ""] = browser.cookie.split("=");
    const cookies = ["", stranger.cookie, `${name}=${value}`, `${browser.cookie}x`];
    for (const cookie of cookies) {
      for (const path of ["session", "status", "events", "nothing"])
        expect((await browser.get(path, { cookie })).status).toBe(401);
      expect((await browser.post("halt", {}, { cookie })).status).toBe(401);
    }
    // The owner's token is a program's: there is no page behind it that a person sees.
    expect(codeOf(await ask(`${http.url}/console/session`, { headers: BEARER }))).toBe("signed_out");
    expect((await exchange.desk.status()).brake).toBeUndefined();
  });

  it("is by localhost, also at ::1, and by number where another listens there", async () => {
    const { http } = await startConsole(exchange);
    const port = Number(new URL(http.url).port);
    expect((await ask(`http://[::1]:${port}/healthz`)).status).toBe(200);
    expect(new URL(await linkOf(http.url)).hostname).toBe("localhost");
    await http.close();
    const another = createServer().listen({ host: "::1", port });
    await once(another, "listening");
    const { http: later } = await startConsole(exchange, { port });
    expect([new URL(later.pageLink()).hostname, new URL(await linkOf(later.url)).hostname]).toEqual([
      "127.0.0.1",
      "127.0.0.1",
    ]);
    // A person who is sent to what waits types the PIN there.
    const address = new ConsoleAddress();
    address.servedAt(later.consoleUrl);
    expect(address.approvalPage("i-1")).toBe(`http://127.0.0.1:${port}/#/approvals/i-1`);
    expect(address.origin).toBe(`http://localhost:${port}`);
    another.close();
  });

  it("gives assistants the address that was bound, also to a browser that came by ::1", async () => {
    const { http } = await startConsole(exchange);
    for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
      const browser = await Browser.open(http.pageLink().replace("localhost", host));
      expect([host, (await browser.view<ConsoleSession>("session")).mcp_url]).toEqual([host, `${http.url}/mcp`]);
    }
  });

  it("ends when the person signs out, and after twelve hours, and with it what listens", async () => {
    let nowMs = 0;
    const { http } = await startConsole(exchange, { now: () => nowMs });
    const [leaving, staying] = [await Browser.open(http.pageLink()), await Browser.open(http.pageLink())];
    const streams = [new Listener(leaving), new Listener(staying)] as const;
    // Both listen before anybody leaves: they come over connections of their own.
    for (const stream of streams) await stream.next("approvals");
    expect(await leaving.post("sign-out", {})).toMatchObject({ status: 200, text: "{}" });
    await vi.waitFor(() => expect(streams[0].hasEnded).toBe(true), 10_000);
    expect(streams[1].hasEnded).toBe(false);
    expect((await leaving.get("session")).status).toBe(401);
    nowMs = 12 * HOUR - 1;
    expect((await staying.get("session")).status).toBe(200);
    nowMs += 1;
    expect((await staying.get("session")).status).toBe(401);
    await vi.waitFor(() => expect(streams[1].hasEnded).toBe(true), 10_000);
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
  });
});

/** Only opened: its browser does not come back. */
const cookieOf = ({ headers }: Answer): string => /^[^;]+/.exec(headers["set-cookie"]?.[0] ?? "")?.[0] ?? "";

describe("however many links are asked for with the owner's token", () => {
  it("a browser that was let in stays, and a link that was printed opens", async () => {
    const { http } = await startConsole(exchange);
    const printed = http.pageLink();
    const [person, other] = [await Browser.open(http.pageLink()), await Browser.open(await linkOf(http.url))];
    for (let n = 0; n < 70; n += 1) expect((await ask(await linkOf(http.url))).status).toBe(303);
    expect((await person.get("session")).status).toBe(200);
    expect((await other.get("session")).status).toBe(200);
    expect((await (await Browser.open(printed)).get("session")).status).toBe(200);
  });

  it("one more is kept for when there is room, and takes none of those who did not need it", async () => {
    const { http } = await startConsole(exchange);
    const used: Browser[] = [];
    for (let n = 0; n < 32; n += 1) used.push(await Browser.open(await linkOf(http.url)));
    const link = await linkOf(http.url);
    const full = await ask(link);
    expect([full.status, full.headers["set-cookie"]]).toEqual([503, undefined]);
    expect(full.text).toContain("sign out");
    for (const browser of used) expect((await browser.get("session")).status).toBe(200);
    expect((await (await Browser.open(http.pageLink())).get("session")).status).toBe(200);
    await used[7]?.post("sign-out", {});
    expect((await (await Browser.open(link)).get("session")).status).toBe(200);
  });

  it("a browser that is signed in listens, whatever others have opened", async () => {
    const { http } = await startConsole(exchange);
    const person = await Browser.open(http.pageLink());
    const ends: Promise<Answer>[] = [];
    for (let n = 0; n < 8; n += 1) {
      const greedy = await Browser.open(await linkOf(http.url));
      const windows = Array.from({ length: 9 }, () => greedy.get("events"));
      // Eight stay open; which of them comes last nobody says.
      expect((await Promise.race(windows)).status).toBe(429);
      ends.push(...windows);
    }
    let isOver = false;
    const listening = person.get("events").then((answer) => {
      isOver = true;
      return answer;
    });
    // The oldest window of another gives way.
    const given = ends.map(async (end) => expect((await end).status).toBe(200));
    await Promise.any(given);
    expect(isOver).toBe(false);
    await http.close();
    expect((await listening).text).toContain("event: status");
  });
});

describe("a cookie that another port of this host has planted", () => {
  it("signs nobody out, wherever it stands among those of the same name", async () => {
    const { http } = await startConsole(exchange);
    const browser = await Browser.open(http.pageLink());
    const [name = ""] = browser.cookie.split("=");
    for (const cookie of [
      `${name}=planted; ${browser.cookie}`,
      `${browser.cookie}; ${name}=planted`,
      `${name}=; ${name}=${"x".repeat(43)}; other=1; ${browser.cookie}`,
    ]) {
      expect([cookie, (await browser.get("session", { cookie })).status]).toEqual([cookie, 200]);
      expect((await ask(browser.origin, { headers: { cookie } })).status).toBe(200);
    }
    expect((await browser.get("session", { cookie: `${name}=planted; x${browser.cookie}` })).status).toBe(401);
  });

  it("is none of this server where there is TLS: only `__Host-` counts there", async () => {
    const { http } = await startConsole(exchange, { trustedProxies: ["127.0.0.1"] });
    const over = { "x-forwarded-proto": "https" };
    const link = new URL(http.pageLink().replace("localhost", "127.0.0.1"));
    const opened = await ask(link, { headers: over });
    const [text = ""] = opened.headers["set-cookie"] ?? [];
    expect(text).toMatch(/^__Host-hoga-page-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200; Secure$/);
    const cookie = cookieOf(opened);
    const session = (shown: string) =>
      ask(`${link.origin}/console/session`, { headers: { ...over, cookie: shown, "sec-fetch-site": "same-origin" } });
    expect((await session(cookie)).status).toBe(200);
    expect((await session(cookie.replace("__Host-", ""))).status).toBe(401);
  });
});

describe("a request of another page", () => {
  it("does nothing and reads nothing, whichever of its marks tells it apart", async () => {
    const { http } = await startConsole(exchange);
    const browser = await Browser.open(http.pageLink());
    const another = await Browser.open(http.pageLink());
    const port = new URL(browser.origin).port;
    const refusals = [
      ...["", "x".repeat(43), another.csrf, undefined].map((csrf) => ({ "x-hoga-csrf": csrf })),
      ...[
        "https://evil.example",
        "http://localhost:1",
        `https://localhost:${port}`,
        `http://127.0.0.1:${port}`,
        "null",
      ].map((origin) => ({ origin })),
      { origin: undefined },
      ...["cross-site", "same-site"].map((site) => ({ "sec-fetch-site": site })),
    ];
    for (const headers of refusals)
      expect([headers, (await browser.post("halt", {}, headers)).status]).toEqual([headers, 403]);
    for (const site of ["cross-site", "same-site"])
      expect((await browser.get("status", { "sec-fetch-site": site })).status).toBe(403);
    expect((await browser.get("status", { host: "evil.example" })).status).toBe(403);
    expect((await exchange.desk.status()).brake).toBeUndefined();
  });

  it("when its page is strictly ours, is refused for what it holds too much, or of another kind", async () => {
    const { http } = await startConsole(exchange);
    const browser = await Browser.open(http.pageLink());
    const refused: readonly (readonly [string, unknown, number, Record<string, string>?])[] = [
      ["cancel", { order_id: "x", symbol: "BTC/KRW" }, 400],
      ["cancel", { order_id: 1 }, 400],
      ["cancel", '{"order_id":"x","__proto__":{}}', 400],
      ["cancel", "order_id=x", 400],
      ["cancel", { order_id: "x" }, 415, { "content-type": "text/plain" }],
      ["cancel", { order_id: "x".repeat(70_000) }, 413],
      ["resume", { proof: { pin: "1", passkey: {} } }, 400],
      ["resume", { proof: {} }, 400],
      ["approve", { id: "x", digest: "y" }, 400],
    ];
    for (const [path, body, status, headers] of refused)
      expect([path, (await browser.post(path, body, headers)).status]).toEqual([path, status]);
    for (const path of [
      "book",
      "book?symbol=BTC/KRW&depth=5",
      "book?symbol=BTC/KRW&symbol=ETH/KRW",
      "candles?symbol=BTC/KRW&interval=2m",
      "orders?state=all",
      "order",
      "audit?limit=0",
      "status?x=1",
    ])
      expect([path, (await browser.get(path)).status]).toEqual([path, 400]);
    expect(codeOf(await browser.get("book?symbol=NOPE/KRW"))).toBe("ELocal:Unknown market");
    expect((await browser.post("status", {})).status).toBe(405);
  });
});

describe("two servers of one store", () => {
  /** Of the same port, as replicas behind one name have: the cookie is called by it. */
  const portOf = ({ http }: { readonly http: { readonly url: string } }): number => Number(new URL(http.url).port);

  it("a browser that one has let in is let in by the other, with the token of before, until it signs out", async () => {
    const first = await startConsole(exchange);
    const stored = first.store.consoleSessions;
    const one = await startConsole(exchange, { parts: { stored } });
    const browser = await Browser.open(one.http.pageLink());
    await one.http.close();
    const other = await startConsole(exchange, { port: portOf(one), parts: { stored } });
    const { csrf } = await browser.view<ConsoleSession>("session");
    expect(csrf).toBe(browser.csrf);
    expect((await browser.post("halt", { reason: "x" }, { "x-hoga-csrf": "x" })).status).toBe(403);
    expect((await browser.post("sign-out", {})).status).toBe(200);
    await other.http.close();
    await startConsole(exchange, { port: portOf(one), parts: { stored } });
    expect((await browser.get("session")).status).toBe(401);
  });

  it("know no session of each other where the token was made anew, or others may sign in", async () => {
    const first = await startConsole(exchange);
    const stored = first.store.consoleSessions;
    const one = await startConsole(exchange, { parts: { stored } });
    const browser = await Browser.open(one.http.pageLink());
    await one.http.close();
    const signIn = { issuer: "https://id.example", clientId: "hoga", subjects: ["1"], origin: "", onTrouble: () => {} };
    const token = new Secret("another-token-of-the-tests-as-long-as-a-real-one");
    const statuses = [];
    for (const settings of [{ token, parts: { stored } }, { parts: { stored, signIn } }, { parts: { stored } }]) {
      const other = await startConsole(exchange, { port: portOf(one), ...settings });
      statuses.push((await browser.get("session")).status);
      await other.http.close();
    }
    expect(statuses).toEqual([401, 401, 200]);
  });

  it("what the store keeps lets nobody in", async () => {
    const first = await startConsole(exchange);
    const kept: object[] = [];
    const of = first.store.consoleSessions;
    const stored: typeof of = {
      ...of,
      add: (session, nowMs) => {
        kept.push(session);
        return of.add(session, nowMs);
      },
    };
    const { http } = await startConsole(exchange, { parts: { stored } });
    const browser = await Browser.open(http.pageLink());
    const [name = "", value = ""] = browser.cookie.split("=");
    expect(kept).toMatchObject([{ letInBy: "person" }]);
    const text = JSON.stringify(kept);
    expect([text.includes(value), text.includes(browser.csrf)]).toEqual([false, false]);
    const [{ digest }] = kept as [{ digest: string }];
    for (const shown of [digest, digest.slice(0, 43), Buffer.from(digest, "hex").toString("base64url")])
      expect((await browser.get("session", { cookie: `${name}=${shown}` })).status).toBe(401);
  });

  it("go on with a session that is known while the store is away, and ask one that is not to come again", async () => {
    const first = await startConsole(exchange);
    const away = async () => failed(localFault("ELocal:Store unavailable"));
    let isAway = false;
    const of = first.store.consoleSessions;
    const stored: typeof of = {
      ...of,
      add: (...given) => (isAway ? away() : of.add(...given)),
      find: (...given) => (isAway ? away() : of.find(...given)),
    };
    const one = await startConsole(exchange, { parts: { stored } });
    const browser = await Browser.open(one.http.pageLink());
    isAway = true;
    expect((await browser.get("session")).status).toBe(200);
    expect((await browser.post("cancel", { order_id: "none" })).status).not.toBe(503);
    await one.http.close();
    await startConsole(exchange, { port: portOf(one), parts: { stored } });
    const later = await browser.get("session");
    expect([later.status, later.headers["retry-after"]]).toEqual([503, "5"]);
    isAway = false;
    expect((await browser.get("session")).status).toBe(200);
  });
});
