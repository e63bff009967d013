/**
 * The terms of what sells at a trigger: stop, take-profit, trailing stop, and one cancels the other.
 *
 * Invariants: a trigger lies beyond the market by a tick at least when the plan is made; a floor lies below its trigger, and no further than the file says; a
 * stop's limit is its floor.
 *
 * Source: decision 0106.
 */
import {
  formatAmount,
  formatPercent,
  isOnStep,
  isOnTick,
  isShare,
  PLAIN_DECIMAL,
  type Price,
  parsePrice,
  parseQuantity,
  parseShare,
  price,
  type Quantity,
  rate,
  roundToStep,
  roundToTick,
} from "../../../decimal/index.ts";
import type { OcoTerms, ProtectionTerms, StopTerms, Trail } from "../../model/plan.ts";
import type { PlanRequest } from "../../model/plan-report.ts";
import { leastVolume, tickBandsOf } from "../../risk/order-proposals.ts";
import { lowestSell } from "../../risk/protective-sell.ts";
import type { Level } from "../watch/trigger.ts";
import {
  apart,
  levelAbove,
  levelBelow,
  lowestFloor,
  medianRange,
  ordinaryMove,
  shareOf,
  tickAbove,
  tickBelow,
  trailingTrigger,
} from "./levels.ts";
import { type KindTerms, type MarketFacts, type PlanField, planLine, type Reading } from "./plan-request.ts";

export function protectionTerms(
  kind: ProtectionTerms["kind"],
  request: PlanRequest,
  facts: MarketFacts,
  reading: Reading,
): KindTerms | undefined {
  const { symbol } = facts.market;
  const take = request.take_price === undefined ? undefined : takeOf(request.take_price, facts, reading);
  const fall = kind === "take_profit" ? undefined : fallOf(request, facts, reading);
  const lowest = lowestPrice(request, fall?.trigger, facts, reading);
  const at = lowest?.floor ?? lowest?.limit ?? take;
  if (reading.fault !== undefined || at === undefined) return undefined;
  const volume = volumeToSell(request.base_volume ?? "", at, facts, reading)?.toString();
  if (volume === undefined) return undefined;
  const sold = { symbol, volume };
  const warnings = [
    ...(fall === undefined ? [] : nearWarning(fall.field, fall.trigger, facts.quotes.bid, facts)),
    ...(take === undefined ? [] : nearWarning("take_price", take, facts.quotes.ask, facts)),
  ];
  const terms = put(kind, sold, {
    take,
    fall,
    floor: lowest?.floor,
    limit: lowest?.limit,
    isGiven: request.floor_price !== undefined,
  });
  return terms && { terms, warnings };
}

/** The way down of a stop: its trigger now. */
interface Fall {
  readonly field: "stop_price" | "trail";
  readonly trigger: Price;
  readonly trail?: Trail;
}

interface Parts {
  readonly take: Price | undefined;
  readonly fall: Fall | undefined;
  readonly floor: Price | undefined;
  readonly limit: Price | undefined;
  readonly isGiven: boolean;
}

/** A trailing stop's floor follows its trigger where none is given. */
function put(
  kind: ProtectionTerms["kind"],
  sold: Pick<StopTerms, "symbol" | "volume">,
  { take, fall, floor, limit, isGiven }: Parts,
): ProtectionTerms | undefined {
  const floorPrice = floor?.toString();
  const follows = fall?.trail !== undefined && !isGiven;
  const floored = floorPrice === undefined || follows ? {} : { floorPrice };
  if (kind === "take_profit") return take && { kind, ...sold, takePrice: take.toString() };
  if (fall === undefined) return undefined;
  if (kind === "trailing_stop") return fall.trail && { kind, ...sold, trail: fall.trail, ...floored };
  const stopPrice = fall.trigger.toString();
  if (kind === "stop")
    return { kind, ...sold, stopPrice, ...(limit === undefined ? floored : { limitPrice: limit.toString() }) };
  const stop: OcoTerms["stop"] = fall.trail === undefined ? { stopPrice } : { trail: fall.trail };
  return take && { kind, ...sold, stop, takePrice: take.toString(), ...floored };
}

