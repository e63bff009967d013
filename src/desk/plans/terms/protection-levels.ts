/**
 * What a protection waits for and what it never sells below, as its terms and the high of the market have them at a moment.
 *
 * Invariant: a floor that nobody gave follows its trigger, as far below as the file says, and is never below the lowest price that was approved.
 *
 * Source: decision 0106.
 */
import type { Market } from "../../../contract/index.ts";
import { max, type Price, price } from "../../../decimal/index.ts";
import type { Quotes } from "../../market/order-value.ts";
import type { ProtectionTerms, Trail } from "../../model/plan.ts";
import type { PlanRules } from "../../model/policy.ts";
import { tickBandsOf } from "../../risk/order-proposals.ts";
import { lowestFloor, tickAbove, tickBelow, trailingTrigger } from "./levels.ts";

/** Absent where the protection has no such leg, or its trail begins nowhere yet. */
export interface ProtectionLevels {
  /** It sells when the market is here or below. */
  readonly stop?: Price;
  /** It sells when the market is here or above. */
  readonly take?: Price;
}

/** The legs of a protection: a stop at a price or behind the market, a price to take. */
export interface ProtectionLegs {
  readonly stop?: { readonly price: Price } | { readonly trail: Trail };
  readonly take?: Price;
}

export function legsOf(terms: ProtectionTerms): ProtectionLegs {
  const take = "takePrice" in terms ? { take: price(terms.takePrice) } : {};
  if (terms.kind === "take_profit") return take;
  const fall = terms.kind === "oco" ? terms.stop : terms;
  return { ...take, stop: "stopPrice" in fall ? { price: price(fall.stopPrice) } : { trail: fall.trail } };
}

/** Tells whether it follows the highest price of its market. */
export function trails(terms: ProtectionTerms): boolean {
  const { stop } = legsOf(terms);
  return stop !== undefined && "trail" in stop;
}

/** @param market undefined where it cannot be had @param high that a trailing stop follows; undefined where none is known */
export function levelsOf(
  terms: ProtectionTerms,
  market: Market | undefined,
  high: Price | undefined,
): ProtectionLevels {
  const { stop, ...take } = legsOf(terms);
  if (stop === undefined) return take;
  if ("price" in stop) return { ...take, stop: stop.price };
  if (high === undefined || market === undefined) return take;
  return { ...take, stop: trailingTrigger(tickBandsOf(market), high, stop.trail) };
}

/** Tells whether the market is at a trigger now, so that an order is what is wanted. A side without others tells nothing, and counts as reached. */
export function isReached(terms: ProtectionTerms, market: Market, { bid, ask }: Pick<Quotes, "bid" | "ask">): boolean {
  const bands = tickBandsOf(market);
  const { stop, take } = levelsOf(terms, market, bid);
  const fallen = terms.kind !== "take_profit" && (bid === undefined || stop?.lte(tickBelow(bands, bid)) !== true);
  return fallen || (take !== undefined && (ask === undefined || take.lt(tickAbove(bands, ask))));
}

/** What the terms themselves say: the price of a take, the limit of a stop that rests, a floor that was given. */
function givenFloor(terms: ProtectionTerms): Price | undefined {
  if (terms.kind === "take_profit") return price(terms.takePrice);
  if (terms.kind === "stop" && terms.limitPrice !== undefined) return price(terms.limitPrice);
  return terms.floorPrice === undefined ? undefined : price(terms.floorPrice);
}

/**
 * What the leg that sells downward does not sell below now.
 * @param trigger of now
 * @param priceMin of the mandate
 */
export function floorNow(
  terms: ProtectionTerms,
  trigger: Price,
  { market, rules, priceMin }: { market: Market; rules: Pick<PlanRules, "protectiveFloor">; priceMin: Price },
): Price {
  const follows = (): Price => lowestFloor(tickBandsOf(market), trigger, rules.protectiveFloor);
  return max(givenFloor(terms) ?? follows(), priceMin);
}

/**
 * Where a stop would trigger, and its floor, where that lies no lower: then nobody buys at its price any more when it triggers. Undefined where it may sell.
 * @param high that a trailing stop follows
 */
export function stopInVain(
  terms: ProtectionTerms,
  high: Price | undefined,
  facts: Parameters<typeof floorNow>[2],
): { readonly trigger: Price; readonly floor: Price } | undefined {
  const { stop: trigger } = levelsOf(terms, facts.market, high);
  // The limit of a stop that rests may be its very price.
  if (trigger === undefined || (terms.kind === "stop" && terms.limitPrice !== undefined)) return undefined;
  const floor = floorNow(terms, trigger, facts);
  return floor.lt(trigger) ? undefined : { trigger, floor };
}

/**
 * The lowest price that a protection ever sells at. A trailing stop's floor follows its trigger, which never falls, so the first is the lowest.
 * @returns undefined where the book does not tell where a trailing stop begins
 */
export function lowestPriceOf(
  terms: ProtectionTerms,
  market: Market,
  bid: Price | undefined,
  { protectiveFloor }: Pick<PlanRules, "protectiveFloor">,
): Price | undefined {
  const { stop } = levelsOf(terms, market, bid);
  return givenFloor(terms) ?? (stop && lowestFloor(tickBandsOf(market), stop, protectiveFloor));
}
