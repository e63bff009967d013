/**
 * The public order books as text, kept until the book changes. Entry point: `BookTexts`.
 *
 * Invariant: a text is what the view of the book would be written as now: a book's number rises with each of its changes.
 */
import type { Exchange, Millis } from "../model/index.ts";
import { WrittenJson } from "./json-text.ts";
import { orderbookView, timeText } from "./market-view.ts";

/** Bounds those of a market; beyond that all of its are forgotten. */
const DEPTHS_MAX = 16;

interface BookText {
  readonly seq: number;
  /** The text up to the time, which is its last field. */
  readonly upToTime: string;
  at: Millis;
  whole: WrittenJson;
}

export class BookTexts {
  readonly #exchange: Pick<Exchange, "book">;
  /** Keyed by market, then by depth. */
  readonly #texts = new Map<string, Map<number, BookText>>();

  constructor(exchange: Pick<Exchange, "book">) {
    this.#exchange = exchange;
  }

  /** @param symbol from the market directory */
  text(symbol: string, depth: number, at: Millis): WrittenJson {
    const known = this.#texts.get(symbol)?.get(depth);
    // No levels are made for a depth of 0.
    if (known === undefined || known.seq !== this.#exchange.book(symbol, 0).seq) return this.#make(symbol, depth, at);
    if (known.at !== at) {
      known.at = at;
      known.whole = new WrittenJson(`${known.upToTime}${timeText(at)}"}`);
    }
    return known.whole;
  }

  #make(symbol: string, depth: number, at: Millis): WrittenJson {
    const book = this.#exchange.book(symbol, depth);
    const text = JSON.stringify(orderbookView(symbol, book, at));
    const whole = new WrittenJson(text);
    const upToTime = text.slice(0, -`${timeText(at)}"}`.length);
    const texts = this.#texts.get(symbol) ?? new Map<number, BookText>();
    if (texts.size >= DEPTHS_MAX) texts.clear();
    texts.set(depth, { seq: book.seq, upToTime, at, whole });
    this.#texts.set(symbol, texts);
    return whole;
  }
}
