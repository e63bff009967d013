/** Upbit, in the words of the simulation. */
import { UPBIT } from "../../../src/sandbox/families/upbit/upbit-family.ts";
import { UpbitVenue } from "../../../src/venues/upbit/venue.ts";
import type { RequestKind, Wire } from "../wire.ts";
import { bodyOf, nameOf, stamped, uuidOf } from "./foreign.ts";

const JSON_TYPE = { "content-type": "application/json" };

function refusal(name: string): Buffer {
  return Buffer.from(JSON.stringify({ error: { name, message: "somebody in between says so" } }));
}

/** A look-up by an id of ours does what a list by names does at the specified exchange. */
const KINDS: readonly (readonly [RegExp, RequestKind])[] = [
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

interface Placed {
  readonly market: string;
  readonly side: "bid" | "ask";
  readonly ord_type: "limit" | "price" | "market";
  readonly price?: string;
  readonly volume?: string;
  readonly time_in_force?: "ioc" | "fok" | "post_only";
  readonly identifier: string;
}

function orderIn(body: string) {
  const { market, side, ord_type, price, volume, time_in_force: way, identifier } = JSON.parse(body) as Placed;
  const [quote, base] = market.split("-");
  return bodyOf({
    symbol: `${base}/${quote}`,
    side: side === "bid" ? "buy" : "sell",
    type: ord_type === "limit" ? "limit" : "market",
    volume,
    [ord_type === "price" ? "amount" : "price"]: price,
    time_in_force: way === "ioc" || way === "fok" ? way.toUpperCase() : undefined,
    post_only: way === "post_only" ? true : undefined,
    userref: nameOf(identifier),
  });
}

export const UPBIT_WIRE: Wire = {
  open: (options) =>
    stamped(
      options,
      (transport) => {
        const { environment, baseUrl, credentials, clock, timeouts, random } = options;
        const uuid = () => uuidOf(options.randomBytes(16));
        const parts = { environment, baseUrl, credentials, clock, timeouts, random, transport, uuid, account: "paper" };
        return new UpbitVenue(parts as ConstructorParameters<typeof UpbitVenue>[0]);
      },
      (method, path, body) =>
        method === "POST" && path === "/v1/orders" ? (JSON.parse(body) as Placed).identifier : undefined,
    ),
  markets: UPBIT.markets,
  family: (service) => UPBIT.family(service, {}),
  nameOf,
  // It calls every end but one that is whole a cancel.
  stateOf: ({ state }) => (state === "expired" ? "canceled" : state),
  read: ({ method, path, headers, body }) => {
    const line = `${method} ${path}`;
    const kind = KINDS.find(([pattern]) => pattern.test(line))?.[1];
    if (kind === undefined) throw new Error(`no call for ${line}`);
    return {
      kind,
      weight: 1,
      nonce: headers["api-nonce"] ?? "",
      order: kind === "createOrder" ? orderIn(body) : undefined,
    };
  },
  isTaken: (status) => status === 201,
  compliance: undefined,
  busy: { status: 503, headers: JSON_TYPE, body: refusal("server_error") },
  limited: { status: 429, headers: JSON_TYPE, body: refusal("too_many_requests") },
  contradicted: (answer) => ({ ...answer, status: 503 }),
};
