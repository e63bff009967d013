/** Tells how far a reading of the account's history is, which nobody waits for to its end. Source: decision 0076. */

/** Tells how far the account's trades have been read from the exchange, newest first. */
export interface HistoryReading {
  /** Read so far by this reading. */
  readonly trades: number;
  /**
   * Every trade since then is read; where the exchange shows trades in their order alone, every trade of an order that was made since. ISO 8601;
   * null where that is not known yet.
   */
  readonly back_to: string | null;
}
