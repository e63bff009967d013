/**
 * Integer arithmetic on prices, volumes and fees. Entry points: `notionalOf`, `feeOn`, `tickAt`, `holdFor`.
 *
 * Invariant: a market's price and volume decimals are at most 8 together, so price × volume is a whole number of units and
 * `notionalOf` never rounds for prices and volumes on the market's steps.
 */
import type { Side } from "../../../contract/index.ts";
import { type MarketRule, ONE, SCALE, type Units } from "../../model/index.ts";
import { invariant } from "../core/invariant.ts";

/** Price × volume, in quote units. */
export function notionalOf(price: Units, volume: Units): Units {
  return scaled(price, volume);
}

/** Fee on a value, rounded down: the exchange never charges more than its rate. */
export function feeOn(value: Units, rate: Units): Units {
  return scaled(value, rate);
}

/**
 * `one * other / ONE`, rounded down, of amounts that are not negative: by whole units, as V8 counts in 64 bits where each step fits them, which
 * takes a third of the time that the product of both does.
 */
function scaled(one: Units, other: Units): Units {
  const whole = one / ONE;
  const rest = one - whole * ONE;
  return rest === 0n ? whole * other : whole * other + (rest * other) / ONE;
}

/** The smallest step of a quantity with `decimals` decimals. */
export function stepFor(decimals: number): Units {
  const step = STEPS[decimals];
  invariant(step !== undefined, `a quantity has from 0 to ${SCALE} decimals, not ${decimals}`);
  return step;
}

/** By the number of decimals. */
const STEPS: readonly Units[] = Array.from({ length: SCALE + 1 }, (_, decimals) => 10n ** BigInt(SCALE - decimals));

export function tickAt({ tickBands, priceDecimals }: MarketRule, price: Units): Units {
  for (let at = tickBands.length - 1; at >= 0; at -= 1) {
    const band = tickBands[at];
    if (band !== undefined && price >= band.from) return band.tick;
  }
  return stepFor(priceDecimals);
}

export function floorTo(units: Units, step: Units): Units {
  return units - (units % step);
}

export function ceilTo(units: Units, step: Units): Units {
  return floorTo(units + step - 1n, step);
}

/** The valid values just below and above a value that is off its step; only the one above when there is none below. */
export function neighbours(units: Units, step: Units): readonly Units[] {
  const below = floorTo(units, step);
  return below > 0n ? [below, below + step] : [step];
}

/**
 * What an open limit order keeps locked: the volume of a sell; the value of a buy and its fee at the higher of the two rates, as
 * it may still be filled as maker or taker. The surplus is released with every fill.
 */
export function holdFor(rule: MarketRule, side: Side, price: Units, remaining: Units): Units {
  return side === "sell" ? remaining : withHighestFee(rule, notionalOf(price, remaining));
}

/** A value and its fee at the higher of the two rates. */
export function withHighestFee({ makerFeeRate, takerFeeRate }: MarketRule, value: Units): Units {
  return value + feeOn(value, makerFeeRate > takerFeeRate ? makerFeeRate : takerFeeRate);
}

/** Units as a plain decimal without trailing zeros, for messages. */
export function unitsText(units: Units): string {
  const digits = units.toString().padStart(SCALE + 1, "0");
  const fraction = digits.slice(-SCALE).replace(/0+$/, "");
  const whole = digits.slice(0, -SCALE);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