function takeOf(text: string, facts: MarketFacts, reading: Reading): Price | undefined {
  return levelOf("take_price", text, "up", facts, reading, "take");
}

function fallOf(request: PlanRequest, facts: MarketFacts, reading: Reading): Fall | undefined {
  const { stop_price, trail: written } = request;
  if (stop_price !== undefined && written !== undefined)
    return reading.wrong("trail", "a plan has one stop: give stop_price, or trail");
  if (stop_price !== undefined) {
    const trigger = levelOf("stop_price", stop_price, "down", facts, reading, "stop");
    return trigger && { field: "stop_price", trigger };
  }
  if (written === undefined) return reading.wrong("stop_price", "a plan of kind oco needs stop_price or trail");
  const trail = trailOf(written, reading);
  const { bid } = facts.quotes;
  if (trail === undefined) return undefined;
  if (bid === undefined) return nobody("symbol", "buys", facts, reading);
  const trigger = trailingTrigger(tickBandsOf(facts.market), bid, trail);
  if (!trigger.isZero()) return { field: "trail", trigger, trail };
  return reading.wrong(
    "trail",
    `trail ${written} is as far as the price itself, so that it would never sell: choose a smaller one`,
  );
}

/** "5%", or an amount of the quote currency. */
export function trailOf(text: string, reading: Reading): Trail | undefined {
  if (!isShare(text)) {
    const amount = reading.number("trail", text, parsePrice);
    if (amount?.isZero() === true) return reading.wrong("trail", 'trail must be more than 0, such as "5%"');
    return amount && { amount: amount.toString() };
  }
  const percent = text.slice(0, -1);
  const share = reading.number("trail", text, (given) => parseShare(String(given)));
  if (share === undefined) return undefined;
  if (share.lt(rate("1"))) return { percent };
  return reading.wrong("trail", `trail ${text} is all of the price, so that it would never sell: choose a smaller one`);
}

/** What a level is for: it says what a caller does instead where the market is there already. */
type Purpose = "stop" | "take" | "alert";

/** What a coin costs nowhere. What is reckoned of a longer price could not be written as an amount. */
export const LARGEST = price("1000000000000");

const PERCENT = /^([+\-−]?)(\d[\d.]*)%$/;

/**
 * A price that is given, or a percentage of what others pay now ("-5%") or ask ("+10%"), beyond the market by a tick at least.
 * @param direction of the move that is waited for
 */
export function levelOf(
  field: PlanField,
  text: string,
  direction: Level["direction"],
  facts: MarketFacts,
  reading: Reading,
  purpose: Purpose,
): Price | undefined {
  const { market, quotes } = facts;
  const best = direction === "down" ? quotes.bid : quotes.ask;
  if (best === undefined) return nobody(field, direction === "down" ? "buys" : "sells", facts, reading);
  const at = isShare(text)
    ? percentOf(field, text, direction, best, facts, reading)
    : priceOf(field, text, facts, reading, purpose !== "alert");
  if (at === undefined) return undefined;
  const bands = tickBandsOf(market);
  const isBeyond = direction === "down" ? at.lte(tickBelow(bands, best)) : at.gte(tickAbove(bands, best));
  if (isBeyond) return at;
  const shown = (each: Price): string => formatAmount(each, market.quote);
  const where = direction === "down" ? `the best bid is ${shown(best)}` : `the best ask is ${shown(best)}`;
  const instead = purpose === "alert" ? "look with get_ticker" : "place an order";
  return reading.wrong(
    field,
    `the market is there already, as ${where} and ${field} ${shown(at)}: ${instead}, or choose a price ${direction === "down" ? "below" : "above"} it`,
  );
}

