/**
 * The description of the Open API for programs: OpenAPI 3.1, made from the contract's tables and from nothing else.
 * Entry point: `openApiDocument`. `docs/reference/openapi.json` is its output, and a test compares the two.
 *
 * Not part of index.ts: nothing that starts pays for it; reference.ts loads it when it is asked for.
 *
 * Invariant: equal contracts give equal text, byte for byte.
 *
 * Source: decisions §2, §3, §5, §6, §10.
 */
import type { z } from "zod";
import { errorBody } from "../fault.ts";
import { LIMITS } from "../limit.ts";
import { ENDPOINT_IDS, ENDPOINTS, type Endpoint, type EndpointId } from "../open/endpoint.ts";
import { validatedOrder } from "../open/order.ts";
import { SIGNING_VECTORS } from "../signing.ts";
import { FIELD_ADDED_IN, OPEN_API_VERSION, VERSION_HEADER, VERSIONS } from "../version.ts";
import {
  accessText,
  callTerms,
  faultCatalogue,
  faultsByStatus,
  headerReferences,
  jsonContent,
  limitHeaderReferences,
  limitHeaders,
  type OpenApiAnswer,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  paragraphs,
  parametersOf,
  pathsOf,
  SERVER,
  SIGNED,
  SIGNED_SCHEMES,
  SIGNING_RULE,
} from "./document.ts";
import { type JsonObject, type MutableObject, SchemaCollection } from "./json-schema.ts";

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

/** The whole document. A fresh object on every call. */
export function openApiDocument(): OpenApiDocument {
  const schemas = new SchemaCollection();
  const paths = pathsOf<EndpointId, Endpoint>(ENDPOINTS, ENDPOINT_IDS, (id, endpoint) =>
    operation(id, endpoint, schemas),
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Open API",
      version: OPEN_API_VERSION,
      description: paragraphs(CONVENTIONS, SIGNING_RULE, LIMITING, VERSIONING),
    },
    servers: [SERVER],
    paths,
    components: {
      schemas: marked(schemas.all()),
      parameters: { ApiVersion: versionParameter() },
      headers: {
        [VERSION_HEADER]: {
          description: "Version of the service.",
          schema: { type: "string", examples: [OPEN_API_VERSION] },
        },
        ...limitHeaders(),
      },
      securitySchemes: SIGNED_SCHEMES,
    },
    "x-change-history": VERSIONS.map((entry) => ({ ...entry })),
    "x-faults": faultCatalogue(),
    "x-limits": { ...LIMITS },
    "x-signing-vectors": SIGNING_VECTORS.map((vector) => ({ ...vector })),
  };
}

function operation(id: EndpointId, endpoint: Endpoint, schemas: SchemaCollection): OpenApiOperation {
  const isPrivate = endpoint.auth !== "none";
  return {
    operationId: id,
    summary: endpoint.summary,
    description: accessText(endpoint.auth),
    security: isPrivate ? SIGNED : [],
    parameters: [
      ...parametersOf("path", endpoint.params, schemas),
      ...parametersOf("query", endpoint.query, schemas),
      { $ref: "#/components/parameters/ApiVersion" },
    ],
    ...(endpoint.body === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(schemas.request(endpoint.body)) } }),
    responses: responses(id, endpoint, schemas),
    ...callTerms(endpoint),
    "x-added-in": endpoint.addedIn,
  };
}

function responses(id: EndpointId, endpoint: Endpoint, schemas: SchemaCollection): OpenApiOperation["responses"] {
  const isPrivate = endpoint.auth !== "none";
  const answers: Record<string, OpenApiAnswer> = {};
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

function responseHeaders(limited: boolean, refused: boolean): JsonObject {
  return { ...headerReferences([VERSION_HEADER]), ...limitHeaderReferences(limited, refused) };
}

/** The schemas, with the version on each field that came later than 1.0.0. */
function marked(schemas: Record<string, JsonObject>): Record<string, JsonObject> {
  for (const { schema: name, field, since } of LATER_FIELDS) {
    const schema = schemas[name] ?? {};
    const properties = { ...(schema["properties"] as MutableObject) };
    properties[field] = { ...(properties[field] as JsonObject), "x-added-in": since };
    schemas[name] = { ...schema, properties };
  }
  return schemas;
}

function versionParameter(): OpenApiParameter {
  return {
    name: VERSION_HEADER,
    in: "header",
    required: false,
    description: `Version to answer in; ${OPEN_API_VERSION} when absent.`,
    schema: { type: "string", enum: VERSIONS.map(({ version }) => version) },
  };
}

const CONVENTIONS =
  "Amounts, prices and quantities are decimal strings in plain notation, never JSON numbers. Times in answers are RFC 3339 " +
  "UTC; times in requests are Unix milliseconds. Markets are written `BTC/KRW` or `BTCKRW`; answers say `BTC/KRW`. An " +
  "unknown field in a request is refused; an answer may gain fields in a minor version. Every error answer has the form " +
  "`Error`; its codes are under `x-faults`. When no answer to an order arrives, query by `userref` first; do not send it again at once.";

const LIMITING =
  `A key has ${LIMITS.callsPerSecond} calls per second (${LIMITS.callsPerSecondBefore110} for versions before 1.1.0) and a ` +
  `weight per minute by tier (starter ${LIMITS.weightPerMinute.starter}, pro ${LIMITS.weightPerMinute.pro}, enterprise ` +
  `${LIMITS.weightPerMinute.enterprise}), whichever is used up first; the weight of a call is its \`x-weight\`. A page holds ` +
  `${LIMITS.pageSizeDefault} entries unless \`limit\` says otherwise, at most ${LIMITS.pageSizeMax}; a request body at most ` +
  `${LIMITS.bodyBytesMax} bytes.`;

const VERSIONING =
  `Versions are semantic. A caller may ask for an older one with \`${VERSION_HEADER}\` and gets its shape; another major ` +
  "version is refused. What changed when is under `x-change-history`, and `x-added-in` stands at each operation and field.";
