/** What Korbit (since 2026 Digital X) promises and what it has. Source: SOURCES.md. */
import type { VenueCard } from "../../contract/index.ts";
import { USUAL } from "../usual-card.ts";
import { PROOF } from "./proof.ts";

export const CARD: VenueCard = {
  ...USUAL,
  name: "korbit",
  title: { en: "Korbit (Digital X)", ko: "코빗(디지털엑스)" },
  hosts: ["api.digitalx.miraeasset.com", "api.korbit.co.kr"],
  quotes: ["KRW"],
  auth: {
    scheme: "HMAC-SHA256, or Ed25519",
    parts: ["key", "secret", "private_key"],
    permissions: ["readBalances", "readOrders", "writeOrders"],
    ip_allow_list: true,
    key_life_days: 365,
  },
  absence: { by: "expiry", ms: 5_000, at: "gate", errorMs: 1_000 },
  lookup_retention_days: { open: null, closed: null, canceled: 3 },
  client_id: { field: "clientOrderId", is: "minted", unique: "account", burned_by_refusal: false },
  place_answer: "id",
  time_in_force: { limit: ["GTC", "IOC", "FOK"], market: ["IOC"] },
  post_only: "tif",
  cancel_all: "loop_orders",
  open_orders: "per_market",
  history: { closed_days: 1.5, window_days: null, read_days: null, page: 1_000 },
  fills: "list",
  fee_per_fill: true,
  rates: [
    "30 orders a second an account",
    "30 cancels a second an account",
    "50 other calls a second an account",
    "50 calls a second an address, of market data",
  ],
  ban: null,
  clock: { window_ms: 5_000, source: "endpoint" },
  proof: PROOF,
  unproven: [
    "The time of a request is checked before anything else, and how long it may wait after that is not documented: that no order is found never proves that none will be.",
    "The answer to a look-up of an order that is not there is documented for a cancel alone; its HTTP status is not.",
    "A repeated id is refused while an order has it, and for about three days after one that ended without a trade; for how long after others is not documented.",
    "Open orders are listed by market alone. All of them are found by the balances in use; where those do not explain it, every market is asked, and a list that was not read to its end is an error that says how far it came.",
    "An order that is taken and still pending is in no list, only by its id.",
    "Orders and fills older than 36 hours cannot be had: hoga knows of them what it has read before.",
    "What an order that ended before its whole size ends as: the exchange calls it filled, and hoga, by its quantity, canceled.",
    "The step of a quantity is not documented: eight decimals are assumed.",
    "Whether the keys of the former address api.korbit.co.kr go on working there is not documented; the address of the documents is used.",
    "That the stream tells every change of the account is not documented: it only makes hoga look sooner.",
    "Orders are told of in the markets that there are when a connection is opened: of a newer one hoga hears by asking.",
  ],
};
