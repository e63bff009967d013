/** The service as data: schemas, endpoints, faults, limits, versions, signing vectors. */
export * from "./endpoint.ts";
export * from "./fault.ts";
export * from "./limit.ts";
export * from "./market.ts";
export * from "./order.ts";
export * from "./quotation.ts";
export * from "./result.ts";
export * from "./signing.ts";
export * from "./version.ts";
export * from "./wire.ts";
