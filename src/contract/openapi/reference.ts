/**
 * Owns the list of the service's descriptions for programs, one document for each family. Each is made when it is asked for, so
 * that no start pays for it. Entry points: `REFERENCE_NAMES`, `referenceDocuments`, `referenceText`.
 */
import type { AsyncApiDocument } from "./asyncapi.ts";
import type { OpenApiDocument } from "./document.ts";

export type { AsyncApiDocument } from "./asyncapi.ts";
export type { OpenApiDocument, OpenApiOperation } from "./document.ts";

/** In the order a reader wants them. */
const REST = {
  "openapi.json": async () => (await import("./open.ts")).openApiDocument(),
  "openapi-trading.json": async () => (await import("./trading.ts")).tradingDocument(),
  "openapi-alias.json": async () => (await import("./alias.ts")).aliasDocument(),
  "openapi-transfers.json": async () => (await import("./transfer.ts")).transferDocument(),
} as const satisfies Record<string, () => Promise<OpenApiDocument>>;

const EVENTS = "asyncapi.json";

export type RestReferenceName = keyof typeof REST;
export type ReferenceName = RestReferenceName | typeof EVENTS;

const REST_NAMES = Object.keys(REST) as RestReferenceName[];
export const REFERENCE_NAMES: readonly ReferenceName[] = [...REST_NAMES, EVENTS];

export interface ReferenceDocuments {
  readonly rest: readonly { readonly name: RestReferenceName; readonly document: OpenApiDocument }[];
  readonly events: { readonly name: typeof EVENTS; readonly document: AsyncApiDocument };
}

export async function referenceDocuments(): Promise<ReferenceDocuments> {
  const [{ asyncApiDocument }, ...rest] = await Promise.all([
    import("./asyncapi.ts"),
    ...REST_NAMES.map(async (name) => ({ name, document: await REST[name]() })),
  ]);
  return { rest, events: { name: EVENTS, document: asyncApiDocument() } };
}

/** A document as the file of its name under docs/reference has it. */
export function referenceText(document: OpenApiDocument | AsyncApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
