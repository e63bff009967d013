/**
 * What is taken for granted of the markets of Bithumb: it has no call that tells the ticks of a market.
 *
 * Source: SOURCES.md#markets.
 */
import { type MarketFacts, tickTable } from "../quote-first-markets.ts";

/** What all markets that hoga trades in are quoted in, and what fees are paid in. */
export const QUOTE = "KRW";

export const FACTS: MarketFacts = {
  quote: QUOTE,
  ticks: tickTable([
    ...["0 0.0001", "1 0.001", "10 0.01", "100 1", "5000 5", "10000 10", "50000 50", "100000 100", "500000 500"],
    "1000000 1000",
  ]),
  /** By clients; the exchange's own word wins. */
  minimum: "5000",
  /** Its highest rate, so that no hold is too small: what a key pays is told with a key alone. */
  fee: "0.0025",
};
