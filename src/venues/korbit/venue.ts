/**
 * Korbit, as the desk trades there. An order and a cancel are one request, ever, and no answer to it means unknown; reads are retried.
 * Satisfies the desk's `Venue` by shape.
 *
 * An order is known by its `clientOrderId`, of which the exchange has one at a time. That there is none proves nothing: the time of a request is
 * checked before it waits for anything else.
 *
 * Source: SOURCES.md, architecture.md#rule-1, architecture.md#rule-5.
 */
import type { CandleInterval, CreateOrderBody, FillsRequest, Market, OrdersRequest } from "../../contract/index.ts";
import { defined, ok, type Result } from "../../contract/index.ts";
import type { QueryOptions, ReadOptions, UrgentOptions, WriteOptions } from "../../transport/index.ts";
import { type CandlePeriod, candlesBetween } from "../candle-pages.ts";
import type { BeforeSend, Deadline, FoundOrders, GroupedVenueOptions } from "../grouped-venue.ts";
import { cannotSay, GroupedVenue, invalid, pageFound } from "../grouped-venue.ts";
import { type ListReads, MarketLists } from "../market-lists.ts";
import type { StreamSource } from "../stream-protocol.ts";
import * as answers from "./answers.ts";
import { CALLS, CANDLES_MAX, LIST_MAX, signedTime, TRADES_MAX, venueCall } from "./calls.ts";
import { CARD } from "./card.ts";
import { marketsOf, tradable, withFees, withTicks } from "./markets.ts";
import { NAME, placement } from "./placement.ts";
import { GROUPS, limitsIn } from "./rates.ts";
import { KorbitKey } from "./sign.ts";
import { korbitStream } from "./stream.ts";

const { marketOf, orderOf } = answers;

export type KorbitOptions = GroupedVenueOptions;

const INTERVALS = { "1m": "1", "5m": "5", "15m": "15", "1h": "60", "4h": "240", "1d": "1D" };
/** From then on an order that ended without a trade may not be found any more: it is after about three days. */
const FOUND_FOR_MS = 2 * 86_400_000;
const ID = /^\d{1,20}$/;
const IN_MARKET = "Korbit finds an order by its name in a market alone: name it.";

export class KorbitVenue extends GroupedVenue<typeof CARD> {
  readonly streaming: StreamSource;
  readonly #lists: MarketLists;

  /** @throws TypeError for a base URL, key or secret that cannot be right; the error does not show them */
  constructor({ credentials, ...options }: KorbitOptions) {
    const key = credentials === undefined ? undefined : new KorbitKey(credentials);
    super(CARD, options, {
      ...{ credentials: key, groups: GROUPS, limitsIn, wire: venueCall, clockCall: venueCall(CALLS.time()) },
    });
    const lists = this.#reads();
    this.#lists = new MarketLists(lists, marketOf);
    this.streaming = korbitStream({
      ...{ baseUrl: options.baseUrl, key, trades: (symbol, limit) => this.trades(symbol, limit) },
      markets: lists.markets,
      timestamp: async () => {
        const told = await this.time();
        return told.ok ? signedTime(BigInt(told.value.unix_ms)) : undefined;
      },
    });
  }

  async time(options?: ReadOptions) {
    return this.read(CALLS.time(), options);
  }

  /** With ticks and fees assumed: `rules` asks for those of one market. Names are no reason to fail. */
  async markets(options?: UrgentOptions): Promise<Result<readonly Market[]>> {
    const asked = this.kept.once("names", () => this.read(CALLS.currencies(), options));
    const [pairs, names, lastOf] = await Promise.all([this.#pairs(options), asked, this.lastPrices()]);
    return pairs.ok ? ok(marketsOf(pairs.value, names.ok ? names.value : [], lastOf)) : pairs;
  }

  async #pairs(options?: UrgentOptions) {
    return this.kept.once("pairs", () => this.shown(CALLS.pairs(), options, tradable));
  }

  /** Of all markets. */
  async #fees(options?: QueryOptions) {
    return this.kept.once("fees", () => this.read(CALLS.fees(), options));
  }

