/** The smallest order that a probe makes: far enough from the market that nobody takes it, and as small as the exchange takes. */
import type { Market, Orderbook, Side } from "../../contract/index.ts";
import { max, notional, price, quantity, quantityFor, rate, roundToStep, roundToTick } from "../../decimal/index.ts";

export interface OrderPlan {
  readonly symbol: string;
  readonly side: Side;
  readonly price: string;
  readonly volume: string;
}

/** Ten percent away from the best price of its own side, where nobody trades the next moment. */
const AWAY = { buy: rate("0.9"), sell: rate("1.1") } as const;

/** @returns undefined where the book has no price on that side */
export function orderPlan(
  { symbol, tick_bands, min_notional, min_volume, volume_decimals }: Market,
  { tick: { buys, asks } }: Pick<Orderbook, "tick">,
  side: Side,
): OrderPlan | undefined {
  const [[best] = []] = side === "buy" ? buys : asks;
  if (best === undefined) return undefined;
  const bands = tick_bands.map((band) => ({ from: price(band.from_price), tick: price(band.tick_size) }));
  const at = roundToTick(bands, price(best).scale(AWAY[side]), side === "buy" ? "down" : "up");
  const forMinimum = quantityFor(notional(min_notional), at, volume_decimals, "up");
  const size = max(forMinimum, roundToStep(quantity(min_volume), volume_decimals, "up"));
  return { symbol, side, price: at.toString(), volume: size.toString() };
}
