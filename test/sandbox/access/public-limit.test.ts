/** Public market data is charged to the address that asks, over all families, each in its own form. Source: service.md#public-limit. */
import { afterEach, describe, expect, it } from "vitest";
import type { SandboxLimits } from "../../../src/sandbox/index.ts";
import { type Reply, send } from "../http/signed-client.ts";
import { openVenue, type Venue } from "../http/venue.ts";

let venue: Venue;
afterEach(() => venue.sandbox.close());

async function open(limits: Partial<SandboxLimits>): Promise<void> {
  venue = await openVenue({ limits });
}

const get = (target: string): Promise<Reply> => send(venue.sandbox.baseUrl, "GET", target);
const told = ({ headers }: Reply) => [
  headers["ratelimit-limit"],
  headers["ratelimit-remaining"],
  headers["ratelimit-reset"],
];

describe("public calls", () => {
  it("are charged by address, over all families together, and say what is left", async () => {
    await open({ publicWeightPerMinute: 1_200 });
    const replies = [
      await get("/v1/orderbook/BTCKRW"),
      await get("/v1/candles/BTCKRW?interval=3m"),
      await get("/0/public/Depth?pair=BTCKRW"),
      await get("/api/v3/depth?symbol=BTCKRW"),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 400, 200, 200]);
    expect(replies.map(told)).toEqual([1_199, 1_198, 1_197, 1_196].map((left) => ["1200", String(left), "60"]));
    expect(replies.at(-1)?.headers["x-mbx-used-weight-1m"]).toBe("4");
  });

  it("when over the limit, are refused in each family's form, with when to retry, and without effect on it", async () => {
    await open({ publicWeightPerMinute: 3 });
    for (const target of ["/v1/time", "/0/public/Time", "/api/v3/ping"]) await get(target);
    venue.clock.now += 20_000;
    const [ofOpen, ofTrading, ofAlias] = [
      await get("/v1/tickers"),
      await get("/0/public/Ticker"),
      await get("/api/v3/ticker/price"),
    ];
    expect([ofOpen.status, ofOpen.json.error.code]).toEqual([429, "EAPI:Rate limit exceeded"]);
    expect(ofOpen.json.error.retry_after_ms).toBe(40_000);
    expect([ofTrading.status, ofTrading.json]).toEqual([200, { error: ["EAPI:Rate limit exceeded"], result: {} }]);
    expect([ofAlias.status, ofAlias.json.code]).toEqual([429, -1003]);
    for (const reply of [ofOpen, ofTrading, ofAlias]) {
      expect(told(reply)).toEqual(["3", "0", "40"]);
      expect(reply.headers["retry-after"]).toBe("40");
    }
    venue.clock.now += 40_000;
    expect((await get("/v1/tickers")).status).toBe(200);
  });

  it("are not charged to a key, nor a key's calls to its address", async () => {
    await open({
      publicWeightPerMinute: 1,
      callsPerSecond: 30,
      weightPerMinute: { starter: 5, pro: 5, enterprise: 5 },
    });
    expect((await venue.paper.get("/v1/time")).status).toBe(200);
    expect((await venue.paper.get("/v1/time")).status).toBe(429);
    expect((await venue.paper.get("/v1/accounts")).headers["ratelimit-remaining"]).toBe("3");
  });
});
