/**
 * Owns finding the endpoint of a method and path, derived from the contract's table.
 *
 * Invariant: a path without placeholders wins over one with (`/v1/trades/history` over `/v1/trades/{symbol}`).
 */
import { ENDPOINT_IDS, ENDPOINTS, type Endpoint, type EndpointId } from "../../contract/index.ts";
import { decoded } from "./query-string.ts";

export interface Route {
  readonly id: EndpointId;
  readonly endpoint: Endpoint;
  /** Path parameters, percent-decoded; not checked yet. */
  readonly params: Readonly<Record<string, string>>;
}

interface Template {
  readonly id: EndpointId;
  readonly method: string;
  readonly segments: readonly string[];
}

const NO_PARAMS = Object.freeze({});
const EXACT = new Map<string, Route>();
const TEMPLATES: Template[] = [];
for (const id of ENDPOINT_IDS) {
  const endpoint: Endpoint = ENDPOINTS[id];
  if (endpoint.path.includes("{")) TEMPLATES.push({ id, method: endpoint.method, segments: endpoint.path.split("/") });
  else EXACT.set(`${endpoint.method} ${endpoint.path}`, { id, endpoint, params: NO_PARAMS });
}

export function findRoute(method: string, path: string): Route | undefined {
  const exact = EXACT.get(`${method} ${path}`);
  if (exact !== undefined) return exact;
  const segments = path.split("/");
  for (const template of TEMPLATES) {
    const params = template.method === method ? paramsOf(template.segments, segments) : undefined;
    if (params !== undefined) return { id: template.id, endpoint: ENDPOINTS[template.id], params };
  }
  return undefined;
}

function paramsOf(template: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (template.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, expected] of template.entries()) {
    const segment = segments[index] ?? "";
    // What cannot be decoded stays as it is, and fails the parameter's own check.
    if (expected.startsWith("{")) params[expected.slice(1, -1)] = decoded(segment) ?? segment;
    else if (segment !== expected) return undefined;
  }
  return params;
}
