/**
 * Owns the form of an OpenAPI 3.1 document, and how one is made of the operations of an API family.
 * Entry points: `documentOf`, which makes it; `jsonOperation`, for an endpoint that takes and gives JSON.
 *
 * Not part of index.ts at run time: nothing that starts needs it.
 *
 * Invariant: equal families give equal text, byte for byte.
 *
 * Source: service.md#signature, service.md#errors, service.md#limits.
 */
import type { z } from "zod";
import { COMMON_FAULTS, FAULT_CODES, FAULTS, type FaultCode, PRIVATE_FAULTS } from "../fault.ts";
import { defined } from "../idioms.ts";
import { LIMITS, type Permission, RATE_HEADERS } from "../limit.ts";
import type { Endpoint } from "../open/endpoint.ts";
import { AUTH_HEADERS, SIGNING_VECTORS } from "../signing.ts";
import { SANDBOX_HEADER } from "../version.ts";
import type { Json, JsonObject, SchemaCollection } from "./json-schema.ts";

export interface OpenApiParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonObject;
}

/** Keyed by media type. */
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
  /** Keyed by HTTP status, or `default`. */
  readonly responses: Readonly<Record<string, OpenApiAnswer>>;
  readonly "x-weight": number;
  readonly "x-permission"?: Permission;
  readonly "x-added-in"?: string;
  readonly "x-draft"?: true;
}

/** Paths, and under each the operations by method in lower case. */
export type OpenApiPaths = Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;

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

export interface Operation extends Pick<Endpoint, "path" | "summary" | "auth" | "weight" | "faults"> {
  readonly id: string;
  readonly method: string;
  readonly description: string;
  readonly parameters: OpenApiOperation["parameters"];
  readonly body?: OpenApiContent;
  /** Holds, by status, what it answers when it did what was asked. */
  readonly answers: Readonly<Record<string, Pick<OpenApiAnswer, "description" | "content">>>;
  readonly extensions?: Pick<OpenApiOperation, "x-added-in" | "x-draft">;
}

/** All that the families do not have in common. */
export interface Family {
  readonly title: string;
  readonly version: string;
  /** Paragraphs. */
  readonly description: readonly string[];
  readonly operations: readonly Operation[];
  readonly schemas: SchemaCollection;
  /** Headers of requests, by the name that operations refer to them with; each the one field of an object. */
  readonly parameters?: Readonly<Record<string, z.ZodType>>;
  /** On every answer. */
  readonly headers?: JsonObject;
  /** On every answer that counts against a limit, besides `LIMIT_HEADERS`. */
  readonly limitedHeaders?: JsonObject;
  /** A private call carries all of them. */
  readonly securitySchemes: JsonObject;
  /** Describes every refusal; none where a refusal comes in the form of an answer. */
  readonly error?: z.ZodType;
  /** Which status a fault has here, and what it is called; as in the catalogue when absent. */
  readonly faultAs?: (code: FaultCode) => { readonly status: number; readonly name: string };
  readonly extensions: Readonly<Record<`x-${string}`, Json>>;
}

/** The whole document. A fresh object on every call. */
export function documentOf(family: Family): OpenApiDocument {
  const { title, version, description, parameters, headers, limitedHeaders, schemas, securitySchemes } = family;
  const error = family.error && jsonContent(schemas.response(family.error));
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const operation of family.operations) {
    const { path, method } = operation;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(operation, family, error) };
  }
  const named = Object.entries(parameters ?? {}).flatMap(([name, schema]) =>
    parametersOf("header", schema, schemas).map((parameter) => [name, parameter] as const),
  );
  return {
    openapi: "3.1.0",
    info: { title, version, description: description.join("\n\n") },
    servers: [SERVER],
    paths,
    components: {
      schemas: schemas.all(),
      ...(parameters === undefined ? {} : { parameters: Object.fromEntries(named) }),
      headers: { ...PRACTICE_HEADER, ...headers, ...LIMIT_HEADERS, ...RETRY_HEADER, ...limitedHeaders },
      securitySchemes,
    },
    ...family.extensions,
  };
}

function operationOf(operation: Operation, family: Family, error: OpenApiContent | undefined): OpenApiOperation {
  const { id, summary, description, auth, parameters, body, weight } = operation;
  const isPrivate = auth !== "none";
  return {
    operationId: id,
    summary,
    description: `${description} Weight ${weight}.`,
    security: isPrivate ? [Object.fromEntries(Object.keys(family.securitySchemes).map((name) => [name, []]))] : [],
    parameters,
    ...defined({ requestBody: body && { required: true, content: body } }),
    responses: responsesOf(operation, family, error),
    "x-weight": weight,
    ...(isPrivate ? { "x-permission": auth } : {}),
    ...operation.extensions,
  };
}

function responsesOf(
  operation: Operation,
  { headers, limitedHeaders, faultAs = inCatalogue }: Family,
  error: OpenApiContent | undefined,
): OpenApiOperation["responses"] {
  const { answers } = operation;
  const faults = faultsByStatus(operation, faultAs);
  const responses: Record<string, OpenApiAnswer> = {};
  for (const status of new Set([...Object.keys(answers), ...Object.keys(faults)])) {
    const codes = faults[status];
    const isLimited = status !== "401";
    const names = codes?.map((code) => faultAs(code).name).join(", ");
    const content = answers[status]?.content ?? error;
    if (content === undefined) throw new Error(`${operation.id} has no form for status ${status}`);
    responses[status] = {
      description: answers[status]?.description ?? names ?? "",
      headers: references(
        PRACTICE_HEADER,
        headers,
        isLimited && LIMIT_HEADERS,
        codes?.includes("EAPI:Rate limit exceeded") && RETRY_HEADER,
        isLimited && limitedHeaders,
      ),
      content,
      ...defined({ "x-fault-codes": codes }),
    };
  }
  if (error === undefined) return responses;
  const other = {
    description: "Any other error has the same form.",
    headers: references(PRACTICE_HEADER, headers),
    content: error,
  };
  return { ...responses, default: other };
}

