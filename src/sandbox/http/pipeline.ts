/**
 * Owns the way of a request from its head to an outcome, in the one order the checks have (decisions §2, §6, §10):
 * address → key → nonce form → signature → nonce → permission → version → rate → shape → exchange.
 * Entry point: `answerCall`; the address was checked before the body was read.
 *
 * Invariant: a private call runs from its nonce to its effect without a pause, so calls take effect in the order of their
 * nonces.
 */
import {
  type Endpoint,
  type EndpointId,
  OPEN_API_VERSION,
  type Permission,
  versionAtLeast,
} from "../../contract/index.ts";
import type { KeyRecord } from "../model.ts";
import { ACCOUNT_ENDPOINTS } from "./account-endpoints.ts";
import { authenticate } from "./authentication.ts";
import type { Call, Handler, Handlers } from "./call.ts";
import type { CallState } from "./call-limit.ts";
import { MARKET_ENDPOINTS } from "./market-endpoints.ts";
import { ORDER_ENDPOINTS } from "./order-endpoints.ts";
import { type Fault, fault, type Outcome, rateExceeded } from "./outcome.ts";
import { callsPerSecondFor, requestedVersion } from "./requested-version.ts";
import { findRoute, type Route } from "./route.ts";
import type { Service } from "./service.ts";
import { checkShape } from "./shape.ts";

export interface OpenHead {
  readonly method: string;
  /** Path and query as in the request line. */
  readonly target: string;
  readonly path: string;
  readonly queryText: string;
  readonly keyId: string | undefined;
  readonly nonce: string | undefined;
  readonly signature: string | undefined;
  readonly version: string | undefined;
  readonly contentType: string | undefined;
}

export interface Result {
  readonly outcome: Outcome;
  /** What is left of the caller's limits, once it is known who calls. */
  readonly calls?: CallState;
}

const HANDLERS: Handlers<EndpointId> = { ...MARKET_ENDPOINTS, ...ACCOUNT_ENDPOINTS, ...ORDER_ENDPOINTS };

export function answerCall(service: Service, head: OpenHead, body: Buffer): Result {
  const route = findRoute(head.method, head.path);
  if (route === undefined) return { outcome: unknownMethod() };
  const request: OpenRequest = { route, head, body };
  return route.endpoint.auth === "none"
    ? { outcome: answerPublic(service, request) }
    : answerPrivate(service, request, route.endpoint.auth);
}

interface OpenRequest {
  readonly route: Route<EndpointId, Endpoint>;
  readonly head: OpenHead;
  readonly body: Buffer;
}

function answerPublic(service: Service, request: OpenRequest): Outcome {
  const requested = requestedVersion(request.head.version);
  if (!requested.ok) return requested;
  if (!versionAtLeast(requested.version, request.route.endpoint.addedIn)) return unknownMethod();
  return perform(service, request, requested.version, undefined);
}

function answerPrivate(service: Service, request: OpenRequest, permission: Permission): Result {
  const { route, head, body } = request;
  const { key, refused } = authenticate(service, { ...head, prefix: `${head.method} ${head.target}`, body });
  if (key === undefined) return { outcome: refused };
  const requested = requestedVersion(head.version);
  const callsPerSecond = callsPerSecondFor(requested.ok ? requested.version : OPEN_API_VERSION, service.limits);
  const budget = service.calls.budget(key.tier, callsPerSecond);
  const log = service.calls.log(key.keyId);
  const at = service.now();
  const withState = (outcome: Outcome): Result => ({ outcome, calls: log.state(budget, at) });

  if (refused !== undefined) return withState(refused);
  if (!key.permissions.includes(permission))
    return withState(fault("EGeneral:Permission denied", `this key lacks the permission "${permission}"`));
  if (!requested.ok) return withState(requested);
  if (!versionAtLeast(requested.version, route.endpoint.addedIn)) return withState(unknownMethod());
  const wait = log.enter(budget, route.endpoint.weight, at);
  if (wait !== undefined) return withState(rateExceeded(wait));
  return withState(perform(service, request, requested.version, key));
}

function perform(
  service: Service,
  { route, head, body }: OpenRequest,
  version: Call<EndpointId>["version"],
  key: KeyRecord | undefined,
): Outcome {
  const shape = checkShape({ ...route, version }, { queryText: head.queryText, contentType: head.contentType, body });
  if (!shape.ok) return shape;
  // The table pairs each handler with the schemas that were just applied; the compiler cannot follow that through `id`.
  const handle = HANDLERS[route.id] as Handler<EndpointId>;
  const { params, query, body: checked } = shape;
  return handle({ service, at: service.now(), version, key, params, query, body: checked } as Call<EndpointId>);
}

function unknownMethod(): Fault {
  return fault("EGeneral:Unknown method", "there is no such method and path in this version");
}
