/**
 * Holds what all API families share: the exchange, the clock, the limits, and state such as call logs and stream tokens. Entry point:
 * `createService`.
 */

import type { KeyObject } from "node:crypto";
import { LIMITS, STREAM_LIMITS, type Tier, WEBHOOK_DELIVERY } from "../../contract/index.ts";
import type { Applied, CallCommand, Command, EventListener, Exchange, Millis, Refusal } from "../model/index.ts";
import { BookTexts } from "../wire/book-texts.ts";
import { type MarketDirectory, marketDirectory } from "../wire/market-directory.ts";
import { CallLimit } from "./call-limit.ts";
import { orderIds, type RandomBytes } from "./order-id.ts";
import { type StreamTokens, streamTokens } from "./stream-token.ts";

/**
 * The exchange with its journal: `apply` journals what a command changes, and so does `applyUnwritten` together with others, which are
 * written by `flush` (false when they cannot be) before an answer leaves; `durable` waits until it is on disk.
 */
export interface JournaledExchange {
  readonly exchange: Exchange;
  apply(command: Command, at: Millis): Applied | Refusal;
  applyUnwritten(command: CallCommand, at: Millis): Applied | Refusal;
  flush(): boolean;
  durable(): Promise<void>;
  /** Subscribes to the events of commands, which are published in order once they are journaled. @returns ends the subscription. */
  onEvents(listener: EventListener): () => void;
  /** Why the journal cannot be written any more. */
  readonly failed: string | undefined;
}

/** The limits of the service, all configurable. Source: service.md#limits. */
export interface SandboxLimits {
  readonly callsPerSecond: number;
  readonly callsPerSecondBefore110: number;
  readonly weightPerMinute: Readonly<Record<Tier, number>>;
  /** Bounds the public calls from one address. */
  readonly publicWeightPerMinute: number;
  /** Multiplies the rates of another exchange whose API is spoken. */
  readonly venueRateFactor: number;
  readonly pageSizeDefault: number;
  readonly bodyBytesMax: number;
  readonly streamTokenTtlMs: Millis;
  readonly streamConnectionsPerKey: number;
  /** Over all connections, with and without a key. */
  readonly streamConnectionsMax: number;
  readonly streamSubscriptionsMax: number;
  readonly streamMessagesPerSecond: number;
  /** A connection with more unread bytes is closed. */
  readonly streamUnreadBytesMax: number;
  readonly streamHeartbeatMs: Millis;
  /** For a whole request to arrive. */
  readonly requestTimeoutMs: Millis;
  /** For a receiver of webhooks to answer. */
  readonly webhookAnswerMs: Millis;
}

export const DEFAULT_LIMITS: SandboxLimits = {
  callsPerSecond: LIMITS.callsPerSecond,
  callsPerSecondBefore110: LIMITS.callsPerSecondBefore110,
  weightPerMinute: LIMITS.weightPerMinute,
  publicWeightPerMinute: LIMITS.publicWeightPerMinute,
  venueRateFactor: 1,
  pageSizeDefault: LIMITS.pageSizeDefault,
  bodyBytesMax: LIMITS.bodyBytesMax,
  streamTokenTtlMs: LIMITS.streamTokenTtlMs,
  streamConnectionsPerKey: STREAM_LIMITS.connectionsPerKey,
  streamConnectionsMax: 4096,
  streamSubscriptionsMax: STREAM_LIMITS.subscriptionsPerConnection,
  streamMessagesPerSecond: STREAM_LIMITS.messagesPerSecond,
  streamUnreadBytesMax: 1024 * 1024,
  streamHeartbeatMs: STREAM_LIMITS.heartbeatMs,
  requestTimeoutMs: 10_000,
  webhookAnswerMs: WEBHOOK_DELIVERY.answerMs,
};

/** HMAC keys by key id, as decoding the secret and setting up the key is half of the cost of a check. */
export type SecretCache = Map<string, { readonly secret: string; readonly key: KeyObject }>;

export interface Service {
  /** Tells this exchange from every other; said on every answer. Source: service.md#sandbox-header. */
  readonly sandboxId: string;
  readonly journaled: JournaledExchange;
  readonly exchange: Exchange;
  readonly limits: SandboxLimits;
  readonly markets: MarketDirectory;
  readonly bookTexts: BookTexts;
  readonly calls: CallLimit;
  readonly secrets: SecretCache;
  readonly tokens: StreamTokens;
  now(): Millis;
  nextOrderId(): string;
  nextRequestId(): string;
  /** Called with every defect; the API's callers see no details. */
  onDefect(error: unknown): void;
}

export interface ServiceParts {
  /** Default: another at every start. */
  readonly sandboxId?: string;
  readonly journaled: JournaledExchange;
  readonly limits: SandboxLimits;
  readonly now: () => Millis;
  readonly randomBytes: RandomBytes;
  readonly onDefect: (error: unknown) => void;
}

export function createService(parts: ServiceParts): Service {
  const { journaled, limits, now, randomBytes, onDefect } = parts;
  const run = Buffer.from(randomBytes(6)).toString("hex");
  let requests = 0;
  return {
    sandboxId: parts.sandboxId ?? run,
    journaled,
    exchange: journaled.exchange,
    limits,
    markets: marketDirectory(journaled.exchange),
    bookTexts: new BookTexts(journaled.exchange),
    calls: new CallLimit(limits),
    secrets: new Map(),
    tokens: streamTokens(randomBytes, limits.streamTokenTtlMs),
    now,
    nextOrderId: orderIds(now, randomBytes),
    nextRequestId: () => `${run}-${(++requests).toString(36)}`,
    onDefect,
  };
}
