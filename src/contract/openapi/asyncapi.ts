/**
 * Owns the description of the stream and the webhooks for programs: AsyncAPI 3.0, made from the contract's schemas. It takes the
 * service's side: the service receives what a client says, and sends events and deliveries.
 * Entry point: `asyncApiDocument`. `docs/reference/asyncapi.json` is its output, and a test compares the two.
 *
 * Not part of index.ts: reference.ts loads it when it is asked for, so no start pays for it.
 *
 * Invariant: equal contracts give equal text, byte for byte.
 *
 * Source: service.md#stream, service.md#stream-limits, service.md#webhooks.
 */
import { CHECKSUM_RULE, CHECKSUM_VECTORS } from "../stream/book-checksum.ts";
import {
  isPublicChannel,
  PRIVATE_CHANNELS,
  PUBLIC_CHANNELS,
  STREAM_CLOSE,
  STREAM_EVENTS,
  STREAM_LIMITS,
  STREAM_PATH,
  type StreamChannel,
  streamAck,
  streamHeartbeat,
  streamPing,
  streamSubscription,
} from "../stream/message.ts";
import {
  WEBHOOK_DATA,
  WEBHOOK_DELIVERY,
  WEBHOOK_HEADERS,
  WEBHOOK_TYPES,
  WEBHOOK_VECTORS,
  type WebhookType,
  webhookEnvelope,
} from "../stream/webhook.ts";
import { OPEN_API_VERSION, VERSIONS } from "../version.ts";
import { type Json, type JsonObject, SchemaCollection } from "./json-schema.ts";

export interface AsyncApiMessage {
  readonly name: string;
  readonly title: string;
  readonly contentType: "application/json";
  readonly headers?: JsonObject;
  readonly payload: JsonObject;
}

export interface AsyncApiReference {
  readonly $ref: string;
}

export interface AsyncApiChannel {
  /** Null where it is not ours to say. */
  readonly address: string | null;
  readonly title: string;
  readonly description?: string;
  readonly servers: readonly AsyncApiReference[];
  readonly messages: Readonly<Record<string, AsyncApiReference>>;
  readonly bindings?: JsonObject;
}

export interface AsyncApiOperation {
  /** Says what the service does. */
  readonly action: "send" | "receive";
  readonly channel: AsyncApiReference;
  readonly summary: string;
  readonly description?: string;
  readonly messages: readonly AsyncApiReference[];
  readonly reply?: { readonly channel: AsyncApiReference; readonly messages: readonly AsyncApiReference[] };
  readonly bindings?: JsonObject;
  /** Names what the stream token's key needs for a private channel. */
  readonly "x-permission"?: "query";
}

export interface AsyncApiDocument {
  readonly asyncapi: "3.0.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly defaultContentType: "application/json";
  readonly servers: Readonly<Record<string, JsonObject>>;
  readonly channels: Readonly<Record<"stream" | "webhooks", AsyncApiChannel>>;
  readonly operations: Readonly<Record<string, AsyncApiOperation>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonObject>>;
    readonly messages: Readonly<Record<string, AsyncApiMessage>>;
    readonly securitySchemes: JsonObject;
  };
  readonly [extension: `x-${string}`]: Json;
}

const CHANNELS: readonly StreamChannel[] = [...PUBLIC_CHANNELS, ...PRIVATE_CHANNELS];

