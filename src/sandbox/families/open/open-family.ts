/**
 * The Open API (`/v1/`) as a family: address → admission, with the version between permission and rate → shape → handler. Entry
 * points: `openFamily`; `findRoute`.
 *
 * Invariants: every reply states the version; a failure has the form of the error body.
 * Source: service.md#open-api, service.md#check-order, service.md#versions, service.md#version-header,
 * service.md#error-body.
 */
import {
  AUTH_HEADERS,
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
import { callFamily } from "../../access/call-family.ts";
import { type Family, headerOf, type Reply, type RequestHead } from "../../http/family.ts";
import { errorBodyOf, type Fault, fault, type Outcome } from "../../http/outcome.ts";
import { jsonReply } from "../../http/reply.ts";
import { type CheckedParts, checkShape } from "../../http/request-shape.ts";
import { callsPerSecondFor, requestedVersion } from "../../http/requested-version.ts";
import { type Route, router } from "../../http/route.ts";
import type { KeyRecord } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { ACCOUNT_ENDPOINTS } from "./account-endpoints.ts";
import { MARKET_ENDPOINTS } from "./market-endpoints.ts";
import type { Call, Handler, Handlers } from "./open-call.ts";
import { ORDER_ENDPOINTS } from "./order-endpoints.ts";

export function openFamily(service: Service): Family {
  return callFamily({
    service,
    prefix: "/v1/",
    keyHeader: AUTH_HEADERS.key,
    answer: (head, body) => answerOpenCall(service, head, body),
    faultOf: (refused) => refused,
    replyOf: (result) => openReply(service, result),
  });
}

function openReply(service: Service, { outcome, calls }: CallResult): Reply {
  const retryAfterMs = outcome.ok ? undefined : outcome.retryAfterMs;
  const body = outcome.ok ? outcome.body : errorBodyOf(outcome, service.nextRequestId());
  const reply = jsonReply(outcome.status, body, { calls, retryAfterMs });
  reply.headers.push(VERSION_HEADER, OPEN_API_VERSION);
  return reply;
}

const VERSION = VERSION_HEADER.toLowerCase();
export const findRoute = router<EndpointId, Endpoint>(ENDPOINTS);
const HANDLERS: Handlers<EndpointId> = { ...MARKET_ENDPOINTS, ...ACCOUNT_ENDPOINTS, ...ORDER_ENDPOINTS };

function answerOpenCall(service: Service, head: RequestHead, body: Buffer): CallResult {
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
