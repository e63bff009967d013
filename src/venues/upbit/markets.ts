/**
 * The markets of Upbit and their rules. Ticks follow the price by one table; where the exchange tells another tick for a market, that one wins.
 *
 * Source: SOURCES.md#markets.
 */
import type { z } from "zod";
import type { Market } from "../../contract/index.ts";
import { isOnTick, price, tickAt, wireNumber } from "../../decimal/index.ts";
import { type chanceAnswer, type marketsAnswer, QUOTE, symbolOf } from "./answers.ts";

/** From a price on, the tick. */
const TICKS = [
  ...["0 0.00000001", "0.00001 0.0000001", "0.0001 0.000001", "0.001 0.00001", "0.01 0.0001", "0.1 0.001", "1 0.01"],
  ...["10 0.1", "100 1", "5000 5", "10000 10", "50000 50", "100000 100", "500000 500", "1000000 1000"],
].map((row) => row.split(" "));
const BANDS = TICKS.map(([from_price = "", tick_size = ""]) => ({ from_price, tick_size }));
const EXACT_BANDS = BANDS.map(({ from_price, tick_size }) => ({ from: price(from_price), tick: price(tick_size) }));

/** Of an order, by clients that cite the exchange; its own word wins. */
const MINIMUM = "5000";
/** More than it takes, so that no hold is too small: the rate of a key is told with a key alone. */
const ASSUMED_FEE = "0.0025";

const LATIN = new RegExp(`^${QUOTE}-[A-Z0-9]{1,15}$`);

/** Those that hoga can trade in: names of other letters are left out. */
export function marketsOf(answer: z.output<typeof marketsAnswer>, lastOf: (symbol: string) => string | null): Market[] {
  return answer.flatMap(({ market, korean_name, english_name }) => {
    if (!LATIN.test(market)) return [];
    const symbol = symbolOf(market);
    const [base = ""] = symbol.split("/");
    const last = lastOf(symbol);
    return [
      {
        ...{ symbol, base, quote: QUOTE, korean_name: korean_name ?? base, english_name: english_name ?? base },
        ...{ status: "trading", min_volume: "0.00000001", min_notional: MINIMUM, tick_bands: BANDS },
        tick_size: last === null ? "0.00000001" : tickAt(EXACT_BANDS, price(last)).toString(),
        ...{ price_decimals: 8, volume_decimals: 8, maker_fee_rate: ASSUMED_FEE, taker_fee_rate: ASSUMED_FEE },
      },
    ];
  });
}

/** @param tick as the exchange tells it for the price of now */
export function withTick(market: Market, told: string | null | undefined, last: string | null): Market {
  const tick = wireNumber(told ?? "", "half_even");
  if (tick === undefined || tick === "0" || tick.startsWith("-")) return market;
  const fits = last === null || tickAt(EXACT_BANDS, price(last)).eq(price(tick)) || !isOnTick(EXACT_BANDS, price(last));
  return { ...market, tick_size: tick, tick_bands: fits ? BANDS : [{ from_price: "0", tick_size: tick }] };
}

export function withChance(market: Market, chance: z.output<typeof chanceAnswer>): Market {
  const { bid_fee: bid, ask_fee: ask, maker_bid_fee: makerBid, maker_ask_fee: makerAsk } = chance;
  const { bid: buying, ask: selling, state } = chance.market ?? {};
  const [taker, maker] = [highest([bid, ask]), highest([makerBid, makerAsk])];
  const minimum = highest([buying?.min_total, selling?.min_total]);
  return {
    ...market,
    status: state == null || state === "active" ? market.status : "halted",
    min_notional: minimum ?? market.min_notional,
    taker_fee_rate: taker ?? market.taker_fee_rate,
    maker_fee_rate: maker ?? taker ?? market.maker_fee_rate,
  };
}

function highest(texts: readonly (string | null | undefined)[]): string | undefined {
  const numbers = texts.flatMap((text) => wireNumber(text ?? "", "up") ?? []).filter((text) => !text.startsWith("-"));
  return numbers.sort((a, b) => price(b).cmp(price(a)))[0];
}
