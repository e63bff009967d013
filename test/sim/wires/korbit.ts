/** Korbit, in the words of the simulation. */
import { KORBIT } from "../../../src/sandbox/families/korbit/korbit-family.ts";
import { KorbitVenue } from "../../../src/venues/korbit/venue.ts";
import type { Wire } from "../wire.ts";
import { bodyOf, JSON_TYPE, type Kinds, kindIn, nameOf, stamped, wholeOrCanceled } from "./foreign.ts";

const KINDS: Kinds = [
  [/^POST \/v2\/orders$/, "createOrder"],
  [/^GET \/v2\/orders\?.*orderId=/, "order"],
  [/^GET \/v2\/(orders|openOrders|allOrders|myTrades)\?/, "orders"],
  [/^DELETE \/v2\/orders\?/, "cancelOrder"],
  [/^GET \/v2\/balance/, "accounts"],
  [/^GET \/v2\/tickers/, "tickers"],
  [/^GET \/v2\/orderbook\?/, "orderbook"],
  [/^GET \/v2\/trades/, "trades"],
  [/^GET \/v2\/candles/, "candles"],
  [/^GET \/v2\/time/, "time"],
  [/^GET \/v2\/(currencyPairs|currencies|tickSizePolicy|tradingFeePolicy)/, "markets"],
];

const LISTED_MS = 36 * 3_600_000;
const CONDITIONS: Readonly<Record<string, string>> = { ioc: "IOC", fok: "FOK" };

function orderIn(body: string) {
  const {
    symbol = "",
    side,
    orderType,
    price,
    qty,
    amt,
    timeInForce = "",
    clientOrderId = "",
  } = Object.fromEntries(new URLSearchParams(body));
  const isLimit = orderType === "limit";
  return bodyOf({
    symbol: symbol.toUpperCase().replace("_", "/"),
    side,
    type: orderType,
    volume: qty,
    amount: amt,
    price,
    time_in_force: isLimit ? CONDITIONS[timeInForce] : undefined,
    post_only: timeInForce === "po" ? true : undefined,
    userref: nameOf(clientOrderId),
  });
}

function refusal(status: number, message: string): Buffer {
  return Buffer.from(JSON.stringify({ success: false, error: { code: status, message } }));
}

export const KORBIT_WIRE: Wire = {
  open: (options) =>
    stamped(
      options,
      (parts) => new KorbitVenue(parts),
      (call) =>
        kindIn(KINDS, call) === "createOrder"
          ? (new URLSearchParams(call.body).get("clientOrderId") ?? undefined)
          : undefined,
    ),
  markets: KORBIT.markets,
  family: (service, time) =>
    KORBIT.family(service, {
      later: (ms, run) => {
        const alarm = time.after(ms, run);
        return () => time.cancel(alarm);
      },
    }),
  nameOf,
  isListed: ({ createdAt }, nowMs) => createdAt >= nowMs - LISTED_MS,
  // One that would have traded, or traded nothing, runs out; one that was executed in part calls its end a cancel.
  stateOf: ({ state, reason, executedVolume }) =>
    (state === "expired" && executedVolume === 0n) || reason === "post_only_would_match"
      ? "expired"
      : wholeOrCanceled({ state }),
  read: (call) => {
    const kind = kindIn(KINDS, call);
    const order = kind === "createOrder" ? orderIn(call.body) : undefined;
    return { kind, weight: 1, nonce: call.headers["api-nonce"] ?? "", order };
  },
  isTaken: (_status, text) => (JSON.parse(text) as { readonly success: boolean }).success,
  compliance: undefined,
  busy: { status: 503, headers: JSON_TYPE, body: refusal(503, "SERVICE_UNAVAILABLE") },
  limited: { status: 429, headers: { ...JSON_TYPE, "retry-after": "1" }, body: refusal(429, "TOO_MANY_REQUESTS") },
  contradicted: (answer) => ({ ...answer, status: 503 }),
};
