/**
 * The markets of Korbit and their rules. A list of markets has what is assumed of them; the ticks and fees of one are asked for.
 *
 * Source: SOURCES.md#markets.
 */
import type { z } from "zod";
import type { Market } from "../../contract/index.ts";
import { price, tickAt, wireNumber } from "../../decimal/index.ts";
import { positive } from "../shown-number.ts";
import { bandsOf } from "../told-ticks.ts";
import {
  type currenciesAnswer,
  type feesAnswer,
  type pairsAnswer,
  QUOTE,
  symbolOf,
  type ticksAnswer,
} from "./answers.ts";

type Bands = Market["tick_bands"];

/** From a price on, the tick: as the documents and a recorded answer have it, of markets of all prices. */
const BANDS: Bands = bandsOf([
  ...["0 0.0001", "1 0.001", "10 0.01", "100 0.1", "1000 1", "5000 5", "10000 10", "50000 50", "100000 100"],
  ...["500000 500", "1000000 1000"],
]);
/** Of an order, where the list tells none. */
const MINIMUM = "5000";
/** More than it takes, so that no hold is too small: the rate of a key is told with a key alone. */
const ASSUMED_FEE = "0.0025";

const LATIN = new RegExp(`^[a-z0-9]{1,15}_${QUOTE.toLowerCase()}$`);

type Pairs = z.output<typeof pairsAnswer>;

/** Those that hoga can trade in, by the exchange's names: names of other letters are left out. */
export function tradable(pairs: Pairs): Pairs {
  return pairs.filter(({ symbol }) => LATIN.test(symbol));
}

export function marketsOf(
  pairs: Pairs,
  names: z.output<typeof currenciesAnswer>,
  lastOf: (symbol: string) => string | null,
): Market[] {
  const nameOf = new Map(names.map(({ name, fullName }) => [name.toUpperCase(), fullName]));
  return tradable(pairs).map(({ symbol: market, status, minOrderValue }) => {
    const symbol = symbolOf(market);
    const [base = ""] = symbol.split("/");
    const name = nameOf.get(base) ?? base;
    return {
      ...{ symbol, base, quote: QUOTE, korean_name: name, english_name: name },
      ...{ status: status == null || status === "launched" ? "trading" : "halted", min_volume: "0.00000001" },
      min_notional: positive(minOrderValue) ?? MINIMUM,
      ...{ tick_bands: BANDS, tick_size: tickOf(BANDS, lastOf(symbol)), price_decimals: 8, volume_decimals: 8 },
      ...{ maker_fee_rate: ASSUMED_FEE, taker_fee_rate: ASSUMED_FEE },
    };
  });
}

export function withTicks(market: Market, told: z.output<typeof ticksAnswer>[number], last: string | null): Market {
  const bands = told.tickSizePolicy.flatMap(({ priceGte, tickSize }): Bands => {
    const [from_price, tick_size] = [wireNumber(priceGte, "half_even"), positive(tickSize)];
    return from_price === undefined || tick_size === undefined ? [] : [{ from_price, tick_size }];
  });
  const tick_bands = bands.sort((a, b) => price(a.from_price).cmp(price(b.from_price)));
  // Of a table that does not begin at nothing it is not known what holds below.
  if (tick_bands[0]?.from_price !== "0") return market;
  return { ...market, tick_bands, tick_size: tickOf(tick_bands, last) };
}

export function withFees(market: Market, told: z.output<typeof feesAnswer>[number] | undefined): Market {
  const [taker, maker] = [told?.takerFeeRate, told?.makerFeeRate].map((rate) => wireNumber(rate ?? "", "up"));
  const taker_fee_rate = taker ?? market.taker_fee_rate;
  return {
    ...market,
    taker_fee_rate,
    maker_fee_rate: maker?.startsWith("-") === true ? "0" : (maker ?? taker_fee_rate),
  };
}

function tickOf(bands: Bands, last: string | null): string {
  const exact = bands.map(({ from_price, tick_size }) => ({ from: price(from_price), tick: price(tick_size) }));
  return last === null ? (bands[0]?.tick_size ?? "1") : tickAt(exact, price(last)).toString();
}
