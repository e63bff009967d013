/** What Bithumb promises and what it has. Source: SOURCES.md. */
import type { VenueCard } from "../../contract/index.ts";
import { USUAL } from "../usual-card.ts";
import { PROOF } from "./proof.ts";

/** How far back is read where nobody says: each window is a call or more. */
export const HISTORY_DAYS = 30;

export const CARD: VenueCard = {
  ...USUAL,
  name: "bithumb",
  title: { en: "Bithumb", ko: "빗썸" },
  hosts: ["api.bithumb.com"],
  quotes: ["KRW"],
  auth: {
    scheme: "JWT HS256",
    parts: ["key", "secret"],
    permissions: ["자산조회", "주문조회", "주문하기"],
    ip_allow_list: true,
    key_life_days: null,
  },
  absence: { by: "id", scope: "account" },
  lookup_retention_days: { open: null, closed: null, canceled: null },
  client_id: { field: "client_order_id", is: "minted", unique: "account", burned_by_refusal: false },
  place_answer: "id",
  time_in_force: { limit: ["GTC", "IOC", "FOK"], market: ["IOC"] },
  post_only: "tif",
  ticks: "table",
  cancel_all: "loop_orders",
  open_orders: "all",
  history: { closed_days: null, window_days: 7, read_days: HISTORY_DAYS, page: 1_000 },
  fills: "order",
  fee_per_fill: false,
  rates: [
    "140 calls a second an address, of each of orders, cancels and all other private calls",
    "150 calls a second an address, of each kind of market data",
    "about 20 orders and cancels a second in one asset; hoga sends at most 6 orders and 12 cancels",
  ],
  ban: null,
  clock: { window_ms: null, source: "date_header" },
  proof: PROOF,
  unproven: [
    "How long a signed request is honoured is not documented (there is a refusal of tokens that have run out), so that no order is found never proves that none will be.",
    "What becomes of a repeated client_order_id is told in two ways: that it is refused, and that the first order is answered with. A refusal that speaks of it, and an answer with an order older than the request, make hoga look the order up.",
    "Whether a refused order uses up its client_order_id is not documented.",
    "How long ended orders can be looked up is not documented, nor by which of its times a list of ended orders chooses.",
    "The fee of a fill is its share by value of the order's fee, which alone is told.",
    "An order is assumed to be found within ten seconds.",
    "An order that is canceled while it waits for its price is in no list of ended orders.",
    "The key of a next page is hashed as it is, as the guide does it; if that is refused, once more as it is encoded.",
    "What being over the limits looks like is not documented: an answer of HTTP 429 makes hoga wait.",
    "The minimum of an order, and its refusals for want of money, come from clients and not from the exchange's pages.",
    "How long a key lasts is not documented.",
    "That the stream tells every change of the account is not documented: it only makes hoga look sooner.",
    "How many messages a second the stream takes is not documented: hoga sends one.",
  ],
};
