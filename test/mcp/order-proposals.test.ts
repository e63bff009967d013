/** What would fit in place of what does not, as an assistant gets it: named, computed, and never applied unasked. */
import { describe, expect, it } from "vitest";
import { client, openClientPerTest, world } from "./client-per-test.ts";

openClientPerTest((opened) => {
  opened.rest("buy", "99000000", "0.5");
  opened.rest("sell", "100000000", "0.01");
  opened.rest("sell", "101000000", "5");
});

const LIMIT = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.01", price: "99000000" };
const MARKET = { symbol: "BTC/KRW", side: "buy", type: "market" };

interface Offer {
  readonly what: string;
  readonly order: Record<string, unknown>;
  readonly proposals: readonly (readonly [field: string, proposed: string])[];
}

/** Proposed out of the rules alone: nothing reaches the exchange. */
const unfit: readonly Offer[] = [
  {
    what: "a price between two ticks: both neighbours, the nearer one first",
    order: { ...LIMIT, price: "98999600" },
    proposals: [
      ["price", "99000000"],
      ["price", "98999000"],
    ],
  },
  {
    what: "less than the least volume",
    order: { ...LIMIT, base_volume: "0.000001" },
    proposals: [["base_volume", "0.00005051"]],
  },
  {
    what: "less than the least value",
    order: { ...LIMIT, base_volume: "0.00005" },
    proposals: [["base_volume", "0.00005051"]],
  },
  {
    what: "less than the least amount",
    order: { ...MARKET, quote_amount: "4999" },
    proposals: [["quote_amount", "5000"]],
  },
];

/** Proposed out of what the book and the balance are now: 10 000 000 KRW and 1 BTC. */
const refused: readonly Offer[] = [
  // 10 000 000 / (99 000 000 × 1.0005)
  {
    what: "more than the funds pay, with the fee",
    order: { ...LIMIT, base_volume: "0.2" },
    proposals: [["base_volume", "0.10095962"]],
  },
  {
    what: "more coins than there are",
    order: { ...LIMIT, side: "sell", base_volume: "1.5" },
    proposals: [["base_volume", "1"]],
  },
  // 10 000 000 / 1.0005, and what the two levels give for it
  {
    what: "more than the funds in a market order",
    order: { ...MARKET, quote_amount: "20000000" },
    proposals: [["quote_amount", "9995002"]],
  },
  {
    what: "more coins than the funds pay at the market",
    order: { ...MARKET, base_volume: "0.2" },
    proposals: [["base_volume", "0.09905942"]],
  },
  {
    what: "a post-only buy that would match",
    order: { ...LIMIT, price: "100500000", post_only: true },
    proposals: [["price", "99999000"]],
  },
  {
    what: "a post-only sell that would match",
    order: { ...LIMIT, side: "sell", price: "98000000", post_only: true },
    proposals: [["price", "99001000"]],
  },
];

const asFields = (proposals: Offer["proposals"]) => proposals.map(([field, proposed]) => ({ field, proposed }));

describe("a value that does not fit", () => {
  it.each([...unfit, ...refused])("is previewed with what would: $what", async ({ order, proposals }) => {
    const { structured, text } = await client.call("preview_order", order);
    expect(structured).toMatchObject({ valid: false, proposals: asFields(proposals) });
    expect(structured).not.toHaveProperty("draft_id");
    for (const [field, proposed] of proposals) expect(text).toContain(`- Proposal: ${field} "${proposed}" (`);
    expect(text).toContain("Show the user the proposals and ask");
    // Each of them is an order that fits, by itself.
    for (const [field, proposed] of proposals) {
      const { structured: fit } = await client.call("preview_order", { ...order, [field]: proposed });
      expect(fit).toMatchObject({ valid: true, problems: [], proposals: [] });
    }
  });

  it.each(unfit)("is denied with what would, and nothing is sent: $what", async ({ order, proposals }) => {
    const { structured, text } = await client.call("place_order", order);
    expect(structured).toMatchObject({ state: "denied", error: { proposals: asFields(proposals) } });
    expect(structured["next_action"]).toMatch(/^Show the user .*ask/);
    for (const [field, proposed] of proposals) expect(text).toContain(`${field} "${proposed}"`);
    expect(world.proxy.log.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it.each(refused)("is rejected with what would, and is not sent again: $what", async ({ order, proposals }) => {
    const { structured } = await client.call("place_order", order);
    expect(structured).toMatchObject({ state: "rejected", error: { proposals: asFields(proposals) } });
    expect(structured["next_action"]).toMatch(/^Show the user .*ask/);
    expect(world.proxy.log.filter(({ method }) => method === "POST")).toHaveLength(1);
    expect(world.orders()).toEqual([]);
  });

  it("has none where no size fits: what is there is less than the least", async () => {
    const { exchange, accountId } = world.sandbox;
    exchange.apply(
      {
        type: "place",
        accountId,
        keyId: null,
        orderId: "all",
        symbol: "BTC/KRW",
        side: "sell",
        orderType: "limit",
        price: 200_000_000n * 100_000_000n,
        volume: 99_999_999n,
        amount: null,
        timeInForce: "GTC",
        postOnly: false,
        userref: null,
        settlementMode: "INSTANT_KRW",
      },
      Date.now(),
    );
    const { structured } = await client.call("preview_order", { ...LIMIT, side: "sell" });
    expect(structured).toMatchObject({
      valid: false,
      proposals: [],
      problems: [{ code: "EOrder:Insufficient funds" }],
    });
  });

  it("when worth too little at the market, is found before it is sent", async () => {
    const { structured } = await client.call("preview_order", { ...MARKET, base_volume: "0.00004" });
    expect(structured).toMatchObject({
      valid: false,
      problems: [{ code: "EOrder:Order minimum not met", field: "base_volume" }],
      proposals: [{ field: "base_volume", given: "0.00004", proposed: "0.00005" }],
    });
  });
});
