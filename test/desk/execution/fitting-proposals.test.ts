/** What is proposed in place of what does not fit can be carried out as it stands. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BookLevel, Fault, Market } from "../../../src/contract/index.ts";
import { fitting, type Means } from "../../../src/desk/execution/sized-order.ts";
import type { OrderRequest } from "../../../src/desk/index.ts";
import { estimateOrder } from "../../../src/desk/market/order-estimate.ts";
import { proposalsOf, refusalsOf } from "../../../src/desk/risk/order-proposals.ts";
import { checkOrder } from "../../../src/desk/risk/order-validation.ts";
import { textOf } from "../../decimal/arbitraries.ts";
import { units } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

const ONE = 100_000_000n;
/** Rounded up, in units of 1e-8. */
const product = (a: bigint, b: bigint): bigint => (a * b + ONE - 1n) / ONE;

interface Scene {
  readonly market: Market;
  readonly request: OrderRequest;
  readonly means: Means;
}

const level = (minimum: number) =>
  fc.array(fc.tuple(fc.integer({ min: minimum, max: minimum + 20 }), fc.integer({ min: 1, max: 5_000 })), {
    minLength: 1,
    maxLength: 4,
  });

const scenes: fc.Arbitrary<Scene> = fc
  .record({
    tick: fc.constantFrom(1, 5, 10),
    decimals: fc.constantFrom(0, 2, 4),
    minVolume: fc.constantFrom("0.01", "1", "2"),
    minNotional: fc.constantFrom("1", "500", "5000"),
    fees: fc.constantFrom(["0", "0"], ["0.0004", "0.0005"], ["0.01", "0.002"]),
    side: fc.constantFrom("buy", "sell"),
    kind: fc.constantFrom("limit", "post-only", "volume", "amount"),
    price: fc.integer({ min: 980, max: 1_060 }),
    size: fc.integer({ min: 1, max: 60_000_000 }),
    available: fc.integer({ min: 0, max: 900_000_000 }),
    buys: level(1_000),
    asks: level(1_021),
  })
  .map((drawn) => {
    const { side, kind, decimals, size } = drawn;
    const market = {
      ...{ symbol: "BTC/KRW", base: "BTC", quote: "KRW", status: "trading", volume_decimals: decimals },
      ...{ min_volume: drawn.minVolume, min_notional: drawn.minNotional },
      ...{ maker_fee_rate: drawn.fees[0], taker_fee_rate: drawn.fees[1] },
      tick_bands: [{ from_price: "0", tick_size: String(drawn.tick) }],
    } as unknown as Market;
    const sorted = (levels: readonly (readonly [number, number])[], sign: 1 | -1): [string, string][] =>
      [...new Map(levels)].sort(([a], [b]) => sign * (a - b)).map(([at, volume]) => [String(at), String(volume)]);
    // From a ten-thousandth of a coin to six thousand.
    const volume = textOf(BigInt(size) * 10_000n);
    const numbers = {
      limit: { type: "limit", price: String(drawn.price), base_volume: volume },
      "post-only": { type: "limit", price: String(drawn.price), base_volume: volume, post_only: true },
      volume: { type: "market", base_volume: volume },
      amount: { type: "market", quote_amount: textOf(BigInt(size) * 10_000_000n) },
    } as const;
    const request: OrderRequest = { symbol: "BTC/KRW", side: side === "buy" ? "buy" : "sell", ...numbers[kind] };
    const tick = { buys: sorted(drawn.buys, -1), asks: sorted(drawn.asks, 1) };
    return { market, request, means: { available: textOf(BigInt(drawn.available) * 1_000_000n), tick } };
  });

const faultsOf = ({ market, request, means }: Scene): readonly Fault[] => {
  const { problems } = checkOrder(market, request);
  if (problems.length > 0) return problems;
  const book = { ...means, best_bid: null, best_ask: null, mid: null };
  return refusalsOf(market, request, book, estimateOrder(market, request, book, means.available));
};

