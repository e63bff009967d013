/** What the cards of exchanges have alike that take orders at once for what is there: a card says what differs, and may say any of it anew. */
import type { VenueCard } from "../contract/index.ts";

/** Each stands in the sources of every exchange that takes it from here. */
export const USUAL = {
  visible_after_ms: 10_000,
  lookup_finds: ["open", "closed", "canceled"],
  types: ["limit", "market"],
  market_buy_by: "cost",
  market_sell_by: "volume",
  market_rules: "one_by_one",
  ticks: "endpoint",
  fees: "endpoint",
  cancel_timer: false,
  test_order: false,
  stream: "both",
} as const satisfies Partial<VenueCard>;
