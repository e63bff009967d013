/**
 * Owns the way of a request from its head to an outcome, in the one order the checks have (decisions §2, §6, §10):
 * address → admission, with the version between permission and rate → shape → exchange.
 * Entry point: `answerCall`; the address was checked before the body was read.
 */
import {
  ENDPOINTS,
  type Endpoint,
  type EndpointId,
  OPEN_API_VERSION,
  type Permission,
  versionAtLeast,
} from "../../contract/index.ts";
import { type CallResult, whenAdmitted } from "../access/admission.ts";
import { type Fault, fault, type Outcome } from "../http/outcome.ts";
import { checkShape } from "../http/request-shape.ts";
import { callsPerSecondFor, requestedVersion } from "../http/requested-version.ts";
import { type Route, router } from "../http/route.ts";
import type { KeyRecord } from "../model/index.ts";
import type { Service } from "../service/service.ts";
import { ACCOUNT_ENDPOINTS } from "./account-endpoints.ts";
import { MARKET_ENDPOINTS } from "./market-endpoints.ts";
import type { Call, Handler, Handlers } from "./open-call.ts";
import { ORDER_ENDPOINTS } from "./order-endpoints.ts";

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

export const findRoute = router<EndpointId, Endpoint>(ENDPOINTS);
const HANDLERS: Handlers<EndpointId> = { ...MARKET_ENDPOINTS, ...ACCOUNT_ENDPOINTS, ...ORDER_ENDPOINTS };

export function answerCall(service: Service, head: OpenHead, body: Buffer): CallResult {
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

function answerPrivate(service: Service, request: OpenRequest, permission: Permission): CallResult {
  const { route, head, body } = request;
  const requested = requestedVersion(head.version);
  const version = requested.ok ? requested.version : OPEN_API_VERSION;
  const isThere = versionAtLeast(version, route.endpoint.addedIn);
  const terms = {
    permission,
    weight: route.endpoint.weight,
    callsPerSecond: callsPerSecondFor(version, service.limits),
    refusal: requested.ok ? (isThere ? undefined : unknownMethod()) : requested,
  };
  const signed = { ...head, prefix: `${head.method} ${head.target}`, body };
  return whenAdmitted(service, signed, terms, (key) => perform(service, request, version, key));
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
