/**
 * An oco that begins with a buy: what is asked for becomes its terms, and what the buy has come to its volume and prices.
 *
 * Invariants: every distance is from the average price of the buy; nothing is sold below the lowest price that was approved, whatever the buy executes at, nor
 * more than it has brought, nor more than was approved.
 *
 * Source: decision 0124.
 */
import {
  formatAmount,
  max,
  min,
  notional,
  PLAIN_DECIMAL,
  type Price,
  price,
  type Quantity,
  quantity,
  quantityFor,
  rate,
  roundToStep,
  roundToTick,
} from "../../../decimal/index.ts";
import type { AfterBuy, OcoTerms, PlanBegins, Trail } from "../../model/plan.ts";
import type { PlanRequest } from "../../model/plan-report.ts";
import type { PlanRules } from "../../model/policy.ts";
import { leastVolume, tickBandsOf } from "../../risk/order-proposals.ts";
import { type Buy, boughtBy, hasBuyEnded } from "./bought.ts";
import { type Bands, lessShare, levelAbove, levelBelow, lowestFloor, shareOf, trailingTrigger } from "./levels.ts";
import type { KindTerms, MarketFacts, PlanField, Reading } from "./plan-request.ts";
import { fittingFloor, LARGEST, nearWarning, nobody, trailOf } from "./protection-terms.ts";

const ONE = rate("1");
const NOTHING = quantity("0");

/** How far from the average price, as it was asked for. */
interface Distances {
  readonly fall: { readonly stop: string } | { readonly trail: Trail };
  readonly take: string;
  readonly floor?: string;
}

/** @returns the terms by what the buy may execute at */
export function afterTerms(request: PlanRequest, facts: MarketFacts, reading: Reading): KindTerms | undefined {
  const { market, buy } = facts;
  const { after: order = "" } = request;
  if (buy === undefined || !isFit(buy, order, facts, reading)) return undefined;
  const distances = distancesOf(request, reading);
  const expected = distances && expectedOf(buy, facts, reading);
  if (distances === undefined || expected === undefined) return undefined;
  const bands = tickBandsOf(market);
  const { at, lowest, volume } = expected;
  const levels = levelsAt(bands, at, distances);
  const floor = levels && floorOf(levels, facts, reading);
  const least = levelsAt(bands, lowest, distances);
  if (levels === undefined || least === undefined)
    return reading.wrong(
      "trail" in distances.fall ? "trail" : "stop_price",
      `the stop would be below the lowest price of ${market.symbol}: choose a nearer one`,
    );
  if (floor === undefined || reading.fault !== undefined) return undefined;
  if (levels.take.gt(LARGEST))
    return reading.wrong("take_price", `take_price ${request.take_price ?? ""} is no price: choose a nearer one`);
  if (volume.lt(leastVolume(market, floor)))
    return reading.wrong(
      "after",
      `the buy is of ${formatAmount(volume, market.base)}, less than ${market.symbol} takes at ${formatAmount(floor, market.quote)}`,
    );
  const priceMin = least.floor ?? lowestFloor(bands, least.trigger, facts.policy.plans.protectiveFloor);
  const { fall, take, floor: floorShare } = distances;
  const after: AfterBuy = {
    ...{ intentId: buy.intentId, order, take, price: at.toString(), priceMin: min(priceMin, floor).toString() },
    ...("stop" in fall && { stop: fall.stop }),
    ...(floorShare !== undefined && { floor: floorShare }),
  };
  const terms: OcoTerms = {
    ...{ kind: "oco", symbol: market.symbol, volume: volume.toString(), takePrice: levels.take.toString(), after },
    stop: "trail" in fall ? { trail: fall.trail } : { stopPrice: levels.trigger.toString() },
    ...(levels.floor !== undefined && { floorPrice: levels.floor.toString() }),
  };
  const warnings = [
    ...nearWarning("trail" in fall ? "trail" : "stop_price", levels.trigger, at, facts),
    ...nearWarning("take_price", levels.take, at, facts),
  ];
  return { terms, warnings };
}