/** In the order of the catalogue. */
function faultsByStatus(
  { auth, faults }: Operation,
  faultAs: NonNullable<Family["faultAs"]>,
): Readonly<Record<string, readonly FaultCode[]>> {
  const possible = new Set<FaultCode>([...COMMON_FAULTS, ...(auth === "none" ? [] : PRIVATE_FAULTS), ...faults]);
  const byStatus: Record<string, FaultCode[]> = {};
  for (const code of FAULT_CODES) {
    if (!possible.has(code)) continue;
    const { status } = faultAs(code);
    byStatus[status] = [...(byStatus[status] ?? []), code];
  }
  return byStatus;
}

function inCatalogue(code: FaultCode): { readonly status: number; readonly name: string } {
  return { status: FAULTS[code].status, name: `\`${code}\`` };
}

/** An endpoint that takes and gives JSON. @param shared names parameters of the family that it takes too. */
export function jsonOperation(
  id: string,
  endpoint: Omit<Endpoint, "addedIn">,
  schemas: SchemaCollection,
  shared: readonly string[],
): Operation {
  const { body, status, params, query, auth, ...row } = endpoint;
  return {
    ...row,
    id,
    auth,
    description: accessText(auth),
    parameters: [
      ...parametersOf("path", params, schemas),
      ...parametersOf("query", query, schemas),
      ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    ...defined({ body: body && jsonContent(schemas.request(body)) }),
    answers: { [status]: done(status, endpoint.response, schemas) },
  };
}

/** A schema's fields as parameters. */
export function parametersOf(
  place: OpenApiParameter["in"],
  schema: z.ZodType | undefined,
  schemas: SchemaCollection,
): OpenApiParameter[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemas.request(schema) as {
    readonly properties?: Readonly<Record<string, JsonObject & { readonly description?: string }>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...defined({
      description: place === "path" && name === "symbol" ? "`BTC%2FKRW` or `BTCKRW`, in any case." : description,
    }),
    schema: rest,
  }));
}

/** The answer of a call that did what was asked. */
export function done(status: number, schema: z.ZodType, schemas: SchemaCollection): Operation["answers"][string] {
  return { description: status === 201 ? "Created." : "Done.", content: jsonContent(schemas.response(schema)) };
}

export function jsonContent(schema: JsonObject): OpenApiContent {
  return { "application/json": { schema } };
}

export function accessText(auth: "none" | Permission): string {
  return auth === "none" ? "Public." : `Private: the key needs the permission "${auth}".`;
}

function references(...headers: readonly (JsonObject | undefined | false)[]): JsonObject {
  const names = headers.flatMap((some) => Object.keys(some || {}));
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Has no variables: generated clients begin with the address as it stands here. */
const SERVER = {
  url: "http://127.0.0.1:8420",
  description: "The embedded sandbox where its port is free; a live service has an address of its own.",
} as const;

const WHOLE_NUMBER = { type: "integer", minimum: 0 } as const;

const PRACTICE_HEADER: JsonObject = {
  [SANDBOX_HEADER]: {
    description:
      "Id of an exchange that deals in paper money, on every one of its answers; a live one has no such header.",
    schema: { type: "string" },
  },
};
const LIMIT_HEADERS: JsonObject = {
  [RATE_HEADERS.limit]: { description: "Size of the limit that is closer to its end.", schema: WHOLE_NUMBER },
  [RATE_HEADERS.remaining]: { description: "What is left of it.", schema: WHOLE_NUMBER },
  [RATE_HEADERS.reset]: { description: "Seconds until part of it comes back.", schema: WHOLE_NUMBER },
};
const RETRY_HEADER: JsonObject = {
  [RATE_HEADERS.retryAfter]: { description: "Seconds to wait.", schema: WHOLE_NUMBER },
};

/** The extension `x-limits` of a family that has no limits but those of a key and of an address. */
export const KEY_LIMITS = {
  weightPerMinute: LIMITS.weightPerMinute,
  callsPerSecond: LIMITS.callsPerSecond,
  publicWeightPerMinute: LIMITS.publicWeightPerMinute,
} as const;

/** The extension `x-faults`: the catalogue. */
export function faultCatalogue(): JsonObject {
  return Object.fromEntries(
    FAULT_CODES.map((code) => {
      const { status, retry, meaning, nextAction } = FAULTS[code];
      return [code, { status, retry, meaning, next_action: nextAction }];
    }),
  );
}

/** The extension `x-signing-vectors`: those whose prefix fits. */
export function signingVectors(prefix = /^/): Json {
  return SIGNING_VECTORS.filter((vector) => prefix.test(vector.prefix)).map((vector) => ({ ...vector }));
}

/** A security scheme: a header of a private call. */
export function keyHeader(name: string, description: string): JsonObject {
  return { type: "apiKey", in: "header", name, description };
}

export const NONCE_RULE = "Whole number, larger with every request of the key; Unix milliseconds advised.";

/** Tells how a call of the Open API, or of a family that signs as it does, is signed. */
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
