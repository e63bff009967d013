/**
 * The description of the Trading API (`/0/`) for programs: OpenAPI 3.1, made from the table of its operations.
 * Entry point: `tradingDocument`. `docs/reference/openapi-trading.json` is its output, and a test compares the two.
 *
 * Not part of index.ts: nothing that starts pays for it; reference.ts loads it when it is asked for.
 *
 * Source: specification, "Trading API", "Authentication", "Errors"; decisions §2, §4, §5, §6; docs/decisions/0009.
 */
import { z } from "zod";
import { COMMON_FAULTS, FAULT_CODES, type FaultCode, PRIVATE_FAULTS } from "../fault.ts";
import { LIMITS } from "../limit.ts";
import { AUTH_HEADERS, SIGNING_VECTORS } from "../signing.ts";
import {
  TRADING_OPERATION_IDS,
  TRADING_OPERATIONS,
  type TradingOperation,
  type TradingOperationId,
  tradingPath,
} from "../trading/operation.ts";
import {
  accessText,
  callTerms,
  faultCatalogue,
  formContent,
  jsonContent,
  keyHeader,
  limitHeaderReferences,
  limitHeaders,
  NONCE_RULE,
  type OpenApiDocument,
  type OpenApiOperation,
  paragraphs,
  parametersOf,
  SERVER,
} from "./document.ts";
import { type Json, type JsonObject, SchemaCollection } from "./json-schema.ts";

/** The Trading API has no version but the segment of its paths. */
const VERSION = "0";

const failure = z
  .object({
    error: z.array(z.string().meta({ examples: ["EOrder:Insufficient funds"] })).length(1),
    result: z.object({}),
  })
  .meta({ id: "Failure", description: "With HTTP status 200 too; the codes are under `x-faults`." });

/** The whole document. A fresh object on every call. */
export function tradingDocument(): OpenApiDocument {
  const schemas = new SchemaCollection();
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const id of TRADING_OPERATION_IDS) {
    const row: TradingOperation = TRADING_OPERATIONS[id];
    paths[tradingPath(id)] =
      row.auth === "none" ? { get: publicOperation(id, row, schemas) } : { post: privateOperation(id, row, schemas) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Trading API", version: VERSION, description: paragraphs(CONVENTIONS, SIGNING, ORDERS, LIMITING) },
    servers: [SERVER],
    paths,
    components: {
      schemas: schemas.all(),
      headers: limitHeaders(),
      securitySchemes: {
        ApiKey: keyHeader(AUTH_HEADERS.key, "Public id of the key."),
        ApiSign: keyHeader(AUTH_HEADERS.sign, SIGNING),
      },
    },
    "x-faults": faultCatalogue(),
    "x-limits": { weightPerMinute: LIMITS.weightPerMinute, callsPerSecond: LIMITS.callsPerSecond },
    "x-signing-vectors": SIGNING_VECTORS.filter(({ prefix }) => prefix.startsWith("/0/")).map((vector) => ({
      ...vector,
    })),
  };
}

function publicOperation(id: TradingOperationId, row: TradingOperation, schemas: SchemaCollection): OpenApiOperation {
  return {
    ...operationHead(id, row),
    security: [],
    parameters: parametersOf("query", row.request, schemas),
    ...operationTail(row, schemas),
  };
}

function privateOperation(id: TradingOperationId, row: TradingOperation, schemas: SchemaCollection): OpenApiOperation {
  return {
    ...operationHead(id, row),
    security: [{ ApiKey: [], ApiSign: [] }],
    parameters: [],
    requestBody: { required: true, content: formContent(withNonce(schemas.request(row.request))) },
    ...operationTail(row, schemas),
  };
}

function operationHead(
  id: TradingOperationId,
  { auth, summary }: TradingOperation,
): Pick<OpenApiOperation, "operationId" | "summary" | "description"> {
  const also = auth === "none" ? " Also as a POST, with the same fields as a form." : "";
  return { operationId: id, summary, description: `${accessText(auth)}${also}` };
}

function operationTail(
  row: TradingOperation,
  schemas: SchemaCollection,
): Pick<OpenApiOperation, "responses" | "x-weight" | "x-permission"> {
  const limited = row.auth !== "none";
  const done = { type: "object", properties: { error: NO_ERRORS, result: schemas.response(row.result) } };
  return {
    responses: {
      200: {
        description: "The result, or one entry in `error`: look at `error` first.",
        headers: limitHeaderReferences(limited, limited),
        content: jsonContent({ oneOf: [{ ...done, required: ["error", "result"] }, schemas.response(failure)] }),
        "x-fault-codes": faultsOf(row),
      },
    },
    ...callTerms(row),
  };
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

/** In the order of the catalogue. */
function faultsOf({ auth, faults }: TradingOperation): readonly FaultCode[] {
  const possible = new Set<FaultCode>([...COMMON_FAULTS, ...(auth === "none" ? [] : PRIVATE_FAULTS), ...faults]);
  return FAULT_CODES.filter((code) => possible.has(code));
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
