/** What Upbit promises and what it has. Source: SOURCES.md. */
import type { VenueCard } from "../../contract/index.ts";
import { USUAL } from "../usual-card.ts";
import { PROOF } from "./proof.ts";

/** How far back is read where nobody says: each window is a call or more. */
export const HISTORY_DAYS = 30;

export const CARD: VenueCard = {
  ...USUAL,
  name: "upbit",
  title: { en: "Upbit", ko: "업비트" },
  hosts: ["api.upbit.com"],
  quotes: ["KRW"],
  auth: {
    scheme: "JWT HS512",
    parts: ["key", "secret"],
    permissions: ["자산조회", "주문조회", "주문하기"],
    ip_allow_list: true,
    key_life_days: 365,
  },
  absence: { by: "id", scope: "account_forever" },
  lookup_retention_days: { open: null, closed: null, canceled: null },
  client_id: { field: "identifier", is: "minted", unique: "account_forever", burned_by_refusal: true },
  place_answer: "order",
  time_in_force: { limit: ["GTC", "IOC", "FOK"], market: ["IOC"] },
  post_only: "tif",
  cancel_all: "loop_calls",
  open_orders: "all",
  history: { closed_days: null, window_days: 7, read_days: HISTORY_DAYS, page: 1_000 },
  fills: "order",
  fee_per_fill: false,
  rates: [
    "12 orders a second an account",
    "one cancel of all orders in 2 seconds an account",
    "30 other calls a second an account",
    "10 calls a second an address, of each kind of market data",
  ],
  ban: "HTTP 418, for a time that grows",
  clock: { window_ms: null, source: "date_header" },
  proof: PROOF,
  unproven: [
    "How long a signed request is honoured is not documented, so that no order is found never proves that none will be.",
    "The name of the refusal of a repeated identifier is not documented: any refusal that speaks of the identifier counts as one.",
    "How long ended orders can be looked up is not documented.",
    "The fee of a fill is its share by value of the order's fee, which alone is told.",
    "The form in which a shut-out says its time is not documented: where none is found, ten minutes are kept, and longer each time.",
    "An order is assumed to be found within ten seconds.",
    "That the stream tells every change of the account is not documented: it only makes hoga look sooner.",
    "Ticks below 100, the minimum of an order and the number of trades in one answer come from clients that cite the exchange.",
  ],
};
