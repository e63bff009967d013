/**
 * Answers a request of the Open API: address → admission, with the version between permission and rate → shape → handler. Entry
 * points: `answerOpenCall`, which is called after the address was checked; `findRoute`.
 * Source: service.md#check-order, service.md#versions.
 */
import {
  ENDPOINTS,
  type Endpoint,
  type EndpointId,
  OPEN_API_VERSION,
  type Permission,
  VERSION_HEADER,
  versionAtLeast,
} from "../../../contract/index.ts";
import { admitPublic, admitSigned, type CallResult } from "../../access/admission.ts";
import { signedHeaders } from "../../access/authentication.ts";
import { headerOf, type RequestHead } from "../../http/family.ts";
import { type Fault, fault, type Outcome } from "../../http/outcome.ts";
import { type CheckedParts, checkShape } from "../../http/request-shape.ts";
import { callsPerSecondFor, requestedVersion } from "../../http/requested-version.ts";
import { type Route, router } from "../../http/route.ts";
import type { KeyRecord } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { ACCOUNT_ENDPOINTS } from "./account-endpoints.ts";
import { MARKET_ENDPOINTS } from "./market-endpoints.ts";
import type { Call, Handler, Handlers } from "./open-call.ts";
import { ORDER_ENDPOINTS } from "./order-endpoints.ts";

const VERSION = VERSION_HEADER.toLowerCase();
export const findRoute = router<EndpointId, Endpoint>(ENDPOINTS);
const HANDLERS: Handlers<EndpointId> = { ...MARKET_ENDPOINTS, ...ACCOUNT_ENDPOINTS, ...ORDER_ENDPOINTS };

export function answerOpenCall(service: Service, head: RequestHead, body: Buffer): CallResult {
  const known = body.length === 0 && head.method === "GET" ? READ.get(head.target) : undefined;
  const route = known?.route ?? findRoute(head.method, head.path);
  if (route === undefined) return { outcome: unknownMethod() };
  const request: OpenRequest = { route, head, body, shape: known?.shape };
  return route.endpoint.auth === "none"
    ? admitPublic(
        service,
        { address: head.address, weight: route.endpoint.weight },
        () => answerPublic(service, request),
        (refused) => refused,
      )
    : answerPrivate(service, request, route.endpoint.auth);
}

interface OpenRequest {
  readonly route: Route<EndpointId, Endpoint>;
  readonly head: RequestHead;
  readonly body: Buffer;
  /** Is known where its target was read before. */
  readonly shape: CheckedParts | undefined;
}

/**
 * Keeps what targets of public reads without a body say, as the same few are asked for again and again. Nothing but the target decides it:
 * versions differ in the fields of bodies.
 */
const READ = new Map<string, { readonly route: Route<EndpointId, Endpoint>; readonly shape: CheckedParts }>();
const READ_MAX = 256;

function rememberRead({ route, head, body }: OpenRequest, shape: CheckedParts): void {
  if (route.endpoint.auth !== "none" || head.method !== "GET" || body.length > 0) return;
  if (READ.size >= READ_MAX) READ.clear();
  READ.set(head.target, { route, shape });
}

function answerPublic(service: Service, request: OpenRequest): Outcome {
  const requested = requestedVersion(headerOf(request.head, VERSION));
  if (!requested.ok) return requested;
  if (!versionAtLeast(requested.version, request.route.endpoint.addedIn)) return unknownMethod();
  return perform(service, request, requested.version, undefined);
}

function answerPrivate(service: Service, request: OpenRequest, permission: Permission): CallResult {
  const { route, head, body } = request;
  const requested = requestedVersion(headerOf(head, VERSION));
  const version = requested.ok ? requested.version : OPEN_API_VERSION;
  const exists = versionAtLeast(version, route.endpoint.addedIn);
  const rules = {
    permission,
    weight: route.endpoint.weight,
    callsPerSecond: callsPerSecondFor(version, service.limits),
    refusal: requested.ok ? (exists ? undefined : unknownMethod()) : requested,
  };
  return admitSigned(service, signedHeaders(head, body), rules, (key) => perform(service, request, version, key));
}

function perform(
  service: Service,
  request: OpenRequest,
  version: Call<EndpointId>["version"],
  key: KeyRecord | undefined,
): Outcome {
  const { route } = request;
  const shape = request.shape ?? shapeOf(request, version);
  if (!shape.ok) return shape;
  // The table pairs each handler with the schemas that were just applied; the compiler cannot follow that through `id`.
  const handle = HANDLERS[route.id] as Handler<EndpointId>;
  const { params, query, body: checked } = shape;
  return handle({ service, at: service.now(), version, key, params, query, body: checked } as Call<EndpointId>);
}

function shapeOf(request: OpenRequest, version: Call<EndpointId>["version"]): CheckedParts | Fault {
  const { route, head, body } = request;
  const contentType = headerOf(head, "content-type");
  const rules = { endpoint: route.endpoint, params: route.params, version };
  const shape = checkShape(rules, { queryText: head.queryText, contentType, body });
  if (shape.ok) rememberRead(request, shape);
  return shape;
}

function unknownMethod(): Fault {
  return fault("EGeneral:Unknown method", "there is no such method and path in this version");
}
