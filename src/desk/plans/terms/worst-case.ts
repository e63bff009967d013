/**
 * What a plan comes to at worst: over its life, step by step, and within any 24 hours; and the bounds that a person approves with it.
 *
 * Invariants: a step counts for what its order will count for, without the fee, rounded up; the worst case that a person reads has the fee of a buy in it; a
 * buy is bounded by value and a sell by coins and the lowest price, as a higher one is no harm.
 *
 * Source: decision 0106; decision 0007.
 */
import { amountDecimals, canonicalDigest, type Market, type Unit } from "../../../contract/index.ts";
import {
  inUnit,
  max,
  notional,
  notionalOf,
  type Price,
  price,
  type Quantity,
  quantity,
  quantityFor,
  rate,
  type Value,
} from "../../../decimal/index.ts";
import type { Quotes } from "../../market/order-value.ts";
import { counted, DAY_MS, MONEY_LIMITS, stepOf } from "../../model/account-usage.ts";
import {
  isAfterBuy,
  isProtection,
  type PlanBounds,
  type PlanLeg,
  type PlanTerms,
  type ProtectionTerms,
  type RebalanceTerms,
  type RecurringTerms,
  type SlicesTerms,
} from "../../model/plan.ts";
import type { PlanRules, Policy } from "../../model/policy.ts";
import { largerFee } from "../../risk/order-proposals.ts";
import type { BasketFacts } from "./basket.ts";
import { lowestPriceOf } from "./protection-levels.ts";
import { parseSchedule, turnsOf } from "./schedule.ts";
import { piecesOf } from "./slicing.ts";

/** What may become one order, before it is recorded. */
export interface PlannedStep {
  /** From 1 on. */
  readonly step: number;
  /** Of a turn: its local date. */
  readonly label?: string;
  /** Unix milliseconds of the exchange's clock. */
  readonly dueAtMs: number;
  /** Plain decimal text: of the quote currency when it buys, coins when it sells. */
  readonly size: string;
  /** What its order counts for, in the unit of account. */
  readonly worstValue: Value;
}

export interface WorstCase {
  /** Over the plan's life, fee in. Of a protection: its coins at the book. */
  readonly value: Value;
  /** None of a protection or an alert: theirs are not planned. */
  readonly steps: readonly PlannedStep[];
  /** The most that steps of any 24 hours count for together, both ends included. */
  readonly busiestDay: Value;
  /** Of a protection: the lowest price that it sells at, and what all of it brings there, before fees. */
  readonly atLeast?: { readonly price: Price; readonly value: string };
  /** Of a basket: what of the value is bought, which is held against the limit of a plan. */
  readonly bought?: Value;
}

export interface WorstCaseFacts {
  /** Undefined of an alert alone. */
  readonly market: Market | undefined;
  /** Best prices of others. */
  readonly quotes: Pick<Quotes, "bid" | "ask">;
  readonly unit: Unit;
  readonly rules: Pick<PlanRules, "protectiveFloor">;
  /** When slices begin and turns are counted from. Unix milliseconds of the exchange's clock. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** Of a basket: its markets. */
  readonly basket?: Pick<BasketFacts, "assets"> | undefined;
}

const NOTHING = inUnit("0");
const ONE = rate("1");
const HALF = rate("0.5");

/** @returns undefined where no price of the market is known that the coins could be valued by */
export function worstCase(terms: PlanTerms, facts: WorstCaseFacts): WorstCase | undefined {
  const { market } = facts;
  if (terms.kind === "rebalance") return basketCase(terms, facts);
  if (terms.kind === "alert" || market === undefined) return { value: NOTHING, steps: [], busiestDay: NOTHING };
  const ofMarket = { ...facts, market };
  if (isProtection(terms)) return protectionCase(terms, ofMarket);
  const steps = stepsOf(terms, ofMarket);
  if (steps === undefined) return undefined;
  const fee = ONE.plus(largerFee(market));
  const costs = steps.map(({ size, worstValue }) =>
    terms.side === "buy" ? counted(notional(size).scale(fee), facts.unit) : worstValue,
  );
  const value = costs.reduce((all, each) => all.plus(each), NOTHING);
  return { value, steps, busiestDay: busiestDay(steps) };
}

