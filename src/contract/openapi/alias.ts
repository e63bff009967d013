/**
 * The description of the alias endpoints (`/api/v3/`) for programs: OpenAPI 3.1, made from their tables.
 * Entry point: `aliasDocument`. `docs/reference/openapi-alias.json` is its output, and a test compares the two.
 *
 * Not part of index.ts: nothing that starts pays for it; reference.ts loads it when it is asked for.
 *
 * Source: decisions §4 (aliases), §5, §6; docs/decisions/0010.
 */
import { ALIAS_ANSWERS, aliasError } from "../alias/answer.ts";
import { ALIAS_ENDPOINT_IDS, ALIAS_ENDPOINTS, type AliasEndpoint, type AliasEndpointId } from "../alias/endpoint.ts";
import { ALIAS_FAULTS, ALIAS_PROBLEMS } from "../alias/fault.ts";
import { ALIAS_HEADERS, ALIAS_SIGNING_VECTORS, ALIAS_WINDOW } from "../alias/signing.ts";
import { COMMON_FAULTS, FAULT_CODES, type FaultCode, PRIVATE_FAULTS } from "../fault.ts";
import { LIMITS } from "../limit.ts";
import { ENDPOINTS, type EndpointId } from "../open/endpoint.ts";
import {
  accessText,
  callTerms,
  headerReferences,
  jsonContent,
  keyHeader,
  limitHeaderReferences,
  limitHeaders,
  type OpenApiAnswer,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  paragraphs,
  parametersOf,
  pathsOf,
  SERVER,
} from "./document.ts";
import { type JsonObject, SchemaCollection } from "./json-schema.ts";

/** The version in the paths of the dialect. */
const VERSION = "3";

/** The endpoint of the Open API that does the same: its faults are this one's too. */
const SAME_AS: Readonly<Record<AliasEndpointId, EndpointId | undefined>> = {
  ping: undefined,
  time: "time",
  exchangeInfo: "tickers",
  depth: "orderbook",
  trades: "trades",
  klines: "candles",
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
};

/** The whole document. A fresh object on every call. */
export function aliasDocument(): OpenApiDocument {
  const schemas = new SchemaCollection();
  const paths = pathsOf<AliasEndpointId, AliasEndpoint>(ALIAS_ENDPOINTS, ALIAS_ENDPOINT_IDS, (id, endpoint) =>
    operation(id, endpoint, schemas),
  );
  return {
    openapi: "3.1.0",
    info: { title: "Alias endpoints", version: VERSION, description: paragraphs(CONVENTIONS, SIGNING, LIMITING) },
    servers: [SERVER],
    paths,
    components: {
      schemas: schemas.all(),
      headers: { ...limitHeaders(), ...usedWeightHeaders() },
      securitySchemes: {
        ApiKey: keyHeader(ALIAS_HEADERS.key, "Public id of the key."),
        Signature: { type: "apiKey", in: "query", name: "signature", description: SIGNING },
      },
    },
    "x-faults": Object.fromEntries(FAULT_CODES.map((code) => [code, { ...ALIAS_FAULTS[code] }])),
    "x-problems": Object.fromEntries(
      Object.entries(ALIAS_PROBLEMS).map(([name, problem]) => [name, { status: 400, ...problem }]),
    ),
    "x-limits": { weightPerMinute: LIMITS.weightPerMinute, callsPerSecond: LIMITS.callsPerSecond },
    "x-signing-vectors": ALIAS_SIGNING_VECTORS.map((vector) => ({ ...vector })),
  };
}

function operation(id: AliasEndpointId, endpoint: AliasEndpoint, schemas: SchemaCollection): OpenApiOperation {
  const { method, summary, auth, parameters } = endpoint;
  const isPrivate = auth !== "none";
  const place = method === "GET" ? "" : " Parameters stand in the query or in a form.";
  return {
    operationId: id,
    summary,
    description: `${accessText(auth)}${place}`,
    security: isPrivate ? [{ ApiKey: [], Signature: [] }] : [],
    parameters: [...parametersOf("query", parameters, schemas), ...(isPrivate ? SIGNED : [])],
    responses: responses(id, isPrivate, schemas),
    ...callTerms(endpoint),
  };
}

/** What a signed call has besides its own parameters and the signature. */
const SIGNED: readonly OpenApiParameter[] = [
  {
    name: "timestamp",
    in: "query",
    required: true,
    description: "Unix milliseconds.",
    schema: { type: "string", pattern: "^\\d{1,15}$" },
  },
  {
    name: "recvWindow",
    in: "query",
    required: false,
    description: `For how many milliseconds from \`timestamp\` on the call is good: ${ALIAS_WINDOW.recvWindowMs} unless told, at most ${ALIAS_WINDOW.recvWindowMaxMs}.`,
    schema: { type: "string", pattern: "^\\d{1,9}(\\.\\d{1,3})?$" },
  },
];

function responses(id: AliasEndpointId, isPrivate: boolean, schemas: SchemaCollection): OpenApiOperation["responses"] {
  const error = jsonContent(schemas.response(aliasError));
  const answers: Record<string, OpenApiAnswer> = {
    200: {
      description: "Done.",
      headers: responseHeaders(isPrivate, false),
      content: jsonContent(schemas.response(ALIAS_ANSWERS[id])),
    },
  };
  for (const [status, codes] of faultsByStatus(id, isPrivate)) {
    answers[status] = {
      description: codes.map((code) => `${ALIAS_FAULTS[code].number} \`${code}\``).join(", "),
      headers: responseHeaders(isPrivate && status !== 401, status === 429),
      content: error,
      "x-fault-codes": codes,
    };
  }
  return {
    ...answers,
    default: {
      description: "Any other error has the same form.",
      headers: responseHeaders(false, false),
      content: error,
    },
  };
}

function faultsByStatus(id: AliasEndpointId, isPrivate: boolean): readonly (readonly [number, readonly FaultCode[]])[] {
  const same = SAME_AS[id];
  const possible = new Set<FaultCode>([
    ...COMMON_FAULTS,
    ...(isPrivate ? PRIVATE_FAULTS : []),
    ...(same === undefined ? [] : ENDPOINTS[same].faults),
  ]);
  const byStatus = new Map<number, FaultCode[]>();
  for (const code of FAULT_CODES) {
    if (!possible.has(code)) continue;
    const { status } = ALIAS_FAULTS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus];
}

const { usedWeight, usedWeightMinute } = ALIAS_HEADERS;

function responseHeaders(limited: boolean, refused: boolean): JsonObject {
  const used = limited ? headerReferences([usedWeight, usedWeightMinute]) : {};
  return { ...limitHeaderReferences(limited, refused), ...used };
}

function usedWeightHeaders(): JsonObject {
  const header = { description: "Weight used in this minute.", schema: { type: "integer", minimum: 0 } };
  return { [usedWeight]: header, [usedWeightMinute]: header };
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
