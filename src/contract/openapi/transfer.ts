/**
 * Owns the description of the Payment API and the Remittance API (`/v0.1/`) for programs. Entry point: `transferDocument`.
 * `docs/reference/openapi-transfers.json` is its output, and a test compares the two.
 *
 * Not part of index.ts: reference.ts loads it when it is asked for, so no start pays for it.
 *
 * Invariant: the document, and each operation, is marked `x-draft`.
 *
 * Source: service.md#transfers, service.md#transfers-marked, service.md#idempotency-key; decision 0015.
 */
import { z } from "zod";
import { TRANSFER_ENDPOINT_IDS, TRANSFER_ENDPOINTS, type TransferEndpointId } from "../transfer/endpoint.ts";
import { IDEMPOTENCY_HEADER, idempotencyKey, type TransferEndpoint, transferErrorBody } from "../transfer/wire.ts";
import {
  documentOf,
  faultCatalogue,
  jsonOperation,
  KEY_LIMITS,
  type OpenApiDocument,
  type Operation,
  SIGNED_SCHEMES,
  SIGNING_RULE,
  signingVectors,
} from "./document.ts";
import { SchemaCollection } from "./json-schema.ts";

const keyHeader = z.object({
  [IDEMPOTENCY_HEADER]: idempotencyKey.meta({ description: "The caller's name for this request." }),
});

export function transferDocument(): OpenApiDocument {
  const schemas = new SchemaCollection();
  const operations = TRANSFER_ENDPOINT_IDS.map((id) => operation(id, TRANSFER_ENDPOINTS[id], schemas));
  return documentOf({
    title: "Payment API and Remittance API (drafts)",
    version: "0.1",
    description: [DRAFT, PAYMENTS, REMITTANCES, IDEMPOTENCY, SIGNING_RULE, LIMITING],
    operations,
    schemas,
    parameters: { IdempotencyKey: keyHeader },
    securitySchemes: SIGNED_SCHEMES,
    error: transferErrorBody,
    extensions: {
      "x-draft": true,
      "x-faults": faultCatalogue(),
      "x-limits": KEY_LIMITS,
      "x-signing-vectors": signingVectors(/ /),
    },
  });
}

function operation(id: TransferEndpointId, endpoint: TransferEndpoint, schemas: SchemaCollection): Operation {
  const described = jsonOperation(id, endpoint, schemas, endpoint.method === "POST" ? ["IdempotencyKey"] : []);
  return { ...described, description: `Draft. ${described.description}`, extensions: { "x-draft": true } };
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