/** All that it may sell, at the book as it is now, and all that it may buy. */
function basketCase(
  { orders }: RebalanceTerms,
  { basket, unit, fromMs }: Pick<WorstCaseFacts, "basket" | "unit" | "fromMs">,
): WorstCase | undefined {
  const steps: PlannedStep[] = [];
  let [sold, bought] = [NOTHING, NOTHING];
  for (const [index, { symbol, side, size }] of orders.entries()) {
    const own = basket?.assets.find(({ market }) => market.symbol === symbol);
    const at = own && bookPrice(own.quotes);
    const worst = "quoteAmount" in size ? notional(size.quoteAmount) : at && notionalOf(at, quantity(size.volume));
    if (own === undefined || worst === undefined) return undefined;
    const worstValue = counted(worst, unit);
    const named = { step: index + 1, label: `${side} ${symbol}`, dueAtMs: fromMs };
    steps.push({ ...named, size: "quoteAmount" in size ? size.quoteAmount : size.volume, worstValue });
    if (side === "sell") sold = sold.plus(worstValue);
    else bought = bought.plus(counted(worst.scale(ONE.plus(largerFee(own.market))), unit));
  }
  return { value: sold.plus(bought), bought, steps, busiestDay: busiestDay(steps) };
}

type MarketFacts = WorstCaseFacts & { readonly market: Market };

function protectionCase(terms: ProtectionTerms, facts: MarketFacts): WorstCase | undefined {
  const volume = quantity(terms.volume);
  const [at, lowest] = pricesOf(terms, facts);
  if (at === undefined || lowest === undefined) return undefined;
  const { unit, market } = facts;
  return { ...coinsAt({ at, lowest, volume, unit, quote: market.quote }), steps: [], busiestDay: NOTHING };
}

/** What coins are worth, and what they bring at the lowest price. */
export function coinsAt({ at, lowest, volume, unit, quote }: CoinsFacts) {
  return {
    value: counted(notionalOf(at, volume), unit),
    atLeast: { price: lowest, value: broughtAtLeast(lowest, volume, quote) },
  };
}

interface CoinsFacts {
  readonly at: Price;
  readonly lowest: Price;
  readonly volume: Quantity;
  readonly unit: Unit;
  readonly quote: string;
}

/** What the coins are worth, and the lowest that they are sold at. Of one that begins with a buy both are by what that may execute at. */
function pricesOf(terms: ProtectionTerms, { market, quotes, rules }: MarketFacts) {
  if (isAfterBuy(terms)) return [price(terms.after.price), price(terms.after.priceMin)] as const;
  return [bookPrice(quotes), lowestPriceOf(terms, market, quotes.bid, rules)] as const;
}

/** Rounded down, as up it could say more than is got. */
function broughtAtLeast(at: Price, volume: Quantity, quote: string): string {
  return quantityFor(notionalOf(at, volume), price("1"), amountDecimals(quote), "down").toString();
}

/** As a sell is counted: at the best of the bid and the middle. */
function bookPrice({ bid, ask }: WorstCaseFacts["quotes"]): Price | undefined {
  if (bid === undefined || ask === undefined) return bid;
  return max(bid, bid.plus(ask).scale(HALF));
}

function stepsOf(terms: RecurringTerms | SlicesTerms, facts: MarketFacts): readonly PlannedStep[] | undefined {
  const { fromMs, untilMs, market } = facts;
  const due =
    terms.kind === "slices"
      ? piecesOf("quoteAmount" in terms.size ? terms.size.quoteAmount : terms.size.volume, {
          count: terms.count,
          decimals: "quoteAmount" in terms.size ? amountDecimals(market.quote) : market.volume_decimals,
          fromMs,
          durationMs: terms.durationMs,
        })
      : turnSteps(terms, fromMs, untilMs);
  const steps: PlannedStep[] = [];
  for (const each of due) {
    const worstValue = stepValue(terms, each.size, facts);
    if (worstValue === undefined) return undefined;
    steps.push({ ...each, worstValue });
  }
  return steps;
}

function turnSteps({ schedule, timezone, size }: RecurringTerms, fromMs: number, untilMs: number) {
  const parsed = parseSchedule(schedule);
  const turns = parsed === undefined ? [] : turnsOf(parsed, { timeZone: timezone, afterMs: fromMs, untilMs });
  const each = "quoteAmount" in size ? size.quoteAmount : size.volume;
  return turns.map(({ label, dueAtMs }, index) => ({ step: index + 1, label, dueAtMs, size: each }));
}

function stepValue(
  { size, limitPrice }: RecurringTerms | SlicesTerms,
  each: string,
  { quotes, unit }: MarketFacts,
): Value | undefined {
  if ("quoteAmount" in size) return counted(notional(each), unit);
  const known = [bookPrice(quotes), limitPrice === undefined ? undefined : price(limitPrice)];
  const [first, ...others] = known.filter((at) => at !== undefined);
  return first && counted(notionalOf(others.reduce(max, first), quantity(each)), unit);
}

