import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fraction } from "../../../src/decimal/index.ts";
import type { LedgerFill } from "../../../src/desk/index.ts";
import type { Span } from "../../../src/desk/portfolio/cost-basis.ts";
import { positionsOf } from "../../../src/desk/portfolio/portfolio.ts";
import { freshCosts } from "./fresh-costs.ts";
import { naiveAsset, written } from "./naive-model.ts";
import { COINS, type History, ledgerOf, randomHistory, text } from "./random-history.ts";

const ALL: Span = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
const METHODS = ["average", "fifo"] as const;
const LAST = 500n * 100_000_000n;

const krw = (figure: Fraction | undefined): string | undefined => figure?.rounded(8, "half_even");

function fill(side: "buy" | "sell", volume: string, price: string, more: Partial<LedgerFill> = {}): LedgerFill {
  const value = krw(Fraction.of(volume).times(Fraction.of(price))) ?? "";
  const fee = { fee: "0", feeCurrency: "KRW" };
  return { tradeId: "1", orderId: "o", symbol: "BTC/KRW", side, volume, price, value, ...fee, atMs: 1, ...more };
}

function basisOf(fills: readonly LedgerFill[], method: "average" | "fifo" = "average", span = ALL) {
  const basis = freshCosts(fills, method, span).bases.byAsset.get("BTC");
  if (basis === undefined) throw new Error("nothing was bought or sold");
  const { held, realized, fees, uncostedSold } = basis;
  return {
    held: krw(held.volume),
    cost: krw(held.cost),
    bare: krw(held.bareCost),
    realized: krw(realized),
    fees: krw(fees),
    uncostedSold: krw(uncostedSold),
  };
}

describe("the cost of what is held", () => {
  it("is one average of all that is held, or that of the last bought", () => {
    const fills = [fill("buy", "1", "100"), fill("buy", "1", "200"), fill("sell", "1", "300")];
    expect(basisOf(fills)).toMatchObject({ held: "1", cost: "150", realized: "150" });
    expect(basisOf(fills, "fifo")).toMatchObject({ held: "1", cost: "200", realized: "200" });
  });

  it("is kept as a fraction until it is shown", () => {
    const thirds = [fill("buy", "3", "100", { value: "10" }), fill("sell", "1", "4")];
    const more = [...thirds, fill("sell", "0.5", "4")];
    expect(basisOf(thirds)).toMatchObject({ cost: "6.66666667", realized: "0.66666667" });
    // Exactly five, not 4.99999999….
    expect(freshCosts(more, "average", ALL).bases.byAsset.get("BTC")?.held.cost.cmp(Fraction.of("5"))).toBe(0);
  });

  it("has a fee in KRW in it, and one in the coin makes less of it come in", () => {
    expect(basisOf([fill("buy", "2", "100", { fee: "1" })])).toMatchObject({ cost: "201", bare: "200", fees: "1" });
    const coin = { fee: "0.5", feeCurrency: "BTC" };
    expect(basisOf([fill("buy", "2", "100", coin)])).toMatchObject({
      held: "1.5",
      cost: "200",
      bare: "150",
      fees: "50",
    });
  });

  it("lowers the proceeds by a fee in KRW, and takes one in the coin out at its cost", () => {
    const bought = fill("buy", "4", "100");
    expect(basisOf([bought, fill("sell", "1", "150", { fee: "2" })])).toMatchObject({ realized: "48", cost: "300" });
    const coin = { fee: "1", feeCurrency: "BTC" };
    expect(basisOf([bought, fill("sell", "1", "150", coin)])).toMatchObject({
      realized: "-50",
      cost: "200",
      fees: "150",
    });
  });

  it("is never guessed: what was sold and not bought earned nothing that is known", () => {
    expect(basisOf([fill("sell", "2", "150")])).toMatchObject({ realized: "0", uncostedSold: "2", held: "0" });
    const half = [fill("buy", "1", "100"), fill("sell", "4", "150", { fee: "8" })];
    // A quarter of the proceeds after fees, less what it cost.
    expect(basisOf(half)).toMatchObject({ realized: "48", uncostedSold: "3", held: "0", cost: "0" });
    expect(basisOf([...half, fill("buy", "1", "70")])).toMatchObject({ held: "1", cost: "70" });
  });

  it("is unknown of what came in for another coin, and goes with what went out for one", () => {
    const bought = fill("buy", "2", "100");
    const swap = { symbol: "ETH/BTC", value: "1", price: "0.1", fee: "0.01", feeCurrency: "ETH" };
    const { bases } = freshCosts([bought, fill("buy", "10", "0.1", swap)], "average", ALL);
    expect(krw(bases.byAsset.get("BTC")?.held.cost)).toBe("100");
    expect(krw(bases.byAsset.get("BTC")?.realized)).toBe("0");
    expect(krw(bases.byAsset.get("ETH")?.held.volume)).toBe("0");
    expect(bases.unpricedFees).toEqual(["ETH"]);
  });

  it("outlives a fee that takes all that was bought, and more", () => {
    const fills = [fill("buy", "2", "100"), fill("buy", "1", "100", { fee: "2", feeCurrency: "BTC" })];
    expect(basisOf(fills)).toMatchObject({ held: "1", cost: "100", realized: "-200" });
  });

  it("counts profits and fees of the period only, at the cost of all fills", () => {
    const fills = [
      fill("buy", "4", "100", { atMs: 10, fee: "4" }),
      fill("sell", "1", "200", { atMs: 20, fee: "1" }),
      fill("sell", "1", "300", { atMs: 30, fee: "2" }),
      fill("sell", "1", "400", { atMs: 40, fee: "3" }),
    ];
    expect(basisOf(fills, "average", { fromMs: 30, toMs: 39 })).toMatchObject({
      realized: "197",
      fees: "2",
      cost: "101",
    });
    expect(basisOf(fills, "fifo", { fromMs: 41, toMs: 99 })).toMatchObject({ realized: "0", fees: "0" });
  });
});

