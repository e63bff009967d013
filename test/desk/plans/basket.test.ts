import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Market } from "../../../src/contract/index.ts";
import { Fraction, price, quantity } from "../../../src/decimal/index.ts";
import type { IntentRecord } from "../../../src/desk/index.ts";
import type { RebalanceTerms } from "../../../src/desk/model/plan.ts";
import { basketAct } from "../../../src/desk/plans/running/basket-order.ts";
import { type BasketAsset, type BasketFacts, basketOf } from "../../../src/desk/plans/terms/basket.ts";
import { MARKET } from "./plan-facts.ts";

const ASSETS = ["BTC", "ETH", "XRP", "ADA"] as const;
const [ZERO, ONE] = [Fraction.ZERO, Fraction.of("1")];
const FEE = Fraction.of("0.0005");

interface Drawn {
  readonly mids: readonly bigint[];
  readonly coins: readonly bigint[];
  readonly locked: readonly number[];
  readonly cash: number;
  readonly parts: readonly number[];
  readonly namesCash: boolean;
}

const DRAWN: fc.Arbitrary<Drawn> = fc.record({
  mids: fc.array(fc.bigInt({ min: 100n, max: 200_000_000n }), { minLength: 4, maxLength: 4 }),
  coins: fc.array(fc.bigInt({ min: 0n, max: 10n ** 11n }), { minLength: 4, maxLength: 4 }),
  locked: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 4, maxLength: 4 }),
  cash: fc.integer({ min: 0, max: 1_000_000_000 }),
  parts: fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 5, maxLength: 5 }),
  namesCash: fc.boolean(),
});

function marketOf(asset: string): Market {
  const own = {
    symbol: `${asset}/KRW`,
    base: asset,
    min_notional: "5000",
    min_volume: "0.00000001",
    volume_decimals: 8,
  };
  return { ...MARKET, ...own, maker_fee_rate: "0.0005", taker_fee_rate: "0.0005" };
}

/** Coins in steps of a hundred-millionth. */
function coinsText(steps: bigint): string {
  return Fraction.of(String(steps)).share(ONE, Fraction.of("100000000")).rounded(8, "down");
}

function factsOf({ mids, coins, locked, cash }: Drawn, hasLocked: boolean): BasketFacts {
  const assets = ASSETS.map((asset, index): BasketAsset => {
    const [mid, held] = [String(mids[index]), coins[index] ?? 0n];
    const free = hasLocked ? (held * BigInt(100 - (locked[index] ?? 0))) / 100n : held;
    const quotes = { bid: price(mid), ask: price(mid) };
    return {
      asset,
      market: marketOf(asset),
      quotes,
      available: quantity(coinsText(free)),
      held: quantity(coinsText(held)),
    };
  });
  return { quote: "KRW", cash: quantity(String(cash)), assets };
}

/** Whole percents whose sum is a hundred. */
function weightsOf({ parts, namesCash }: Drawn): Readonly<Record<string, string>> {
  const names = namesCash ? [...ASSETS, "KRW"] : [...ASSETS];
  const all = parts.slice(0, names.length).reduce((sum, part) => sum + part, 0);
  const each = names.map((_, index) => (all === 0 ? 0 : Math.floor((100 * (parts[index] ?? 0)) / all)));
  const rest = 100 - each.reduce((sum, part) => sum + part, 0);
  return Object.fromEntries(names.map((name, index) => [name, String((each[index] ?? 0) + (index === 0 ? rest : 0))]));
}

interface Played {
  readonly coins: ReadonlyMap<string, Fraction>;
  readonly cash: Fraction;
  /** By sells, behind their fees. */
  readonly brought: Fraction;
  /** The least that either was on the way. */
  readonly least: Fraction;
}

/** Plays the steps against a market that fills each at its price, `worse` percent below for sells. */
function play(terms: RebalanceTerms, facts: BasketFacts, worse = 0): Played {
  const coins = new Map(facts.assets.map(({ asset, available }) => [asset, Fraction.of(available.toString())]));
  let cash = Fraction.of(facts.cash.toString());
  let [least, brought] = [ZERO, ZERO];
  const children: IntentRecord[] = [];
  const note = (now: Fraction): void => {
    if (now.cmp(least) < 0) least = now;
  };
  for (const [index, { side }] of terms.orders.entries()) {
    const own = facts.assets.find(({ market }) => market.symbol === terms.orders[index]?.symbol);
    if (own === undefined) throw new Error("no such market");
    const { asset, market, quotes } = own;
    const available = side === "sell" ? (coins.get(asset) ?? ZERO).rounded(8, "down") : cash.rounded(8, "down");
    const act = basketAct(terms, { step: index + 1 }, { market, available, children, feeOf: () => "0.0005" });
    if ("nothing" in act) continue;
    const at = Fraction.of(quotes.bid?.toString() ?? "0")
      .times(Fraction.of(String(100 - worse)))
      .share(ONE, Fraction.of("100"));
    const { volume, amount } = act.order;
    const value = volume === undefined ? Fraction.of(amount ?? "0") : Fraction.of(volume).times(at);
    const fee = value.times(FEE);
    const traded = volume === undefined ? value.share(ONE, at) : Fraction.of(volume);
    coins.set(
      asset,
      side === "sell" ? (coins.get(asset) ?? ZERO).minus(traded) : (coins.get(asset) ?? ZERO).plus(traded),
    );
    cash = side === "sell" ? cash.plus(value).minus(fee) : cash.minus(value).minus(fee);
    if (side === "sell") brought = brought.plus(value).minus(fee);
    note(coins.get(asset) ?? ZERO);
    note(cash);
    const seen = { side, executed_value: value.rounded(8, "down"), fee: fee.rounded(8, "up"), fee_currency: "KRW" };
    children.push({ body: { order: { side }, seen } } as unknown as IntentRecord);
  }
  return { coins, cash, brought, least };
}

