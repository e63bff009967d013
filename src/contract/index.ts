/** The service as data: schemas, endpoints, stream, webhooks, faults, limits, versions, test vectors. */
export * from "./book-checksum.ts";
export * from "./endpoint.ts";
export * from "./fault.ts";
export * from "./limit.ts";
export * from "./market.ts";
export * from "./order.ts";
export * from "./quotation.ts";
export * from "./result.ts";
export * from "./signing.ts";
export * from "./stream.ts";
export * from "./version.ts";
export * from "./webhook.ts";
export * from "./wire.ts";
