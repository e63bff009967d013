/**
 * The markets of Korbit and their rules. A list of markets has what is assumed of them; the ticks and fees of one are asked for.
 *
 * Source: SOURCES.md#markets.
 */
import type { z } from "zod";
import type { Market } from "../../contract/index.ts";
import { type Assumed, assumedMarket, withTicks as ticked, USUAL_BANDS, withRates } from "../market-rules.ts";
import { isZero, positive } from "../shown-number.ts";
import {
  type currenciesAnswer,
  type feesAnswer,
  type pairsAnswer,
  QUOTE,
  symbolOf,
  type ticksAnswer,
} from "./answers.ts";

const ASSUMED: Assumed = {
  // As the documents and a recorded answer have it.
  bands: USUAL_BANDS,
  /** Of an order, where the list tells none. */
  minimum: "5000",
  /** More than it takes, so that no hold is too small: the rate of a key is told with a key alone. */
  fee: "0.0025",
};

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
    const assumed = assumedMarket(symbol, ASSUMED, lastOf(symbol));
    const name = nameOf.get(assumed.base) ?? assumed.base;
    const isOpen = status == null || status === "launched";
    return {
      ...{ ...assumed, korean_name: name, english_name: name, status: isOpen ? "trading" : "halted" },
      min_notional: positive(minOrderValue) ?? ASSUMED.minimum,
    };
  });
}

/** Of a table that does not begin at nothing it is not known what holds below. @param all of the answer: it may have other markets, too */
export function withTicks(market: Market, name: string, all: z.output<typeof ticksAnswer>, last: string | null) {
  const steps = all.find(({ symbol }) => symbol === name)?.tickSizePolicy ?? [];
  const told = steps.map(({ priceGte: from, tickSize: tick }) => ({ from, tick }));
  return told.some(({ from }) => isZero(from)) ? ticked(market, told, last) : market;
}

export function withFees(market: Market, name: string, all: z.output<typeof feesAnswer>): Market {
  const told = all.find(({ symbol }) => symbol === name);
  return withRates(market, told?.makerFeeRate, told?.takerFeeRate);
}
