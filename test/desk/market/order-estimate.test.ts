import fc from "fast-check";
import { expect, it } from "vitest";
import { notional, quantity } from "../../../src/decimal/index.ts";
import { estimateOrder } from "../../../src/desk/market/order-estimate.ts";
import type { OrderRequest } from "../../../src/desk/model/intent.ts";
import { BTC } from "../risk/policy-question.ts";

/** Of up to eight digits behind the point, as exchanges have them in prices of cheap coins and in all volumes. */
const fine = (most: number): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat({ max: most }), fc.nat({ max: 99_999_998 }))
    .map(([whole, parts]) => `${whole}.${String(parts + 1).padStart(8, "0")}`);

const MARKET = { ...BTC, maker_fee_rate: "0.0005", taker_fee_rate: "0.00139" };
/** In sums; a volume is of coins. */
const SUMS = ["expected_value", "expected_fee", "taker_fee", "maker_fee", "total", "proceeds"] as const;

it("every figure of an estimate can be read again, whatever the digits of price and volume", () => {
  fc.assert(
    fc.property(fine(200), fine(50), fine(200), fc.constantFrom("buy", "sell"), (limit, volume, at, side) => {
      const order: OrderRequest = { symbol: "BTC/KRW", side, type: "limit", price: limit, base_volume: volume };
      const tick = { buys: [[at, "7.00000003"]], asks: [[at, "7.00000003"]] } as never;
      const book = { tick, best_bid: at, best_ask: at, mid: at };
      const { estimate } = estimateOrder(MARKET, order, book, "0");
      const sums = SUMS.flatMap((name) => estimate[name] ?? []);
      expect(sums.map((text) => notional(text).toString())).toEqual(sums);
      const coins = [estimate.expected_volume, estimate.resting_volume];
      expect(coins.map((text) => quantity(text).toString())).toEqual(coins);
    }),
  );
});
