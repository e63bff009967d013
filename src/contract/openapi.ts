/**
 * The description of the Open API for programs: OpenAPI 3.1, made from the contract's tables and from nothing else.
 * Entry point: `openApiDocument`. `docs/reference/openapi.json` is its output, and a test compares the two.
 *
 * Not part of index.ts: nothing that runs needs it, so nothing that starts pays for it.
 *
 * Invariants: equal contracts give equal text, byte for byte; a schema with an id stands once, under components; requests
 * refuse unknown fields, answers may gain some (decision 0001).
 *
 * Source: decisions §2, §3, §5, §6, §10.
 */
import { z } from "zod";
import { COMMON_FAULTS, ENDPOINT_IDS, ENDPOINTS, type Endpoint, type EndpointId, PRIVATE_FAULTS } from "./endpoint.ts";
import { errorBody, FAULT_CODES, FAULTS, type FaultCode } from "./fault.ts";
import { LIMITS, RATE_HEADERS } from "./limit.ts";
import { validatedOrder } from "./order.ts";
import { AUTH_HEADERS, SIGNING_VECTORS } from "./signing.ts";
import { FIELD_ADDED_IN, OPEN_API_VERSION, VERSION_HEADER, VERSIONS } from "./version.ts";

type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}
type MutableObject = Record<string, Json>;

/** A second answer of an endpoint, besides the one in its row. */
const ALSO_ANSWERS: Partial<Record<EndpointId, { readonly status: number; readonly schema: z.ZodType }>> = {
  createOrder: { status: 200, schema: validatedOrder },
};

/** Where the fields of `FIELD_ADDED_IN` stand. */
const LATER_FIELDS = [
  { schema: "CreateOrder", field: "amount", since: FIELD_ADDED_IN.amount },
  { schema: "Fill", field: "fee", since: FIELD_ADDED_IN.fee },
  { schema: "Fill", field: "fee_currency", since: FIELD_ADDED_IN.fee },
] as const;

const SERVER = {
  url: "{base_url}",
  description: "The embedded sandbox by default; a live service under its own address.",
  variables: { base_url: { default: "http://127.0.0.1:8420" } },
} as const;

/** The whole document. A fresh object on every call. */
export function openApiDocument(): JsonObject {
  const schemas = new Schemas();
  const paths: Record<string, JsonObject> = {};
  for (const id of ENDPOINT_IDS) {
    const endpoint: Endpoint = ENDPOINTS[id];
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation(id, endpoint, schemas),
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Open API",
      version: OPEN_API_VERSION,
      description: paragraphs(CONVENTIONS, SIGNING, LIMITING, VERSIONING),
    },
    servers: [SERVER],
    paths,
    components: {
      schemas: schemas.all(),
      parameters: { ApiVersion: versionParameter() },
      headers: headers(),
      securitySchemes: securitySchemes(),
    },
    "x-change-history": VERSIONS.map((entry) => ({ ...entry })),
    "x-faults": Object.fromEntries(FAULT_CODES.map((code) => [code, faultEntry(code)])),
    "x-limits": { ...LIMITS },
    "x-signing-vectors": SIGNING_VECTORS.map((vector) => ({ ...vector })),
  };
}

function operation(id: EndpointId, endpoint: Endpoint, schemas: Schemas): JsonObject {
  const isPrivate = endpoint.auth !== "none";
  return {
    operationId: id,
    summary: endpoint.summary,
    description: isPrivate ? `Private: the key needs the permission "${endpoint.auth}".` : "Public.",
    security: isPrivate ? [{ ApiKey: [], ApiNonce: [], ApiSign: [] }] : [],
    parameters: [
      ...parameters("path", endpoint.params, schemas),
      ...parameters("query", endpoint.query, schemas),
      { $ref: "#/components/parameters/ApiVersion" },
    ],
    ...(endpoint.body === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(schemas.request(endpoint.body)) } }),
    responses: responses(id, endpoint, schemas),
    "x-weight": endpoint.weight,
    "x-added-in": endpoint.addedIn,
    ...(isPrivate ? { "x-permission": endpoint.auth } : {}),
  };
}