/** By whole numbers alone: whether the exchange takes it. */
function isTaken({ market, request, means }: Scene): boolean {
  const { side, type, base_volume, quote_amount, price = "0", post_only } = request;
  const levels: readonly BookLevel[] = side === "buy" ? means.tick.asks : means.tick.buys;
  const [maker, taker] = [units(market.maker_fee_rate), units(market.taker_fee_rate)];
  const [available, least] = [units(means.available), units(market.min_notional)];
  const best = units(levels[0]?.[0] ?? "0");
  if (quote_amount !== undefined) {
    const amount = units(quote_amount);
    if (amount < least) return false;
    let [left, coins, value] = [amount, 0n, 0n];
    const step = 10n ** BigInt(8 - market.volume_decimals);
    for (const [at, held] of levels) {
      const wanted =
        side === "buy" ? ((left * ONE) / units(at) / step) * step : ceilTo((left * ONE) / units(at) + 1n, step);
      const taken = wanted < units(held) ? wanted : units(held);
      if (left <= 0n) break;
      coins += taken;
      value += product(taken, units(at));
      left -= product(taken, units(at));
    }
    return side === "sell"
      ? coins <= available + step
      : amount <= available && value + product(value, taker) <= available;
  }
  const volume = units(base_volume ?? "0");
  if (volume < units(market.min_volume) || volume % 10n ** BigInt(8 - market.volume_decimals) !== 0n) return false;
  if (type === "limit") {
    const at = units(price);
    if (at === 0n || at % units(market.tick_bands[0]?.tick_size ?? "1") !== 0n) return false;
    if (at * volume < least * ONE) return false;
    if (post_only === true && (side === "buy" ? at >= best : at <= best)) return false;
    const value = product(at, volume);
    return side === "sell" ? volume <= available : value + product(value, maker > taker ? maker : taker) <= available;
  }
  if (best * volume < least * ONE) return false;
  if (side === "sell") return volume <= available;
  let [left, value] = [volume, 0n];
  for (const [at, held] of levels) {
    const taken = left < units(held) ? left : units(held);
    value += product(taken, units(at));
    left -= taken;
  }
  return value + product(value, taker) <= available;
}

const ceilTo = (value: bigint, step: bigint): bigint => ((value + step - 1n) / step) * step;

describe("what is proposed", () => {
  it("is taken by the exchange, with what is proposed for the other fields", () => {
    let proposed = 0;
    fc.assert(
      fc.property(scenes, (scene) => {
        const all = proposalsOf(fitting(scene.market, scene.request, faultsOf(scene), scene.means));
        for (const { field, proposed: value } of all) {
          proposed += 1;
          const others = all.filter((each) => each.field !== field).map((each) => ({ [each.field]: each.proposed }));
          const orders = (others.length === 0 ? [{}] : others).map((other) => ({
            ...scene.request,
            [field]: value,
            ...other,
          }));
          expect(orders.some((request) => isTaken({ ...scene, request }))).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
    expect(proposed).toBeGreaterThan(100);
  });
});

describe("of an exchange", () => {
  openWorldPerTest();
  const small = { symbol: "XRP/KRW", side: "sell", type: "limit", price: "3430", base_volume: "0.5" } as const;

  it("nothing is proposed to sell more than what is held, and the answer says what that is", async () => {
    const { exchange, accountId } = world.sandbox;
    exchange.apply({ type: "deposit", accountId, asset: "XRP", amount: ONE / 2n }, Date.now());
    const { problems, proposals } = await unwrap(seat.desk.preview(small));
    expect(proposals).toEqual([]);
    expect(problems).toMatchObject([{ message: expect.stringContaining("available is 0.5 XRP") }]);
    expect((await seat.desk.place(small)).error).not.toHaveProperty("proposals");
    exchange.apply({ type: "deposit", accountId, asset: "XRP", amount: 2n * ONE }, Date.now());
    expect((await unwrap(seat.desk.preview(small))).proposals).toMatchObject([
      { field: "base_volume", proposed: "1.457726" },
    ]);
  });
});
