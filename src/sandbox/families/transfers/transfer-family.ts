/**
 * Transfers (`/v0.1/`) as a family: the Payment API and the Remittance API, which are drafts: address → admission → idempotency
 * key → shape → handler. Entry point: `transferFamily`.
 *
 * Invariants: while they are off every request is refused, with how to switch them on; every answer, reads included, leaves after
 * what it says is on disk, as callers rely on it to find out what became of a request without an answer.
 * Source: service.md#check-order, service.md#transfers-signing, service.md#idempotency-key, service.md#transfers-off,
 * service.md#transfers-durable, service.md#transfer-errors.
 */
import { hash } from "node:crypto";
import {
  AUTH_HEADERS,
  IDEMPOTENCY_HEADER,
  idempotencyKey,
  REMITTANCE_TRAVEL_RULE,
  TRANSFER_ENDPOINTS,
  TRANSFER_PREFIX,
  type TransferEndpoint,
  type TransferEndpointId,
} from "../../../contract/index.ts";
import { admitSigned, type CallResult } from "../../access/admission.ts";
import { signedHeaders } from "../../access/authentication.ts";
import { callFamily } from "../../access/call-family.ts";
import { type Family, headerOf, type Reply, type RequestHead } from "../../http/family.ts";
import { badArgument, errorBodyOf, type Fault, fault, type Outcome } from "../../http/outcome.ts";
import { jsonReply } from "../../http/reply.ts";
import { checkShape } from "../../http/request-shape.ts";
import { type Route, router } from "../../http/route.ts";
import type { KeyRecord } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { PAYMENT_HANDLERS } from "./payment-endpoints.ts";
import { REMITTANCE_HANDLERS } from "./remittance-endpoints.ts";
import type { TransferCall, TransferHandler, TransferHandlers } from "./transfer-call.ts";

const OFF = fault(
  "EGeneral:Unknown method",
  "the Payment and Remittance APIs are drafts, and off here; switch them on with hoga sandbox --drafts, or drafts: true of startSandbox",
);

export function transferFamily(service: Service, isOn: boolean): Family {
  return callFamily({
    service,
    prefix: TRANSFER_PREFIX,
    keyHeader: AUTH_HEADERS.key,
    off: isOn ? undefined : OFF,
    answer: (head, body) => answerTransferCall(service, head, body),
    faultOf: (refused) => refused,
    replyOf: (result) => transferReply(service, result),
    waitsForDisk: () => true,
  });
}

function transferReply(service: Service, { outcome, calls }: CallResult): Reply {
  const retryAfterMs = outcome.ok ? undefined : outcome.retryAfterMs;
  const body = outcome.ok ? outcome.body : errorOf(outcome, service.nextRequestId());
  return jsonReply(outcome.status, body, { calls, retryAfterMs });
}

function errorOf(refused: Fault, requestId: string): object {
  const { error } = errorBodyOf(refused, requestId);
  return { error: refused.transferState === undefined ? error : { ...error, state: refused.transferState } };
}

const HANDLERS: TransferHandlers<TransferEndpointId> = { ...PAYMENT_HANDLERS, ...REMITTANCE_HANDLERS };

const findRoute = router<TransferEndpointId, TransferEndpoint>(TRANSFER_ENDPOINTS);

const IDEMPOTENCY = IDEMPOTENCY_HEADER.toLowerCase();

function answerTransferCall(service: Service, head: RequestHead, body: Buffer): CallResult {
  const route = findRoute(head.method, head.path);
  if (route === undefined)
    return { outcome: fault("EGeneral:Unknown method", "the drafts have no such method and path") };
  const { auth: permission, weight } = route.endpoint;
  return admitSigned(service, signedHeaders(head, body), { permission, weight }, (key) =>
    perform(service, route, head, { body, key }),
  );
}

function perform(
  service: Service,
  route: Route<TransferEndpointId, TransferEndpoint>,
  head: RequestHead,
  { body, key }: { readonly body: Buffer; readonly key: KeyRecord },
): Outcome {
  const given = route.endpoint.method === "POST" ? givenKey(headerOf(head, IDEMPOTENCY)) : undefined;
  if (given?.ok === false) return given;
  const contentType = headerOf(head, "content-type");
  const rules = { ...route, travelRule: REMITTANCE_TRAVEL_RULE };
  const shape = checkShape(rules, { queryText: head.queryText, contentType, body });
  if (!shape.ok) return shape;
  const { ok: _ok, ...parts } = shape;
  const digest = hash("sha256", JSON.stringify([route.id, parts]));
  const idempotency = given && { key: given.key, digest };
  // The table pairs each handler with the schemas that were just applied; the compiler cannot follow that through `id`.
  const handle = HANDLERS[route.id] as TransferHandler<TransferEndpointId>;
  return handle({ service, at: service.now(), key, ...parts, idempotency } as TransferCall<TransferEndpointId>);
}

function givenKey(header: string | undefined): { readonly ok: true; readonly key: string } | Fault {
  if (header === undefined)
    return badArgument(IDEMPOTENCY_HEADER, `send an ${IDEMPOTENCY_HEADER} of your own with every POST`);
  const parsed = idempotencyKey.safeParse(header);
  if (parsed.success) return { ok: true, key: parsed.data };
  return badArgument(IDEMPOTENCY_HEADER, parsed.error.issues[0]?.message ?? "this is no idempotency key");
}
