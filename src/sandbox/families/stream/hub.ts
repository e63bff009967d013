/**
 * Passes the events of every command to the topics they belong to. Entry point: `Hub`.
 *
 * Invariant: while nobody is connected it does not subscribe to the exchange; sequences then continue with a gap, which shows that
 * events were missed.
 */

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
    const { markets, accounts } = grouped(events);
    for (const [symbol, own] of markets) this.#markets.get(symbol)?.take(own, at);
    for (const [accountId, own] of accounts) this.#accounts.get(accountId)?.take(own, at);
  }
}

/** The events of each market and each account. */
function grouped(events: readonly ExchangeEvent[]): Groups {
  const groups: Groups = { markets: new Map(), accounts: new Map() };
  for (const event of events) {
    switch (event.kind) {
      case "book":
        add(groups.markets, event.symbol, event);
        break;
      case "trade":
        add(groups.markets, event.trade.symbol, event);
        break;
      case "order":
        add(groups.accounts, event.order.accountId, event);
        break;
      case "fill":
        add(groups.accounts, event.fill.accountId, event);
        break;
      case "balance":
        add(groups.accounts, event.accountId, event);
        break;
      case "market":
      case "settlement":
      case "key":
      case "payment":
      case "remittance":
        break;
      default:
        event satisfies never;
    }
  }
  return groups;
}

interface Groups {
  readonly markets: Map<string, ExchangeEvent[]>;
  readonly accounts: Map<string, ExchangeEvent[]>;
}

function add(groups: Map<string, ExchangeEvent[]>, name: string, event: ExchangeEvent): void {
  const group = groups.get(name);
  if (group === undefined) groups.set(name, [event]);
  else group.push(event);
}