function parameters(place: "path" | "query", schema: z.ZodType | undefined, schemas: Schemas): JsonObject[] {
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
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}

function responses(id: EndpointId, endpoint: Endpoint, schemas: Schemas): JsonObject {
  const isPrivate = endpoint.auth !== "none";
  const answers: MutableObject = {};
  const answer = (status: number, schema: z.ZodType): void => {
    answers[status] = {
      description: status === 201 ? "Created." : "Done.",
      headers: responseHeaders(isPrivate, false),
      content: jsonContent(schemas.response(schema)),
    };
  };
  answer(endpoint.status, endpoint.response);
  const other = ALSO_ANSWERS[id];
  if (other !== undefined) answer(other.status, other.schema);
  const error = jsonContent(schemas.response(errorBody));
  for (const [status, codes] of faultsByStatus(endpoint)) {
    answers[status] = {
      description: codes.map((code) => `\`${code}\``).join(", "),
      headers: responseHeaders(isPrivate && status !== 401, status === 429),
      content: error,
      "x-fault-codes": codes,
    };
  }
  return {
    ...answers,
    default: {
      description: "Any other error has the same form.",
      headers: responseHeaders(false, false),
      content: error,
    },
  };
}

function faultsByStatus(endpoint: Endpoint): readonly (readonly [number, readonly FaultCode[]])[] {
  const possible = new Set<FaultCode>([
    ...COMMON_FAULTS,
    ...(endpoint.auth === "none" ? [] : PRIVATE_FAULTS),
    ...endpoint.faults,
  ]);
  const byStatus = new Map<number, FaultCode[]>();
  for (const code of FAULT_CODES) {
    if (!possible.has(code)) continue;
    const { status } = FAULTS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus];
}

function responseHeaders(limited: boolean, refused: boolean): JsonObject {
  const names: string[] = [VERSION_HEADER];
  if (limited) names.push(RATE_HEADERS.limit, RATE_HEADERS.remaining, RATE_HEADERS.reset);
  if (refused) names.push(RATE_HEADERS.retryAfter);
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function headers(): JsonObject {
  const whole = { type: "integer", minimum: 0 };
  return {
    [VERSION_HEADER]: {
      description: "Version of the service.",
      schema: { type: "string", examples: [OPEN_API_VERSION] },
    },
    [RATE_HEADERS.limit]: { description: "Size of the limit that is closer to its end.", schema: whole },
    [RATE_HEADERS.remaining]: { description: "What is left of it.", schema: whole },
    [RATE_HEADERS.reset]: { description: "Seconds until part of it comes back.", schema: whole },
    [RATE_HEADERS.retryAfter]: { description: "Seconds to wait.", schema: whole },
  };
}

function securitySchemes(): JsonObject {
  const header = (name: string, description: string): JsonObject => ({
    type: "apiKey",
    in: "header",
    name,
    description,
  });
  return {
    ApiKey: header(AUTH_HEADERS.key, "Public id of the key."),
    ApiNonce: header(
      AUTH_HEADERS.nonce,
      "Whole number, larger with every request of the key; Unix milliseconds advised.",
    ),
    ApiSign: header(AUTH_HEADERS.sign, SIGNING),
  };
}

function versionParameter(): JsonObject {
  return {
    name: VERSION_HEADER,
    in: "header",
    required: false,
    description: `Version to answer in; ${OPEN_API_VERSION} when absent.`,
    schema: { type: "string", enum: VERSIONS.map(({ version }) => version) },
  };
}

function faultEntry(code: FaultCode): JsonObject {
  const { status, retry, meaning, nextAction } = FAULTS[code];
  return { status, retry, meaning, next_action: nextAction };
}

function jsonContent(schema: JsonObject): JsonObject {
  return { "application/json": { schema } };
}

const DEFS = "#/$defs/";
const COMPONENTS = "#/components/schemas/";

/** Turns zod schemas into JSON Schema and collects the named ones. */
class Schemas {
  readonly #named = new Map<string, JsonObject>();

  /** What a caller may send: unknown fields are refused. */
  request(schema: z.ZodType): JsonObject {
    return this.#take(z.toJSONSchema(schema, { io: "input" }));
  }

  /** What an answer holds: a reader has to bear fields that a later version adds. */
  response(schema: z.ZodType): JsonObject {
    return this.#take(
      z.toJSONSchema(schema, {
        io: "output",
        override: ({ jsonSchema }) => {
          delete jsonSchema.additionalProperties;
        },
      }),
    );
  }

  /** By name, in the order of the alphabet. */
  all(): JsonObject {
    const names = [...this.#named.keys()].sort();
    return Object.fromEntries(names.map((name) => [name, this.#marked(name)]));
  }

  #take(converted: unknown): JsonObject {
    const { $schema: _dialect, $defs = {}, ...root } = relinked(converted as Json) as MutableObject;
    for (const [name, schema] of Object.entries($defs as JsonObject)) this.#name(name, schema as JsonObject);
    return root;
  }

  #name(name: string, schema: JsonObject): void {
    const known = this.#named.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two different schemas have the id ${name}`);
    this.#named.set(name, schema);
  }

  /** The schema, with the version on each field that came later than 1.0.0. */
  #marked(name: string): JsonObject {
    const schema = this.#named.get(name) ?? {};
    const later = LATER_FIELDS.filter((entry) => entry.schema === name);
    if (later.length === 0) return schema;
    const properties = { ...(schema["properties"] as MutableObject) };
    for (const { field, since } of later)
      properties[field] = { ...(properties[field] as JsonObject), "x-added-in": since };
    return { ...schema, properties };
  }
}

/** The same value with references to `$defs` led to the components. */
function relinked(value: Json): Json {
  if (Array.isArray(value)) return value.map(relinked);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === "$ref" && typeof inner === "string" ? inner.replace(DEFS, COMPONENTS) : relinked(inner),
    ]),
  );
}

