/** The signed Open API client. */
export type { CredentialOptions } from "./credentials.ts";
export type { ClientEvent, ClientListener } from "./event.ts";
export { OpenApiClient, type ReadOptions } from "./open-api-client.ts";
export type { ClientOptions, ClientTimeouts } from "./options.ts";
export type { ClientClock, Lane, LanePass, LaneRequest, Transport, WireOutcome, WireRequest } from "./ports.ts";
export { sign } from "./signature.ts";
export { systemClock } from "./system-clock.ts";
export {
  type AuthenticWebhook,
  authenticWebhook,
  readWebhook,
  verifyWebhook,
  type WebhookDelivery,
  type WebhookTrust,
} from "./webhook.ts";
