import { describe, expect, it } from "vitest";
import { orderPlan } from "../../../src/cli/probe/order-plan.ts";
import type { Market } from "../../../src/contract/index.ts";
import { notional, notionalOf, price, quantity } from "../../../src/decimal/index.ts";

const MARKET: Market = {
  ...{ symbol: "BTC/KRW", base: "BTC", quote: "KRW", korean_name: "비트코인", english_name: "Bitcoin" },
  ...{ status: "trading", min_volume: "0.00000001", min_notional: "5000", tick_size: "1000" },
  tick_bands: [
    { from_price: "0", tick_size: "1" },
    { from_price: "1000000", tick_size: "1000" },
  ],
  ...{ price_decimals: 8, volume_decimals: 8, maker_fee_rate: "0.0025", taker_fee_rate: "0.0025" },
};
const BOOK = { tick: { buys: [["150012345", "1"]], asks: [["150099000", "1"]] } } as const;
const book = { tick: { buys: [...BOOK.tick.buys], asks: [...BOOK.tick.asks] } } as unknown as Parameters<
  typeof orderPlan
>[1];

describe("the order of a probe", () => {
  it("is ten percent away from the best price of its side, on tick, and just worth the minimum", () => {
    expect(orderPlan(MARKET, book, "buy")).toMatchObject({ price: "135011000", volume: "0.00003704" });
    expect(orderPlan(MARKET, book, "sell")).toMatchObject({ price: "165109000" });
    for (const side of ["buy", "sell"] as const) {
      const plan = orderPlan(MARKET, book, side);
      const worth = notionalOf(price(plan?.price ?? "0"), quantity(plan?.volume ?? "0"));
      expect(worth.gte(notional("5000"))).toBe(true);
      expect(worth.lt(notional("5010"))).toBe(true);
    }
  });

  it("is not smaller than the least volume of the market", () => {
    expect(orderPlan({ ...MARKET, min_volume: "0.001" }, book, "buy")?.volume).toBe("0.001");
  });

  it("is none where nobody is on its side", () => {
    expect(orderPlan(MARKET, { tick: { buys: [], asks: [] } }, "buy")).toBeUndefined();
  });
});
