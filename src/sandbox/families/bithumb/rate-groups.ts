/** The rates of Bithumb, all by address. Who goes on after a refusal is refused on; no ban is documented. */
const SECOND = { windowMs: 1_000 };

export const GROUPS = {
  candle: { perWindow: 150, ...SECOND },
  orderbook: { perWindow: 150, ...SECOND },
  ticker: { perWindow: 150, ...SECOND },
  trade: { perWindow: 150, ...SECOND },
  market: { perWindow: 150, ...SECOND },
  order: { perWindow: 140, ...SECOND },
  cancel: { perWindow: 140, ...SECOND },
  private: { perWindow: 140, ...SECOND },
  /** Several orders at once. */
  batch: { perWindow: 20, ...SECOND },
  /** Orders and cancellations in one market. */
  asset: { perWindow: 20, ...SECOND },
  connect: { perWindow: 10, ...SECOND },
} as const;

export type GroupName = keyof typeof GROUPS;