export function asyncApiDocument(): AsyncApiDocument {
  const schemas = new SchemaCollection("draft-7");
  const stream = streamMessages(schemas);
  const webhooks = webhookMessages(schemas);
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Stream and webhooks",
      version: OPEN_API_VERSION,
      description: [STREAMING, SEQUENCES, CHECKSUM, SILENCE, DELIVERING].join("\n\n"),
    },
    defaultContentType: "application/json",
    servers: SERVERS,
    channels: {
      stream: {
        address: STREAM_PATH,
        title: "Stream",
        servers: [{ $ref: "#/servers/exchange" }],
        messages: references(Object.keys(stream)),
        bindings: { ws: { method: "GET", bindingVersion: "0.1.0" } },
      },
      webhooks: {
        address: null,
        title: "Webhooks",
        description: "A partner's endpoint, as it was registered.",
        servers: [{ $ref: "#/servers/partner" }],
        messages: references(Object.keys(webhooks)),
      },
    },
    operations: { ...streamOperations(), ...webhookOperations() },
    components: {
      schemas: schemas.all(),
      messages: { ...stream, ...webhooks },
      securitySchemes: {
        WebhookSignature: {
          type: "httpApiKey",
          in: "header",
          name: WEBHOOK_HEADERS.signature,
          description: SIGNATURE,
        },
      },
    },
    "x-stream-limits": { ...STREAM_LIMITS },
    "x-checksum-vectors": CHECKSUM_VECTORS.map(({ tick, ...vector }) => ({
      ...vector,
      tick: { buys: tick.buys.map((level) => [...level]), asks: tick.asks.map((level) => [...level]) },
    })),
    "x-close-codes": { ...STREAM_CLOSE },
    "x-webhook-delivery": { ...WEBHOOK_DELIVERY },
    "x-webhook-vectors": WEBHOOK_VECTORS.map((vector) => ({ ...vector })),
    "x-change-history": VERSIONS.map((entry) => ({ ...entry })),
  };
}

const SERVERS = {
  exchange: {
    host: "{host}",
    protocol: "ws",
    description: "The embedded sandbox by default; a live service under its own address, with protocol wss.",
    variables: { host: { default: "127.0.0.1:8420" } },
  },
  partner: {
    host: "{endpoint}",
    protocol: "https",
    description: "Where a partner receives webhooks.",
    variables: { endpoint: { default: "partner.example" } },
    security: [{ $ref: "#/components/securitySchemes/WebhookSignature" }],
  },
} as const;

type Messages = Record<string, AsyncApiMessage>;

function message(name: string, title: string, payload: JsonObject): AsyncApiMessage {
  return { name, title, contentType: "application/json", payload };
}

function streamMessages(schemas: SchemaCollection): Messages {
  const events = CHANNELS.map((channel) => [
    channel,
    message(channel, `Event of ${channel}`, schemas.response(STREAM_EVENTS[channel])),
  ]);
  return {
    subscription: message("subscription", "Subscribe or unsubscribe", schemas.request(streamSubscription)),
    ping: message("ping", "Ping", schemas.request(streamPing)),
    ack: message("ack", "Ack", schemas.response(streamAck)),
    heartbeat: message("heartbeat", "Heartbeat", schemas.response(streamHeartbeat)),
    ...(Object.fromEntries(events) as Messages),
  };
}

function webhookMessages(schemas: SchemaCollection): Messages {
  return Object.fromEntries(
    WEBHOOK_TYPES.map((type) => [
      type,
      { ...message(type, type, webhookPayload(type, schemas)), headers: DELIVERY_HEADERS },
    ]),
  );
}

function webhookPayload(type: WebhookType, schemas: SchemaCollection): JsonObject {
  // Envelope and data are closed, so they are described as requests are; a resource inside is open by itself.
  const { properties, ...envelope } = schemas.request(webhookEnvelope);
  const data = schemas.request(WEBHOOK_DATA[type]);
  return { ...envelope, properties: { ...(properties as JsonObject), type: { const: type }, data } };
}

const DELIVERY_HEADERS: JsonObject = {
  type: "object",
  properties: {
    [WEBHOOK_HEADERS.id]: { type: "string", description: "The event's id; the same on every attempt." },
    [WEBHOOK_HEADERS.timestamp]: { type: "string", description: "Unix seconds of the attempt." },
    [WEBHOOK_HEADERS.signature]: { type: "string", description: "One or more `v1,…`, separated by spaces." },
  },
  required: Object.values(WEBHOOK_HEADERS),
};

const STREAM = { $ref: "#/channels/stream" } as const;
const WEBHOOKS = { $ref: "#/channels/webhooks" } as const;

function onStream(name: string): AsyncApiReference {
  return { $ref: `#/channels/stream/messages/${name}` };
}

