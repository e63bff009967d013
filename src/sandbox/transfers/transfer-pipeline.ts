/**
 * Owns the way of a request of the drafts to an outcome, in the order the checks have on every family (decisions §2, §6):
 * address → admission → idempotency key → shape → exchange.
 * Entry point: `answerDraft`; the address was checked before the body was read.
 */
import { hash } from "node:crypto";
import {
  AUTH_HEADERS,
  IDEMPOTENCY_HEADER,
  idempotencyKey,
  REMITTANCE_TRAVEL_RULE,
  TRANSFER_ENDPOINTS,
  type TransferEndpoint,
  type TransferEndpointId,
} from "../../contract/index.ts";
import { type CallResult, whenAdmitted } from "../access/admission.ts";
import { headerOf, type RequestHead } from "../http/family.ts";
import { badArgument, type Fault, fault, type Outcome } from "../http/outcome.ts";
import { checkShape } from "../http/request-shape.ts";
import { type Route, router } from "../http/route.ts";
import type { KeyRecord } from "../model/index.ts";
import type { Service } from "../service/service.ts";
import { PAYMENT_HANDLERS } from "./payment-endpoints.ts";
import { REMITTANCE_HANDLERS } from "./remittance-endpoints.ts";
import type { TransferCall, TransferHandler, TransferHandlers } from "./transfer-call.ts";

const HANDLERS: TransferHandlers<TransferEndpointId> = { ...PAYMENT_HANDLERS, ...REMITTANCE_HANDLERS };

const findRoute = router<TransferEndpointId, TransferEndpoint>(TRANSFER_ENDPOINTS);

const KEY = AUTH_HEADERS.key.toLowerCase();
const NONCE = AUTH_HEADERS.nonce.toLowerCase();
const SIGN = AUTH_HEADERS.sign.toLowerCase();
const IDEMPOTENCY = IDEMPOTENCY_HEADER.toLowerCase();

export function answerTransferCall(service: Service, head: RequestHead, body: Buffer): CallResult {
  const route = findRoute(head.method, head.path);
  if (route === undefined)
    return { outcome: fault("EGeneral:Unknown method", "the drafts have no such method and path") };
  const signed = {
    keyId: headerOf(head, KEY),
    nonce: headerOf(head, NONCE),
    signature: headerOf(head, SIGN),
    prefix: `${head.method} ${head.target}`,
    body,
  };
  const { auth: permission, weight } = route.endpoint;
  return whenAdmitted(service, signed, { permission, weight }, (key) => perform(service, route, head, { body, key }));
}

function perform(
  service: Service,
  route: Route<TransferEndpointId, TransferEndpoint>,
  head: RequestHead,
  { body, key }: { readonly body: Buffer; readonly key: KeyRecord },
): Outcome {
  const named = route.endpoint.method === "POST" ? requestName(headerOf(head, IDEMPOTENCY)) : undefined;
  if (named?.ok === false) return named;
  const contentType = headerOf(head, "content-type");
  const rules = { ...route, travelRule: REMITTANCE_TRAVEL_RULE };
  const shape = checkShape(rules, { queryText: head.queryText, contentType, body });
  if (!shape.ok) return shape;
  const { ok: _ok, ...parts } = shape;
  const digest = hash("sha256", JSON.stringify([route.id, parts]));
  const idempotency = named && { key: named.key, digest };
  // The table pairs each handler with the schemas that were just applied; the compiler cannot follow that through `id`.
  const handle = HANDLERS[route.id] as TransferHandler<TransferEndpointId>;
  return handle({ service, at: service.now(), key, ...parts, idempotency } as TransferCall<TransferEndpointId>);
}

function requestName(header: string | undefined): { readonly ok: true; readonly key: string } | Fault {
  if (header === undefined)
    return badArgument(IDEMPOTENCY_HEADER, `send an ${IDEMPOTENCY_HEADER} of your own with every POST`);
  const named = idempotencyKey.safeParse(header);
  if (named.success) return { ok: true, key: named.data };
  return badArgument(IDEMPOTENCY_HEADER, named.error.issues[0]?.message ?? "this is no idempotency key");
}
