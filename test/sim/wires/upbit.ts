/** Upbit, in the words of the simulation. */
import { UPBIT } from "../../../src/sandbox/families/upbit/upbit-family.ts";
import { UpbitVenue } from "../../../src/venues/upbit/venue.ts";
import type { Wire } from "../wire.ts";
import { JSON_TYPE, type Kinds, kindIn, nameOf, stamped, wholeOrCanceled } from "./foreign.ts";
import { orderOfBid, type QuoteFirstOrder, refusal } from "./quote-first.ts";

const KINDS: Kinds = [
  [/^POST \/v1\/orders$/, "createOrder"],
  [/^GET \/v1\/order\?uuid=/, "order"],
  [/^GET \/v1\/order\?/, "orders"],
  [/^GET \/v1\/orders\/(open|closed|uuids)/, "orders"],
  [/^DELETE \/v1\/order\?/, "cancelOrder"],
  [/^DELETE \/v1\/orders\//, "cancelBatch"],
  [/^GET \/v1\/accounts/, "accounts"],
  [/^GET \/v1\/ticker/, "tickers"],
  [/^GET \/v1\/orderbook\?/, "orderbook"],
  [/^GET \/v1\/trades/, "trades"],
  [/^GET \/v1\/candles/, "candles"],
  [/^GET \/v1\/(market|orderbook\/instruments|orders\/chance)/, "markets"],
];

type Placed = QuoteFirstOrder & {
  readonly ord_type: "limit" | "price" | "market";
  readonly identifier: string;
};

export const UPBIT_WIRE: Wire = {
  open: (options) =>
    stamped(
      options,
      (parts) => new UpbitVenue(parts),
      (call) => (kindIn(KINDS, call) === "createOrder" ? (JSON.parse(call.body) as Placed).identifier : undefined),
    ),
  markets: UPBIT.markets,
  family: (service) => UPBIT.family(service, {}),
  nameOf,
  stateOf: wholeOrCanceled,
  read: (call) => {
    const kind = kindIn(KINDS, call);
    const placed = kind === "createOrder" ? (JSON.parse(call.body) as Placed) : undefined;
    const order = placed && orderOfBid(placed, placed.ord_type, placed.identifier);
    return { kind, weight: 1, nonce: call.headers["api-nonce"] ?? "", order };
  },
  isTaken: (status) => status === 201,
  compliance: undefined,
  busy: { status: 503, headers: JSON_TYPE, body: refusal("server_error") },
  limited: { status: 429, headers: JSON_TYPE, body: refusal("too_many_requests") },
  contradicted: (answer) => ({ ...answer, status: 503 }),
};