/** A buy in this market of which something may come, or has. */
function isFit(buy: Buy, name: string, { market }: MarketFacts, reading: Reading): boolean {
  const { symbol, side } = buy.body.order;
  const ended = hasBuyEnded(buy);
  const wrong = (why: string): false => {
    reading.wrong("after", `order ${name} ${why}`);
    return false;
  };
  if (side !== "buy") return wrong("sells: name a buy");
  if (symbol !== market.symbol) return wrong(`is in ${symbol}, not in ${market.symbol}: name a buy of the same market`);
  if (ended === undefined) return wrong("was only previewed: place it first");
  if (ended && boughtBy(buy, market.base).volume.isZero())
    return wrong("has ended and bought nothing: name one that is open, that waits, or that has bought");
  return true;
}

function distancesOf(
  { stop_price, trail, take_price = "", floor_price }: PlanRequest,
  reading: Reading,
): Distances | undefined {
  if (stop_price !== undefined && trail !== undefined)
    return reading.wrong("trail", "a plan has one stop: give stop_price, or trail");
  const take = percentIn("take_price", take_price, "up", reading);
  const floor = floor_price === undefined ? undefined : percentIn("floor_price", floor_price, "down", reading);
  const fall = fallOf(stop_price, trail, reading);
  if (reading.fault !== undefined || take === undefined || fall === undefined) return undefined;
  return { fall, take, ...(floor !== undefined && { floor }) };
}

function fallOf(stop: string | undefined, trail: string | undefined, reading: Reading): Distances["fall"] | undefined {
  if (stop !== undefined) {
    const share = percentIn("stop_price", stop, "down", reading);
    return share === undefined ? undefined : { stop: share };
  }
  if (trail === undefined) return reading.wrong("stop_price", "a plan of kind oco needs stop_price or trail");
  const read = trailOf(trail, reading);
  return read && { trail: read };
}

const PERCENT = /^([+\-−])(\d[\d.]*)%$/;

/** What the buy executes at is not known before, so that a price could lie on its wrong side. */
function percentIn(field: PlanField, text: string, direction: "up" | "down", reading: Reading): string | undefined {
  const [, sign = "", number = ""] = PERCENT.exec(text) ?? [];
  const isUp = direction === "up";
  if (!PLAIN_DECIMAL.test(number) || (sign === "+") !== isUp)
    return reading.wrong(
      field,
      `with after, ${field} is a percentage of the average price of the buy: write ${isUp ? '"+10%"' : '"-5%"'}`,
    );
  const share = shareOf(number);
  if (share.isZero() || (!isUp && share.gte(ONE)))
    return reading.wrong(
      field,
      `${field} ${text} is no distance: choose more than 0 %${isUp ? "" : " and less than 100 %"}`,
    );
  return number;
}

interface Expected {
  /** What it may execute at. */
  readonly at: Price;
  /** The lowest that still makes sense. */
  readonly lowest: Price;
  /** All that it may bring. */
  readonly volume: Quantity;
}

function expectedOf(buy: Buy, facts: MarketFacts, reading: Reading): Expected | undefined {
  const { market, quotes } = facts;
  const { order } = buy.body;
  const { volume: bought, average } = boughtBy(buy, market.base);
  if (hasBuyEnded(buy) === true && average !== undefined)
    return { at: average, lowest: average, volume: roundToStep(bought, market.volume_decimals, "down") };
  const limit = order.price === undefined ? undefined : price(order.price);
  const at = limit ?? average ?? quotes.ask;
  if (at === undefined) return nobody("after", "sells", facts, reading);
  // What rests executes at its limit; what has yet to come may meet a lower price.
  const rests = limit !== undefined && (buy.state === "open" || buy.state === "partially_filled");
  const lowest = [average, rests ? undefined : quotes.bid].reduce(
    (least: Price, each) => (each === undefined ? least : min(least, each)),
    at,
  );
  const volume = order.volume === undefined ? coinsFor(order.amount ?? "0", lowest, facts) : quantity(order.volume);
  return { at, lowest, volume };
}

