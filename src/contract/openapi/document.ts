/**
 * The form of an OpenAPI 3.1 document, and the pieces that the documents of all REST families have in common.
 *
 * Not part of index.ts at run time: nothing that starts needs it.
 */
import type { z } from "zod";
import { COMMON_FAULTS, FAULT_CODES, FAULTS, type FaultCode, PRIVATE_FAULTS } from "../fault.ts";
import { type Permission, RATE_HEADERS } from "../limit.ts";
import type { Endpoint } from "../open/endpoint.ts";
import { AUTH_HEADERS } from "../signing.ts";
import type { Json, JsonObject, SchemaCollection } from "./json-schema.ts";

export interface OpenApiParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonObject;
}

/** By media type. */
export type OpenApiContent = Readonly<Record<string, { readonly schema: JsonObject }>>;

export interface OpenApiAnswer {
  readonly description: string;
  readonly headers: JsonObject;
  readonly content: OpenApiContent;
  readonly "x-fault-codes"?: readonly FaultCode[];
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Empty for a public one. */
  readonly security: readonly JsonObject[];
  readonly parameters: readonly (OpenApiParameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly required: boolean; readonly content: OpenApiContent };
  /** By HTTP status, or `default`. */
  readonly responses: Readonly<Record<string, OpenApiAnswer>>;
  readonly "x-weight": number;
  readonly "x-added-in"?: string;
  readonly "x-permission"?: Permission;
  readonly "x-draft"?: true;
}

/** Paths, and under each the operations by method in lower case. */
export type OpenApiPaths = Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;

/** The paths of a family, from the table of its endpoints. */
export function pathsOf<Id extends string, Row extends { readonly path: string; readonly method: string }>(
  endpoints: Readonly<Record<Id, Row>>,
  ids: readonly Id[],
  operation: (id: Id, endpoint: Row) => OpenApiOperation,
): OpenApiPaths {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const id of ids) {
    const { path, method } = endpoints[id];
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(id, endpoints[id]) };
  }
  return paths;
}

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly JsonObject[];
  readonly paths: OpenApiPaths;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonObject>>;
    readonly parameters?: Readonly<Record<string, OpenApiParameter>>;
    readonly headers: JsonObject;
    readonly securitySchemes: JsonObject;
  };
  readonly [extension: `x-${string}`]: Json;
}

export const SERVER = {
  url: "{base_url}",
  description: "The embedded sandbox by default; a live service under its own address.",
  variables: { base_url: { default: "http://127.0.0.1:8420" } },
} as const;

/** A schema's fields as parameters. */
export function parametersOf(
  place: "path" | "query",
  schema: z.ZodType | undefined,
  schemas: SchemaCollection,
): OpenApiParameter[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemas.request(schema) as {
    readonly properties?: Readonly<Record<string, JsonObject>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(place === "path" && name === "symbol" ? { description: "`BTC%2FKRW` or `BTCKRW`, in any case." } : {}),
    ...(typeof description === "string" ? { description } : {}),
    schema: rest,
  }));
}

export function accessText(auth: "none" | Permission): string {
  return auth === "none" ? "Public." : `Private: the key needs the permission "${auth}".`;
}

/** Extensions that tell what a call costs and what its key needs. */
export function callTerms({ auth, weight }: { readonly auth: "none" | Permission; readonly weight: number }): {
  readonly "x-weight": number;
  readonly "x-permission"?: Permission;
} {
  return { "x-weight": weight, ...(auth === "none" ? {} : { "x-permission": auth }) };
}

/** References to the headers of `limitHeaders`: those on every answer to a known key, and the one of a refusal that says when to come again. */
export function limitHeaderReferences(limited: boolean, refused: boolean): JsonObject {
  const { limit, remaining, reset, retryAfter } = RATE_HEADERS;
  return headerReferences([...(limited ? [limit, remaining, reset] : []), ...(refused ? [retryAfter] : [])]);
}

export function headerReferences(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export function limitHeaders(): JsonObject {
  const whole = { type: "integer", minimum: 0 };
  return {
    [RATE_HEADERS.limit]: { description: "Size of the limit that is closer to its end.", schema: whole },
    [RATE_HEADERS.remaining]: { description: "What is left of it.", schema: whole },
    [RATE_HEADERS.reset]: { description: "Seconds until part of it comes back.", schema: whole },
    [RATE_HEADERS.retryAfter]: { description: "Seconds to wait.", schema: whole },
  };
}

/** A security scheme: a header of a private call. */
export function keyHeader(name: string, description: string): JsonObject {
  return { type: "apiKey", in: "header", name, description };
}

export const NONCE_RULE = "Whole number, larger with every request of the key; Unix milliseconds advised.";

/** How a call of the Open API or of the drafts is signed. */
export const SIGNING_RULE =
  `A private request carries \`${AUTH_HEADERS.key}\`, \`${AUTH_HEADERS.nonce}\` and \`${AUTH_HEADERS.sign}\`. ` +
  "`API-Sign = base64( HMAC-SHA512( base64decode(secret), PREFIX || SHA256( nonce || body ) ) )`, `||` joining bytes; PREFIX " +
  'is `METHOD + " " + path-with-query` exactly as in the request line, body the raw body ("" when there is none). ' +
  "The nonce grows with every request of a key; one that is not larger than the last is refused and the request has had no " +
  "effect. Once a request has been answered, no request of the key with a smaller nonce can take effect any more. " +
  "Vectors to test against are under `x-signing-vectors`.";

export const SIGNED_SCHEMES: JsonObject = {
  ApiKey: keyHeader(AUTH_HEADERS.key, "Public id of the key."),
  ApiNonce: keyHeader(AUTH_HEADERS.nonce, NONCE_RULE),
  ApiSign: keyHeader(AUTH_HEADERS.sign, SIGNING_RULE),
};

/** All of `SIGNED_SCHEMES` together. */
export const SIGNED = [{ ApiKey: [], ApiNonce: [], ApiSign: [] }] as const;

/** What an endpoint may be refused with, in the order of the catalogue. */
export function faultsByStatus({
  auth,
  faults,
}: Pick<Endpoint, "auth" | "faults">): readonly (readonly [number, readonly FaultCode[]])[] {
  const possible = new Set<FaultCode>([...COMMON_FAULTS, ...(auth === "none" ? [] : PRIVATE_FAULTS), ...faults]);
  const byStatus = new Map<number, FaultCode[]>();
  for (const code of FAULT_CODES) {
    if (!possible.has(code)) continue;
    const { status } = FAULTS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus];
}

/** The catalogue, as an extension. */
export function faultCatalogue(): JsonObject {
  return Object.fromEntries(
    FAULT_CODES.map((code) => {
      const { status, retry, meaning, nextAction } = FAULTS[code];
      return [code, { status, retry, meaning, next_action: nextAction }];
    }),
  );
}

export function jsonContent(schema: JsonObject): OpenApiContent {
  return { "application/json": { schema } };
}

export function formContent(schema: JsonObject): OpenApiContent {
  return { "application/x-www-form-urlencoded": { schema } };
}

export function paragraphs(...texts: readonly string[]): string {
  return texts.join("\n\n");
}
