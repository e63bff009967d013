/**
 * The near end of a soak: our client with a hundred subscriptions over one connection, held against the truth at quiet points.
 */
import { isDeepStrictEqual } from "node:util";
import type { Balance, Order } from "../../../src/contract/index.ts";
import { OpenApiClient, type RebuiltBook, Stream, type StreamSubscription } from "../../../src/venues/index.ts";
import type { Address, Truth } from "./busy-exchange.ts";

export interface Figures {
  events: number;
  fills: number;
  /** Compared with the exchange's, at quiet points. */
  books: number;
  connections: number;
  resubscribed: number;
}

/**
 * How long everything may take to come right again on a good line. Less than the minute after which the client looks for what was
 * lost without a trace: here every loss leaves one, in the numbers of what comes next.
 */
const RECOVERY_MS = 30_000;

export class SoakListener {
  readonly figures: Figures = { events: 0, fills: 0, books: 0, connections: 0, resubscribed: 0 };
  /** Broken promises, in words. */
  readonly faults: string[] = [];
  readonly #client: OpenApiClient;
  readonly #stream: Stream;
  readonly #books = new Map<string, StreamSubscription<RebuiltBook>>();
  readonly #orders: StreamSubscription<readonly Order[]>;
  readonly #balances: StreamSubscription<readonly Balance[]>;
  #fills: string[] = [];

  constructor({ streamUrl, baseUrl, apiKey, apiSecret, symbols }: Address) {
    this.#client = new OpenApiClient({ environment: "sandbox", baseUrl, credentials: { apiKey, apiSecret } });
    this.#stream = new Stream({
      url: streamUrl,
      reader: this.#client,
      onNotice: (notice) => {
        if (notice.type === "dropped") this.figures.connections += 1;
        if (notice.type === "resubscribed") this.figures.resubscribed += 1;
      },
    });
    const count = (): void => {
      this.figures.events += 1;
    };
    this.#stream.fills(({ trade_id: trade, orderId }) => {
      this.figures.fills += 1;
      this.#fills.push(`${trade} ${orderId}`);
    });
    this.#orders = this.#stream.orders(count);
    this.#balances = this.#stream.balances(count);
    for (const symbol of symbols) {
      this.#books.set(symbol, this.#stream.orderbook(symbol, count));
      this.#stream.trades(symbol, count);
      this.#stream.ticker(symbol, count);
    }
  }

  get subscriptions(): number {
    return 200 - this.#stream.freeSubscriptions;
  }

  ready(): Promise<boolean> {
    return this.#stream.until("live");
  }

  /** Waits until all is as it truly is, and notes what never comes right. */
  async compare(truth: Truth): Promise<void> {
    const until = Date.now() + RECOVERY_MS;
    for (;;) {
      const differences = this.#differences(truth);
      if (differences.length === 0) break;
      if (Date.now() > until) {
        this.faults.push(...differences);
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    // One told again a moment later would be as wrong.
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (this.#fills.length > truth.fills.length)
      this.faults.push(`${this.#fills.length} fills told, ${truth.fills.length} made`);
    this.#fills = [];
    this.figures.books += truth.books.length;
  }

  async close(): Promise<void> {
    await this.#stream.close();
    await this.#client.close();
  }

  #differences(truth: Truth): string[] {
    const found: string[] = [];
    if (this.#stream.state !== "live") found.push(`the stream is ${this.#stream.state}`);
    for (const { symbol, seq, text } of truth.books) {
      const book = this.#books.get(symbol)?.value;
      const sides = book === undefined ? [] : [book.tick.buys, book.tick.asks];
      const ours = sides.map((side) => side.map((level) => level.join(":")).join(",")).join("|");
      if (book?.seq !== seq || ours !== text) found.push(`the book of ${symbol} at ${book?.seq} is not that of ${seq}`);
    }
    const fills = [...this.#fills].sort();
    if (!isDeepStrictEqual(fills, truth.fills)) found.push(difference("fills", fills, truth.fills));
    const orders = (this.#orders.value ?? []).map((order) => `${order.orderId} ${order.executed_volume}`).sort();
    if (!isDeepStrictEqual(orders, truth.openOrders)) found.push(difference("open orders", orders, truth.openOrders));
    const balances = (this.#balances.value ?? [])
      .map((each) => `${each.asset} ${each.available} ${each.locked}`)
      .sort();
    if (!isDeepStrictEqual(balances, truth.balances)) found.push(difference("balances", balances, truth.balances));
    return found;
  }
}

function difference(what: string, ours: readonly string[], truth: readonly string[]): string {
  const [more, less] = [ours.filter((each) => !truth.includes(each)), truth.filter((each) => !ours.includes(each))];
  return `${what}: ${ours.length} and not ${truth.length}; too many: ${more.slice(0, 3)}; missing: ${less.slice(0, 3)}`;
}
