/** The signed clients of the Open API, the Trading API and the transfer APIs, the streams, and the receiving of webhooks. */

export { type ClientOptions, type ClientTimeouts, cardOf, type ServiceAbsence } from "./hoga/api-client.ts";
export { OpenApiClient } from "./hoga/open-api-client.ts";
export { type CredentialOptions, sign } from "./hoga/request/credentials.ts";
export type { StreamReader } from "./hoga/stream/ports.ts";
export type { RebuiltBook } from "./hoga/stream/rebuilt-book.ts";
export { Stream, type StreamOptions, type StreamSubscription } from "./hoga/stream/stream.ts";
export type { TradingAnswer, TradingFields, TradingRead } from "./hoga/trading/operation-call.ts";
export { TradingApiClient } from "./hoga/trading-api-client.ts";
export { TransferClient, type TransferWriteOptions } from "./hoga/transfer-client.ts";
export {
  type AuthenticWebhook,
  authenticWebhook,
  readWebhook,
  verifyWebhook,
  type WebhookDelivery,
  type WebhookTrust,
} from "./hoga/webhook.ts";
export { CARDS, KOREAN, OPENINGS, type OpenedVenue, type VenueOptions } from "./registry.ts";
export { type Followed, VenueStream, type VenueStreamOptions } from "./venue-stream.ts";
