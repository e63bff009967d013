/**
 * Owns the tick size of a market, which may depend on the price (`tick_bands`).
 *
 * Invariants: a price is on tick when it is a multiple of the tick of its own band, the last one whose `from` is not
 * above it; a rounded price is on tick in the band it lands in, even where a border is no multiple of a tick.
 *
 * Owns the quantity step of a market: the fraction digits (`volume_decimals`) a quantity may have.
 *
 * Invariant: nothing here changes a quantity unasked; callers propose the rounded one.
 *
 * Source: service.md#tick-bands; service.md#market.
 */
import { type Decimal, type RoundingMode, requireDecimals, roundDecimal } from "./arithmetic.ts";
import { Exact, type Price, type Quantity } from "./exact.ts";
import { invariant } from "./invariant.ts";

/** From the price `from` up to the next band's, prices are multiples of `tick` (both quote per base). */
export interface TickBand {
  readonly from: Price;
  readonly tick: Price;
}

interface Position {
  readonly band: TickBand;
  readonly index: number;
}

/**
 * The tick size in force at a price.
 * @throws DecimalInvariantError when the price is negative, or the bands are not ascending from "0" with positive ticks.
 */
export function tickAt(bands: readonly TickBand[], price: Price): Price {
  return positionOf(bands, price).band.tick;
}

/** Tells whether the price may stand in an order. @throws DecimalInvariantError like {@link tickAt}. */
export function isOnTick(bands: readonly TickBand[], price: Price): boolean {
  return isMultiple(price, tickAt(bands, price));
}

/**
 * The nearest price on tick in the given direction. Half-even compares the two neighbours; at a tie it takes the lower
 * one when that is an even multiple of its tick, else the upper one.
 * @throws DecimalInvariantError like {@link tickAt}.
 */
export function roundToTick(bands: readonly TickBand[], price: Price, mode: RoundingMode): Price {
  switch (mode) {
    case "down":
      return floorToTick(bands, price);
    case "up":
      return ceilToTick(bands, price);
    case "half_even":
      return nearestOnTick(bands, price);
    default:
      return mode satisfies never;
  }
}

/** The largest price on tick that is not above `price`; zero is on every tick, so there always is one. */
function floorToTick(bands: readonly TickBand[], price: Price): Price {
  const { band, index } = positionOf(bands, price);
  const candidate = price.minus(remainder(price, band.tick));
  if (candidate.gte(band.from)) return candidate;
  // The border is off this band's grid, so the answer lies below it, in the previous band.
  return floorBelow(bands, index);
}

/** The largest price on tick strictly below the band at `index`. */
function floorBelow(bands: readonly TickBand[], index: number): Price {
  const border = bandAt(bands, index).from;
  const below = bandAt(bands, index - 1);
  const rest = remainder(border, below.tick);
  const candidate = border.minus(rest.isZero() ? below.tick : rest);
  return candidate.gte(below.from) ? candidate : floorBelow(bands, index - 1);
}

/** The smallest price on tick that is not below `price`. */
function ceilToTick(bands: readonly TickBand[], price: Price): Price {
  const { band, index } = positionOf(bands, price);
  const rest = remainder(price, band.tick);
  const candidate = rest.isZero() ? price : price.minus(rest).plus(band.tick);
  const next = bands[index + 1];
  // At or past the border the next band's coarser grid applies, and the border itself is its first chance.
  return next === undefined || candidate.lt(next.from) ? candidate : ceilToTick(bands, next.from);
}

function nearestOnTick(bands: readonly TickBand[], price: Price): Price {
  const lower = floorToTick(bands, price);
  const upper = ceilToTick(bands, price);
  const nearer = price.minus(lower).cmp(upper.minus(price));
  if (nearer !== 0) return nearer < 0 ? lower : upper;
  const multiple: Decimal = Exact.decimalOf(lower).div(Exact.decimalOf(tickAt(bands, lower)));
  return multiple.mod(2).isZero() ? lower : upper;
}

function remainder(price: Price, tick: Price): Price {
  return Exact.of("price", Exact.decimalOf(price).mod(Exact.decimalOf(tick)));
}

function isMultiple(price: Price, tick: Price): boolean {
  return remainder(price, tick).isZero();
}

function positionOf(bands: readonly TickBand[], price: Price): Position {
  invariant(!price.isNegative(), `a negative price has no tick: ${price.toString()}`);
  invariant(bandAt(bands, 0).from.isZero(), "the first tick band must start at 0");
  let index = 0;
  for (const [at, band] of bands.entries()) {
    invariant(!band.tick.isZero() && !band.tick.isNegative(), "a tick must be positive");
    invariant(at === 0 || bandAt(bands, at - 1).from.lt(band.from), "tick bands must ascend by from");
    if (band.from.lte(price)) index = at;
  }
  return { band: bandAt(bands, index), index };
}

function bandAt(bands: readonly TickBand[], index: number): TickBand {
  const band = bands[index];
  invariant(band !== undefined, `there is no tick band ${index}`);
  return band;
}

/** Tells whether the quantity has at most `decimals` (0 to 20) fraction digits. */
export function isOnStep(quantity: Quantity, decimals: number): boolean {
  requireDecimals(decimals);
  return quantity.decimals() <= decimals;
}

/** The quantity rounded to `decimals` (0 to 20) fraction digits. */
export function roundToStep(quantity: Quantity, decimals: number, mode: RoundingMode): Quantity {
  return Exact.of("quantity", roundDecimal(Exact.decimalOf(quantity), decimals, mode));
}

/** The step of a number with `decimals` fraction digits: "0.01" of two, "1" of none. */
export function stepText(decimals: number): string {
  return decimals === 0 ? "1" : `0.${"1".padStart(decimals, "0")}`;
}