function termsOf(drawn: Drawn, facts: BasketFacts): RebalanceTerms {
  const weights = weightsOf(drawn);
  const made = basketOf(weights, facts);
  if (made === undefined) throw new Error("a coin has no price");
  return { kind: "rebalance", weights, quote: "KRW", ...made };
}

describe("a basket, whatever is held and whatever the shares are", () => {
  it("sells no more than is free, and spends no more than there is, also where the sells bring less", () => {
    fc.assert(
      fc.property(DRAWN, fc.integer({ min: 0, max: 60 }), (drawn, worse) => {
        const facts = factsOf(drawn, true);
        const terms = termsOf(drawn, facts);
        expect(play(terms, facts, worse).least.isNegative()).toBe(false);
        const { orders, left } = terms;
        expect(new Set(orders.map(({ symbol }) => symbol)).size).toBe(orders.length);
        const sides = orders.map(({ side }) => side);
        expect(sides).toEqual([...sides].sort().reverse());
        expect(new Set(left.map(({ asset }) => asset)).size).toBe(left.length);
      }),
    );
  });

  it("leaves the cash alone that is not named, or that is to stay, also where the sells bring less", () => {
    fc.assert(
      fc.property(DRAWN, fc.integer({ min: 0, max: 60 }), (drawn, worse) => {
        const facts = factsOf(drawn, true);
        const terms = termsOf(drawn, facts);
        const { cash, brought } = play(terms, facts, worse);
        const [toCash, fromCash] = [Fraction.of(terms.toCash), Fraction.of(terms.fromCash)];
        const stays = brought.cmp(toCash) < 0 ? brought : toCash;
        // A hundred-millionth of a won for each order, as figures are told.
        const dust = Fraction.of("0.00000010");
        const least = Fraction.of(facts.cash.toString()).plus(stays);
        expect(cash.plus(dust).plus(fromCash).cmp(least) >= 0).toBe(true);
        expect(drawn.namesCash || fromCash.isZero()).toBe(true);
      }),
    );
  });

  it("ends within a step, the minimum of its markets and the fees of its shares, where all fills at the book", () => {
    fc.assert(
      fc.property(DRAWN, (drawn) => {
        const facts = factsOf(drawn, false);
        const terms = termsOf(drawn, facts);
        const named = drawn.namesCash ? Fraction.of(facts.cash.toString()) : ZERO;
        const worth = (coins: ReadonlyMap<string, Fraction>, asset: string): Fraction => {
          const own = facts.assets.find((each) => each.asset === asset);
          return (coins.get(asset) ?? ZERO).times(Fraction.of(own?.quotes.bid?.toString() ?? "0"));
        };
        const before = new Map(facts.assets.map(({ asset, available }) => [asset, Fraction.of(available.toString())]));
        const total = ASSETS.reduce((sum, asset) => sum.plus(worth(before, asset)), named);
        const { coins } = play(terms, facts);
        // Fees of all that is traded twice over, a step of the dearest coin and a won each, and what is too small to be traded.
        const steps = Fraction.of("20");
        const small = Fraction.of("5000").times(Fraction.of("5"));
        const tolerance = total.times(FEE).times(Fraction.of("4")).plus(steps).plus(small);
        for (const asset of ASSETS) {
          const share = total.times(Fraction.of(terms.weights[asset] ?? "0")).share(ONE, Fraction.of("100"));
          const off = worth(coins, asset).minus(share);
          expect((off.isNegative() ? ZERO.minus(off) : off).cmp(tolerance) <= 0).toBe(true);
        }
      }),
    );
  });

  it("makes nothing where a coin has no price, and leaves one that nobody buys", () => {
    const drawn: Drawn = {
      ...{ mids: [1_000n, 1_000n, 1_000n, 1_000n], coins: [10n ** 10n, 0n, 0n, 0n], locked: [0, 0, 0, 0] },
      ...{ cash: 0, parts: [0, 1, 0, 0, 0], namesCash: false },
    };
    const facts = factsOf(drawn, false);
    const [first, ...others] = facts.assets;
    if (first === undefined) throw new Error("no coin");
    const without = (quotes: BasketAsset["quotes"]) => ({ ...facts, assets: [{ ...first, quotes }, ...others] });
    expect(basketOf({ BTC: "0", ETH: "100" }, without({ bid: undefined, ask: undefined }))).toBeUndefined();
    const left = basketOf({ BTC: "0", ETH: "100" }, without({ bid: undefined, ask: price("1000") }));
    expect(left).toMatchObject({
      orders: [],
      left: [
        { asset: "BTC", why: "halted" },
        { asset: "ETH", why: "small" },
      ],
    });
  });
});
