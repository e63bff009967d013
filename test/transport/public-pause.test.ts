/** Public calls after the venue said that this address has used up its limit. */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { OpenApiClient } from "../../src/venues/index.ts";
import { accounts, answer, type Behaviour, clientOf, refuse, startWire, type Wire } from "../venues/hoga/wire.ts";

const WAIT_MS = 90;
const markets = answer({ markets: [] });
/** Until then public calls are refused; the account's are always answered. */
let limitedUntil: number | undefined;
const limited: Behaviour = (response, arrival, request) => {
  if (arrival.line.includes("/v1/accounts")) return answer(accounts)(response, arrival, request);
  limitedUntil ??= performance.now() + WAIT_MS;
  const waitMs = Math.ceil(limitedUntil - performance.now());
  if (waitMs <= 0) return markets(response, arrival, request);
  return refuse("EAPI:Rate limit exceeded", 429, { retry_after_ms: waitMs })(response, arrival, request);
};

let wire: Wire;
let client: OpenApiClient;
let wasRefused = false;
beforeEach(async () => {
  limitedUntil = undefined;
  wire = await startWire(limited);
  wasRefused = false;
  client = clientOf(wire, {
    onEvent: ({ type }) => {
      wasRefused ||= type === "read_retried";
    },
  });
});
afterEach(async () => {
  await client.close();
  await wire.close();
});

it("all wait until it has room again, and the calls of the key go on", async () => {
  // Connects, and measures the clock.
  expect((await client.accounts()).ok).toBe(true);
  const first = client.markets();
  while (!wasRefused) await new Promise((resolve) => setImmediate(resolve));
  const others = [client.markets(), client.markets()];
  expect((await client.accounts()).ok).toBe(true);
  expect((await Promise.all([first, ...others])).every(({ ok }) => ok)).toBe(true);
  // One refusal, then one request each.
  expect(wire.arrivals.filter(({ line }) => line.includes("/v1/markets"))).toHaveLength(4);
});

it("one that cannot wait so long is not sent, and says when", async () => {
  wire.script = [refuse("EAPI:Rate limit exceeded", 429, { retry_after_ms: 60_000 })];
  const options = { deadlineMs: 1_000 };
  expect(await client.markets(options)).toMatchObject({ ok: false, fault: { reachedVenue: "yes" } });
  const second = await client.markets(options);
  expect(second).toMatchObject({ ok: false, fault: { code: "EAPI:Rate limit exceeded", reachedVenue: "no" } });
  expect(wire.arrivals).toHaveLength(1);
});
