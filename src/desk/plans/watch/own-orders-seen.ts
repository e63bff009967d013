/**
 * The account's own orders as a watch of markets leaves them out of books and trades: read again and again, and of no use once they are a second old.
 *
 * Source: decision 0107.
 */
import type { BookLevel, PublicTrade, Result } from "../../../contract/index.ts";
import { type Price, price } from "../../../decimal/index.ts";
import { OWN_MAX, restingOrders, withoutOwn } from "../../market/own-orders.ts";
import { newestOfOthers, type OwnTrading, ownTradingIn, RECENT_MS } from "../../market/recent-trades.ts";
import type { OwnIntent } from "../../model/intent.ts";
import type { JudgedBook, OwnOrder } from "../../model/policy.ts";
import type { Clock } from "../../ports/runtime.ts";
import type { Sample } from "./trigger.ts";

/** Half of what a price has to stand for: so no order is overlooked for as long as that. */
const KNOWN_FOR_MS = 1_000;

interface Parts {
  readonly clock: Clock;
  readonly own: () => Promise<Result<readonly OwnIntent[]>>;
}

interface InMarket {
  readonly resting: readonly OwnOrder[];
  readonly trading: OwnTrading;
  /** What others made of it, and from what: a level and a list of trades never change once they are told. */
  last?: LastSeen | undefined;
}

interface LastSeen {
  readonly bought: BookLevel | undefined;
  readonly asked: BookLevel | undefined;
  readonly trades: readonly PublicTrade[];
  readonly seen: Pick<Sample, "print" | "bid" | "ask">;
}

export class OwnOrders {
  readonly #parts: Parts;
  /** As they were read last, and before that: a book may still show what has gone meanwhile. */
  #known: readonly OwnIntent[] | undefined;
  #newest: readonly OwnIntent[] = [];
  #knownAtMs = 0;
  #byMarket = new Map<string, InMarket>();
  #reading: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Reads them anew. Never rejects: what cannot be read grows old. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read()
      .catch(() => undefined)
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const askedAtMs = this.#parts.clock.rising();
    const own = await this.#parts.own();
    // Where there are more, they are not all known.
    const newest = own.ok && own.value.length < OWN_MAX ? own.value : undefined;
    const known = newest && [...newest, ...this.#newest];
    // Where there were none and are none, what was seen of the markets is what others make of them still.
    if (known?.length !== 0 || this.#known?.length !== 0) this.#byMarket = new Map();
    this.#known = known;
    this.#newest = newest ?? [];
    this.#knownAtMs = askedAtMs;
  }

  /** What others make of a market; undefined where it is not known which orders are the account's own. */
  without(
    symbol: string,
    book: JudgedBook,
    trades: readonly PublicTrade[],
    exchangeNowMs: number,
  ): Pick<Sample, "print" | "bid" | "ask"> | undefined {
    const { clock } = this.#parts;
    if (this.#known === undefined || clock.rising() - this.#knownAtMs > KNOWN_FOR_MS) return undefined;
    const now = { fromMs: exchangeNowMs - RECENT_MS, offsetMs: exchangeNowMs - clock.now() };
    const own = this.#byMarket.get(symbol) ?? inMarket(symbol, this.#known, now);
    this.#byMarket.set(symbol, own);
    const [[bought], [asked]] = [book.tick.buys, book.tick.asks];
    const { last } = own;
    if (last !== undefined && last.bought === bought && last.asked === asked && last.trades === trades)
      return last.seen;
    const seen = this.#seen(own, book, trades);
    // Without own orders the best levels alone are looked at.
    own.last = own.resting.length === 0 ? { bought, asked, trades, seen } : undefined;
    return seen;
  }

  #seen(own: InMarket, book: JudgedBook, trades: readonly PublicTrade[]): Pick<Sample, "print" | "bid" | "ask"> {
    // No more levels of a side than there are own orders can be the account's alone.
    const shown = own.resting.length + 1;
    const tick = { buys: book.tick.buys.slice(0, shown), asks: book.tick.asks.slice(0, shown) };
    const others = withoutOwn({ tick, atMs: book.atMs }, own.resting);
    const { buys, asks } = others.tick;
    return { print: newestOfOthers(trades, own.trading), bid: bestOf(buys), ask: bestOf(asks) };
  }
}

function inMarket(symbol: string, own: readonly OwnIntent[], now: { fromMs: number; offsetMs: number }): InMarket {
  return { resting: restingOrders(symbol, own), trading: ownTradingIn(symbol, own, now) };
}

function bestOf([best]: readonly BookLevel[]): Price | undefined {
  return best && price(best[0]);
}
