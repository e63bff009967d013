/**
 * The book of one market as topics: one for each depth with subscribers, numbered as the engine's book. Entry point: `BookTopics`.
 *
 * Invariant: applying a topic's events to its snapshot gives exactly its best levels. Source: service.md#stream-orderbook.
 */
import { crc32 } from "node:zlib";
import { type BookLevel, CHECKSUM_LEVELS } from "../../../contract/index.ts";
import type { Exchange, ExchangeEvent, Millis } from "../../model/index.ts";
import { BookMirror, type MirrorLevel } from "./book-mirror.ts";
import type { SendQueue } from "./send-queue.ts";
import { Topic } from "./topic.ts";

type BookEvent = Extract<ExchangeEvent, { kind: "book" }>;

export class BookTopics {
  readonly #exchange: Exchange;
  readonly #queue: SendQueue;
  readonly #symbol: string;
  /** Kept while there are subscribers. */
  #mirror: BookMirror | undefined;
  /** Keyed by depth. */
  readonly #topics = new Map<number, Topic>();

  constructor(exchange: Exchange, queue: SendQueue, symbol: string) {
    this.#exchange = exchange;
    this.#queue = queue;
    this.#symbol = symbol;
  }

  topic(depth: number): Topic {
    this.#mirror ??= new BookMirror(this.#exchange.book(this.#symbol, Number.POSITIVE_INFINITY));
    const mirror = this.#mirror;
    const known = this.#topics.get(depth);
    if (known !== undefined) return known;
    const snapshot = (): object => {
      const [buys, asks] = [wires(mirror.buys.top(depth)), wires(mirror.asks.top(depth))];
      return { tick: { buys, asks }, checksum: checksumOf(buys, asks) };
    };
    const topic = new Topic({ queue: this.#queue, channel: "orderbook", symbol: this.#symbol, snapshot }, mirror.seq);
    this.#topics.set(depth, topic);
    return topic;
  }

  /** Drops the copy of the book, as it may have missed events while there were no subscribers. */
  forget(): void {
    this.#topics.clear();
    this.#mirror = undefined;
  }

  take(event: BookEvent, at: Millis): void {
    for (const [depth, topic] of this.#topics) if (!topic.hasSubscribers) this.#topics.delete(depth);
    if (this.#topics.size === 0) this.#mirror = undefined;
    const mirror = this.#mirror;
    if (mirror === undefined) return;
    const changes = [...this.#topics].map(([depth, topic]) => ({
      depth,
      topic,
      changed: changesOf(mirror, event, depth),
    }));
    mirror.take(event);
    const checksums = new Map<number, number>();
    for (const { depth, topic, changed } of changes) {
      const levels = Math.min(depth, CHECKSUM_LEVELS);
      const checksum =
        checksums.get(levels) ?? checksumOf(wires(mirror.buys.top(levels)), wires(mirror.asks.top(levels)));
      checksums.set(levels, checksum);
      topic.publish(() => ({ tick: changed(), checksum }), at);
    }
  }
}

type Tick = { readonly buys: readonly BookLevel[]; readonly asks: readonly BookLevel[] };

/** Keeps the best levels as they are before an event. @returns a function that compares them, to be called after the event */
function changesOf(mirror: BookMirror, event: BookEvent, depth: number): () => Tick {
  const { buys, asks } = mirror;
  const [changedBuys, changedAsks] = [sideChanges(buys, event.buys, depth), sideChanges(asks, event.asks, depth)];
  return () => ({ buys: changedBuys(), asks: changedAsks() });
}

function sideChanges(side: BookMirror["buys"], changes: BookEvent["buys"], depth: number): () => readonly BookLevel[] {
  if (changes.length === 0) return () => [];
  const before = side.top(depth);
  return () => side.changesSince(before, depth);
}

function wires(levels: readonly MirrorLevel[]): BookLevel[] {
  return levels.map(({ wire }) => wire);
}

/**
 * The client has an implementation of its own, on purpose: shared code would hide shared bugs. Source: service.md#book-checksum.
 * @param buys best first, as `asks`; only the levels that count are used
 */
export function checksumOf(buys: readonly BookLevel[], asks: readonly BookLevel[]): number {
  const [buyText, askText] = [buys, asks].map((side) =>
    side
      .slice(0, CHECKSUM_LEVELS)
      .map((level) => level.join(":"))
      .join(","),
  );
  return crc32(Buffer.from(`${buyText}|${askText}`, "ascii"));
}
