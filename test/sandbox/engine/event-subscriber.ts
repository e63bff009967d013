/** Reconstructs the exchange from its events alone, and compares the result with the exchange. */
import { expect } from "vitest";
import type { Engine } from "../../../src/sandbox/engine/index.ts";
import type {
  ExchangeEvent,
  FillRecord,
  OrderRecord,
  PaymentRecord,
  RemittanceRecord,
  SettlementRecord,
  TradeRecord,
  Units,
} from "../../../src/sandbox/model/index.ts";

interface Book {
  seq: number;
  readonly buys: Map<Units, Units>;
  readonly asks: Map<Units, Units>;
}

export class EventSubscriber {
  readonly #books = new Map<string, Book>();
  readonly #orders = new Map<string, Readonly<OrderRecord>>();
  readonly #balances = new Map<string, ExchangeEvent & { kind: "balance" }>();
  readonly fills: FillRecord[] = [];
  readonly trades: TradeRecord[] = [];
  readonly settlements = new Map<string, SettlementRecord>();
  readonly payments = new Map<string, PaymentRecord>();
  readonly remittances = new Map<string, RemittanceRecord>();

  /** Starts from the books as they are now. */
  constructor(engine: Engine) {
    for (const { symbol } of engine.markets()) {
      const { seq, buys, asks } = engine.book(symbol, 1_000);
      this.#books.set(symbol, { seq, buys: new Map(buys), asks: new Map(asks) });
    }
  }

  receive(events: readonly ExchangeEvent[]): void {
    for (const event of events) this.#take(event);
  }

  #take(event: ExchangeEvent): void {
    switch (event.kind) {
      case "book":
        this.#changeBook(event);
        break;
      case "order":
        this.#changeOrder(event);
        break;
      case "balance":
        this.#balances.set(`${event.accountId} ${event.asset}`, event);
        break;
      case "fill":
        this.fills.push(event.fill);
        break;
      case "trade":
        this.trades.push(event.trade);
        break;
      case "settlement":
        this.settlements.set(`${event.settlement.accountId} ${event.settlement.tradeSeq}`, event.settlement);
        break;
      case "payment":
        this.payments.set(event.payment.paymentId, event.payment);
        break;
      case "remittance":
        this.remittances.set(event.remittance.remittanceId, event.remittance);
        break;
      case "market":
      case "key":
        break;
      default:
        event satisfies never;
    }
  }

  #changeBook({ symbol, seq, buys, asks }: ExchangeEvent & { kind: "book" }): void {
    const book = this.#books.get(symbol);
    if (book === undefined) throw new Error(`a book of ${symbol}`);
    expect(seq).toBe(book.seq + 1);
    book.seq = seq;
    for (const [side, levels] of [[book.buys, buys] as const, [book.asks, asks] as const])
      for (const [price, volume] of levels) {
        expect(side.get(price) ?? 0n).not.toBe(volume);
        if (volume === 0n) side.delete(price);
        else side.set(price, volume);
      }
  }

  /** Expects `created` first and once, no event after the end, and the state that belongs to each cause. */
  #changeOrder({ order, cause }: ExchangeEvent & { kind: "order" }): void {
    const before = this.#orders.get(order.orderId);
    expect(before === undefined).toBe(cause === "created");
    expect(before?.state ?? "open").toBe("open");
    expect(order.state).toBe(cause === "created" || cause === "executed" ? "open" : cause);
    if (cause === "created") expect(order.executedVolume).toBe(0n);
    if (cause === "executed") expect(order.executedVolume > (before?.executedVolume ?? 0n)).toBe(true);
    this.#orders.set(order.orderId, order);
  }

  /** Compares with the exchange; balances only if they ever changed. */
  expectAgreement(engine: Engine, accounts: readonly string[]): void {
    for (const { symbol } of engine.markets()) {
      const { buys = new Map(), asks = new Map(), seq } = this.#books.get(symbol) ?? {};
      const best = ([a]: [Units, Units], [b]: [Units, Units]) => (a < b ? -1 : 1);
      const shown = { seq, buys: [...buys].sort(best).reverse(), asks: [...asks].sort(best) };
      expect(shown).toEqual(engine.book(symbol, 1_000));
    }
    for (const accountId of accounts) {
      const received = [...this.#balances.values()].filter((event) => event.accountId === accountId);
      const held = engine.balances(accountId);
      for (const { kind: _, accountId: __, ...balance } of received) expect(held).toContainEqual(balance);
      const orders = [...this.#orders.values()].filter((order) => order.accountId === accountId);
      expect(orders.reverse()).toEqual(engine.orders(accountId, { limit: 100_000 }).orders);
      const fills = this.fills.filter((fill) => fill.accountId === accountId);
      expect(fills.reverse()).toEqual(engine.fills(accountId, { limit: 100_000 }).fills);
      const settlements = [...this.settlements.values()].filter((settlement) => settlement.accountId === accountId);
      expect(settlements).toEqual(engine.settlements(accountId));
      const ownOf = <T extends { accountId: string }>(all: Map<string, T>) =>
        [...all.values()].filter((each) => each.accountId === accountId).reverse();
      expect(ownOf(this.payments)).toEqual(engine.payments(accountId, { limit: 1_000 }).payments);
      expect(ownOf(this.remittances)).toEqual(engine.remittances(accountId, { limit: 1_000 }).remittances);
    }
  }
}
