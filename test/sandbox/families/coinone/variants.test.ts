import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { answered, BTC, type Coinone, clearBook, headersOf, openCoinone } from "./coinone-client.ts";

let documented: Coinone;
let other: Coinone;
beforeAll(async () => {
  [documented, other] = await Promise.all([openCoinone(), openCoinone({ variant: "other" })]);
});
afterAll(async () => {
  for (const { venue } of [documented, other]) {
    await venue.sandbox.close();
    expect(venue.defects).toEqual([]);
  }
});

/** Both ways of what sources say in two ways. */
const both = <T>(ask: (each: Coinone) => Promise<T>): Promise<readonly T[]> =>
  Promise.all([documented, other].map(ask));

describe("the variant other", () => {
  it("spells pairs, types of orders and units of prices as other sources do", async () => {
    const read = both(async ({ paper }) => {
      const open = async (path: string) => answered(await paper.open(path));
      return [
        (await open("ticker_new/KRW/BTC")).tickers[0].target_currency,
        (await open("markets/KRW/BTC")).markets[0].order_types,
        (await open("range_units/KRW/BTC")).range_price_units[0].price_unit,
      ];
    });
    expect(await read).toEqual([
      ["btc", ["limit", "market"], 1],
      ["BTC", ["LIMIT", "MARKET"], "1"],
    ]);
  });

  it("says of a trade that its seller was the maker where another source says it was not", async () => {
    const read = both(async ({ maker, paper }) => {
      await maker.order({ side: "SELL", qty: "0.1" });
      await paper.order();
      return answered(await paper.open("trades/KRW/BTC")).transactions[0].is_seller_maker;
    });
    expect(await read).toEqual([true, false]);
  });

  it("has one state for all that was canceled, shows an order's own id, and cancels at seconds", async () => {
    const read = both(async ({ maker, paper, venue }) => {
      await clearBook({ maker, paper, venue });
      const { order_id } = answered(await paper.order({ user_order_id: "half", qty: "0.002" }));
      await maker.order({ side: "SELL" });
      const { canceled_at } = answered(await paper.cancel({ order_id }));
      const { order } = answered(await paper.detail({ order_id }));
      return [order.status, order.user_order_id, canceled_at / venue.clock.now];
    });
    expect(await read).toEqual([
      ["PARTIALLY_CANCELED", undefined, 1],
      ["CANCELED", "half", 0.001],
    ]);
  });

  it("has milliseconds in what the stream says of orders", async () => {
    const read = both(async ({ paper, venue }) => {
      const { headers } = headersOf(paper.credentials, { timestamp: Date.now() });
      const web = new WebSocket(`${venue.sandbox.streamUrl}/v1/private`, { headers });
      await new Promise((resolve, reject) => web.once("open", resolve).once("error", reject));
      const orders: { timestamp: number }[] = [];
      let isFollowed = false;
      web.on("message", (text: Buffer) => {
        const message = JSON.parse(text.toString("utf8"));
        if (message.channel === "MYORDER") isFollowed = true;
        if (message.response_type === "DATA") orders.push(message.data);
      });
      web.send(JSON.stringify({ request_type: "SUBSCRIBE", channel: "MYORDER", topic: [BTC] }));
      await expect.poll(() => isFollowed).toBe(true);
      await paper.order({ price: "80000000" });
      await expect.poll(() => orders.length).toBe(1);
      web.close();
      return orders.map(({ timestamp }) => timestamp / venue.clock.now);
    });
    expect(await read).toEqual([[0.001], [1]]);
  });
});
