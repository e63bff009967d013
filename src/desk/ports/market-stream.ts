/**
 * Passes on what the venue tells by itself, as the desk needs it: `LiveFacts`, a port that the stream satisfies.
 *
 * Invariants: nothing here is evidence of what became of an order, only a reason to ask the venue; nothing here ever fails:
 * without a stream nothing is live, and whoever wants to know asks as before.
 */
import type { Order, Orderbook, PublicTrade, Result } from "../../contract/index.ts";

/** Levels a side of the books that orders are judged by. */
export const JUDGED_LEVELS = 200;

/** Trades that orders are judged by. */
export const JUDGED_TRADES = 100;

/** Names what can be followed. Symbols are the service's own; the desk takes any spelling. */
export type StreamTopic =
  | { readonly channel: "orders" | "balances" }
  | { readonly channel: "orderbook"; readonly symbol: string }
  | { readonly channel: "ticker"; readonly symbol: string }
  | { readonly channel: "trades"; readonly symbol: string };

/** A book as it was at `atMs`, by our clock, Unix milliseconds. */
export interface TimedBook extends Orderbook {
  readonly atMs: number;
}

/** The last public trades as they were at `atMs`. */
export interface TimedTrades {
  readonly trades: readonly PublicTrade[];
  readonly atMs: number;
}

/** Told of a change: which order, of own orders; nothing where only the change is known, or what is live has changed. */
export type StreamListener = (order?: OrderHint) => void;

/** Names an order that has changed; an order is one. The name is null where it is not told, or the venue's own id of ours. */
export type OrderHint = Pick<Order, "orderId" | "userref">;

export interface StreamWatch {
  /** Tells whether every change from now on is told. */
  readonly live: boolean;
  close(): void;
}

/** How the news of a topic comes. Source: decision 0107. */
export interface StreamPulse {
  /** Names the unbroken run of its news: another one after a reconnect, and after a gap. */
  readonly run: number;
  /** When it was last known to be as it is, by `Clock.rising`. */
  readonly heardMs: number;
  /** The newest time that the venue has told on this connection; undefined where it told none. */
  readonly exchange:
    | {
        /** Unix milliseconds of the venue's clock. */
        readonly timeMs: number;
        /** When it came, by `Clock.rising`. */
        readonly cameMs: number;
        /** It is when the message was sent. Else it is when what it tells of came about, which may be long before. */
        readonly isSent: boolean;
      }
    | undefined;
  /** When it was asked what it has answered last, by `Clock.rising`: it has spoken after that. */
  readonly answeredMs?: number | undefined;
}

export interface MarketStream {
  /** The book as followed; undefined where it is not known as it is now. To ask begins to follow it, for a while. */
  book(symbol: string): TimedBook | undefined;
  /** Answers as `book` does. */
  trades(symbol: string): TimedTrades | undefined;
  /** Undefined while the topic is not live. */
  pulse(topic: StreamTopic): StreamPulse | undefined;
  /** Tells of every change until it is closed. */
  watch(topic: StreamTopic, onChange: StreamListener): StreamWatch;
  /** Has the venue speak now. @returns once it has, behind all that it had to tell before; false where it cannot be asked */
  hear(): Promise<boolean>;
}

/** Passes on what the desk takes of it. */
export interface StreamDesk {
  /** Tells of every change until it is closed; a fault for a market that there is not. Without a stream nothing is told. */
  watch(topic: StreamTopic, onChange: StreamListener): Promise<Result<StreamWatch>>;
}
