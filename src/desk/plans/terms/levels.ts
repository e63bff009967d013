/**
 * Prices of a plan that follow from other prices: the tick beside one, the lowest floor, where a trailing stop stands, how far a market ordinarily moves.
 *
 * Invariants: a level that falls between two ticks lies away from the market, so that it is never nearer than was asked for; a floor lies below its trigger
 * by a tick at least, as at the trigger itself nobody is left to buy.
 *
 * Source: decision 0106.
 */
import type { Candle } from "../../../contract/index.ts";
import { max, min, type Price, price, type Rate, rate, roundToTick, type TickBand } from "../../../decimal/index.ts";
import type { Trail } from "../../model/plan.ts";

export type Bands = readonly TickBand[];

const PERCENT = rate("0.01");
const ONE = rate("1");
const HALF = rate("0.5");
const NOTHING = price("0");
/** No two prices are nearer. */
const LEAST = price("0.00000001");

/** @param percent plain decimal text: "5" is 0.05 */
export function shareOf(percent: string): Rate {
  return rate(percent).scale(PERCENT);
}

/** The price on the tick next below; zero below the lowest. */
export function tickBelow(bands: Bands, at: Price): Price {
  return roundToTick(bands, max(at, LEAST).minus(LEAST), "down");
}

/** The price on the tick next above. */
export function tickAbove(bands: Bands, at: Price): Price {
  return roundToTick(bands, at.plus(LEAST), "up");
}

/** @param share at most 1 */
export function lessShare(at: Price, share: Rate): Price {
  return at.scale(ONE.minus(share));
}

export function plusShare(at: Price, share: Rate): Price {
  return at.scale(ONE.plus(share));
}

/** A share below a price, on a tick that is no nearer to it. */
export function levelBelow(bands: Bands, at: Price, share: Rate): Price {
  return roundToTick(bands, lessShare(at, share), "down");
}

/** A share above a price, on a tick that is no nearer to it. */
export function levelAbove(bands: Bands, at: Price, share: Rate): Price {
  return roundToTick(bands, plusShare(at, share), "up");
}

/** The lowest price that a trigger's floor may have, and has where none is given. */
export function lowestFloor(bands: Bands, trigger: Price, share: Rate): Price {
  const floor = roundToTick(bands, lessShare(trigger, share), "up");
  return floor.lt(trigger) ? floor : tickBelow(bands, trigger);
}

/** What a trailing stop triggers at, by its high. Zero where the trail is as far as the price itself: it never does. */
export function trailingTrigger(bands: Bands, high: Price, trail: Trail): Price {
  const trigger =
    "percent" in trail ? lessShare(high, min(shareOf(trail.percent), ONE)) : belowBy(high, price(trail.amount));
  return roundToTick(bands, trigger, "down");
}

function belowBy(high: Price, amount: Price): Price {
  return amount.gte(high) ? NOTHING : high.minus(amount);
}

/** How far apart two prices are. */
export function apart(a: Price, b: Price): Price {
  return a.gt(b) ? a.minus(b) : b.minus(a);
}

/** How far the price moves within a candle, of half of them less; undefined without any. */
export function medianRange(candles: readonly Pick<Candle, "high" | "low">[]): Price | undefined {
  const ranges = candles.map(({ high, low }) => price(high).minus(price(low))).sort((a, b) => a.cmp(b));
  const [below, above] = [ranges[Math.floor((ranges.length - 1) / 2)], ranges[Math.floor(ranges.length / 2)]];
  return below === undefined || above === undefined ? undefined : below.plus(above).scale(HALF);
}

/** Nearer than this many median ranges the price comes by itself. */
const ORDINARY = rate("3");

export function ordinaryMove(range: Price): Price {
  return range.scale(ORDINARY);
}
