/**
 * The exchange's units. Everything is counted in integers: an amount of any asset, a price and a notional are BigInt counts of
 * 1e-8 (`SCALE`).
 *
 * Invariant: a market's `priceDecimals + volumeDecimals` is at most 8, so price × volume is a whole number of 1e-8 quote units:
 * nothing is ever rounded but a fee.
 */
/** A count of 1e-8 of an asset; for a price, of 1e-8 quote per base. */
export type Units = bigint;
export const SCALE = 8;
export const ONE: Units = 100_000_000n;

/** Time in Unix milliseconds. */
export type Millis = number;
