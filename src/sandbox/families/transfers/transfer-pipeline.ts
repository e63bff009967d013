/**
 * Answers a request of the Payment or Remittance API: address → admission → idempotency key → shape → handler. Entry point:
 * `answerTransferCall`, which is called after the address was checked.
 * Source: service.md#check-order, service.md#transfers-signing, service.md#idempotency-key.
 */
import { hash } from "node:crypto";
import {
  IDEMPOTENCY_HEADER,
  idempotencyKey,
  REMITTANCE_TRAVEL_RULE,
  TRANSFER_ENDPOINTS,
  type TransferEndpoint,
  type TransferEndpointId,
} from "../../../contract/index.ts";
import { admitSigned, type CallResult } from "../../access/admission.ts";
import { signedHeaders } from "../../access/authentication.ts";
import { headerOf, type RequestHead } from "../../http/family.ts";
import { badArgument, type Fault, fault, type Outcome } from "../../http/outcome.ts";
import { checkShape } from "../../http/request-shape.ts";
import { type Route, router } from "../../http/route.ts";
import type { KeyRecord } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { PAYMENT_HANDLERS } from "./payment-endpoints.ts";
import { REMITTANCE_HANDLERS } from "./remittance-endpoints.ts";
import type { TransferCall, TransferHandler, TransferHandlers } from "./transfer-call.ts";

const HANDLERS: TransferHandlers<TransferEndpointId> = { ...PAYMENT_HANDLERS, ...REMITTANCE_HANDLERS };

const findRoute = router<TransferEndpointId, TransferEndpoint>(TRANSFER_ENDPOINTS);

const IDEMPOTENCY = IDEMPOTENCY_HEADER.toLowerCase();

export function answerTransferCall(service: Service, head: RequestHead, body: Buffer): CallResult {
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