/** No more than that many come of an amount, as far as is known. */
function coinsFor(amount: string, lowest: Price, { market }: MarketFacts): Quantity {
  return quantityFor(notional(amount), lowest, market.volume_decimals, "up");
}

interface Levels {
  readonly trigger: Price;
  readonly take: Price;
  /** Where one was given. */
  readonly floor?: Price;
}

/** @returns undefined where the stop would lie below every price */
function levelsAt(bands: Bands, at: Price, { fall, take, floor }: Distances): Levels | undefined {
  const trigger = "trail" in fall ? trailingTrigger(bands, at, fall.trail) : levelBelow(bands, at, shareOf(fall.stop));
  if (trigger.isZero()) return undefined;
  return {
    ...{ trigger, take: levelAbove(bands, at, shareOf(take)) },
    ...(floor !== undefined && { floor: roundToTick(bands, lessShare(at, shareOf(floor)), "up") }),
  };
}

function floorOf({ trigger, floor }: Levels, facts: MarketFacts, reading: Reading): Price | undefined {
  const least = lowestFloor(tickBandsOf(facts.market), trigger, facts.policy.plans.protectiveFloor);
  return floor === undefined ? least : fittingFloor(floor, trigger, facts, reading)?.floor;
}

/** What the end of the buy makes of the plan. */
export type Beginning =
  | {
      readonly kind: "begins";
      readonly begins: PlanBegins;
      /** Of one that trails. */
      readonly high?: string;
      readonly trigger: Price;
      readonly floor: Price;
      /** All that was bought, where other plans protect some of it. */
      readonly bought?: Quantity;
    }
  | { readonly kind: "in_vain"; readonly volume: Quantity };

/** @param buy that has ended */
export function beginningOf(
  { volume, stop, after }: OcoTerms & { readonly after: AfterBuy },
  buy: Pick<Buy, "body">,
  market: MarketFacts["market"],
  { protectiveFloor }: Pick<PlanRules, "protectiveFloor">,
): Beginning {
  const { volume: bought, average } = boughtBy(buy, market.base);
  const held = roundToStep(min(bought, quantity(volume)), market.volume_decimals, "down");
  if (average === undefined || held.isZero()) return { kind: "in_vain", volume: NOTHING };
  const bands = tickBandsOf(market);
  const fall = "trail" in stop ? { trail: stop.trail } : { stop: after.stop ?? "0" };
  const { take, floor: share, priceMin } = after;
  const levels = levelsAt(bands, average, { fall, take, ...(share !== undefined && { floor: share }) });
  const trigger = levels?.trigger ?? price("0");
  const lowest = levels?.floor ?? lowestFloor(bands, trigger, protectiveFloor);
  const floor = max(lowest, price(priceMin));
  if (held.lt(leastVolume(market, floor))) return { kind: "in_vain", volume: held };
  const takePrice = levels?.take ?? levelAbove(bands, average, shareOf(take));
  return {
    ...{ kind: "begins", trigger, floor },
    begins: {
      ...{ volume: held.toString(), averagePrice: average.toString(), takePrice: takePrice.toString() },
      ...(!("trail" in stop) && { stopPrice: trigger.toString() }),
      ...(levels?.floor !== undefined && { floorPrice: floor.toString() }),
    },
    ...("trail" in stop && { high: average.toString() }),
  };
}

/** The same over the coins that other plans leave of it. @returns undefined where these are less than the market takes */
export function beginningWith(
  free: Quantity,
  { begins, ...beginning }: Extract<Beginning, { kind: "begins" }>,
  market: MarketFacts["market"],
): Extract<Beginning, { kind: "begins" }> | undefined {
  const bought = quantity(begins.volume);
  const volume = roundToStep(min(free, bought), market.volume_decimals, "down");
  if (volume.lt(leastVolume(market, beginning.floor))) return undefined;
  return { ...beginning, bought, begins: { ...begins, volume: volume.toString() } };
}
