/** What a target says is remembered, so it has to be the same each time it is asked for. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send } from "../http/signed-client.ts";
import { must, openVenue, type Venue } from "../http/venue.ts";

let venue: Venue;
beforeAll(async () => {
  venue = await openVenue();
});
afterAll(() => venue.sandbox.close());

const TARGETS = [
  "/v1/orderbook/BTCKRW?depth=1",
  "/v1/orderbook/BTCKRW?depth=2",
  "/v1/orderbook/ETH%2FKRW?depth=1",
  "/v1/orderbook/BTCKRW?depth=0",
  "/v1/orderbook/BTCKRW?depth=1&depth=2",
  "/v1/orderbook/NOPE",
  "/v1/tickers?symbols=BTC/KRW",
  "/v1/candles/BTC%2FKRW?interval=1h",
  "/v1/time",
  "/v1/nothing",
] as const;

const ask = async (method: string, target: string, headers: Record<string, string> = {}) => {
  const { status, json } = await send(venue.sandbox.baseUrl, method, target, headers);
  return { status, json: json.error === undefined ? json : { ...json.error, request_id: undefined } };
};

describe("a public read that is repeated", () => {
  it("is answered as the first time, also after many others, and by another method as ever", async () => {
    const first = await Promise.all(TARGETS.map((target) => ask("GET", target)));
    expect(first.map(({ status }) => status)).toEqual([200, 200, 200, 400, 400, 404, 200, 200, 200, 404]);
    expect(await Promise.all(TARGETS.map((target) => ask("GET", target)))).toEqual(first);
    for (let limit = 1; limit <= 300; limit += 1)
      expect((await ask("GET", `/v1/candles/BTCKRW?from=${limit}`)).status).toBe(200);
    expect(await Promise.all(TARGETS.map((target) => ask("GET", target)))).toEqual(first);
    expect((await ask("DELETE", TARGETS[0])).status).toBe(404);
  });

  it("when its version is not served, or it has a body, is refused as ever", async () => {
    await ask("GET", TARGETS[0]);
    expect((await ask("GET", TARGETS[0], { "API-Version": "9.0.0" })).status).toBe(400);
    const body = await send(venue.sandbox.baseUrl, "GET", TARGETS[0], {}, "{}");
    expect([body.status, body.json.error.field]).toEqual([400, "body"]);
  });

  it("shows what has changed since", async () => {
    const target = "/v1/orderbook/BTCKRW";
    const { json: before } = await ask("GET", target);
    const terms = { side: "sell", orderType: "limit", price: 95_000_000n * 10n ** 8n, volume: 10n ** 5n } as const;
    must(
      venue.sandbox.exchange.apply(
        {
          ...{
            type: "place",
            accountId: "maker",
            keyId: null,
            orderId: "a",
            symbol: "BTC/KRW",
            amount: null,
            ...terms,
          },
          ...{ timeInForce: "GTC", postOnly: true, userref: null, settlementMode: "INSTANT_KRW" },
        },
        venue.clock.now,
      ),
    );
    const { json: after } = await ask("GET", target);
    expect([before.tick.asks, after.tick.asks]).toEqual([[], [["95000000", "0.001"]]]);
    expect(after.seq).toBe(before.seq + 1);
    venue.clock.now += 1_000;
    expect(Date.parse((await ask("GET", target)).json.time)).toBe(venue.clock.now);
  });
});
