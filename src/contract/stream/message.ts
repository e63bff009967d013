/**
 * Owns the messages of the WebSocket stream, `GET /v1/stream`: what a client may say, what the service says, and the figures both
 * keep to.
 *
 * Sequence rule: every channel is a sequence of its own for each symbol (a private channel taken over all markets: for the
 * account). A subscription begins with a snapshot that states the `seq` it includes; each update after it has the next number.
 * The numbers do not depend on the connection, nor on the depth of a book; those of a book are also the `seq` of
 * `GET /v1/orderbook/{symbol}`. Any other number is a gap: subscribe again, which gives a new snapshot.
 *
 * Source: service.md#stream, service.md#stream-sequence, service.md#stream-limits.
 */
import { z } from "zod";
import { bookLevel, publicTrade, ticker } from "../open/market.ts";
import { balance, fill, order } from "../open/order.ts";
import { isoTime, symbol, symbolInput } from "../wire.ts";

export const STREAM_PATH = "/v1/stream";

/** The stream's address at the service whose REST interface is at `baseUrl` (`http:` or `https:`). */
export function streamUrl(baseUrl: string): string {
  return `${baseUrl.replace(/^http/, "ws").replace(/\/+$/, "")}${STREAM_PATH}`;
}

export const STREAM_LIMITS = {
  connectionsPerKey: 10,
  subscriptionsPerConnection: 200,
  messagesPerSecond: 20,
  /** A longer message closes the connection. */
  messageBytesMax: 4096,
  /** So many messages in a row that are not JSON are refused one by one; the next one closes the connection. */
  unreadableInARowMax: 10,
  /** Spaces the heartbeats of the service. */
  heartbeatMs: 5000,
  /** A client that has received nothing for so long drops the connection. */
  silenceMs: 15_000,
  /** First and longest pause between attempts to connect, before jitter. */
  reconnectMinMs: 250,
  reconnectMaxMs: 30_000,
  /** Trades and fills in a snapshot at most. */
  snapshotEntries: 100,
  bookDepthMax: 500,
} as const;

/** Why the service ends a connection, as its close code; the reason beside it says more. */
export const STREAM_CLOSE = {
  /** The exchange is shutting down: connect again. */
  goingAway: 1001,
  /** A binary frame. */
  notText: 1003,
  /** Not UTF-8, or one message after the other that is not JSON. */
  notJson: 1007,
  /** Messages kept coming faster than the limit. */
  tooManyMessages: 1008,
  messageTooLong: 1009,
  /** The exchange cannot go on. */
  failed: 1011,
  /** The client did not read as fast as events came: connect again, and read faster or subscribe to less. */
  tooSlow: 4000,
  /** The key of the connection was revoked, or may not read the account any more, or not from this address. */
  keyWithdrawn: 4001,
} as const;

/** Public: about one market. */
export const PUBLIC_CHANNELS = ["orderbook", "trades", "ticker"] as const;
/** Private, for the account of a token; `symbol` narrows orders and fills to one market. */
export const PRIVATE_CHANNELS = ["orders", "fills", "balances"] as const;

export const streamChannel = z.enum([...PUBLIC_CHANNELS, ...PRIVATE_CHANNELS]);
export type StreamChannel = z.infer<typeof streamChannel>;

const idForm = { error: "use 1 to 64 characters out of A-Z a-z 0-9 . _ - or a whole number" };
const depthForm = { error: `use a whole number from 1 to ${STREAM_LIMITS.bookDepthMax}` };

/** Chosen by the client, sent back with the ack. */
export const streamMessageId = z
  .union([z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, idForm), z.int(idForm).nonnegative(idForm)], idForm)
  .meta({ id: "StreamMessageId" });

const subscriptionFields = z.strictObject({
  op: z.enum(["subscribe", "unsubscribe"]),
  id: streamMessageId,
  channel: streamChannel,
  symbol: symbolInput.optional(),
  depth: z
    .int(depthForm)
    .min(1, depthForm)
    .max(STREAM_LIMITS.bookDepthMax, depthForm)
    .optional()
    .meta({ description: "Best levels a side, 1 to 500; 500 when absent." }),
  token: z.string().min(1).max(256).optional().meta({ description: "From POST /v1/ws/token; private channels." }),
});

type SubscriptionFields = z.infer<typeof subscriptionFields>;

interface Misfit {
  readonly field: keyof SubscriptionFields;
  readonly fix: string;
}

function misfitOf({ op, channel, symbol: market, depth, token }: SubscriptionFields): Misfit | undefined {
  if (isPublicChannel(channel)) {
    if (market === undefined) return { field: "symbol", fix: `${channel} needs a symbol` };
    if (token !== undefined) return { field: "token", fix: `${channel} is public: leave token out` };
  } else {
    if (op === "subscribe" && token === undefined)
      return { field: "token", fix: `${channel} is private: send a token from POST /v1/ws/token` };
    if (channel === "balances" && market !== undefined)
      return { field: "symbol", fix: "balances are of the whole account: leave symbol out" };
  }
  if (channel !== "orderbook" && depth !== undefined)
    return { field: "depth", fix: `only orderbook has a depth, ${channel} has none` };
  return undefined;
}

