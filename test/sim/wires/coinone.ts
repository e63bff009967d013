/** Coinone, in the words of the simulation. */
import { COINONE } from "../../../src/sandbox/families/coinone/coinone-family.ts";
import { CoinoneVenue } from "../../../src/venues/coinone/venue.ts";
import type { Wire } from "../wire.ts";
import { bodyOf, JSON_TYPE, type Kinds, kindIn, nameOf, stamped, wholeOrCanceled } from "./foreign.ts";

const KINDS: Kinds = [
  [/^POST \/v2\.1\/order$/, "createOrder"],
  [/^POST \/v2\.1\/order\/(detail|active_orders|completed_orders)/, "orders"],
  [/^POST \/v2\.1\/order\/cancel$/, "cancelOrder"],
  [/^POST \/v2\.1\/order\/cancel\/all$/, "cancelBatch"],
  [/^POST \/v2\.1\/account\/balance/, "accounts"],
  [/^POST \/v2\.1\/account\/trade_fee/, "markets"],
  [/^GET \/public\/v2\/(markets|range_units|currencies)/, "markets"],
  [/^GET \/public\/v2\/ticker/, "tickers"],
  [/^GET \/public\/v2\/orderbook/, "orderbook"],
  [/^GET \/public\/v2\/trades/, "trades"],
  [/^GET \/public\/v2\/chart/, "candles"],
];

interface Placed {
  readonly side: "BUY" | "SELL";
  readonly quote_currency: string;
  readonly target_currency: string;
  readonly type: "LIMIT" | "MARKET";
  readonly price?: string;
  /** Of a market order that sells: no lower, and what does not fill at once is canceled. */
  readonly limit_price?: string;
  readonly qty?: string;
  readonly amount?: string;
  readonly post_only?: boolean;
  readonly user_order_id: string;
}

function orderIn(body: string) {
  const {
    side,
    type,
    price,
    limit_price: bound,
    qty,
    amount,
    post_only,
    user_order_id,
    ...pair
  } = JSON.parse(body) as Placed;
  return bodyOf({
    symbol: `${pair.target_currency}/${pair.quote_currency}`,
    side: side.toLowerCase(),
    type: bound === undefined ? type.toLowerCase() : "limit",
    volume: qty,
    amount,
    price: bound ?? price,
    time_in_force: bound === undefined ? undefined : "IOC",
    post_only: post_only === true ? true : undefined,
    userref: nameOf(user_order_id),
  });
}

function refusal(error_code: string): Buffer {
  return Buffer.from(JSON.stringify({ result: "error", error_code, error_msg: "somebody in between says so" }));
}

export const COINONE_WIRE: Wire = {
  open: (options) =>
    stamped(
      options,
      (parts) => new CoinoneVenue(parts),
      (call) => (kindIn(KINDS, call) === "createOrder" ? (JSON.parse(call.body) as Placed).user_order_id : undefined),
    ),
  markets: COINONE.markets,
  family: (service) => COINONE.family(service, {}),
  nameOf,
  stateOf: wholeOrCanceled,
  // What has ended is listed by its fills.
  isListed: ({ state, executedVolume }) => state === "open" || executedVolume > 0n,
  read: (call) => {
    const kind = kindIn(KINDS, call);
    const order = kind === "createOrder" ? orderIn(call.body) : undefined;
    return { kind, weight: 1, nonce: call.headers["api-nonce"] ?? "", order };
  },
  isTaken: (_status, text) => (JSON.parse(text) as { readonly result: string }).result === "success",
  compliance: undefined,
  busy: { status: 503, headers: JSON_TYPE, body: refusal("405") },
  // Its answers are HTTP 200, whatever they say.
  limited: { status: 200, headers: JSON_TYPE, body: refusal("4") },
  contradicted: (answer) => ({ ...answer, status: 503 }),
};