/** @param steps the earliest first */
export function busiestDay(steps: readonly Pick<PlannedStep, "dueAtMs" | "worstValue">[]): Value {
  let [most, within, from] = [NOTHING, NOTHING, 0];
  for (const { dueAtMs, worstValue } of steps) {
    within = within.plus(worstValue);
    for (let first = steps[from]; first !== undefined && dueAtMs - first.dueAtMs > DAY_MS; first = steps[from]) {
      within = within.minus(first.worstValue);
      from++;
    }
    most = max(most, within);
  }
  return most;
}

/** The step is told in four digits of its order's userref. */
const STEPS_MAX = 9_999;
const TWICE = rate("2");

export interface BoundsFacts extends WorstCaseFacts {
  readonly account: string;
  readonly environment: string;
}

/**
 * The bounds of a plan's mandate.
 * @returns undefined of an alert, which trades never, and where the book does not tell where a trailing stop begins
 */
export function boundsOfTerms(terms: PlanTerms, worst: WorstCase, facts: BoundsFacts): PlanBounds | undefined {
  const { market, account, environment, untilMs, unit } = facts;
  if (terms.kind === "rebalance") {
    const legs = terms.orders.map(({ symbol, side, size }): PlanLeg => {
      const bound =
        "volume" in size
          ? { volumeMax: size.volume }
          : { valueMax: counted(notional(size.quoteAmount), unit).toString() };
      return { symbol, side, ...bound };
    });
    return { account, environment, untilMs, legs, stepsMax: legs.length, over: [] };
  }
  if (terms.kind === "alert" || market === undefined) return undefined;
  const of = { account, environment, symbol: terms.symbol, untilMs };
  if (isProtection(terms)) {
    const priceMin = worst.atLeast?.price.toString();
    const sells = { side: "sell", stepsMax: STEPS_MAX, volumeMax: terms.volume, over: MONEY_LIMITS } as const;
    return priceMin === undefined ? undefined : { ...of, ...sells, priceMin };
  }
  const { side, limitPrice } = terms;
  const dated = { ...of, side, stepsMax: worst.steps.length, over: [] };
  if (side === "sell") {
    const volumeMax = sumOf(worst.steps.map(({ size }) => size));
    return { ...dated, volumeMax, ...(limitPrice === undefined ? {} : { priceMin: limitPrice }) };
  }
  const largest = worst.steps.reduce((most, { worstValue }) => max(most, worstValue), NOTHING);
  // What a piece with a limit could not fill goes to the next one.
  const stepMax = terms.kind === "slices" && limitPrice !== undefined ? largest.scale(TWICE) : largest;
  const valueMax = worst.steps.reduce((sum, { worstValue }) => sum.plus(worstValue), NOTHING);
  return {
    ...dated,
    valueMax: valueMax.toString(),
    stepValueMax: stepMax.toString(),
    ...(limitPrice === undefined ? {} : { priceMax: limitPrice }),
  };
}

function sumOf(sizes: readonly string[]): string {
  return sizes.reduce((sum, size) => sum.plus(quantity(size)), quantity("0")).toString();
}

/** Tells whether the worst case has grown by more than an approval may drift. Both are rounded up to the unit's step; it may fall. */
export function hasGrown(
  asked: Value,
  now: Value,
  { approvalDrift, unit }: Pick<Policy, "approvalDrift" | "unit">,
): boolean {
  return now.gt(asked.plus(asked.scale(approvalDrift)).plus(stepOf(unit)));
}

/** What a person approves of a plan. */
export interface PlanQuestion {
  readonly planId: string;
  readonly terms: PlanTerms;
  readonly bounds: PlanBounds;
  readonly replaces: string | null;
  /** Best prices of others when it was asked for; null where nobody was. */
  readonly priceSeen: { readonly bid: string | null; readonly ask: string | null };
  /** In the unit of account. */
  readonly worstValue: string;
  readonly unit: Unit;
  /** Of a protection. */
  readonly slippagePct?: string;
  readonly warnings: readonly string[];
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
}

/** Covers every field of the question: a plan that differs in any has another. SHA-256, hex. */
export function planDigest({ planId, terms, bounds, replaces, ...shown }: PlanQuestion): string {
  const { priceSeen, worstValue, unit, slippagePct = null, warnings, askedAtMs, expiresAtMs } = shown;
  return canonicalDigest({
    ...{ planId, terms, bounds, replaces, priceSeen, worstValue, unit, slippagePct, warnings, askedAtMs, expiresAtMs },
  });
}
