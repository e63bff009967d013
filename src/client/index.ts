/** The signed clients of the Open API and the Trading API, and the stream. */
export type { CredentialOptions } from "./credentials.ts";
export { DraftsClient, type DraftWrite } from "./drafts-client.ts";
export type { ClientEvent, ClientListener } from "./event.ts";
export { OpenApiClient, type ReadOptions } from "./open-api-client.ts";
export type { ClientOptions, ClientTimeouts } from "./options.ts";
export type { ClientClock, Lane, LanePass, LaneRequest, Transport, WireOutcome, WireRequest } from "./ports.ts";
export { sign } from "./signature.ts";
export type {
  SocketEvents,
  SocketFactory,
  StreamNotice,
  StreamReader,
  StreamSocket,
  StreamState,
} from "./stream/ports.ts";
export type { RebuiltBook } from "./stream/rebuilt-book.ts";
export { Stream, type StreamOptions, type StreamSubscription } from "./stream/stream.ts";
export { systemClock } from "./system-clock.ts";
export { TradingApiClient, type TradingRead } from "./trading-api-client.ts";
export type { TradingAnswer, TradingFields } from "./trading-call.ts";
export {
  type AuthenticWebhook,
  authenticWebhook,
  readWebhook,
  verifyWebhook,
  type WebhookDelivery,
  type WebhookTrust,
} from "./webhook.ts";
