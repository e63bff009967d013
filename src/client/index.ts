/** The signed clients of the Open API, the Trading API and the transfer APIs, the stream, and the receiving of webhooks. */

export { OpenApiClient } from "./open-api-client.ts";
export type { ClientOptions, ClientTimeouts, ServiceAbsence } from "./options.ts";
export type { ReadOptions } from "./request/call-options.ts";
export type { CredentialOptions } from "./request/credentials.ts";
export type { ClientEvent, ClientListener } from "./request/event.ts";
export { LocalLane } from "./request/local-lane.ts";
export type {
  ClientClock,
  Lane,
  LaneDeadline,
  LanePass,
  LaneRequest,
  Transport,
  WireOutcome,
  WireRequest,
} from "./request/ports.ts";
export type { Redact } from "./request/redaction.ts";
export { sign } from "./request/signature.ts";
export { systemClock } from "./request/system-clock.ts";
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
export type { TradingAnswer, TradingFields, TradingRead } from "./trading/operation-call.ts";
export { TradingApiClient } from "./trading-api-client.ts";
export { TransferClient, type TransferWriteOptions } from "./transfer-client.ts";
export {
  type AuthenticWebhook,
  authenticWebhook,
  readWebhook,
  verifyWebhook,
  type WebhookDelivery,
  type WebhookTrust,
} from "./webhook.ts";
