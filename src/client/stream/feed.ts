/**
 * What one channel of one market (or of the account) has told so far, and who listens. A feed outlives connections; a session
 * gives it events in their order, without a gap between a snapshot and the updates after it.
 *
 * Invariant: a listener that throws is reported and disturbs nobody else.
 */
import type { Fault, Result, StreamChannel, StreamEventOf } from "../../contract/index.ts";
import type { StreamReader } from "./ports.ts";

export interface Feed<C extends StreamChannel = StreamChannel> {
  readonly channel: C;
  /** Null for all markets, or the account. */
  readonly symbol: string | null;
  /** Levels of a book. */
  readonly depth?: number;
  /** Why the service does not give it; it is asked for again after a while if that may pass, else with the next connection. */
  refusal: Fault | undefined;
  /** @returns why the event cannot be used; the channel is then subscribed to anew */
  snapshot(event: StreamEventOf<C>): string | undefined;
  update(event: StreamEventOf<C>): string | undefined;
  /** Of own channels: whether a first snapshot was given, so that from now on nothing may be missed. */
  readonly hasSnapshot?: boolean;
  /** How often a gap is looked for though none showed: the last update before a silence may be lost without a trace. */
  readonly recheckMs?: number;
  /** Of own channels: asks for what happened since the last event, by REST. `held` is all that arrived since, the snapshot first. */
  closeGap?(reader: StreamReader, held: readonly StreamEventOf<C>[]): Promise<Result<GapEnd<C>>>;
}

/**
 * One feed per channel and market, however the market is written: `btckrw` is asked for, and the events say `BTC/KRW`
 * (decisions §1).
 */
export function feedName({ channel, symbol }: { readonly channel: string; readonly symbol: string | null }): string {
  return `${channel} ${symbol?.replace("/", "").toUpperCase() ?? ""}`;
}

/** What was missed, ready to be told. */
export interface GapEnd<C extends StreamChannel = StreamChannel> {
  /** Tells what was missed, then what arrived meanwhile: the snapshot first. */
  tell(held: readonly StreamEventOf<C>[]): void;
}

export type Listener<T> = (news: T) => void;

/** Who listens to a feed, or to the state. */
export class Listeners<T> {
  readonly #listeners = new Set<Listener<T>>();
  readonly #onFailure: () => void;

  constructor(onFailure: () => void) {
    this.#onFailure = onFailure;
  }

  get size(): number {
    return this.#listeners.size;
  }

  add(listener: Listener<T>): void {
    this.#listeners.add(listener);
  }

  remove(listener: Listener<T>): void {
    this.#listeners.delete(listener);
  }

  tell(news: T): void {
    // Whoever begins to listen now hears what comes next, and whoever ended hears nothing.
    for (const listener of [...this.#listeners]) {
      if (!this.#listeners.has(listener)) continue;
      try {
        listener(news);
      } catch {
        // What a listener throws is its own affair, and may hold anything.
        this.#onFailure();
      }
    }
  }
}