function paragraphs(...texts: readonly string[]): string {
  return texts.join("\n\n");
}

const CONVENTIONS =
  "Amounts, prices and quantities are decimal strings in plain notation, never JSON numbers. Times in answers are RFC 3339 " +
  "UTC; times in requests are Unix milliseconds. Markets are written `BTC/KRW` or `BTCKRW`; answers say `BTC/KRW`. An " +
  "unknown field in a request is refused; an answer may gain fields in a minor version. Every error answer has the form " +
  "`Error`; its codes are under `x-faults`. When no answer to an order arrives, query by `userref` first; do not send it again at once.";

const SIGNING =
  `A private request carries \`${AUTH_HEADERS.key}\`, \`${AUTH_HEADERS.nonce}\` and \`${AUTH_HEADERS.sign}\`. ` +
  "`API-Sign = base64( HMAC-SHA512( base64decode(secret), PREFIX || SHA256( nonce || body ) ) )`, `||` joining bytes; PREFIX " +
  'is `METHOD + " " + path-with-query` exactly as in the request line, body the raw body ("" when there is none). ' +
  "The nonce grows with every request of a key; one that is not larger than the last is refused and the request has had no " +
  "effect. Once a request has been answered, no request of the key with a smaller nonce can take effect any more. " +
  "Vectors to test against are under `x-signing-vectors`.";

const LIMITING =
  `A key has ${LIMITS.callsPerSecond} calls per second (${LIMITS.callsPerSecondBefore110} for versions before 1.1.0) and a ` +
  `weight per minute by tier (starter ${LIMITS.weightPerMinute.starter}, pro ${LIMITS.weightPerMinute.pro}, enterprise ` +
  `${LIMITS.weightPerMinute.enterprise}), whichever is used up first; the weight of a call is its \`x-weight\`. A page holds ` +
  `${LIMITS.pageSizeDefault} entries unless \`limit\` says otherwise, at most ${LIMITS.pageSizeMax}; a request body at most ` +
  `${LIMITS.bodyBytesMax} bytes.`;

const VERSIONING =
  `Versions are semantic. A caller may ask for an older one with \`${VERSION_HEADER}\` and gets its shape; another major ` +
  "version is refused. What changed when is under `x-change-history`, and `x-added-in` stands at each operation and field.";
