/**
 * Owns the way of a request of the drafts to an outcome, in the order the checks have on every family (decisions §2, §6):
 * address → key → nonce form → signature → nonce → permission → rate → idempotency key → shape → exchange.
 * Entry point: `answerDraft`; the address was checked before the body was read.
 *
 * Invariant: a call runs from its nonce to its effect without a pause, so calls take effect in the order of their nonces,
 * whichever family they belong to.
 */
import { hash } from "node:crypto";
import {
  AUTH_HEADERS,
  DRAFT_ENDPOINTS,
  type DraftEndpoint,
  type DraftEndpointId,
  IDEMPOTENCY_HEADER,
  idempotencyKey,
  REMITTANCE_TRAVEL_RULE,
} from "../../contract/index.ts";
import { authenticate } from "../http/authentication.ts";
import type { CallState } from "../http/call-limit.ts";
import { headerOf, type RequestHead } from "../http/family.ts";
import { badArgument, type Fault, fault, type Outcome, rateExceeded } from "../http/outcome.ts";
import { type Route, router } from "../http/route.ts";
import type { Service } from "../http/service.ts";
import { checkShape } from "../http/shape.ts";
import type { KeyRecord } from "../model.ts";
import type { DraftCall, DraftHandler, DraftHandlers } from "./draft-call.ts";
import { PAYMENT_HANDLERS } from "./payment-endpoints.ts";
import { REMITTANCE_HANDLERS } from "./remittance-endpoints.ts";

export interface DraftResult {
  readonly outcome: Outcome;
  /** What is left of the caller's limits, once it is known who calls. */
  readonly calls?: CallState;
}

const HANDLERS: DraftHandlers<DraftEndpointId> = { ...PAYMENT_HANDLERS, ...REMITTANCE_HANDLERS };

const findRoute = router<DraftEndpointId, DraftEndpoint>(DRAFT_ENDPOINTS);

const KEY = AUTH_HEADERS.key.toLowerCase();
const NONCE = AUTH_HEADERS.nonce.toLowerCase();
const SIGN = AUTH_HEADERS.sign.toLowerCase();
const IDEMPOTENCY = IDEMPOTENCY_HEADER.toLowerCase();

export function answerDraft(service: Service, head: RequestHead, body: Buffer): DraftResult {
  const route = findRoute(head.method, head.path);
  if (route === undefined)
    return { outcome: fault("EGeneral:Unknown method", "the drafts have no such method and path") };
  const { key, refused } = authenticate(service, {
    keyId: headerOf(head, KEY),
    nonce: headerOf(head, NONCE),
    signature: headerOf(head, SIGN),
    prefix: `${head.method} ${head.target}`,
    body,
  });
  if (key === undefined) return { outcome: refused };
  const budget = service.calls.budget(key.tier, service.limits.callsPerSecond);
  const log = service.calls.log(key.keyId);
  const at = service.now();
  const withState = (outcome: Outcome): DraftResult => ({ outcome, calls: log.state(budget, at) });
  if (refused !== undefined) return withState(refused);
  const { auth: permission, weight } = route.endpoint;
  if (permission !== "none" && !key.permissions.includes(permission))
    return withState(fault("EGeneral:Permission denied", `this key lacks the permission "${permission}"`));
  const wait = log.enter(budget, weight, at);
  if (wait !== undefined) return withState(rateExceeded(wait));
  return withState(perform(service, route, head, { body, key }));
}

function perform(
  service: Service,
  route: Route<DraftEndpointId, DraftEndpoint>,
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
  const handle = HANDLERS[route.id] as DraftHandler<DraftEndpointId>;
  return handle({ service, at: service.now(), key, ...parts, idempotency } as DraftCall<DraftEndpointId>);
}

function requestName(header: string | undefined): { readonly ok: true; readonly key: string } | Fault {
  if (header === undefined)
    return badArgument(IDEMPOTENCY_HEADER, `send an ${IDEMPOTENCY_HEADER} of your own with every POST`);
  const named = idempotencyKey.safeParse(header);
  if (named.success) return { ok: true, key: named.data };
  return badArgument(IDEMPOTENCY_HEADER, named.error.issues[0]?.message ?? "this is no idempotency key");
}
