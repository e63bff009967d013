/**
 * What the exchanges that write the quote first have alike as venues of the desk: market data and balances of one form, the past of an account in
 * windows, orders that are looked up by a name of ours.
 */
import type { z } from "zod";
import {
  type Candle,
  type CandleInterval,
  type FillsOptions,
  type FillsRequest,
  failed,
  type KeyFacts,
  localFault,
  type Order,
  type OrdersRequest,
  ok,
  type Result,
  type VenueCard,
} from "../contract/index.ts";
import type { QueryOptions, ReadOptions, UrgentOptions } from "../transport/index.ts";
import { candlesIn } from "./candle-pages.ts";
import {
  BEHIND,
  type FoundOrders,
  GroupedVenue,
  type GroupedVenueOptions,
  type GroupedVenueParts,
  Pasts,
  pageFound,
} from "./grouped-venue.ts";
import {
  type accountsAnswer,
  balancesOf,
  bookOf,
  type booksAnswer,
  type candlesAnswer,
  marketOf,
  tradeOf,
  type tradesAnswer,
} from "./quote-first-answers.ts";
import type { TextKey } from "./text-key.ts";
import type { GroupCall } from "./venue-calls.ts";
import { WindowedHistory } from "./windowed-history.ts";

type Read<T extends z.ZodType> = GroupCall<z.output<T>, false>;

interface Calls {
  readonly book: (market: string) => Read<typeof booksAnswer>;
  readonly trades: (market: string, count: number) => Read<typeof tradesAnswer>;
  /** @param before a moment, in the exchange's own way of writing it: none at it or later */
  readonly candles: (unit: string, market: string, count: number, before?: string) => Read<typeof candlesAnswer>;
  readonly accounts: () => Read<typeof accountsAnswer>;
  readonly keys: (isOurs: (accessKey: string) => boolean) => GroupCall<KeyFacts, false>;
}

interface Parts extends Omit<GroupedVenueParts, "credentials"> {
  readonly key: TextKey | undefined;
  readonly calls: Calls;
  /** Writes a moment as a list of candles takes it. */
  readonly momentOf: (ms: number) => string;
  /** How far back orders and fills are read where nobody says. */
  readonly historyDays: number;
}

const UNITS = {
  ...{ "1m": "minutes/1", "5m": "minutes/5", "15m": "minutes/15", "1h": "minutes/60", "4h": "minutes/240" },
  "1d": "days",
};

export interface OrderWindow {
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
}

export abstract class QuoteFirstVenue<Card extends VenueCard> extends GroupedVenue<Card> {
  readonly #parts: Parts;
  readonly #pasts = new Pasts((options) => this.#history(options));

  /** @throws TypeError for a base URL that cannot be right; the error does not show it */
  constructor(card: Card, options: GroupedVenueOptions, parts: Parts) {
    super(card, options, { ...parts, credentials: parts.key });
    this.#parts = parts;
  }

  abstract order(symbol: string, orderId: string, options?: UrgentOptions): Promise<Result<Order>>;
  abstract lookup(name: { readonly userref: string }, options?: QueryOptions): Promise<Result<FoundOrders>>;
  /** A page of what is open, counted from 1; an empty one behind the last. @param market by the exchange's name; undefined: all */
  protected abstract openPage(
    market: string | undefined,
    page: number,
    options: QueryOptions,
  ): Promise<Result<readonly Order[]>>;
  protected abstract closedIn(
    market: string | undefined,
    window: OrderWindow,
    options: QueryOptions,
  ): Promise<Result<readonly Order[]>>;

  async orderbook(symbol: string, depth = 20, options?: ReadOptions) {
    const book = await this.read(this.#parts.calls.book(marketOf(symbol)), options);
    if (!book.ok) return book;
    const [only] = book.value;
    return only === undefined ? failed(localFault("ELocal:Unreadable answer")) : ok(bookOf(only, depth, this.now()));
  }

  async trades(symbol: string, limit = 100, options?: ReadOptions) {
    return this.shown(this.#parts.calls.trades(marketOf(symbol), limit), options, (found) =>
      found.map((each) => tradeOf(symbol, each)),
    );
  }

  /** Oldest first. An interval without a trade is not there. */
  async candles(
    symbol: string,
    interval: CandleInterval,
    period: { readonly fromMs?: number; readonly toMs?: number } = {},
    options?: ReadOptions,
  ): Promise<Result<readonly Candle[]>> {
    const { calls, momentOf } = this.#parts;
    return candlesIn(period, (count, beforeMs) => {
      const before = beforeMs === undefined ? undefined : momentOf(beforeMs);
      return this.read(calls.candles(UNITS[interval], marketOf(symbol), count, before), options);
    });
  }

  async accounts(options?: UrgentOptions) {
    return this.holding(this.#parts.calls.accounts(), options, balancesOf);
  }

  /** It tells when each key of the account ends, and nothing of their rights. */
  async keyFacts(): Promise<Result<KeyFacts>> {
    const { calls, key } = this.#parts;
    return this.read(calls.keys((name) => key?.isNamed(name) === true));
  }

  /** Open ones unless a state is given. By a name it is looked up. */
  async orders(request: OrdersRequest = {}, options: QueryOptions = {}) {
    const { userref, ...rest } = request;
    if (userref !== undefined) return pageFound(await this.lookup({ userref }, options));
    return this.#pasts.of(options).orders(rest);
  }

  /** Own fills, of the orders that are listed: each order with any is one call. */
  async fills(request: FillsRequest = {}, { background = false, known }: FillsOptions = {}) {
    return this.#pasts.of(background ? BEHIND : {}).fills(request, known);
  }

  #history(options: QueryOptions): WindowedHistory {
    const marketNamed = (symbol: string | undefined) => (symbol === undefined ? undefined : marketOf(symbol));
    return new WindowedHistory(
      {
        nowMs: this.now,
        open: (symbol, page) => this.openPage(marketNamed(symbol), page, options),
        closed: (symbol, fromMs, toMs, limit) => this.closedIn(marketNamed(symbol), { fromMs, toMs, limit }, options),
        detail: ({ symbol, orderId }) => this.order(symbol, orderId, options),
      },
      this.#parts.historyDays,
    );
  }
}
