/**
 * The book of one market as events: a view for each depth that is followed, all with the numbers of the engine's book.
 *
 * Invariant: applying a view's events to its snapshot gives its best levels, no more and no less.
 */
import { type BookLevel, CHECKSUM_LEVELS } from "../../contract/index.ts";
import type { Exchange, ExchangeEvent, Millis } from "../model/index.ts";
import { checksumOf } from "./book-checksum.ts";
import { BookMirror, type MirrorLevel } from "./book-mirror.ts";
import type { SendQueue } from "./send-queue.ts";
import { Topic } from "./topic.ts";

type BookEvent = Extract<ExchangeEvent, { kind: "book" }>;

export class BookTopics {
  readonly #exchange: Exchange;
  readonly #outbox: SendQueue;
  readonly #symbol: string;
  /** Kept while somebody follows. */
  #mirror: BookMirror | undefined;
  readonly #views = new Map<number, Topic>();

  constructor(exchange: Exchange, outbox: SendQueue, symbol: string) {
    this.#exchange = exchange;
    this.#outbox = outbox;
    this.#symbol = symbol;
  }

  view(depth: number): Topic {
    this.#mirror ??= new BookMirror(this.#exchange.book(this.#symbol, Number.POSITIVE_INFINITY));
    const mirror = this.#mirror;
    const known = this.#views.get(depth);
    if (known !== undefined) return known;
    const now = (): object => {
      const [buys, asks] = [wires(mirror.buys.top(depth)), wires(mirror.asks.top(depth))];
      return { tick: { buys, asks }, checksum: checksumOf(buys, asks) };
    };
    const view = new Topic({ outbox: this.#outbox, channel: "orderbook", symbol: this.#symbol, now }, mirror.seq);
    this.#views.set(depth, view);
    return view;
  }

  /** Nobody follows, and events may go by. */
  forget(): void {
    this.#views.clear();
    this.#mirror = undefined;
  }

  take(event: BookEvent, at: Millis): void {
    for (const [depth, view] of this.#views) if (!view.isFollowed) this.#views.delete(depth);
    if (this.#views.size === 0) this.#mirror = undefined;
    const mirror = this.#mirror;
    if (mirror === undefined) return;
    const changes = [...this.#views].map(([depth, view]) => ({
      depth,
      view,
      changed: changesOf(mirror, event, depth),
    }));
    mirror.take(event);
    const checksums = new Map<number, number>();
    for (const { depth, view, changed } of changes) {
      const levels = Math.min(depth, CHECKSUM_LEVELS);
      const checksum =
        checksums.get(levels) ?? checksumOf(wires(mirror.buys.top(levels)), wires(mirror.asks.top(levels)));
      checksums.set(levels, checksum);
      view.publish(() => ({ tick: changed(), checksum }), at);
    }
  }
}

type Tick = { readonly buys: readonly BookLevel[]; readonly asks: readonly BookLevel[] };

/** Looks at the view before the event. @returns what has changed in it, to be called after. */
function changesOf(mirror: BookMirror, event: BookEvent, depth: number): () => Tick {
  const { buys, asks } = mirror;
  const [bought, asked] = [sideChanges(buys, event.buys, depth), sideChanges(asks, event.asks, depth)];
  return () => ({ buys: bought(), asks: asked() });
}

function sideChanges(side: BookMirror["buys"], changes: BookEvent["buys"], depth: number): () => readonly BookLevel[] {
  if (changes.length === 0) return () => [];
  const before = side.top(depth);
  return () => side.changesSince(before, depth);
}

function wires(levels: readonly MirrorLevel[]): BookLevel[] {
  return levels.map(({ wire }) => wire);
}
