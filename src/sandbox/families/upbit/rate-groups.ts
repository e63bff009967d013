/** The rates of Upbit: by address for quotations, by account for the rest. How it bans is not documented. */
import type { BanTerms } from "../../venue-kit/rate-groups.ts";

export const GROUPS = {
  market: { perWindow: 10, windowMs: 1_000 },
  candle: { perWindow: 10, windowMs: 1_000 },
  trade: { perWindow: 10, windowMs: 1_000 },
  ticker: { perWindow: 10, windowMs: 1_000 },
  orderbook: { perWindow: 10, windowMs: 1_000 },
  default: { perWindow: 30, windowMs: 1_000 },
  order: { perWindow: 12, windowMs: 1_000 },
  "order-test": { perWindow: 8, windowMs: 1_000 },
  "order-cancel-all": { perWindow: 1, windowMs: 2_000 },
  "websocket-connect": { perWindow: 5, windowMs: 1_000 },
  /** Quotations of a request that says which web page it comes from. */
  origin: { perWindow: 1, windowMs: 10_000 },
} as const;

export type GroupName = keyof typeof GROUPS;

export const BAN: BanTerms = { strikes: 20, withinMs: 10_000, firstMs: 10_000, maxMs: 600_000 };
