/** Owns when book and trades of one market are asked for: as the stream tells of a change, and where it does not, every other second. */
import type { ConsoleReads } from "./console-reads.ts";
import type { EventBoard, Topic } from "./event-board.ts";
import { Paced } from "./paced.ts";
import { StreamTopicWatch, type WatchParts } from "./stream-topic-watch.ts";

/** Milliseconds between two of a kind. */
const INTERVAL = { book: 50, trades: 200 } as const;

export interface MarketFeedParts extends WatchParts {
  readonly reads: ConsoleReads;
  readonly board: EventBoard;
  readonly onPost: () => void;
}

export interface MarketFeed {
  /** @param isDue whether what the stream does not tell of is to be asked for */
  look(isDue: boolean): void;
  close(): void;
}

export function followedMarket(symbol: string, parts: MarketFeedParts): MarketFeed {
  const { board, reads, onPost, onError } = parts;
  let isClosed = false;
  const followed = (["book", "trades"] as const).map((name) => {
    const topic: Topic = `${name} ${symbol}`;
    const tell = async (): Promise<void> => {
      const read = await reads[name](symbol, true);
      if (read.ok && !isClosed && board.post(topic, read.value)) onPost();
    };
    const paced = new Paced(INTERVAL[name], tell, onError);
    const channel = name === "book" ? "orderbook" : "trades";
    const watch = new StreamTopicWatch(parts, { channel, symbol }, () => paced.wake());
    paced.wake();
    return { topic, paced, watch };
  });
  return {
    look: (isDue) => {
      for (const { watch, paced } of followed) {
        watch.open();
        if (isDue && !watch.isLive) paced.wake();
      }
    },
    close: () => {
      isClosed = true;
      for (const { topic, watch, paced } of followed) {
        watch.close();
        paced.close();
        board.drop(topic);
      }
    },
  };
}