export function nobody(field: PlanField, does: "buys" | "sells", { market }: MarketFacts, reading: Reading): undefined {
  return reading.wrong(
    field,
    `nobody else ${does} on ${market.symbol} now, so that it is not known where the market is: look with get_orderbook, and ask again when somebody does`,
  );
}

function percentOf(
  field: PlanField,
  text: string,
  direction: Level["direction"],
  best: Price,
  { market }: MarketFacts,
  reading: Reading,
): Price | undefined {
  const [, sign = "", number = ""] = PERCENT.exec(text) ?? [];
  const isDown = direction === "down";
  const says = isDown ? '"-5%" for 5 % below the best bid' : '"+10%" for 10 % above the best ask';
  if (!PLAIN_DECIMAL.test(number) || (isDown ? sign !== "-" && sign !== "−" : sign !== "+"))
    return reading.wrong(field, `${field} as a percentage is written as ${says}`);
  const share = shareOf(number);
  if (isDown && share.gte(rate("1")))
    return reading.wrong(field, `${field} ${text} is no price: choose less than 100 %`);
  const bands = tickBandsOf(market);
  const at = isDown ? levelBelow(bands, best, share) : levelAbove(bands, best, share);
  if (at.gt(LARGEST))
    return reading.wrong(field, `${field} ${text} is no price of ${market.symbol}: choose a nearer one`);
  return at.isZero() ? reading.wrong(field, `${field} ${text} is below the lowest price of ${market.symbol}`) : at;
}

/** A given price, on the tick where an order may come to have it. */
export function priceOf(
  field: PlanField,
  text: string,
  { market }: MarketFacts,
  reading: Reading,
  isOnTicks = true,
): Price | undefined {
  const at = reading.number(field, text, parsePrice);
  if (at === undefined) return undefined;
  if (at.isZero()) return reading.wrong(field, `${field} must be more than 0`);
  if (at.gt(LARGEST))
    return reading.wrong(field, `${field} ${text} is no price of ${market.symbol}: choose a nearer one`);
  const bands = tickBandsOf(market);
  if (!isOnTicks || isOnTick(bands, at)) return at;
  const near = [roundToTick(bands, at, "down"), roundToTick(bands, at, "up")].filter((each) => !each.isZero());
  const fit = near.map((each) => each.toString()).join(" or ");
  return reading.wrong(field, `${field} ${text} is between two ticks of ${market.symbol}: use ${fit}`);
}

interface Lowest {
  readonly floor?: Price;
  readonly limit?: Price;
}

/** What a stop never sells below. */
function lowestPrice(
  { floor_price, limit_price }: PlanRequest,
  trigger: Price | undefined,
  facts: MarketFacts,
  reading: Reading,
): Lowest | undefined {
  if (trigger === undefined) return undefined;
  if (limit_price !== undefined && floor_price !== undefined)
    return reading.wrong("floor_price", "limit_price is the floor of a stop that rests: leave floor_price out");
  if (limit_price !== undefined) return limitOf(limit_price, trigger, facts, reading);
  const least = lowestFloor(tickBandsOf(facts.market), trigger, facts.policy.plans.protectiveFloor);
  if (floor_price === undefined) return { floor: least };
  const floor = priceOf("floor_price", floor_price, facts, reading);
  return floor && fittingFloor(floor, trigger, facts, reading);
}

/** Below its trigger, and no further than the file says. */
export function fittingFloor(
  floor: Price,
  trigger: Price,
  facts: MarketFacts,
  reading: Reading,
): { readonly floor: Price } | undefined {
  const least = lowestFloor(tickBandsOf(facts.market), trigger, facts.policy.plans.protectiveFloor);
  const shown = (at: Price): string => formatAmount(at, facts.market.quote);
  if (floor.gte(trigger))
    return reading.wrong(
      "floor_price",
      `floor_price ${shown(floor)} is not below the trigger ${shown(trigger)}, where nobody buys at it any more: choose a lower one, or leave it out for ${shown(least)}`,
    );
  if (floor.gte(least)) return { floor };
  const share = formatPercent(facts.policy.plans.protectiveFloor, 2);
  return reading.denied(
    {
      rule: "plans",
      figure: floor.toString(),
      limit: least.toString(),
      message: `floor_price ${shown(floor)} is further below the trigger ${shown(trigger)} than protective_floor_pct ${share}: choose ${shown(least)} or more`,
      field: "floor_price",
    },
    planLine("protective_floor_pct", facts.policy),
  );
}

