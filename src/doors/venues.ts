/** The door `hoga/venues`: signed clients of an exchange, its stream, and receiving webhooks. */

export type {
  FillPage,
  FillsRequest,
  OrderPage,
  OrdersRequest,
  WebhookEvent,
  WebhookEventOf,
  WebhookType,
} from "../contract/index.ts";
export { streamUrl } from "../contract/index.ts";
export type * from "../transport/index.ts";
export type * from "../venues/index.ts";
export { OpenApiClient, Stream, TradingApiClient, TransferClient, verifyWebhook } from "../venues/index.ts";
