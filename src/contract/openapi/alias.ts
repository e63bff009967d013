/**
 * Owns the description of the alias endpoints (`/api/v3/`) for programs. Entry point: `aliasDocument`. `docs/reference/openapi-alias.json` is
 * its output, and a test compares the two.
 *
 * Not part of index.ts: reference.ts loads it when it is asked for, so no start pays for it.
 *
 * Source: service.md#alias-endpoints, service.md#alias-signing, service.md#alias-errors; decision 0010.
 */
import { z } from "zod";
import { ALIAS_ANSWERS, aliasError } from "../alias/answer.ts";
import { ALIAS_ENDPOINT_IDS, ALIAS_ENDPOINTS, type AliasEndpoint, type AliasEndpointId } from "../alias/endpoint.ts";
import { ALIAS_FAULTS, ALIAS_PROBLEMS } from "../alias/fault.ts";
import { ALIAS_HEADERS, ALIAS_SIGNING_VECTORS, ALIAS_WINDOW } from "../alias/signing.ts";
import { FAULT_CODES } from "../fault.ts";
import { ENDPOINTS, type EndpointId } from "../open/endpoint.ts";
import { describedAsInteger } from "../wire.ts";
import {
  accessText,
  documentOf,
  done,
  KEY_LIMITS,
  keyHeader,
  type OpenApiDocument,
  type Operation,
  parametersOf,
} from "./document.ts";
import { SchemaCollection } from "./json-schema.ts";

/** The endpoint of the Open API that does the same: its faults are this one's too. */
const SAME_AS: Readonly<Record<AliasEndpointId, EndpointId | undefined>> = {
  ping: undefined,
  time: "time",
  exchangeInfo: "tickers",
  depth: "orderbook",
  trades: "trades",
  historicalTrades: "trades",
  aggTrades: "trades",
  klines: "candles",
  uiKlines: "candles",
  avgPrice: "trades",
  day: "tickers",
  price: "tickers",
  bookTicker: "tickers",
  newOrder: "createOrder",
  testOrder: "createOrder",
  order: "order",
  cancelOrder: "cancelOrder",
  openOrders: "orders",
  cancelOpenOrders: "cancelBatch",
  allOrders: "orders",
  myTrades: "fills",
  account: "accounts",
  commission: "fills",
  orderLimits: "accounts",
};

/** Adds what a signed call has besides its own parameters and the signature. */
const signedParameters = z.object({
  timestamp: z
    .string()
    .regex(/^\d{1,15}$/)
    .meta({ ...describedAsInteger(0, 999_999_999_999_999), description: "Unix milliseconds." }),
  recvWindow: z
    .string()
    .regex(/^\d{1,9}(\.\d{1,3})?$/)
    .optional()
    .meta({
      description: `For how many milliseconds from \`timestamp\` on the call is good: ${ALIAS_WINDOW.recvWindowMs} unless told, at most ${ALIAS_WINDOW.recvWindowMaxMs}.`,
    }),
});

const USED_WEIGHT = { description: "Weight used in this minute.", schema: { type: "integer", minimum: 0 } };

export function aliasDocument(): OpenApiDocument {
  const schemas = new SchemaCollection();
  const operations = ALIAS_ENDPOINT_IDS.map((id) => operation(id, ALIAS_ENDPOINTS[id], schemas));
  return documentOf({
    title: "Alias endpoints",
    version: "3",
    description: [CONVENTIONS, SIGNING, LIMITING],
    operations,
    schemas,
    limitedHeaders: { [ALIAS_HEADERS.usedWeight]: USED_WEIGHT, [ALIAS_HEADERS.usedWeightMinute]: USED_WEIGHT },
    securitySchemes: {
      ApiKey: keyHeader(ALIAS_HEADERS.key, "Public id of the key."),
      Signature: { type: "apiKey", in: "query", name: "signature", description: SIGNING },
    },
    error: aliasError,
    faultAs: (code) => ({
      status: ALIAS_FAULTS[code].status,
      name: `${ALIAS_FAULTS[code].number} \`${code}\``,
    }),
    extensions: {
      "x-faults": Object.fromEntries(FAULT_CODES.map((code) => [code, { ...ALIAS_FAULTS[code] }])),
      "x-problems": Object.fromEntries(
        Object.entries(ALIAS_PROBLEMS).map(([name, problem]) => [name, { status: 400, ...problem }]),
      ),
      "x-limits": KEY_LIMITS,
      "x-signing-vectors": ALIAS_SIGNING_VECTORS.map((vector) => ({ ...vector })),
    },
  });
}

function operation(id: AliasEndpointId, endpoint: AliasEndpoint, schemas: SchemaCollection): Operation {
  const { method, auth, parameters } = endpoint;
  const same = SAME_AS[id];
  return {
    ...endpoint,
    id,
    description: `${accessText(auth)}${method === "GET" ? "" : " Parameters stand in the query or in a form."}`,
    parameters: [
      ...parametersOf("query", parameters, schemas),
      ...parametersOf("query", auth === "none" ? undefined : signedParameters, schemas),
    ],
    answers: { 200: done(200, ALIAS_ANSWERS[id], schemas) },
    faults: same === undefined ? [] : ENDPOINTS[same].faults,
  };
}

const CONVENTIONS =
  "The Binance spot names and shapes, on the same exchange, accounts and keys as the other families, so that existing clients of " +
  "the dialect work unchanged if they take an order's id as the text it is. Amounts are decimal strings with 8 decimals, times Unix milliseconds, with RFC 3339 beside them where " +
  "a shape has room. Markets are written `BTCKRW` or `BTC/KRW`; answers say `BTCKRW`. `orderId` is a UUID, the same on every family; " +
  "`newClientOrderId` is `userref`. A refusal is `{ code, msg }` with the dialect's numbers: under `x-faults` for the catalogue, and " +
  "under `x-problems` for what the dialect tells apart beyond it. A parameter that is not known is refused.";

const SIGNING =
  `A private call has the key in \`${ALIAS_HEADERS.key}\` and \`timestamp\`, \`signature\` and, if wanted, \`recvWindow\` among its ` +
  "parameters. `signature = hex( HMAC-SHA256( secret text, query || form ) )`, both as they are sent, without `signature` itself; the " +
  "secret is the text as handed out, not decoded. There is no nonce: a call is good until `timestamp + recvWindow` by the service's " +
  "clock, so wait that long before looking up an order that had no answer. Vectors are under `x-signing-vectors`.";

const LIMITING =
  "Calls count with those of the other families against the key's weight per minute and calls per second; the weight of a call is " +
  "its `x-weight`, the service's and not the dialect's.";