/** Each figure of each coin, by the product and by the naive model. */
function bothViews({ fills, balances }: History, method: "average" | "fifo", span: Span) {
  const shown = [...balances].map(([asset, total]) => ({ asset, total: text(total), available: "0", locked: "0" }));
  const tickers = COINS.map((coin) => ({ symbol: `${coin}/KRW`, last: text(LAST) }) as never);
  const positions = positionsOf({ balances: shown }, freshCosts(ledgerOf(fills), method, span), {
    tickers,
    unit: "KRW",
  });
  return COINS.map((coin) => {
    const position = positions.find(({ asset }) => asset === coin);
    const balance = balances.get(coin) ?? 0n;
    const naive = naiveAsset(fills, coin, { balance, last: LAST, method, ...span });
    return {
      product: position && {
        costed: krw(position.costed),
        uncosted: krw(position.uncosted),
        cost: krw(position.cost),
        unrealized: krw(position.unrealized) ?? "0",
        realized: krw(position.realized),
        fees: krw(position.fees),
        whole: krw(position.costed.plus(position.uncosted)),
      },
      naive: {
        costed: text(naive.costed),
        uncosted: text(naive.uncosted),
        cost: written(naive.cost),
        unrealized: written(naive.unrealized),
        realized: written(naive.realized),
        fees: written(naive.fees),
        whole: text(balance),
      },
    };
  });
}

/** Small, fast and seeded; not money. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe("against a naive model", () => {
  it.each(METHODS)("agrees on every short history of fills, deposits and withdrawals: %s", (method) => {
    const span = fc.record({ fromMs: fc.nat(40_000), toMs: fc.nat(60_000) });
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 40 }), span, (seed, count, period) => {
        for (const { product, naive } of bothViews(randomHistory(generator(seed), count), method, period))
          expect(product ?? naive).toEqual(naive);
      }),
      { numRuns: 500 },
    );
  });

  it.each(METHODS)(
    "agrees over 10 000 fills, deposits and withdrawals: %s",
    (method) => {
      const seed = Number(process.env["HOGA_TEST_SEED"]);
      const history = randomHistory(generator(seed), 10_000);
      for (const span of [ALL, { fromMs: 3_000_000, toMs: 7_000_000 }])
        for (const { product, naive } of bothViews(history, method, span))
          expect(product, `seed ${seed}`).toEqual(naive);
    },
    60_000,
  );

  it("explains every balance: what the fills moved, and what came and went without one", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const { fills, moved, balances } = randomHistory(generator(seed), 60);
        const held = [...balances].map(([asset, total]) => ({
          asset,
          total: text(total),
          available: "0",
          locked: "0",
        }));
        const positions = positionsOf({ balances: held }, freshCosts(ledgerOf(fills), "average", ALL), {
          tickers: [],
          unit: "KRW",
        });
        for (const { asset, costed, uncosted, uncostedSold } of positions.filter(({ asset }) => asset !== "KRW")) {
          expect(krw(costed.plus(uncosted))).toBe(text(balances.get(asset) ?? 0n));
          // Without a deposit nothing is without a cost, and nothing was sold that was not bought.
          if (!moved.has(asset)) expect([krw(uncosted), krw(uncostedSold)]).toEqual(["0", "0"]);
        }
      }),
      { numRuns: 300 },
    );
  });
});
