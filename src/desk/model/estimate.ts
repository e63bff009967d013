/** Tells what an order would do at once, cost and bring, by the book as it is. Every figure is decimal text. */
export interface Estimate {
  /** Volume that would execute at once. */
  readonly expected_volume: string;
  readonly expected_value: string;
  readonly expected_avg_price: string | null;
  /** Fee of the part that executes at once, at the taker rate. */
  readonly expected_fee: string;
  /** The same; and of the part that rests, when it fills at its price, at the maker rate. */
  readonly taker_fee: string;
  readonly maker_fee: string;
  /** Sums, of a buy, what all of it costs, both fees in it, where the resting part fills at its price. Null of a sell. */
  readonly total: string | null;
  /** Sums, of a sell, what all of it brings after both fees. Null of a buy. */
  readonly proceeds: string | null;
  /**
   * Tells, of a sell, the price at which it brings what the coins have cost on average, the fees of buys and of this sell in it; null where
   * that is not known.
   */
  readonly break_even_price: string | null;
  readonly fee_currency: string;
  /** Distance of the expected average price from the best opposite price, in percent. */
  readonly slippage_pct: string | null;
  readonly resting_volume: string;
  /** Bounds what the order takes from the balance: the quote with its fee for a buy, coins for a sell. */
  readonly needed: string;
  readonly needed_asset: string;
  readonly available: string | null;
  readonly best_bid: string | null;
  readonly best_ask: string | null;
  readonly mid: string | null;
}

/** Tells what an order costs or brings with its fees, as a person is asked about it. */
export type ExpectedCosts = Pick<Estimate, "taker_fee" | "maker_fee" | "total" | "proceeds" | "fee_currency">;
