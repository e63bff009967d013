/** What Coinone promises and what it has. Source: SOURCES.md. */
import type { VenueCard } from "../../contract/index.ts";
import { USUAL } from "../usual-card.ts";
import { PROOF } from "./proof.ts";

/** How far back is read where nobody says: each window is a call or more. */
export const HISTORY_DAYS = 365;

export const CARD: VenueCard = {
  ...USUAL,
  name: "coinone",
  title: { en: "Coinone", ko: "코인원" },
  hosts: ["api.coinone.co.kr"],
  quotes: ["KRW"],
  auth: {
    scheme: "HMAC-SHA512",
    parts: ["key", "secret"],
    permissions: ["잔고 조회", "주문 조회", "주문 권한"],
    ip_allow_list: true,
    key_life_days: 365,
  },
  absence: { by: "id", scope: "account_forever" },
  lookup_retention_days: { open: null, closed: null, canceled: null },
  client_id: { field: "user_order_id", is: "minted", unique: "account_forever", burned_by_refusal: true },
  place_answer: "id",
  time_in_force: { limit: ["GTC"], limit_sell: ["GTC", "IOC"], market: ["IOC"] },
  post_only: "flag",
  cancel_all: "loop_calls",
  open_orders: "all",
  history: { closed_days: null, window_days: 90, read_days: HISTORY_DAYS, page: 100 },
  fills: "list",
  fee_per_fill: true,
  rates: [
    "40 orders and cancels a second a portfolio",
    "80 other private calls a second a portfolio",
    "1200 calls of market data a minute an address",
  ],
  ban: null,
  clock: { window_ms: null, source: "date_header" },
  proof: PROOF,
  unproven: [
    "How long a signed request is honoured is not documented, so that no order is found never proves that none will be.",
    "How long ended orders can be looked up is not documented: an order that it has answered with an id and does not find any more is not taken for absent.",
    "No list has orders that ended without a fill: closed orders are those with fills, and the others are found by their id alone.",
    "Whether a refused order uses up its id is not documented: it is taken as used.",
    "Whether an order in part canceled has ended is not documented: it has where nothing of it is left.",
    "What has executed of an order is worth, where that is not told, its average price times its volume.",
    "Which side took a public trade is read as the stream's documents and one recording say; the documents of the call can be read the other way.",
    "What is to be sold at once at a limit (IOC) goes as a market order with a lowest price: that it holds stands in the documents alone.",
    "An order is assumed to be found within ten seconds.",
    "What a cancel of all orders answers, and what the states of a market mean, come from clients.",
    "Names of coins are not told: a market goes by its symbol.",
    "That the stream tells every change of the account is not documented: it only makes hoga look sooner.",
    "How the stream is asked for orders of all markets is not documented: hoga names each, as they are when a connection is opened.",
  ],
};
