/**
 * The state of one channel of one market (or of the account), and its listeners. A feed outlives connections. A session gives it
 * events in order, without a gap between a snapshot and the updates after it.
 *
 * Entry points: `Feed`, as a session knows it; `ListenedFeed`, from which the feeds are made; `feedName`.
 */
import type { Fault, Result, StreamChannel, StreamEvent, StreamEventOf } from "../../../contract/index.ts";
import { Listeners } from "../../stream-listeners.ts";
import type { StreamReader } from "./ports.ts";

export interface Feed<C extends StreamChannel = StreamChannel> {
  readonly channel: C;
  /** Null for all markets, or the account. */
  readonly symbol: string | null;
  /** Levels of a book. */
  readonly depth?: number;
  /** Why the service does not give it. Requested again after a while if the reason may pass, else with the next connection. */
  refusal: Fault | undefined;
  /** @returns why the event cannot be used; the channel is then subscribed to again */
  snapshot(event: StreamEventOf<C>): string | undefined;
  update(event: StreamEventOf<C>): string | undefined;
  /** Tells, of own channels, that a first snapshot came, so that from now on nothing may be missed. */
  readonly hasSnapshot?: boolean;
  /** Looks for a gap this often although none showed: the last update before a silence may be lost without a trace. */
  readonly recheckMs?: number;
  /** Asks, for own channels, for what happened since the last event, by REST. `buffered` is all that arrived since, the snapshot first. */
  closeGap?(reader: StreamReader, buffered: readonly StreamEventOf<C>[]): Promise<Result<Gap<C>>>;
}

/** Holds what was missed, ready to be delivered. */
export interface Gap<C extends StreamChannel = StreamChannel> {
  /** Delivers what was missed, then what arrived meanwhile: the snapshot first. */
  deliver(buffered: readonly StreamEventOf<C>[]): void;
}

/**
 * Names one feed per channel and market, however the market is written: `btckrw` is subscribed to, and the events say `BTC/KRW`. Source:
 * service.md#symbols.
 */
export function feedName({ channel, symbol }: { readonly channel: string; readonly symbol: string | null }): string {
  return `${channel} ${symbol?.replace("/", "").toUpperCase() ?? ""}`;
}

/** A feed with its listeners. @typeParam T what they get */
export abstract class ListenedFeed<C extends StreamChannel, T> implements Feed<C> {
  readonly channel: C;
  readonly symbol: string | null;
  readonly listeners: Listeners<T>;
  refusal: Fault | undefined;

  /** @param onFailure called when a listener has thrown */
  constructor(channel: C, symbol: string | null, onFailure: () => void) {
    this.channel = channel;
    this.symbol = symbol;
    this.listeners = new Listeners(onFailure);
  }

  abstract snapshot(event: StreamEventOf<C>): string | undefined;
  abstract update(event: StreamEventOf<C>): string | undefined;
}

export function symbolOf({ symbol }: Feed): { readonly symbol?: string } {
  return symbol === null ? {} : { symbol };
}

const BUFFERED_MAX = 10_000;

/** @returns why it cannot be buffered */
export function buffer(buffered: StreamEvent[], event: StreamEvent): string | undefined {
  return buffered.push(event) > BUFFERED_MAX ? "too many updates to buffer" : undefined;
}
