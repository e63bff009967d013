/**
 * The public topics of one market: its book, its trades, its ticker. Entry point: `MarketTopics`.
 *
 * A ticker changes with every trade and quote, so it is published at most ten times a second: at once, and then its latest value.
 * Source: service.md#public-channels.
 */
import { STREAM_LIMITS } from "../../../contract/index.ts";
import type { Exchange, ExchangeEvent, Millis } from "../../model/index.ts";
import { publicTradeView, tickerView } from "../../wire/market-view.ts";
import { BookTopics } from "./book-topics.ts";
import type { SendQueue } from "./send-queue.ts";
import { Topic } from "./topic.ts";

const TICKER_EVERY_MS = 100;

export interface MarketTopicsParts {
  readonly exchange: Exchange;
  readonly queue: SendQueue;
  readonly symbol: string;
  readonly now: () => Millis;
}

export class MarketTopics {
  readonly books: BookTopics;
  readonly trades: Topic;
  readonly ticker: Topic;
  readonly #parts: MarketTopicsParts;
  /** Runs until the next ticker may be published. */
  #tickerTimer: NodeJS.Timeout | undefined;
  #tickerChanged = false;

  constructor(parts: MarketTopicsParts) {
    const { exchange, queue, symbol } = parts;
    this.#parts = parts;
    this.books = new BookTopics(exchange, queue, symbol);
    this.trades = new Topic({
      queue,
      channel: "trades",
      symbol,
      snapshot: () => ({
        trades: exchange.trades(symbol, STREAM_LIMITS.snapshotEntries).map(publicTradeView).reverse(),
      }),
    });
    this.ticker = new Topic({ queue, channel: "ticker", symbol, snapshot: () => this.#tickerNow() });
  }

  /** @param events those of this market, of one command. */
  take(events: readonly ExchangeEvent[], at: Millis): void {
    const trades = events.filter((event) => event.kind === "trade");
    if (trades.length > 0)
      this.trades.publish(() => ({ trades: trades.map(({ trade }) => publicTradeView(trade)) }), at);
    for (const event of events) if (event.kind === "book") this.books.take(event, at);
    this.#changeTicker();
  }

  /** Leaves a gap in the sequences, as there may have been events that were not counted. */
  skip(): void {
    this.trades.skip();
    this.ticker.skip();
    this.books.forget();
  }

  close(): void {
    clearTimeout(this.#tickerTimer);
  }

  #changeTicker(): void {
    this.#tickerChanged = true;
    if (this.#tickerTimer === undefined) this.#publishTicker();
  }

  #publishTicker(): void {
    this.#tickerTimer = undefined;
    if (!this.#tickerChanged) return;
    this.#tickerChanged = false;
    this.ticker.publish(() => this.#tickerNow(), this.#parts.now());
    if (!this.ticker.hasSubscribers) return;
    this.#tickerTimer = setTimeout(() => this.#publishTicker(), TICKER_EVERY_MS);
    this.#tickerTimer.unref();
  }

  #tickerNow(): object {
    const { exchange, symbol, now } = this.#parts;
    const at = now();
    return { ticker: tickerView(exchange.ticker(symbol, at), at) };
  }
}
