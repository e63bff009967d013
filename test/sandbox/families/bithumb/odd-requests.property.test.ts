/** Whatever is sent is answered or refused in Bithumb's form, and money is neither made nor lost. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bithumb, openBithumb, refusal } from "./bithumb-client.ts";

let bithumb: Bithumb;
beforeAll(async () => {
  bithumb = await openBithumb();
});
afterAll(async () => {
  await bithumb.venue.sandbox.close();
  expect(bithumb.venue.defects).toEqual([]);
});

const RUNS = { numRuns: 40 };
const odd = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    "KRW-BTC",
    "bid",
    "limit",
    "ioc",
    "wait",
    "1",
    "0",
    "-1",
    "1e3",
    "9".repeat(30),
    "한글",
    "C0101000000000000001",
  ),
);
const names = fc.constantFrom(
  ...["market", "side", "order_type", "price", "volume", "time_in_force", "client_order_id", "uuid", "order_id"],
  ...["state", "states", "limit", "page", "next_key", "start_time", "end_time", "order_by", "to", "count", "markets"],
);
const fields = fc.dictionary(names, odd, { maxKeys: 5 });

/** @throws unless it is an answer or a refusal */
function hasForm(reply: Parameters<typeof refusal>[0]): boolean {
  if (reply.json?.error !== undefined) refusal(reply);
  return reply.json !== undefined && reply.status < 500;
}

describe("a request", () => {
  it("is answered in Bithumb's form, whatever its query is", async () => {
    const paths = ["/v1/order", "/v1/orders", "/v2/orders/pending", "/v2/orders/history", "/v1/orders/chance"];
    const open = ["ticker", "orderbook", "trades/ticks", "candles/minutes/240", "candles/days", "candles/months"];
    await fc.assert(
      fc.asyncProperty(fields, fc.constantFrom(...paths), fc.constantFrom(...open), async (query, path, quoted) => {
        expect(hasForm(await bithumb.paper.get(path, query))).toBe(true);
        expect(hasForm(await bithumb.paper.open(`${quoted}?${new URLSearchParams(query)}`))).toBe(true);
      }),
      RUNS,
    );
  });

  it("is answered in Bithumb's form, whatever its body is", async () => {
    const paths = ["/v2/orders", "/v2/orders/search", "/v2/orders/cancel"];
    const lists = fc.dictionary(fc.constantFrom("order_ids", "client_order_ids"), fc.array(odd, { maxLength: 3 }));
    await fc.assert(
      fc.asyncProperty(fields, lists, fc.constantFrom(...paths), async (body, ids, path) => {
        expect(hasForm(await bithumb.paper.post(path, { ...body, ...ids }))).toBe(true);
      }),
      RUNS,
    );
  });
});

describe("an account", () => {
  it("has as much as before without trades, and locked what its open orders say", async () => {
    const { paper } = bithumb;
    const order = fc.record({ price: fc.integer({ min: 80, max: 99 }), volume: fc.integer({ min: 1, max: 20 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(order, { minLength: 1, maxLength: 4 }), fc.boolean(), async (orders, isCanceled) => {
        for (const { price, volume } of orders)
          await paper.order({ price: `${price}000000`, volume: `0.000${String(volume).padStart(2, "0")}` });
        const { data } = (await paper.get("/v2/orders/pending")).json;
        const [won] = (await paper.get("/v1/accounts")).json;
        const units = (text: string): bigint => {
          const [whole = "", fraction = ""] = text.split(".");
          return BigInt(whole + fraction.padEnd(8, "0"));
        };
        const locked = data.reduce((sum: bigint, each: { locked: string }) => sum + units(each.locked), 0n);
        expect([units(won.locked), units(won.balance) + units(won.locked)]).toEqual([locked, units("10000000")]);
        if (isCanceled || data.length > 60)
          await paper.post("/v2/orders/cancel", {
            order_ids: data.slice(0, 30).map(({ order_id: id }: { order_id: string }) => id),
          });
      }),
      RUNS,
    );
  });
});
