/** A market and its rules: what is taken for granted of it, and what an exchange tells of its ticks, by price and in whatever order, and of fees. */
import type { Market } from "../contract/index.ts";
import { price, tickAt, wireNumber } from "../decimal/index.ts";
import { positive, wire } from "./shown-number.ts";

/** @param rows from a price on, the tick */
export function bandsOf(rows: readonly string[]): Market["tick_bands"] {
  return rows.map((row) => row.split(" ")).map(([from_price = "", tick_size = ""]) => ({ from_price, tick_size }));
}

/** From a price on, the tick: as the documents of several exchanges have it, of markets of all prices. */
export const USUAL_BANDS: Market["tick_bands"] = bandsOf([
  ...["0 0.0001", "1 0.001", "10 0.01", "100 0.1", "1000 1", "5000 5", "10000 10", "50000 50", "100000 100"],
  ...["500000 500", "1000000 1000"],
]);

/** What holds until a market's own rules are asked for. */
export interface Assumed {
  readonly bands: Market["tick_bands"];
  /** Of an order, in the quote. */
  readonly minimum: string;
  /** A rate, of makers and takers alike. */
  readonly fee: string;
}

/** @param last price, for the tick of now */
export function assumedMarket(symbol: string, { bands, minimum, fee }: Assumed, last: string | null): Market {
  const [base = "", quote = ""] = symbol.split("/");
  const tick_size = (last === null ? bands[0]?.tick_size : tickAt(exactOf(bands), price(last)).toString()) ?? "";
  return {
    ...{ symbol, base, quote, korean_name: base, english_name: base, status: "trading", tick_bands: bands, tick_size },
    ...{ min_volume: "0.00000001", min_notional: minimum, price_decimals: 8, volume_decimals: 8 },
    ...{ maker_fee_rate: fee, taker_fee_rate: fee },
  };
}

export function exactOf(bands: Market["tick_bands"]) {
  return bands.map(({ from_price, tick_size }) => ({ from: price(from_price), tick: price(tick_size) }));
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
  const exact = exactOf(tick_bands);
  const price_decimals = Math.max(...exact.map(({ tick }) => tick.decimals()));
  const tick_size = last === null ? market.tick_size : tickAt(exact, price(last)).toString();
  return { ...market, tick_bands, price_decimals, tick_size };
}

/** With the rates of a key. A negative one is a gift that is not counted on; a maker's that is not told is at most the taker's. */
export function withRates(market: Market, maker: string | null | undefined, taker: string | null | undefined): Market {
  const [makes, takes] = [maker, taker].map((text) => {
    const rate = wireNumber(text ?? "", "up");
    return rate?.startsWith("-") === true ? "0" : rate;
  });
  const taker_fee_rate = takes ?? market.taker_fee_rate;
  return { ...market, taker_fee_rate, maker_fee_rate: makes ?? takes ?? market.maker_fee_rate };
}
