/**
 * Integer arithmetic on prices, volumes and fees. Entry points: `notionalOf`, `feeOn`, `tickAt`, `holdFor`.
 *
 * Invariant: on a market whose price and volume decimals are at most 8 together, price × volume is a
 * whole number of units, so `notionalOf` never rounds for prices and volumes on the market's steps.
 */
import type { Side } from "../../../contract/index.ts";
import { type MarketRule, ONE, SCALE, type Units } from "../../model/index.ts";

/** Price × volume, in quote units. */
export function notionalOf(price: Units, volume: Units): Units {
  return (price * volume) / ONE;
}

/** Fee on a value, floored: the exchange never takes more than its rate. */
export function feeOn(value: Units, rate: Units): Units {
  return (value * rate) / ONE;
}

/** Smallest step of a quantity with that many decimals. */
export function stepFor(decimals: number): Units {
  return 10n ** BigInt(SCALE - decimals);
}

/** The tick at a price. */
export function tickAt(rule: MarketRule, price: Units): Units {
  let tick = stepFor(rule.priceDecimals);
  for (const band of rule.tickBands) {
    if (price < band.from) break;
    tick = band.tick;
  }
  return tick;
}

export function floorTo(units: Units, step: Units): Units {
  return units - (units % step);
}

export function ceilTo(units: Units, step: Units): Units {
  return floorTo(units + step - 1n, step);
}

/** The valid values just below and above one that is off its step; nothing below the first step. */
export function neighbours(units: Units, step: Units): readonly Units[] {
  const below = floorTo(units, step);
  return below > 0n ? [below, below + step] : [step];
}

/**
 * What an open limit order keeps locked: the coins of a sell; the value of a buy and its fee at the
 * dearer rate, as it may still become maker or taker. Surplus is given back with every fill.
 */
export function holdFor(rule: MarketRule, side: Side, price: Units, remaining: Units): Units {
  if (side === "sell") return remaining;
  const value = notionalOf(price, remaining);
  const rate = rule.makerFeeRate > rule.takerFeeRate ? rule.makerFeeRate : rule.takerFeeRate;
  return value + feeOn(value, rate);
}

/** Units in plain decimal notation without trailing zeros, for messages. */
export function unitsText(units: Units): string {
  const digits = units.toString().padStart(SCALE + 1, "0");
  const fraction = digits.slice(-SCALE).replace(/0+$/, "");
  const whole = digits.slice(0, -SCALE);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
