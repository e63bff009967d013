/**
 * The private topics of an account: its orders, fills and balances; orders and fills of all markets, or of one. Entry point:
 * `AccountTopics`. Source: service.md#private-channels.
 */
import { LIMITS, type PRIVATE_CHANNELS, STREAM_LIMITS } from "../../../contract/index.ts";
import type { BalanceRecord, ExchangeEvent, FillRecord, Millis, OrderRecord } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { balanceView, fillView, orderSetting, orderView } from "../../wire/order-view.ts";
import type { SendQueue } from "./send-queue.ts";
import { Topic } from "./topic.ts";

export type PrivateChannel = (typeof PRIVATE_CHANNELS)[number];

interface Sequence {
  readonly channel: PrivateChannel;
  readonly symbol: string | null;
  readonly topic: Topic;
}

/** Gathers what one command changed of an account. */
interface Changes {
  /** Stand as they are after the command. */
  readonly orders: Map<string, OrderRecord>;
  readonly fills: FillRecord[];
  readonly balances: BalanceRecord[];
}

export class AccountTopics {
  readonly #service: Service;
  readonly #queue: SendQueue;
  readonly #accountId: string;
  /** Topics are kept once they had a subscriber; they are few. */
  readonly #sequences = new Map<string, Sequence>();

  constructor(service: Service, queue: SendQueue, accountId: string) {
    this.#service = service;
    this.#queue = queue;
    this.#accountId = accountId;
  }

  topic(channel: PrivateChannel, symbol: string | null): Topic {
    const name = `${channel} ${symbol ?? ""}`;
    const known = this.#sequences.get(name);
    if (known !== undefined) return known.topic;
    const topic = new Topic({ queue: this.#queue, channel, symbol, snapshot: () => this.#now(channel, symbol) });
    this.#sequences.set(name, { channel, symbol, topic });
    return topic;
  }

  /** @param events those of this account, of one command. */
  take(events: readonly ExchangeEvent[], at: Millis): void {
    const changes = changesOf(events);
    for (const { channel, symbol, topic } of this.#sequences.values()) {
      const isOfMarket = (record: { readonly symbol: string }): boolean => symbol === null || record.symbol === symbol;
      switch (channel) {
        case "orders": {
          const orders = [...changes.orders.values()].filter(isOfMarket);
          if (orders.length > 0) topic.publish(() => ({ orders: this.#orderViews(orders) }), at);
          break;
        }
        case "fills": {
          const fills = changes.fills.filter(isOfMarket);
          if (fills.length > 0) topic.publish(() => ({ fills: this.#fillViews(fills) }), at);
          break;
        }
        case "balances":
          if (changes.balances.length > 0) topic.publish(() => ({ balances: changes.balances.map(balanceView) }), at);
          break;
        default:
          channel satisfies never;
      }
    }
  }

  skip(): void {
    for (const { topic } of this.#sequences.values()) topic.skip();
  }

  #now(channel: PrivateChannel, symbol: string | null): object {
    const { exchange } = this.#service;
    const market = symbol === null ? {} : { symbol };
    switch (channel) {
      case "orders": {
        const filter = { ...market, states: ["open"], limit: LIMITS.openOrdersMax } as const;
        return { orders: this.#orderViews(exchange.orders(this.#accountId, filter).orders.toReversed()) };
      }
      case "fills": {
        const filter = { ...market, limit: STREAM_LIMITS.snapshotEntries };
        return { fills: this.#fillViews(exchange.fills(this.#accountId, filter).fills.toReversed()) };
      }
      case "balances":
        return { balances: exchange.balances(this.#accountId).map(balanceView) };
      default:
        return channel satisfies never;
    }
  }

  #orderViews(orders: readonly OrderRecord[]): object[] {
    return orders.map((order) => orderView(order, orderSetting(this.#service, this.#accountId, order.symbol)));
  }

  #fillViews(fills: readonly FillRecord[]): object[] {
    const { exchange, markets } = this.#service;
    return fills.map((fill) => fillView(fill, markets.quoteOf(fill.symbol), exchange));
  }
}

function changesOf(events: readonly ExchangeEvent[]): Changes {
  const changes: Changes = { orders: new Map(), fills: [], balances: [] };
  for (const event of events) {
    if (event.kind === "order") changes.orders.set(event.order.orderId, event.order);
    else if (event.kind === "fill") changes.fills.push(event.fill);
    else if (event.kind === "balance") changes.balances.push(event);
  }
  return changes;
}
