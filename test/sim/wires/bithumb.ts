/** Bithumb, in the words of the simulation. */
import { BITHUMB } from "../../../src/sandbox/families/bithumb/bithumb-family.ts";
import { BithumbVenue } from "../../../src/venues/bithumb/venue.ts";
import type { Wire } from "../wire.ts";
import { JSON_TYPE, type Kinds, kindIn, nameOf, stamped, wholeOrCanceled } from "./foreign.ts";
import { orderOfBid, type QuoteFirstOrder, refusal } from "./quote-first.ts";

const KINDS: Kinds = [
  [/^POST \/v2\/orders$/, "createOrder"],
  [/^GET \/v1\/order\?uuid=/, "order"],
  [/^GET \/v1\/order\?/, "orders"],
  [/^GET \/v2\/orders\/(pending|history)/, "orders"],
  [/^DELETE \/v2\/order\?/, "cancelOrder"],
  [/^GET \/v1\/accounts/, "accounts"],
  [/^GET \/v1\/ticker/, "tickers"],
  [/^GET \/v1\/orderbook\?/, "orderbook"],
  [/^GET \/v1\/trades/, "trades"],
  [/^GET \/v1\/candles/, "candles"],
  [/^GET \/v1\/(market|orders\/chance)/, "markets"],
];

type Placed = QuoteFirstOrder & {
  readonly order_type: "limit" | "price" | "market";
  readonly client_order_id: string;
};

export const BITHUMB_WIRE: Wire = {
  open: (options) =>
    stamped(
      options,
      (parts) => new BithumbVenue(parts),
      (call) => (kindIn(KINDS, call) === "createOrder" ? (JSON.parse(call.body) as Placed).client_order_id : undefined),
    ),
  markets: BITHUMB.markets,
  family: (service) => BITHUMB.family(service, {}),
  nameOf,
  stateOf: wholeOrCanceled,
  read: (call) => {
    const kind = kindIn(KINDS, call);
    const placed = kind === "createOrder" ? (JSON.parse(call.body) as Placed) : undefined;
    const order = placed && orderOfBid(placed, placed.order_type, placed.client_order_id);
    return { kind, weight: 1, nonce: call.headers["api-nonce"] ?? "", order };
  },
  isTaken: (status, text) => status < 300 && !("error" in (JSON.parse(text) as object)),
  compliance: undefined,
  busy: { status: 503, headers: JSON_TYPE, body: refusal("server_error") },
  limited: { status: 429, headers: JSON_TYPE, body: refusal("too_many_requests") },
  contradicted: (answer) => ({ ...answer, status: 503 }),
};
