/** The ticks of a market where an exchange tells them by price, in whatever order. */
import type { Market } from "../contract/index.ts";
import { price, tickAt } from "../decimal/index.ts";
import { positive, wire } from "./shown-number.ts";

/** @param rows from a price on, the tick */
export function bandsOf(rows: readonly string[]): Market["tick_bands"] {
  return rows.map((row) => row.split(" ")).map(([from_price = "", tick_size = ""]) => ({ from_price, tick_size }));
}

interface ToldTick {
  /** A price, and the tick from there on. */
  readonly from: string;
  readonly tick: string;
}

/**
 * @param last price, for the tick of now
 * @returns the market as it was, where none of them can be read
 */
export function withTicks(market: Market, told: readonly ToldTick[], last: string | null): Market {
  const read = told.flatMap(({ from, tick }) => {
    const [from_price, tick_size] = [wire(from), positive(tick)];
    return from_price === undefined || tick_size === undefined ? [] : [{ from_price, tick_size }];
  });
  const bands = [...new Map(read.map((band) => [band.from_price, band])).values()];
  const [first, ...rest] = bands.sort((a, b) => price(a.from_price).cmp(price(b.from_price)));
  if (first === undefined) return market;
  const tick_bands = [{ ...first, from_price: "0" }, ...rest];
  const exact = tick_bands.map(({ from_price, tick_size }) => ({ from: price(from_price), tick: price(tick_size) }));
  const price_decimals = Math.max(...exact.map(({ tick }) => tick.decimals()));
  const tick_size = last === null ? market.tick_size : tickAt(exact, price(last)).toString();
  return { ...market, tick_bands, price_decimals, tick_size };
}
