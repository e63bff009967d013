/**
 * The markets of Upbit and their rules. Ticks follow the price by one table; where the exchange tells another tick for a market, that one wins.
 *
 * Source: SOURCES.md#markets.
 */
import type { Market } from "../../contract/index.ts";
import { isOnTick, price, tickAt, wireNumber } from "../../decimal/index.ts";
import { type MarketFacts, tickTable } from "../quote-first-markets.ts";
import { QUOTE } from "./answers.ts";

const TICKS = tickTable([
  ...["0 0.00000001", "0.00001 0.0000001", "0.0001 0.000001", "0.001 0.00001", "0.01 0.0001", "0.1 0.001", "1 0.01"],
  ...["10 0.1", "100 1", "5000 5", "10000 10", "50000 50", "100000 100", "500000 500", "1000000 1000"],
]);

export const FACTS: MarketFacts = {
  quote: QUOTE,
  ticks: TICKS,
  /** Of an order, by clients that cite the exchange; its own word wins. */
  minimum: "5000",
  /** More than it takes, so that no hold is too small: the rate of a key is told with a key alone. */
  fee: "0.0025",
};

/** @param tick as the exchange tells it for the price of now */
export function withTick(market: Market, told: string | null | undefined, last: string | null): Market {
  const tick = wireNumber(told ?? "", "half_even");
  if (tick === undefined || tick === "0" || tick.startsWith("-")) return market;
  const fits = last === null || tickAt(TICKS.exact, price(last)).eq(price(tick)) || !isOnTick(TICKS.exact, price(last));
  return { ...market, tick_size: tick, tick_bands: fits ? TICKS.bands : [{ from_price: "0", tick_size: tick }] };
}
