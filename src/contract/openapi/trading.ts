/**
 * Owns the description of the Trading API (`/0/`) for programs. Entry point: `tradingDocument`. `docs/reference/openapi-trading.json` is its
 * output, and a test compares the two.
 *
 * Not part of index.ts: reference.ts loads it when it is asked for, so no start pays for it.
 *
 * Source: service.md#trading-api, service.md#trading-envelope; decision 0009.
 */
import { z } from "zod";
import { AUTH_HEADERS } from "../signing.ts";
import {
  TRADING_OPERATION_IDS,
  TRADING_OPERATIONS,
  type TradingOperation,
  type TradingOperationId,
  tradingPath,
} from "../trading/operation.ts";
import {
  accessText,
  documentOf,
  faultCatalogue,
  jsonContent,
  KEY_LIMITS,
  keyHeader,
  NONCE_RULE,
  type OpenApiDocument,
  type Operation,
  parametersOf,
  signingVectors,
} from "./document.ts";
import { type Json, type JsonObject, SchemaCollection } from "./json-schema.ts";

const failure = z
  .object({
    error: z.array(z.string().meta({ examples: ["EOrder:Insufficient funds"] })).length(1),
    result: z.object({}),
  })
  .meta({ id: "Failure", description: "With HTTP status 200 too; the codes are under `x-faults`." });

export function tradingDocument(): OpenApiDocument {
  const schemas = new SchemaCollection();
  return documentOf({
    title: "Trading API",
    version: "0",
    description: [CONVENTIONS, SIGNING, ORDERS, LIMITING],
    operations: TRADING_OPERATION_IDS.map((id) => operation(id, TRADING_OPERATIONS[id], schemas)),
    schemas,
    securitySchemes: {
      ApiKey: keyHeader(AUTH_HEADERS.key, "Public id of the key."),
      ApiSign: keyHeader(AUTH_HEADERS.sign, SIGNING),
    },
    faultAs: (code) => ({ status: 200, name: code }),
    extensions: {
      "x-faults": faultCatalogue(),
      "x-limits": KEY_LIMITS,
      "x-signing-vectors": signingVectors(/^\/0\//),
    },
  });
}

function operation(id: TradingOperationId, row: TradingOperation, schemas: SchemaCollection): Operation {
  const { auth, request } = row;
  const result = { type: "object", properties: { error: NO_ERRORS, result: schemas.response(row.result) } };
  const answer = {
    description: "The result, or one entry in `error`: look at `error` first.",
    content: jsonContent({ oneOf: [{ ...result, required: ["error", "result"] }, schemas.response(failure)] }),
  };
  const called =
    auth === "none"
      ? {
          method: "GET",
          description: `${accessText(auth)} Also as a POST, with the same fields as a form.`,
          parameters: parametersOf("query", request, schemas),
        }
      : {
          method: "POST",
          description: accessText(auth),
          parameters: [],
          body: { "application/x-www-form-urlencoded": { schema: withNonce(schemas.request(request)) } },
        };
  return { ...row, id, path: tradingPath(id), ...called, answers: { 200: answer } };
}

const NO_ERRORS = { type: "array", maxItems: 0 };

function withNonce(form: JsonObject): JsonObject {
  const nonce: Json = { type: "string", pattern: "^(0|[1-9]\\d{0,19})$", description: NONCE_RULE };
  const required = (form["required"] ?? []) as readonly Json[];
  return {
    ...form,
    properties: { nonce, ...(form["properties"] as JsonObject) },
    required: ["nonce", ...required],
  };
}

const CONVENTIONS =
  "The Kraken spot dialect, with the service's own fields beside it. The HTTP status is always 200: a failure has one entry " +
  "`<Class>:<message>` in `error` and an empty `result`. Amounts are decimal strings. Pairs are written `BTC/KRW` or `BTCKRW`, also " +
  "by the dialect's other names (`XBTKRW`); answers say `BTC/KRW`. The dialect's times are Unix seconds with a fraction, and the " +
  "same time stands beside each as RFC 3339. An unknown field is refused; an answer may gain fields.";

const SIGNING =
  `A private call is a POST with \`nonce\` in its form, \`${AUTH_HEADERS.key}\` and \`${AUTH_HEADERS.sign}\`. ` +
  "`API-Sign = base64( HMAC-SHA512( base64decode(secret), path || SHA256( nonce || form ) ) )`, `||` joining bytes, the form as it " +
  "is sent. The nonce grows with every request of a key, over all families together. Vectors are under `x-signing-vectors`.";

const ORDERS =
  "`AddOrder` needs the four compliance fields; without them it is refused with `ECompliance:Missing travel-rule metadata`. An order " +
  "has the same id everywhere, as `txid[0]` and `orderId`. When no answer to an order arrives, look it up with `QueryOrders` and its " +
  "`userref` first; do not send it again at once.";

const LIMITING =
  "Calls count with those of the other families against the key's weight per minute and calls per second, whichever is used up " +
  "first; the weight of a call is its `x-weight`. A refused one has the header `Retry-After`.";
