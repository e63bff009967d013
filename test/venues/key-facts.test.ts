/** What an exchange tells of the key in use, and of no other. */
import { afterEach, describe, expect, it } from "vitest";
import { world as bithumb } from "./bithumb/scripted.ts";
import { world as korbit } from "./korbit/scripted.ts";
import { reply } from "./scripted-exchange.ts";
import { world as upbit } from "./upbit/scripted.ts";

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

describe.each([
  ["Upbit", upbit],
  ["Bithumb", bithumb],
] as const)("the key's end at %s", (_, world) => {
  it.each([
    ["as it is told for this key, whatever stands beside", "2026-12-31T18:00:00+09:00", "2026-12-31T09:00:00.000Z"],
    ["not known where what is told is no moment", "some day", null],
    ["not known where nothing is told", undefined, null],
  ])("is %s", async (_title, expire_at, ends_at) => {
    const here = await world();
    close = here.close;
    here.state.answer = reply([
      { access_key: "another's", expire_at: "2030-01-01T00:00:00Z" },
      { access_key: "key-1", expire_at },
    ]);
    const told = await here.venue.keyFacts();
    expect(told).toEqual({ ok: true, value: { permissions: null, ends_at } });
    expect(here.lines).toEqual([expect.stringMatching(/^GET \/v1\/api_keys/)]);
    here.state.answer = reply([{ access_key: "another's", expire_at: "2030-01-01T00:00:00Z" }]);
    expect(await here.venue.keyFacts()).toEqual({ ok: true, value: { permissions: null, ends_at: null } });
  });
});

describe("a key of Korbit", () => {
  it.each([
    [
      {
        type: "hmac-sha256",
        status: "activated",
        permissions: ["readBalances", "writeOrders"],
        expiration: 1_798_707_600_000,
      },
      { permissions: ["readBalances", "writeOrders"], ends_at: "2026-12-31T09:00:00.000Z" },
    ],
    [
      { status: "activated", expiration: null },
      { permissions: null, ends_at: null },
    ],
    [
      { permissions: "all", expiration: "soon" },
      { permissions: null, ends_at: null },
    ],
  ])("has the rights and the end that are told of it: %j", async (data, facts) => {
    const here = await korbit();
    close = here.close;
    here.state.answer = reply({ success: true, data });
    expect(await here.venue.keyFacts()).toEqual({ ok: true, value: facts });
    expect(here.lines).toEqual([expect.stringMatching(/^GET \/v2\/currentKeyInfo/)]);
  });
});
