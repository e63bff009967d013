/** The public channels as feeds: books, tickers, trades. Source: service.md#public-channels. */
import type { OrderbookEvent, PublicTrade, StreamEventOf, Ticker } from "../../../contract/index.ts";
import { ListenedFeed } from "./feed.ts";
import { afterUpdate, fromSnapshot, type Rebuilt, type RebuiltBook } from "./rebuilt-book.ts";

export class BookFeed extends ListenedFeed<"orderbook", RebuiltBook> {
  /** After the last event. Undefined again once an event did not match. */
  value: RebuiltBook | undefined;
  depth: number;

  constructor(symbol: string, onFailure: () => void, depth: number) {
    super("orderbook", symbol, onFailure);
    this.depth = depth;
  }

  snapshot(event: OrderbookEvent): string | undefined {
    return this.#apply(fromSnapshot(event));
  }

  update(event: OrderbookEvent): string | undefined {
    return this.value === undefined ? "no snapshot" : this.#apply(afterUpdate(this.value, event));
  }

  #apply(book: Rebuilt): string | undefined {
    if (typeof book === "string") {
      this.value = undefined;
      return book;
    }
    this.value = book;
    this.listeners.notify(book);
    return undefined;
  }
}

export class TickerFeed extends ListenedFeed<"ticker", Ticker> {
  value: Ticker | undefined;

  constructor(symbol: string, onFailure: () => void) {
    super("ticker", symbol, onFailure);
  }

  snapshot({ ticker }: StreamEventOf<"ticker">): undefined {
    this.value = ticker;
    this.listeners.notify(ticker);
  }

  update(event: StreamEventOf<"ticker">): undefined {
    this.snapshot(event);
  }
}

/** Several snapshots full. */
const TRADES_REMEMBERED_MAX = 300;
/** Kept to be looked at. */
const TRADES_KEPT = 100;

/** Gives every trade once, oldest first: those of the first snapshot, then what happens. */
export class TradesFeed extends ListenedFeed<"trades", readonly PublicTrade[]> {
  /** The latest, newest first. */
  value: readonly PublicTrade[] | undefined;
  readonly #known = new Set<string>();

  constructor(symbol: string, onFailure: () => void) {
    super("trades", symbol, onFailure);
  }

  snapshot(event: StreamEventOf<"trades">): undefined {
    this.value = event.trades.slice(-TRADES_KEPT).reverse();
    this.#tell(event);
  }

  update(event: StreamEventOf<"trades">): undefined {
    this.value = [...event.trades.toReversed(), ...(this.value ?? [])].slice(0, TRADES_KEPT);
    this.#tell(event);
  }

  #tell({ trades }: StreamEventOf<"trades">): void {
    const fresh = trades.filter(({ trade_id: id }) => !this.#known.has(id));
    for (const { trade_id: id } of fresh) this.#known.add(id);
    for (const id of this.#known) {
      if (this.#known.size <= TRADES_REMEMBERED_MAX) break;
      this.#known.delete(id);
    }
    if (fresh.length > 0) this.listeners.notify(fresh);
  }
}
