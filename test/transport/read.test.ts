import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ClientEvent } from "../../src/transport/index.ts";
import { type OpenApiClient, sign } from "../../src/venues/index.ts";
import { order } from "../fixture/order-sample.ts";
import {
  accounts,
  answer,
  type Behaviour,
  clientOf,
  cut,
  garble,
  hang,
  hangUp,
  html,
  refuse,
  reset,
  SECRET,
  stall,
  startWire,
  type Wire,
} from "../venues/hoga/wire.ts";

const timeouts = { connectMs: 300, headersMs: 300, bodyMs: 300, totalMs: 5_000, deadlineMs: 10_000 };
const fine = answer(accounts);

let wire: Wire;
let client: OpenApiClient;
let events: ClientEvent[];
let waits: number[];
beforeEach(async () => {
  wire = await startWire(fine);
  events = [];
  waits = [];
  const onEvent = (event: ClientEvent): void => {
    events.push(event);
    if (event.type === "read_retried") waits.push(event.afterMs);
  };
  client = clientOf(wire, { timeouts, onEvent });
});
afterEach(async () => {
  await client.close();
  await wire.close();
});

const passing: readonly (readonly [string, Behaviour])[] = [
  ["no answer in time", hang],
  ["a reset", reset],
  ["a connection closed without a word", hangUp],
  ["a cut answer", cut(accounts)],
  ["a stalled answer", stall],
  ["garbled bytes", garble],
  ["an HTML page", html],
  ["a 2xx of the wrong shape", answer({ balances: 3 })],
  ["a 502 page", answer("<html>", 502)],
  ["a 503 of the service", refuse("EService:Unavailable", 503)],
  ["a rate limit", refuse("EAPI:Rate limit exceeded", 429, { retry_after_ms: 10 })],
  ["a refused nonce", refuse("EAPI:Invalid nonce", 401)],
];