/** An order that rests further from the market than a protection may sell would be refused when it is needed. */
function limitOf(text: string, trigger: Price, facts: MarketFacts, reading: Reading): Lowest | undefined {
  const limit = priceOf("limit_price", text, facts, reading);
  if (limit === undefined) return undefined;
  const { market, policy } = facts;
  const shown = (at: Price): string => formatAmount(at, market.quote);
  if (limit.gt(trigger))
    return reading.wrong(
      "limit_price",
      `limit_price ${shown(limit)} is above stop_price ${shown(trigger)}, where it would wait for the market to come back: choose ${shown(trigger)} or less`,
    );
  const least = lowestSell(market, trigger, policy.plans.protectiveSlippage);
  if (limit.gte(least)) return { limit };
  const share = formatPercent(policy.plans.protectiveSlippage, 2);
  return reading.denied(
    {
      rule: "plans",
      figure: limit.toString(),
      limit: least.toString(),
      message: `limit_price ${shown(limit)} is further below stop_price ${shown(trigger)} than protective_slippage_pct ${share}: choose ${shown(least)} or more, or floor_price in its place`,
      field: "limit_price",
    },
    planLine("protective_slippage_pct", policy),
  );
}

/**
 * Coins, or a share of those that are available, in whole steps and no less than the market takes.
 * @param at the lowest price that they are sold at
 */
export function volumeToSell(
  text: string,
  at: Price | undefined,
  facts: MarketFacts,
  reading: Reading,
): Quantity | undefined {
  const { market, available } = facts;
  const isPart = text.endsWith("%");
  const volume = isPart ? shareToSell(text, facts, reading) : reading.number("base_volume", text, parseQuantity);
  if (volume === undefined) return undefined;
  const rounded = roundToStep(volume, market.volume_decimals, "down");
  if (!isOnStep(volume, market.volume_decimals))
    return reading.wrong(
      "base_volume",
      `base_volume ${text} has more than ${market.volume_decimals} decimals: use ${rounded.toString()}`,
    );
  const least = leastVolume(market, at);
  if (volume.gte(least) && !volume.isZero()) return volume;
  const figure = formatAmount(volume, market.base);
  const ofWhat = isPart ? `${text} of ${formatAmount(available, market.base)} is ${figure}` : `base_volume ${text} is`;
  return reading.wrong(
    "base_volume",
    `${ofWhat}${isPart ? "," : ""} less than ${market.symbol} takes${at === undefined ? "" : ` at ${formatAmount(at, market.quote)}`}: at least ${least.isZero() ? "one step" : least.toString()}`,
  );
}

function shareToSell(text: string, { market, available }: MarketFacts, reading: Reading): Quantity | undefined {
  const share = reading.number("base_volume", text, (given) => parseShare(String(given)));
  return share && roundToStep(available.scale(share), market.volume_decimals, "down");
}

/** A trigger that ordinary movement reaches is no protection. */
export function nearWarning(
  field: string,
  trigger: Price,
  best: Price | undefined,
  { market, candles }: MarketFacts,
): readonly string[] {
  const range = medianRange(candles);
  if (range === undefined || best === undefined) return [];
  const distance = apart(best, trigger);
  if (distance.gte(ordinaryMove(range))) return [];
  const shown = (at: Price): string => formatAmount(at, market.quote);
  return [
    `ordinary movement will trigger it: ${field} is ${shown(distance)} from the market, which lately moved ${shown(range)} in an ordinary minute`,
  ];
}
