/** Sizes as people say them, as an assistant sends them: "half", "everything", "100,000 won at 3,350,000". */
import { describe, expect, it } from "vitest";
import { client, openClientPerTest, world } from "./client-per-test.ts";

openClientPerTest((opened) => {
  opened.rest("buy", "140000000", "5");
  opened.rest("sell", "150000000", "5");
});

const BTC = { symbol: "BTC/KRW" };
const ETH_LIMIT = { symbol: "ETH/KRW", side: "buy", type: "limit", price: "3350000" };

describe("a size as people say it", () => {
  it("half of the coins: what it comes to is shown, and the draft places that", async () => {
    const half = { ...BTC, side: "sell", type: "market", base_volume: "50%" };
    const preview = await client.call("preview_order", half);
    expect(preview.structured).toMatchObject({
      valid: true,
      order: { base_volume: "0.5" },
      proposals: [
        {
          field: "base_volume",
          given: "50%",
          proposed: "0.5",
          reason: "50% of the 1 BTC available, rounded down to the step",
        },
      ],
    });
    expect(preview.text).toContain('Size of 50%: base_volume "0.5" (50% of the 1 BTC available');
    const placed = await client.call("place_order", { draft_id: preview.structured["draft_id"] });
    expect(placed.structured).toMatchObject({ outcome: "accepted", state: "filled", order: { volume: "0.5" } });
    expect(placed.text).toContain("Size: base_volume 50% came to base_volume 0.5: 50% of the 1 BTC available");
  });

  it("everything: all KRW buy, with the fee", async () => {
    const placed = await client.call("place_order", { ...BTC, side: "buy", type: "market", quote_amount: "100%" });
    expect(placed.structured).toMatchObject({ outcome: "accepted", state: "filled", order: { amount: "9995002" } });
    const balances = await client.call("get_balances");
    const krw = (balances.structured["balances"] as { asset: string; available: string }[]).find(
      ({ asset }) => asset === "KRW",
    );
    expect(Number(krw?.available)).toBeLessThan(3); // not money: what one step of BTC costs
  });

  it("KRW at a price: the coins that they buy, rounded down; the fee comes on top", async () => {
    const order = { ...ETH_LIMIT, quote_amount: "100000" };
    const preview = await client.call("preview_order", order);
    // 100 000 / 3 350 000 = 0.029850746…
    const proposals = [{ field: "base_volume", given: "100000", proposed: "0.02985074" }];
    const shown = { order: { base_volume: "0.02985074" }, proposals, draft_id: expect.any(String) };
    expect(preview.structured).toMatchObject({ valid: true, ...shown });
    expect(preview.structured["order"]).not.toHaveProperty("quote_amount");
    const placed = await client.call("place_order", order);
    expect(placed.structured).toMatchObject({
      state: "open",
      order: { volume: "0.02985074", amount: null, price: "3350000" },
    });
    expect(placed.structured["sizing"]).toBe(
      "quote_amount 100000 came to base_volume 0.02985074: ₩100,000 at ₩3,350,000, rounded down to the step; the fee comes on top",
    );
    const canceled = await client.call("cancel_order", { userref: placed.structured["userref"] });
    expect(canceled.structured).toMatchObject({ outcome: "accepted", state: "canceled" });
    expect(canceled.structured).not.toHaveProperty("sizing");
  });

  it("KRW at a price, sold", async () => {
    const order = { ...BTC, side: "sell", type: "limit", price: "160000000", quote_amount: "1000000" };
    expect((await client.call("place_order", order)).structured).toMatchObject({
      state: "open",
      order: { volume: "0.00625" },
    });
  });

  it("KRW at a price that come to less than the market takes: the least that do, for the user to choose", async () => {
    const few = await client.call("preview_order", { ...ETH_LIMIT, quote_amount: "5000" });
    // 5 000 would buy 0.00149253, worth 4 999.98.
    const proposals = [{ field: "quote_amount", given: "5000", proposed: "5001" }];
    expect(few.structured).toMatchObject({
      valid: false,
      problems: [{ code: "EOrder:Order minimum not met" }],
      proposals,
    });
    expect((await client.call("preview_order", { ...ETH_LIMIT, quote_amount: "5001" })).structured).toMatchObject({
      valid: true,
    });
  });

  it.each([
    ["a share of coins to buy", { side: "buy", base_volume: "50%" }, "base_volume", 'send quote_amount "50%"'],
    ["a share of KRW to sell for", { side: "sell", quote_amount: "50%" }, "quote_amount", 'send base_volume "50%"'],
    ["more than there is", { side: "sell", base_volume: "101%" }, "base_volume", "at most 100"],
    ["none of it", { side: "sell", base_volume: "0%" }, "base_volume", "above 0"],
    ["a share with a space", { side: "sell", base_volume: "50 %" }, "base_volume", 'such as "50%"'],
  ])("is not %s: the field and the fix are named, and nothing is sent", async (_, fields, field, fix) => {
    const { structured, text } = await client.call("place_order", { ...BTC, type: "market", ...fields });
    expect(structured).toMatchObject({ outcome: "not_sent", state: "denied", error: { field } });
    expect(text).toContain(fix);
    expect(world.proxy.log.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it("is for orders: the cost of a size is asked for with a number", async () => {
    const { isError, text } = await client.call("get_orderbook", { ...BTC, side: "sell", base_volume: "50%" });
    expect(isError).toBe(true);
    expect(text).toContain("base_volume");
  });
});