describe("a read", () => {
  it.each(passing)("is retried after %s", async (_, behaviour) => {
    wire.script = [behaviour, fine];
    expect(await client.accounts()).toEqual({ ok: true, value: accounts });
    expect(wire.arrivals).toHaveLength(2);
  });

  it.each([
    ["a refusal", refuse("EGeneral:Permission denied", 403), "EGeneral:Permission denied"],
    ["an unlisted refusal", refuse("EAPI:Key expired", 401), "EAPI:Key expired"],
    ["a page where the service should be", answer("<html>", 404), "ELocal:Unreadable answer"],
    ["a redirect", answer("", 301, { location: "https://example.com/" }), "ELocal:Unreadable answer"],
  ])("is not asked again after %s", async (_, behaviour, code) => {
    wire.script = [behaviour, fine];
    expect(await client.accounts()).toMatchObject({ ok: false, fault: { code } });
    expect(wire.arrivals).toHaveLength(1);
  });

  it("gives up after four attempts with growing pauses, and returns the last fault", async () => {
    wire.script = [refuse("EService:Unavailable", 503)];
    expect(await client.accounts()).toMatchObject({ ok: false, fault: { code: "EService:Unavailable", status: 503 } });
    expect(wire.arrivals).toHaveLength(4);
    expect(waits).toEqual([100, 200, 400]);
  });

  it("gives up after five retries with refused nonces, sent at once and each with a larger nonce", async () => {
    wire.script = [refuse("EAPI:Invalid nonce", 401)];
    expect(await client.accounts()).toMatchObject({
      ok: false,
      fault: { code: "EAPI:Invalid nonce", message: expect.stringContaining("ahead of the exchange's clock") },
    });
    expect(wire.arrivals).toHaveLength(6);
    expect(waits).toEqual([0, 0, 0, 0, 0]);
    const nonces = wire.arrivals.map(({ headers }) => BigInt(String(headers["api-nonce"])));
    expect(nonces).toEqual([...new Set(nonces)].sort((a, b) => (a < b ? -1 : 1)));
  });

  it.each([
    ["retry_after_ms", refuse("EAPI:Rate limit exceeded", 429, { retry_after_ms: 300 }), 300],
    ["Retry-After in seconds", answer("busy", 429, { "retry-after": "1" }), 1000],
    ["Retry-After of a 503", refuse("EService:Unavailable", 503, {}, { "retry-after": "1" }), 1000],
  ])("waits as long as %s says", async (_, behaviour, atLeastMs) => {
    wire.script = [behaviour, fine];
    const started = performance.now();
    expect((await client.accounts()).ok).toBe(true);
    expect(performance.now() - started).toBeGreaterThanOrEqual(atLeastMs - 5);
  });

  it("does not wait beyond its deadline, and reports the wait that the venue asked for", async () => {
    wire.script = [refuse("EAPI:Rate limit exceeded", 429, { retry_after_ms: 60_000 })];
    expect(await client.markets()).toMatchObject({ ok: false, fault: { retryAfterMs: 60_000, status: 429 } });
    expect(wire.arrivals).toHaveLength(1);
  });

  it("ends within its deadline when no attempt is answered", async () => {
    wire.script = [hang];
    const brief = clientOf(wire, { timeouts: { ...timeouts, deadlineMs: 600 } });
    const started = performance.now();
    expect(await brief.markets()).toMatchObject({ ok: false, fault: { code: "ELocal:No answer" } });
    expect(performance.now() - started).toBeLessThan(1_500);
    await brief.close();
  });

  it("ends at once when the caller aborts, whether it waits for an answer, for its turn or before a retry", async () => {
    const cases: readonly Behaviour[] = [hang, refuse("EService:Unavailable", 503, { retry_after_ms: 8_000 })];
    for (const behaviour of cases) {
      wire.script = [behaviour];
      const calm = clientOf(wire, { timeouts: { ...timeouts, totalMs: 5_000, headersMs: 5_000 } });
      const abort = new AbortController();
      const first = calm.accounts({ signal: abort.signal });
      const second = calm.accounts({ signal: abort.signal });
      setTimeout(() => abort.abort(new Error("no longer wanted")), 100);
      const started = performance.now();
      await expect(first).rejects.toThrow("no longer wanted");
      await expect(second).rejects.toThrow("no longer wanted");
      expect(performance.now() - started).toBeLessThan(1_000);
      await calm.close();
    }
    await expect(client.time({ signal: AbortSignal.abort(new Error("never")) })).rejects.toThrow("never");
  });

  it("gets the address before every request, so that it finds a venue that has moved", async () => {
    const other = await startWire(fine);
    let address = wire.url;
    const moving = clientOf(wire, { timeouts, baseUrl: async () => address });
    expect((await moving.accounts()).ok).toBe(true);
    address = other.url;
    expect((await moving.accounts()).ok).toBe(true);
    expect(other.arrivals).toHaveLength(1);
    await moving.close();
    await other.close();
  });

  it("uses a base URL with a path, and signs that path", async () => {
    const prefixed = clientOf({ url: `${wire.url}/gateway/` });
    expect((await prefixed.accounts()).ok).toBe(true);
    const [arrival] = wire.arrivals;
    expect(arrival?.line).toBe("GET /gateway/v1/accounts");
    const { "api-nonce": nonce, "api-sign": signature } = arrival?.headers ?? {};
    expect(signature).toBe(sign("GET /gateway/v1/accounts", String(nonce), "", Buffer.from(SECRET, "base64")));
    await prefixed.close();
  });

  it("refuses an answer with another order id", async () => {
    wire.script = [answer(order)];
    const other = "01999f3e-7a10-7c31-9a52-0c6d5b1f2a78";
    expect(await client.order("BTC/KRW", order.uuid)).toMatchObject({ ok: true });
    expect(await client.order("BTC/KRW", other)).toMatchObject({ fault: { code: "ELocal:Unreadable answer" } });
  });

  it("drops unknown fields", async () => {
    wire.script = [answer({ ...accounts, added_in_1_5: true })];
    expect(await client.accounts()).toEqual({ ok: true, value: accounts });
  });

  it.each([
    ["symbol", () => client.orderbook("../../x")],
    ["uuid", () => client.order("BTC/KRW", "x")],
    ["depth", () => client.orderbook("BTC/KRW", 0)],
    ["from", () => client.fills({ fromMs: 1.5 })],
    ["limit", () => client.orders({ limit: 501 })],
  ])("is not sent with a wrong %s", async (field, ask) => {
    expect(await ask()).toMatchObject({ ok: false, fault: { code: "ELocal:Invalid input", field } });
    expect(wire.arrivals).toHaveLength(0);
  });

  it("reports events to the listener, and works on when the listener throws", async () => {
    wire.script = [refuse("EService:Unavailable", 503), fine];
    await client.accounts();
    const ended = events.filter((event) => event.type === "request_ended" && event.endpoint === "accounts");
    expect(ended).toMatchObject([
      { attempt: 1, status: 503, code: "EService:Unavailable" },
      { attempt: 2, status: 200, reachedVenue: "yes" },
    ]);
    const deaf = clientOf(wire, {
      onEvent: () => {
        throw new Error("listener");
      },
    });
    expect((await deaf.accounts()).ok).toBe(true);
    await deaf.close();
  });
});
