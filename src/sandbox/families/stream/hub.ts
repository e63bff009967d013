/**
 * Passes the events of every command to the topics they belong to. Entry point: `Hub`.
 *
 * Invariant: while nobody is connected it does not subscribe to the exchange; sequences then continue with a gap, which shows that
 * events were missed.
 */
import { grouped } from "../../lists.ts";
import type { ExchangeEvent, Millis } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { AccountTopics } from "./account-topics.ts";
import { MarketTopics } from "./market-topics.ts";
import { SendQueue } from "./send-queue.ts";

export class Hub {
  readonly queue: SendQueue;
  readonly #service: Service;
  readonly #onKey: (keyId: string) => void;
  readonly #markets = new Map<string, MarketTopics>();
  readonly #accounts = new Map<string, AccountTopics>();
  #unsubscribe: (() => void) | undefined;

  /**
   * @param onFailure called when the journal has failed, and nothing can be published any more
   * @param onKey called right after a key was changed or revoked
   */
  constructor(service: Service, onFailure: (error: unknown) => void, onKey: (keyId: string) => void) {
    this.#service = service;
    this.#onKey = onKey;
    this.queue = new SendQueue(() => service.journaled.durable(), onFailure);
  }

  /** Subscribes to the exchange's events, or unsubscribes. */
  setActive(on: boolean): void {
    if (on === (this.#unsubscribe !== undefined)) return;
    if (on) {
      for (const market of this.#markets.values()) market.skip();
      for (const account of this.#accounts.values()) account.skip();
      this.#unsubscribe = this.#service.journaled.onEvents((events, at) => this.#take(events, at));
    } else {
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
    }
  }

  /** @param symbol from the market directory */
  market(symbol: string): MarketTopics {
    const known = this.#markets.get(symbol);
    if (known !== undefined) return known;
    const service = this.#service;
    const { exchange } = service;
    const topics = new MarketTopics({ exchange, queue: this.queue, symbol, now: () => service.now() });
    this.#markets.set(symbol, topics);
    return topics;
  }

  account(accountId: string): AccountTopics {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    const topics = new AccountTopics(this.#service, this.queue, accountId);
    this.#accounts.set(accountId, topics);
    return topics;
  }

  close(): void {
    this.setActive(false);
    for (const market of this.#markets.values()) market.close();
  }

  #take(events: readonly ExchangeEvent[], at: Millis): void {
    for (const event of events) if (event.kind === "key") this.#onKey(event.keyId);
    const groups = grouped(events, (event) => this.#topicsOf(event));
    for (const kind of [MarketTopics, AccountTopics])
      for (const [topics, own] of groups) if (topics instanceof kind) topics.take(own, at);
  }

  #topicsOf(event: ExchangeEvent): MarketTopics | AccountTopics | undefined {
    switch (event.kind) {
      case "book":
        return this.#markets.get(event.symbol);
      case "trade":
        return this.#markets.get(event.trade.symbol);
      case "order":
        return this.#accounts.get(event.order.accountId);
      case "fill":
        return this.#accounts.get(event.fill.accountId);
      case "balance":
        return this.#accounts.get(event.accountId);
      case "market":
      case "settlement":
      case "key":
      case "payment":
      case "remittance":
        return undefined;
      default:
        return event satisfies never;
    }
  }
}
