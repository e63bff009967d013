/**
 * Finds the endpoint of a method and path in a table. Entry point: `router`.
 *
 * Invariant: a path without placeholders has precedence over one with (`/v1/trades/history` over `/v1/trades/{symbol}`).
 */
import { decoded } from "./query-string.ts";

export interface Route<Id, Row> {
  readonly id: Id;
  readonly endpoint: Row;
  /** The path parameters, percent-decoded and not yet checked. */
  readonly params: Readonly<Record<string, string>>;
}

interface Template<Id, Row> {
  readonly id: Id;
  readonly endpoint: Row;
  readonly segments: readonly string[];
}

const NO_PARAMS = Object.freeze({});

type FindRoute<Id, Row> = (method: string, path: string) => Route<Id, Row> | undefined;

export function router<Id extends string, Row extends { readonly method: string; readonly path: string }>(
  table: Readonly<Record<Id, Row>>,
): FindRoute<Id, Row> {
  const exact = new Map<string, Route<Id, Row>>();
  const templates: Template<Id, Row>[] = [];
  for (const id of Object.keys(table) as Id[]) {
    const endpoint = table[id];
    if (endpoint.path.includes("{")) templates.push({ id, endpoint, segments: endpoint.path.split("/") });
    else exact.set(`${endpoint.method} ${endpoint.path}`, { id, endpoint, params: NO_PARAMS });
  }
  return (method, path) => exact.get(`${method} ${path}`) ?? routeByTemplate(templates, method, path);
}

function routeByTemplate<Id, Row extends { readonly method: string }>(
  templates: readonly Template<Id, Row>[],
  method: string,
  path: string,
): Route<Id, Row> | undefined {
  const given = path.split("/");
  for (const { id, endpoint, segments } of templates) {
    const params = endpoint.method === method ? paramsOf(segments, given) : undefined;
    if (params !== undefined) return { id, endpoint, params };
  }
  return undefined;
}

function paramsOf(template: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (template.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, expected] of template.entries()) {
    const segment = segments[index] ?? "";
    // What cannot be decoded stays as it is, and fails the check of the parameter.
    if (expected.startsWith("{")) params[expected.slice(1, -1)] = decoded(segment) ?? segment;
    else if (segment !== expected) return undefined;
  }
  return params;
}