/**
 * Subscribing again to a channel and symbol replaces the subscription and gives a new snapshot. An unsubscription may repeat
 * the depth and token of its subscription; they change nothing.
 */
export const streamSubscription = subscriptionFields
  .superRefine((message, context) => {
    const misfit = misfitOf(message);
    if (misfit !== undefined)
      context.addIssue({ code: "custom", path: [misfit.field], message: misfit.fix, input: message[misfit.field] });
  })
  .meta({ id: "StreamSubscription" });

/** Answered with an ack. */
export const streamPing = z.strictObject({ op: z.literal("ping"), id: streamMessageId }).meta({ id: "StreamPing" });

export const STREAM_OPS = { subscribe: streamSubscription, unsubscribe: streamSubscription, ping: streamPing } as const;

export const streamError = z
  .object({
    code: z.string().meta({ examples: ["EGeneral:Invalid arguments:depth"] }),
    message: z.string().meta({ description: "What to do." }),
    field: z.string().optional(),
    retry_after_ms: z.int().nonnegative().optional(),
  })
  .meta({ id: "StreamError" });

/** Answers each message, in their order; the snapshot of a subscription comes after its ack. */
export const streamAck = z
  .object({
    op: z.literal("ack"),
    id: streamMessageId.nullable().meta({ description: "Null when the message had no readable id." }),
    ok: z.boolean(),
    error: streamError.optional(),
  })
  .meta({ id: "StreamAck" });

export const streamHeartbeat = z.object({ op: z.literal("heartbeat"), time: isoTime }).meta({ id: "StreamHeartbeat" });

const eventFields = {
  type: z.enum(["snapshot", "update"]),
  seq: z.int().nonnegative(),
  time: isoTime,
};

export const orderbookEvent = z
  .object({
    channel: z.literal("orderbook"),
    symbol,
    ...eventFields,
    tick: z.object({ buys: z.array(bookLevel), asks: z.array(bookLevel) }),
    checksum: z.int().min(0).max(0xff_ff_ff_ff).meta({
      description: "CRC-32 of the best levels after the event; the rule is in the introduction, with vectors.",
    }),
  })
  .meta({
    id: "OrderbookEvent",
    description:
      "A snapshot has the levels, best first. An update has those that changed, with their new volume; 0 means that the level is " +
      "gone, from the book or from its best `depth` levels. The checksum is of the book after the event.",
  });

export const tradesEvent = z
  .object({ channel: z.literal("trades"), symbol, ...eventFields, trades: z.array(publicTrade) })
  .meta({ id: "TradesEvent", description: "Oldest first; a snapshot has the latest trades." });

export const tickerEvent = z
  .object({ channel: z.literal("ticker"), symbol, ...eventFields, ticker })
  .meta({ id: "TickerEvent", description: "The whole ticker. Changes in quick succession come as one." });

const accountFields = {
  symbol: symbol.nullable().meta({ description: "Of the subscription: null for all markets." }),
  ...eventFields,
};

export const ordersEvent = z.object({ channel: z.literal("orders"), ...accountFields, orders: z.array(order) }).meta({
  id: "OrdersEvent",
  description: "A snapshot has the open orders, oldest first; an update those that changed, as they are now.",
});

export const fillsEvent = z
  .object({ channel: z.literal("fills"), ...accountFields, fills: z.array(fill) })
  .meta({ id: "FillsEvent", description: "Oldest first; a snapshot has the latest fills." });

export const balancesEvent = z
  .object({ channel: z.literal("balances"), ...accountFields, symbol: z.null(), balances: z.array(balance) })
  .meta({ id: "BalancesEvent", description: "A snapshot has all balances; an update those that changed." });

/** The schema of each channel's events. They may gain fields with a minor version. */
export const STREAM_EVENTS = {
  orderbook: orderbookEvent,
  trades: tradesEvent,
  ticker: tickerEvent,
  orders: ordersEvent,
  fills: fillsEvent,
  balances: balancesEvent,
} as const satisfies Record<StreamChannel, z.ZodType>;

export function isPublicChannel(channel: StreamChannel): channel is (typeof PUBLIC_CHANNELS)[number] {
  return PUBLIC_CHANNELS.some((each) => each === channel);
}

export type StreamSubscription = z.infer<typeof streamSubscription>;
export type StreamPing = z.infer<typeof streamPing>;
export type StreamAck = z.infer<typeof streamAck>;
export type StreamEventOf<C extends StreamChannel> = z.infer<(typeof STREAM_EVENTS)[C]>;
export type StreamEvent = { [C in StreamChannel]: StreamEventOf<C> }[StreamChannel];
export type OrderbookEvent = StreamEventOf<"orderbook">;