function streamOperations(): Record<string, AsyncApiOperation> {
  const acked = { channel: STREAM, messages: [onStream("ack")] };
  const operations: Record<string, AsyncApiOperation> = {
    subscribe: {
      action: "receive",
      channel: STREAM,
      summary: "A client subscribes to a channel, or ends a subscription",
      messages: [onStream("subscription")],
      reply: acked,
    },
    ping: {
      action: "receive",
      channel: STREAM,
      summary: "A client asks for an ack",
      messages: [onStream("ping")],
      reply: acked,
    },
    heartbeat: {
      action: "send",
      channel: STREAM,
      summary: `A sign of life, every ${STREAM_LIMITS.heartbeatMs / 1000} s`,
      messages: [onStream("heartbeat")],
    },
  };
  for (const channel of CHANNELS) {
    const isPublic = isPublicChannel(channel);
    operations[channel] = {
      action: "send",
      channel: STREAM,
      summary: CHANNEL_SUMMARIES[channel],
      description: isPublic ? "Public; of one market." : "Private: the subscription needs a token.",
      messages: [onStream(channel)],
      ...(isPublic ? {} : { "x-permission": "query" }),
    };
  }
  return operations;
}

const CHANNEL_SUMMARIES: Readonly<Record<StreamChannel, string>> = {
  orderbook: "Order book of a market, with a checksum",
  trades: "Public trades of a market",
  ticker: "Ticker of a market",
  orders: "The account's orders, of one market or all",
  fills: "The account's executions, of one market or all",
  balances: "The account's balances",
};

function webhookOperations(): Record<string, AsyncApiOperation> {
  return {
    deliver: {
      action: "send",
      channel: WEBHOOKS,
      summary: "The service reports an event to a partner's endpoint",
      messages: WEBHOOK_TYPES.map((type) => ({ $ref: `#/channels/webhooks/messages/${type}` })),
      bindings: { http: { method: "POST", bindingVersion: "0.3.0" } },
    },
  };
}

function references(names: readonly string[]): Readonly<Record<string, AsyncApiReference>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));
}

const STREAMING =
  "One WebSocket connection carries any number of subscriptions, as JSON text frames. Each message of a client is answered by an ack, in " +
  "their order. Private channels need a token from `POST /v1/ws/token`, issued anew after every reconnect.";

const SEQUENCES =
  "A subscription begins with a snapshot that states the `seq` it includes; each update after it has the next number. Any other number " +
  "is a gap: subscribe again, which gives a new snapshot. The numbers of a book are also the `seq` of `GET /v1/orderbook/{symbol}`.";

const CHECKSUM = `${CHECKSUM_RULE} Vectors are under \`x-checksum-vectors\`.`;

const SILENCE =
  `The service sends a heartbeat every ${STREAM_LIMITS.heartbeatMs / 1000} s. A client that hears nothing for ` +
  `${STREAM_LIMITS.silenceMs / 1000} s drops the connection, connects again after a pause of ${STREAM_LIMITS.reconnectMinMs} ms that grows to ` +
  `${STREAM_LIMITS.reconnectMaxMs / 1000} s, subscribes again, and reconciles orders, fills and balances of the gap by REST.`;

const SIGNATURE =
  `\`${WEBHOOK_HEADERS.signature}\` holds one or more entries \`v1,\` and \`base64( HMAC-SHA256( key, id "." timestamp "." body ) )\`, the key ` +
  `being what stands in base64 behind \`whsec_\`, id and timestamp the header texts. A timestamp is taken within ` +
  `${WEBHOOK_DELIVERY.toleranceMs / 60_000} minutes. Vectors are under \`x-webhook-vectors\`.`;

const DELIVERING =
  `A webhook is a POST in the Standard Webhooks form. ${SIGNATURE} A receiver answers 2xx within ${WEBHOOK_DELIVERY.answerMs / 1000} s and ` +
  `processes it afterwards; otherwise the event is sent again after ${pauses()} (±${WEBHOOK_DELIVERY.jitter * 100} %), then parked. The same event may ` +
  "arrive more than once and out of order: `id` tells it apart.";

function pauses(): string {
  const words = WEBHOOK_DELIVERY.retryAfterMs.map((ms) => {
    if (ms < 60_000) return `${ms / 1000} s`;
    return ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`;
  });
  return words.join(", ");
}
