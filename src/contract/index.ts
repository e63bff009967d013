/**
 * The service as data: schemas, endpoints, stream, webhooks, faults, limits, versions, test vectors.
 *
 * What every family shares stands at the top; then a room for each family: `open` (Open API), `trading` (Trading API), `alias`
 * (alias endpoints), `transfer` (payments and remittances), `stream` (WebSocket stream, webhooks); `openapi` describes them all.
 * A file at the top imports no room, `open` only the top, another family the top and `open`, and no family imports `openapi`.
 */
export type * from "./alias/answer.ts";
export * from "./alias/endpoint.ts";
export * from "./alias/fault.ts";
export * from "./alias/market.ts";
export * from "./alias/order.ts";
export * from "./alias/signing.ts";
export * from "./canonical-json.ts";
export * from "./error-body.ts";
export * from "./exact-json.ts";
export * from "./fault.ts";
export * from "./idioms.ts";
export * from "./idioms.ts";
export * from "./limit.ts";
export * from "./open/endpoint.ts";
export type * from "./open/list-request.ts";
export * from "./open/market.ts";
export * from "./open/order.ts";
export * from "./open/order-traits.ts";
export * from "./openapi/reference.ts";
export * from "./quotation.ts";
export * from "./quotation.ts";
export * from "./result.ts";
export * from "./signing.ts";
export * from "./stream/book-checksum.ts";
export * from "./stream/message.ts";
export * from "./stream/webhook.ts";
export * from "./trading/account.ts";
export * from "./trading/market.ts";
export * from "./trading/operation.ts";
export * from "./trading/order.ts";
export * from "./trading/wire.ts";
export * from "./transfer/endpoint.ts";
export * from "./transfer/payment.ts";
export * from "./transfer/remittance.ts";
export * from "./transfer/wire.ts";
export * from "./unit.ts";
export type * from "./venue-card.ts";
export * from "./version.ts";
export * from "./wire.ts";
