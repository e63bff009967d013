/** What an order costs or brings with its fees, before it is sent, over a real exchange. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Market } from "../../../src/contract/index.ts";
import { Fraction, price } from "../../../src/decimal/index.ts";
import type { Estimate, OrderRequest } from "../../../src/desk/index.ts";
import { breakEvenPrice } from "../../../src/desk/risk/break-even.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

openWorldPerTest();

const BUY: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.02", price: "150000000" };
const SELL: OrderRequest = { ...BUY, side: "sell", base_volume: "0.01" };
const estimateOf = async (request: OrderRequest) => (await unwrap(seat.desk.preview(request))).estimate;

describe("a preview", () => {
  it("says the fee of what rests and of what executes at once, and what both cost in all", async () => {
    world.rest("sell", "149000000", "0.01");
    // 1 490 000 at once and 1 500 000 in the book, at 0.05 and 0.04 %.
    expect(await estimateOf(BUY)).toMatchObject({
      ...{ taker_fee: "745", maker_fee: "600", total: "2991345", proceeds: null, break_even_price: null },
    });
    expect(await estimateOf({ ...BUY, price: "140000000", post_only: true })).toMatchObject({
      ...{ taker_fee: "0", maker_fee: "1120", total: "2801120" },
    });
  });

  it("and the question to a person say the same", async () => {
    world.rest("sell", "149000000", "0.01");
    const policy = changeablePolicy({ ...LOOSE, mode: "confirm" });
    const { desk } = await world.seat({ policy });
    const { approval } = await desk.place(BUY);
    const { taker_fee, maker_fee, total, proceeds, fee_currency } = (await estimateOf(BUY)) as Estimate;
    expect(approval?.costs).toEqual({ taker_fee, maker_fee, total, proceeds, fee_currency });
    expect(total).toBe("2991345");
    expect((await unwrap(desk.pending())).pending).toMatchObject([{ costs: approval?.costs }]);
  });

  it("says of a sell what it brings, and from which price on it loses nothing", async () => {
    world.rest("sell", "100000000", "0.01");
    await seat.desk.place({ symbol: "BTC/KRW", side: "buy", type: "market", base_volume: "0.01" });
    world.rest("buy", "99000000", "0.01");
    const resting = await estimateOf({ ...SELL, price: "120000000" });
    expect(resting).toMatchObject({ taker_fee: "0", maker_fee: "480", total: null, proceeds: "1199520" });
    // They cost 100 050 000 each with the fee: sold for it less 0.04 %, on the tick.
    expect(resting).toMatchObject({ break_even_price: "100091000" });
    const now = await estimateOf({ symbol: "BTC/KRW", side: "sell", type: "market", base_volume: "0.01" });
    expect(now).toMatchObject({ taker_fee: "495", maker_fee: "0", proceeds: "989505", break_even_price: "100101000" });
  });

  it("says no price for what has no known cost", async () => {
    world.rest("buy", "99000000", "0.01");
    expect(await estimateOf({ ...SELL, price: "120000000" })).toMatchObject({ break_even_price: null });
  });
});

const FEES = { taker_fee_rate: "0.0005", maker_fee_rate: "0.0002" };
const MARKET = { ...FEES, tick_bands: [{ from_price: "0", tick_size: "0.5" }] } as unknown as Market;
const estimate = (expected_volume: string, resting_volume: string) => ({
  estimate: { expected_volume, resting_volume } as Estimate,
});

describe("the price at which a sell breaks even", () => {
  it("brings the cost after the larger of the fees that it may pay, and a tick less does not", () => {
    const anyOrder = fc.constantFrom(
      ...([
        ["1", "0", "0.0005"],
        ["0", "1", "0.0002"],
        ["1", "1", "0.0005"],
        ["0", "0", "0.0005"],
      ] as const),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 9 }), anyOrder, (cents, [takes, rests, fee]) => {
        const cost = Fraction.of(String(cents)).times(Fraction.of("0.01"));
        const at = breakEvenPrice(MARKET, estimate(takes, rests), cost);
        const brings = (text: string) => Fraction.of(text).times(Fraction.of("1").minus(Fraction.of(fee)));
        expect(brings(at).cmp(cost)).toBeGreaterThanOrEqual(0);
        if (at !== "0.5") expect(brings(price(at).minus(price("0.5")).toString()).cmp(cost)).toBe(-1);
      }),
    );
  });
});
