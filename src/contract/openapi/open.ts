/**
 * Owns the description of the Open API (`/v1/`) for programs. Entry point: `openApiDocument`. `docs/reference/openapi.json` is its output,
 * and a test compares the two.
 *
 * Not part of index.ts: reference.ts loads it when it is asked for, so no start pays for it.
 *
 * Source: service.md#open-api, service.md#versions, service.md#limits.
 */
import { z } from "zod";
import { errorBody } from "../error-body.ts";
import { LIMITS } from "../limit.ts";
import { ENDPOINT_IDS, ENDPOINTS, type Endpoint, type EndpointId } from "../open/endpoint.ts";
import { validatedOrder } from "../open/order.ts";
import { FIELD_ADDED_IN, OPEN_API_VERSION, VERSION_HEADER, VERSIONS } from "../version.ts";
import {
  documentOf,
  done,
  faultCatalogue,
  jsonOperation,
  type OpenApiDocument,
  type Operation,
  SIGNED_SCHEMES,
  SIGNING_RULE,
  signingVectors,
} from "./document.ts";
import { type JsonObject, type MutableObject, SchemaCollection } from "./json-schema.ts";

/** Lists where the fields of `FIELD_ADDED_IN` stand. */
const LATER_FIELDS = [
  { schema: "CreateOrder", field: "amount", since: FIELD_ADDED_IN.amount },
  { schema: "Fill", field: "fee", since: FIELD_ADDED_IN.fee },
  { schema: "Fill", field: "fee_currency", since: FIELD_ADDED_IN.fee },
] as const;

const versions = z.enum(VERSIONS.map(({ version }) => version)).optional();
const versionHeader = z.object({
  [VERSION_HEADER]: versions.meta({ description: `Version to answer in; ${OPEN_API_VERSION} when absent.` }),
});

export function openApiDocument(): OpenApiDocument {
  const schemas = new SchemaCollection();
  const operations = ENDPOINT_IDS.map((id) => operation(id, ENDPOINTS[id], schemas));
  const document = documentOf({
    title: "Open API",
    version: OPEN_API_VERSION,
    description: [CONVENTIONS, SIGNING_RULE, LIMITING, VERSIONING],
    operations,
    schemas,
    parameters: { ApiVersion: versionHeader },
    headers: {
      [VERSION_HEADER]: {
        description: "Version of the service.",
        schema: { type: "string", examples: [OPEN_API_VERSION] },
      },
    },
    securitySchemes: SIGNED_SCHEMES,
    error: errorBody,
    extensions: {
      "x-change-history": VERSIONS.map((entry) => ({ ...entry })),
      "x-faults": faultCatalogue(),
      "x-limits": { ...LIMITS },
      "x-signing-vectors": signingVectors(),
    },
  });
  return { ...document, components: { ...document.components, schemas: marked(document.components.schemas) } };
}

function operation(id: EndpointId, endpoint: Endpoint, schemas: SchemaCollection): Operation {
  const described = jsonOperation(id, endpoint, schemas, ["ApiVersion"]);
  const { answers } = described;
  const also = id === "createOrder" ? { 200: done(200, validatedOrder, schemas) } : {};
  return { ...described, answers: { ...answers, ...also }, extensions: { "x-added-in": endpoint.addedIn } };
}

/** The schemas, with the version on each field that came later than 1.0.0. */
function marked(known: Readonly<Record<string, JsonObject>>): Record<string, JsonObject> {
  const schemas = { ...known };
  for (const { schema: name, field, since } of LATER_FIELDS) {
    const schema = schemas[name] ?? {};
    const properties = { ...(schema["properties"] as MutableObject) };
    properties[field] = { ...(properties[field] as JsonObject), "x-added-in": since };
    schemas[name] = { ...schema, properties };
  }
  return schemas;
}

const CONVENTIONS =
  "Amounts, prices and quantities are decimal strings in plain notation, never JSON numbers. Times in answers are RFC 3339 " +
  "UTC; times in requests are Unix milliseconds. Markets are written `BTC/KRW` or `BTCKRW`; answers say `BTC/KRW`. An " +
  "unknown field in a request is refused; an answer may gain fields in a minor version. Every error answer has the form " +
  "`Error`; its codes are under `x-faults`. When no answer to an order arrives, query by `userref` first; do not send it again at once.";

const LIMITING =
  `A key has ${LIMITS.callsPerSecond} calls per second (${LIMITS.callsPerSecondBefore110} for versions before 1.1.0) and a ` +
  `weight per minute by tier (starter ${LIMITS.weightPerMinute.starter}, pro ${LIMITS.weightPerMinute.pro}, enterprise ` +
  `${LIMITS.weightPerMinute.enterprise}), whichever is used up first; public calls count to the address that makes them, ` +
  `${LIMITS.publicWeightPerMinute} a minute; the weight of a call is its \`x-weight\`. A page holds ` +
  `${LIMITS.pageSizeDefault} entries unless \`limit\` says otherwise, at most ${LIMITS.pageSizeMax}; a request body at most ` +
  `${LIMITS.bodyBytesMax} bytes.`;

const VERSIONING =
  `Versions are semantic. A caller may ask for an older one with \`${VERSION_HEADER}\` and gets its shape; another major ` +
  "version is refused. What changed when is under `x-change-history`, and `x-added-in` stands at each operation and field.";
