/**
 * The orders that bring assets to their shares: pure arithmetic over what is held and what the markets show.
 *
 * Invariants: no more is sold than is free, and the buys cost no more, with their fees, than the sells are to bring and the cash that is free; an asset that is
 * not named is neither sold nor counted, nor is the quote currency where it is not; what cannot be traded stays, and is named.
 *
 * Source: decision 0123.
 */
import { amountDecimals, type Market } from "../../../contract/index.ts";
import { Fraction, type Price, type Quantity, quantity } from "../../../decimal/index.ts";
import type { Quotes } from "../../market/order-value.ts";
import type { BasketLeft, BasketOrder, RebalanceTerms } from "../../model/plan.ts";
import { largerFee, leastAmount, leastVolume } from "../../risk/order-proposals.ts";

/** A coin of a basket, as its market and the account have it. */
export interface BasketAsset {
  readonly asset: string;
  readonly market: Market;
  /** Best prices of others. */
  readonly quotes: Pick<Quotes, "bid" | "ask">;
  /** What is free, and that with what is in open orders. */
  readonly available: Quantity;
  readonly held: Quantity;
}

export interface BasketFacts {
  readonly quote: string;
  /** Of the quote currency: what is free. */
  readonly cash: Quantity;
  readonly assets: readonly BasketAsset[];
}

type Basket = Pick<RebalanceTerms, "orders" | "fromCash" | "toCash" | "left">;

const ZERO = Fraction.ZERO;
const ONE = Fraction.of("1");
const HALF = Fraction.of("0.5");
const HUNDRED = Fraction.of("100");

/** A coin with what it is worth, and what it would be at its share. */
interface Valued {
  readonly of: BasketAsset;
  readonly mid: Fraction;
  /** Worth less its share: negative where it is under it. */
  readonly over: Fraction;
}

/**
 * @param weights percent without its sign, by asset
 * @returns undefined where a coin has no price
 */
export function basketOf(weights: RebalanceTerms["weights"], facts: BasketFacts): Basket | undefined {
  const { quote, cash } = facts;
  const priced: { readonly of: BasketAsset; readonly mid: Fraction }[] = [];
  for (const of of facts.assets) {
    const mid = midOf(of.quotes);
    if (mid === undefined) return undefined;
    priced.push({ of, mid });
  }
  const ofQuote = weights[quote];
  const own = ofQuote === undefined ? ZERO : fractionOf(cash);
  const total = priced.reduce((sum, { of, mid }) => sum.plus(fractionOf(of.held).times(mid)), own);
  const shareOf = (percent = "0"): Fraction => total.times(Fraction.of(percent)).share(ONE, HUNDRED);
  const valued = priced.map(({ of, mid }): Valued => {
    const over = fractionOf(of.held).times(mid).minus(shareOf(weights[of.asset]));
    return { of, mid, over };
  });
  const left: BasketLeft[] = [];
  const sells = valued.flatMap((each) => sellOf(each, left));
  const brought = sells.reduce((sum, { brings }) => sum.plus(brings), ZERO);
  // Where the quote currency is not named, no more is bought than sells bring.
  const spare = ofQuote === undefined ? ZERO : own.minus(shareOf(ofQuote));
  const buys = buysOf(valued, brought.plus(spare), quote, left);
  const cost = buys.reduce((sum, { costs }) => sum.plus(costs), ZERO);
  const [more, less] = [cost.minus(brought), brought.minus(cost)];
  const decimals = amountDecimals(quote);
  return {
    orders: [...sells, ...buys].map(({ order }) => order),
    fromCash: more.cmp(ZERO) > 0 ? more.rounded(decimals, "up") : "0",
    toCash: less.cmp(ZERO) > 0 ? less.rounded(decimals, "down") : "0",
    left,
  };
}

interface Sell {
  readonly order: BasketOrder;
  /** What is left of it behind the fee, at the best bid. */
  readonly brings: Fraction;
}

function sellOf({ of, mid, over }: Valued, left: BasketLeft[]): readonly Sell[] {
  const { asset, market, quotes, available } = of;
  if (over.cmp(ZERO) <= 0) return [];
  const leave = (why: BasketLeft["why"]): readonly Sell[] => {
    left.push({ asset, why });
    return [];
  };
  const { bid } = quotes;
  const wanted = quantity(over.share(ONE, mid).rounded(market.volume_decimals, "down"));
  if (wanted.isZero()) return [];
  if (market.status !== "trading" || bid === undefined) return leave("halted");
  const least = leastVolume(market, bid);
  if (wanted.lt(least)) return leave("small");
  const free = quantity(fractionOf(available).rounded(market.volume_decimals, "down"));
  if (free.lt(least)) return leave("locked");
  const volume = free.lt(wanted) ? free : wanted;
  if (free.lt(wanted)) left.push({ asset, why: "locked" });
  const value = fractionOf(volume).times(fractionOf(bid));
  const about = value.rounded(amountDecimals(market.quote), "down");
  return [
    {
      order: { symbol: market.symbol, side: "sell", size: { volume: volume.toString() }, value: about },
      brings: value.times(ONE.minus(fractionOf(largerFee(market)))),
    },
  ];
}

interface Buy {
  readonly order: BasketOrder;
  /** With its fee. */
  readonly costs: Fraction;
}

/** What is under its share, each less by the same where there is too little for all of it. */
function buysOf(valued: readonly Valued[], budget: Fraction, quote: string, left: BasketLeft[]): readonly Buy[] {
  const decimals = amountDecimals(quote);
  const under = valued.filter(({ over, of }) => over.isNegative() && canBuy(of, left));
  const whole = under.reduce((sum, { over, of }) => sum.plus(costOf(ZERO.minus(over), of.market)), ZERO);
  const short = budget.cmp(whole) < 0;
  return under.flatMap(({ over, of: { asset, market, quotes } }) => {
    const wanted = ZERO.minus(over);
    if (Fraction.of(wanted.rounded(decimals, "down")).isZero()) return [];
    const within = short ? (budget.cmp(ZERO) > 0 ? wanted.share(budget, whole) : ZERO) : wanted;
    const amount = within.rounded(decimals, "down");
    const sum = Fraction.of(amount);
    if (sum.cmp(fractionOf(leastAmount(market, quotes.ask))) < 0 || sum.isZero()) {
      left.push({ asset, why: "small" });
      return [];
    }
    const order = { symbol: market.symbol, side: "buy", size: { quoteAmount: amount }, value: amount } as const;
    return [{ order, costs: costOf(sum, market) }];
  });
}

function canBuy({ asset, market, quotes: { ask } }: BasketAsset, left: BasketLeft[]): boolean {
  if (market.status === "trading" && ask !== undefined) return true;
  left.push({ asset, why: "halted" });
  return false;
}

function costOf(sum: Fraction, market: Market): Fraction {
  return sum.times(ONE.plus(fractionOf(largerFee(market))));
}

function midOf({ bid, ask }: BasketAsset["quotes"]): Fraction | undefined {
  const [best, worst] = [bid ?? ask, ask ?? bid];
  return best && worst && fractionOf(best).plus(fractionOf(worst)).times(HALF);
}

function fractionOf(exact: Price | Quantity | { toString(): string }): Fraction {
  return Fraction.of(exact.toString());
}
