/** The public channels as feeds: books, tickers, trades. */
import type { Fault, OrderbookEvent, PublicTrade, StreamEventOf, Ticker } from "../../contract/index.ts";
import { type Feed, Listeners } from "./feed.ts";
import { afterUpdate, fromSnapshot, type Rebuilt, type RebuiltBook } from "./rebuilt-book.ts";

export class BookFeed implements Feed<"orderbook"> {
  readonly channel = "orderbook";
  readonly symbol: string;
  readonly listeners: Listeners<RebuiltBook>;
  refusal: Fault | undefined;
  /** As last heard; a book that turned out wrong is forgotten. */
  value: RebuiltBook | undefined;
  depth: number;

  constructor(symbol: string, onFailure: () => void, depth: number) {
    this.symbol = symbol;
    this.listeners = new Listeners(onFailure);
    this.depth = depth;
  }

  snapshot(event: OrderbookEvent): string | undefined {
    return this.#take(fromSnapshot(event));
  }

  update(event: OrderbookEvent): string | undefined {
    return this.value === undefined ? "no snapshot" : this.#take(afterUpdate(this.value, event));
  }

  #take(book: Rebuilt): string | undefined {
    if (typeof book === "string") {
      this.value = undefined;
      return book;
    }
    this.value = book;
    this.listeners.tell(book);
    return undefined;
  }
}

export class TickerFeed implements Feed<"ticker"> {
  readonly channel = "ticker";
  readonly symbol: string;
  readonly listeners: Listeners<Ticker>;
  refusal: Fault | undefined;
  value: Ticker | undefined;

  constructor(symbol: string, onFailure: () => void) {
    this.symbol = symbol;
    this.listeners = new Listeners(onFailure);
  }

  snapshot({ ticker }: StreamEventOf<"ticker">): undefined {
    this.value = ticker;
    this.listeners.tell(ticker);
  }

  update(event: StreamEventOf<"ticker">): undefined {
    this.snapshot(event);
  }
}

/** Ids of trades remembered: several snapshots full. */
const TRADES_KNOWN = 300;

/** Tells every trade once, oldest first: those of the first snapshot, then what happens. */
export class TradesFeed implements Feed<"trades"> {
  readonly channel = "trades";
  readonly symbol: string;
  readonly listeners: Listeners<readonly PublicTrade[]>;
  refusal: Fault | undefined;
  readonly value = undefined;
  readonly #known = new Set<string>();

  constructor(symbol: string, onFailure: () => void) {
    this.symbol = symbol;
    this.listeners = new Listeners(onFailure);
  }

  snapshot({ trades }: StreamEventOf<"trades">): undefined {
    const fresh = trades.filter(({ trade_id: id }) => !this.#known.has(id));
    for (const { trade_id: id } of fresh) this.#known.add(id);
    for (const id of this.#known) {
      if (this.#known.size <= TRADES_KNOWN) break;
      this.#known.delete(id);
    }
    if (fresh.length > 0) this.listeners.tell(fresh);
  }

  update(event: StreamEventOf<"trades">): undefined {
    this.snapshot(event);
  }
}
