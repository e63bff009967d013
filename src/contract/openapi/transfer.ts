/**
 * The description of the drafts, the Payment API and the Remittance API (`/v0.1/`), for programs: OpenAPI 3.1, made from the table of
 * their endpoints. Entry point: `draftsDocument`. `docs/reference/openapi-transfers.json` is its output, and a test compares the two.
 *
 * Not part of index.ts: nothing that starts pays for it; reference.ts loads it when it is asked for.
 *
 * Invariant: the document, and each operation, is marked `x-draft`.
 *
 * Source: specification, "Versioning" 4; decisions §2, §5, §6, §9; docs/decisions/0015.
 */

import { LIMITS } from "../limit.ts";
import { SIGNING_VECTORS } from "../signing.ts";
import { TRANSFER_ENDPOINT_IDS, TRANSFER_ENDPOINTS, type TransferEndpointId } from "../transfer/endpoint.ts";
import { IDEMPOTENCY_HEADER, idempotencyKey, type TransferEndpoint, transferErrorBody } from "../transfer/wire.ts";
import {
  accessText,
  callTerms,
  faultCatalogue,
  faultsByStatus,
  jsonContent,
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
  SIGNED,
  SIGNED_SCHEMES,
  SIGNING_RULE,
} from "./document.ts";
import { type JsonObject, SchemaCollection } from "./json-schema.ts";

/** The drafts have no version but the segment of their paths. */
const VERSION = "0.1";

/** The whole document. A fresh object on every call. */
export function transferDocument(): OpenApiDocument {
  const schemas = new SchemaCollection();
  const paths = pathsOf<TransferEndpointId, TransferEndpoint>(
    TRANSFER_ENDPOINTS,
    TRANSFER_ENDPOINT_IDS,
    (id, endpoint) => operation(id, endpoint, schemas),
  );
  const key = keyParameter(schemas);
  return {
    openapi: "3.1.0",
    info: {
      title: "Payment API and Remittance API (drafts)",
      version: VERSION,
      description: paragraphs(DRAFT, PAYMENTS, REMITTANCES, IDEMPOTENCY, SIGNING_RULE, LIMITING),
    },
    servers: [SERVER],
    paths,
    components: {
      schemas: schemas.all(),
      parameters: { IdempotencyKey: key },
      headers: limitHeaders(),
      securitySchemes: SIGNED_SCHEMES,
    },
    "x-draft": true,
    "x-faults": faultCatalogue(),
    "x-limits": { weightPerMinute: LIMITS.weightPerMinute, callsPerSecond: LIMITS.callsPerSecond },
    "x-signing-vectors": SIGNING_VECTORS.filter(({ prefix }) => prefix.includes(" ")).map((vector) => ({ ...vector })),
  };
}

function operation(id: TransferEndpointId, endpoint: TransferEndpoint, schemas: SchemaCollection): OpenApiOperation {
  const isWrite = endpoint.method === "POST";
  return {
    operationId: id,
    summary: endpoint.summary,
    description: `Draft. ${accessText(endpoint.auth)}`,
    security: SIGNED,
    parameters: [
      ...parametersOf("path", endpoint.params, schemas),
      ...parametersOf("query", endpoint.query, schemas),
      ...(isWrite ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
    ],
    ...(endpoint.body === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(schemas.request(endpoint.body)) } }),
    responses: responses(endpoint, schemas),
    ...callTerms(endpoint),
    "x-draft": true,
  };
}

function responses(endpoint: TransferEndpoint, schemas: SchemaCollection): OpenApiOperation["responses"] {
  const answers: Record<string, OpenApiAnswer> = {
    [endpoint.status]: {
      description: endpoint.status === 201 ? "Created." : "Done.",
      headers: limitHeaderReferences(true, false),
      content: jsonContent(schemas.response(endpoint.response)),
    },
  };
  const error = jsonContent(schemas.response(transferErrorBody));
  const byStatus = new Map(faultsByStatus(endpoint));
  for (const status of [404, 409] as const)
    if (endpoint.refusals[status] !== undefined)
      byStatus.set(status, ["EGeneral:Invalid arguments", ...(byStatus.get(status) ?? [])]);
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    const list = codes.map((code) => `\`${code}\``).join(", ");
    const when = status === 404 || status === 409 ? endpoint.refusals[status] : undefined;
    answers[status] = {
      description: when === undefined ? list : `${list}. ${when}`,
      headers: limitHeaderReferences(status !== 401, status === 429),
      content: error,
      "x-fault-codes": codes,
    };
  }
  return { ...answers, default: { description: "Any other error has the same form.", headers: {}, content: error } };
}

function keyParameter(schemas: SchemaCollection): OpenApiParameter {
  const schema: JsonObject = schemas.request(idempotencyKey);
  return {
    name: IDEMPOTENCY_HEADER,
    in: "header",
    required: true,
    description: "The caller's name for this request.",
    schema,
  };
}

const DRAFT =
  "Both APIs are drafts, and more likely to change than the others. Unless they are switched on (`hoga sandbox --drafts`) every path " +
  "here is answered with 404. Amounts are decimal strings, times RFC 3339 UTC, an unknown field in a request is refused, an " +
  "answer may gain fields, as on the Open API; every resource has `draft: true`.";

const PAYMENTS =
  "A payment is a price in won, paid in another asset: `quoted → paid → settled → partially_refunded → refunded`, and `quoted → expired | " +
  "canceled`. Its rate is held for a minute at most. Confirming takes `pay_amount` and brings the won in; two seconds later they are settled, and " +
  "may leave the exchange. A refund takes won and gives the share of the asset back. Payer and merchant are one account in the sandbox.";

const REMITTANCES =
  "A remittance sends an asset abroad as another currency: a quote, then `created → compliance_review → sent → completed`, or `rejected` by the " +
  "review, `canceled` before it is sent, `returned` by the receiving bank. It goes on by itself: review after one second, sent or rejected two later, " +
  "arrived or returned three later. Two account numbers of the beneficiary decide otherwise in the sandbox: `0000000001` is rejected, `0000000002` " +
  "returned. Without travel-rule data it is refused with `ECompliance:Missing travel-rule metadata`.";

const IDEMPOTENCY =
  `Every POST needs \`${IDEMPOTENCY_HEADER}\`. It stands for one request of the account, for good: the same key with the same request is answered as ` +
  "the first time and moves nothing more, with another request it is refused with 409. A refused request leaves its key free. When no answer " +
  "arrives, ask the list with `idempotency_key`: it shows what the request was about, or nothing when it had no effect.";

const LIMITING =
  "Calls count with those of the other families against the key's weight per minute and calls per second; the weight of a call is its `x-weight`.";