  async rules(market: Market): Promise<Result<Market>> {
    const name = marketOf(market.symbol);
    return this.keptRules(market, () => ({
      ...{ ticks: this.read(CALLS.ticks(name)), fees: () => this.#fees() },
      withTicks: (known, told, last) => withTicks(known, name, told, last),
      withFees: (known, told) => withFees(known, name, told),
    }));
  }

  async tickers(symbols?: readonly string[], options?: ReadOptions) {
    if (symbols?.length === 0) return ok([]);
    return this.shown(CALLS.tickers(symbols?.map(marketOf)), options, (found) =>
      found.map((each) => answers.tickerOf(each, this.now())),
    );
  }

  async orderbook(symbol: string, depth = 20, options?: ReadOptions) {
    const market = marketOf(symbol);
    return this.shown(CALLS.book(market), options, (book) => answers.bookOf(book, market, depth, this.now()));
  }

  async trades(symbol: string, limit = 100, options?: ReadOptions) {
    return this.shown(CALLS.trades(marketOf(symbol), Math.min(limit, TRADES_MAX)), options, (found) =>
      found.map((each) => answers.tradeOf(symbol, each)),
    );
  }

  /** Oldest first. */
  async candles(symbol: string, interval: CandleInterval, period: CandlePeriod = {}, options?: ReadOptions) {
    const asked = { ...period, toMs: period.toMs ?? this.now() };
    return candlesBetween(asked, { interval, inOne: CANDLES_MAX }, (start, end) => {
      const call = CALLS.candles(marketOf(symbol), INTERVALS[interval], { start, end });
      return this.shown(call, options, (found) => found.map(answers.candleOf));
    });
  }

  async keyFacts() {
    return this.read(CALLS.key());
  }

  async accounts(options?: UrgentOptions) {
    return this.holding(CALLS.balance(), options, answers.balancesOf);
  }

  /** Open ones unless a state is given. By a name one is looked up, in its market. */
  async orders({ userref, ...request }: OrdersRequest = {}, options: QueryOptions = {}) {
    if (userref === undefined) return this.#lists.orders(request, options);
    if (request.symbol === undefined) return invalid("symbol", IN_MARKET);
    return pageFound(await this.lookup({ userref, symbol: request.symbol }, options));
  }

  async order(symbol: string, orderId: string, options?: UrgentOptions) {
    if (!ID.test(orderId)) return invalid("orderId");
    const market = marketOf(symbol);
    const call = { ...CALLS.order(market, orderId), matches: isOf(market, orderId) };
    return this.shown(call, options, (order) => orderOf(order, market, this.now()));
  }

  /** That there is none is the exchange's own word. It proves nothing of a request on its way, nor of an order that ended without a trade days ago. */
  async lookup(
    { userref, symbol, sentAtMs }: { readonly userref: string; readonly symbol?: string; readonly sentAtMs?: number },
    options?: QueryOptions,
  ): Promise<Result<FoundOrders>> {
    if (!NAME.is.test(userref)) return invalid("userref");
    if (symbol === undefined) return cannotSay(IN_MARKET);
    const market = marketOf(symbol);
    const call = { ...CALLS.orderNamed(market, userref), matches: isOf(market) };
    const answer = await this.shown(call, options, (order) =>
      orderOf({ ...order, clientOrderId: order.clientOrderId ?? userref }, market, this.now()),
    );
    const found = this.lookedUp(answer, userref, (status) => status < 500);
    if (found.ok && found.value.kind === "none" && this.now() - (sentAtMs ?? Number.POSITIVE_INFINITY) > FOUND_FOR_MS)
      return cannotSay("Korbit shows no order that ended without a trade so long ago.");
    if (answer.ok && answer.value.state === "open") this.#lists.touched.add(market);
    return found;
  }

  /** Own fills of the last 36 hours; without a symbol of every market that was traded in since the last time. */
  async fills(request: FillsRequest = {}, options: ReadOptions = {}) {
    return this.#lists.fills(request, options);
  }

  /**
   * Sends the order once and never again.
   * @param beforeSend called before the first byte leaves; when it resolves to false nothing is sent
   */
  async submit(order: CreateOrderBody, beforeSend?: BeforeSend): Promise<Result<{ readonly orderId: string }>> {
    const fields = placement(order);
    if (!fields.ok) return fields;
    this.#lists.touched.add(marketOf(order.symbol));
    const answer = await this.write(CALLS.place(fields.value), { beforeSend });
    return answer.ok ? ok({ orderId: answer.value.orderId }) : answer;
  }

  /** Taken, and carried out a moment later. */
  async cancel(symbol: string, orderId: string, beforeSend?: BeforeSend) {
    return this.#cancel(marketOf(symbol), orderId, { beforeSend });
  }

  /** One by one, market by market, each as soon as it is found. Where not every market could be asked, the next look at what is open says so. */
  async cancelAll(symbol?: string, { deadlineMs }: Deadline = {}) {
    const urgent = { urgent: true, ...defined({ deadlineMs }) };
    return this.cancelEach({
      open: (onFound) => this.#lists.open(symbol, urgent, onFound),
      cancel: (order) => this.#cancel(marketOf(order.symbol), order.orderId, defined({ deadlineMs })),
      isNotReady: ({ code, reachedVenue }) => code === "EService:Unavailable" && reachedVenue === "yes",
    });
  }

  async #cancel(market: string, orderId: string, options: WriteOptions): Promise<Result<{ readonly count: number }>> {
    if (!ID.test(orderId)) return invalid("orderId");
    return this.taken(CALLS.cancel(market, orderId), { ...options, urgent: true });
  }

  #reads(): ListReads {
    const shownIn = (market: string) => (found: readonly answers.OrderAnswer[]) =>
      found.map((order) => orderOf(order, market, this.now()));
    return {
      ...{ nowMs: this.now, listMax: LIST_MAX },
      markets: async () => {
        const pairs = await this.#pairs();
        return pairs.ok ? ok(pairs.value.map(({ symbol }) => symbol)) : pairs;
      },
      inUse: (options) => this.shown(CALLS.balance(), options, answers.inUseOf),
      held: async (options) => {
        const fees = await this.#fees(options);
        return answers.heldBy(fees.ok ? fees.value : []);
      },
      open: (market, options) => this.shown(CALLS.openOrders(market), options, shownIn(market)),
      closed: (market, { fromMs, toMs }, options) =>
        this.shown(CALLS.allOrders(market, fromMs, toMs), options, shownIn(market)),
      fills: (market, { fromMs, toMs }, options) =>
        this.shown(CALLS.fills(market, fromMs, toMs), options, (found) =>
          found.map((fill) => answers.fillOf(fill, market)),
        ),
      lastTrades: async (options) => {
        const tickers = await this.read(CALLS.tickers(), options);
        const told = tickers.ok ? tickers.value : [];
        return new Map(told.flatMap(({ symbol, lastTradedAt: at }) => (at == null ? [] : [[symbol, at] as const])));
      },
    };
  }
}

function isOf(market: string, orderId?: string) {
  return (order: answers.OrderAnswer): boolean =>
    (orderId ?? order.orderId) === order.orderId && (order.symbol ?? market) === market;
}
