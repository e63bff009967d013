/**
 * Korbit, as the desk trades there. An order and a cancel are one request, ever, and no answer to it means unknown; reads are retried.
 * Satisfies the desk's `Venue` by shape.
 *
 * An order is known by its `clientOrderId`, of which the exchange has one at a time. That there is none proves nothing: the time of a request is
 * checked before it waits for anything else.
 *
 * Source: SOURCES.md, architecture.md#rule-1, architecture.md#rule-5.
 */
import type {
  BatchCancel,
  Candle,
  CreateOrderBody,
  Fault,
  KeyFacts,
  Market,
  Order,
  ServerTime,
} from "../../contract/index.ts";
import {
  CANDLE_INTERVAL_MS,
  type CandleInterval,
  defined,
  type FillsRequest,
  failed,
  faultKind,
  localFault,
  type OrdersRequest,
  ok,
  type Result,
  type Ticker,
} from "../../contract/index.ts";
import type { QueryOptions, ReadOptions, UrgentOptions, WriteOptions } from "../../transport/index.ts";
import { systemClock } from "../../transport/index.ts";
import { EVERYWHERE, type FoundOrders, GroupedVenue, type GroupedVenueOptions } from "../grouped-venue.ts";
import { MarketLists } from "../market-lists.ts";
import type { StreamSource } from "../stream-protocol.ts";
import type { GroupCall } from "../venue-calls.ts";
import * as answers from "./answers.ts";
import { CALLS, CANDLES_MAX, signedTime, TRADES_MAX, venueCall } from "./calls.ts";
import { CARD } from "./card.ts";
import { marketsOf, withFees, withTicks } from "./markets.ts";
import { isName, placement } from "./placement.ts";
import { GROUPS, limitsIn } from "./rates.ts";
import { KorbitReads } from "./reads.ts";
import { KorbitKey } from "./sign.ts";
import { korbitStream } from "./stream.ts";

const { marketOf, orderOf } = answers;

export type KorbitOptions = GroupedVenueOptions;

const INTERVALS = { "1m": "1", "5m": "5", "15m": "15", "1h": "60", "4h": "240", "1d": "1D" };
const CANDLES_KEPT = 500;
/** Of a market that seldom trades few are found in each. */
const CANDLE_CALLS = 5;
/** Rounds of a cancel of all orders: after each it is looked what is still open. */
const CANCEL_ROUNDS = 4;
const TRY_AGAIN_MS = 1_000;
/** From then on an order that ended without a trade may not be found any more: it is after about three days. */
const FOUND_FOR_MS = 2 * 86_400_000;

export class KorbitVenue extends GroupedVenue<typeof CARD> {
  readonly streaming: StreamSource;
  readonly #pause: (ms: number) => Promise<void>;
  readonly #reads: KorbitReads;
  readonly #lists: MarketLists;

  /** @throws TypeError for a base URL, key or secret that cannot be right; the error does not show them */
  constructor({ credentials, ...options }: KorbitOptions) {
    const key = credentials === undefined ? undefined : new KorbitKey(credentials);
    const { clock = systemClock } = options;
    super(CARD, options, { credentials: key, groups: GROUPS, limitsIn, clockCall: venueCall(CALLS.time()) });
    this.#pause = (ms) => clock.sleep(ms);
    this.#reads = new KorbitReads(this.sender, this.now);
    this.#lists = new MarketLists(this.#reads.lists(), marketOf);
    this.streaming = korbitStream({
      ...{ baseUrl: options.baseUrl, key, trades: (symbol, limit) => this.trades(symbol, limit) },
      markets: () => this.#reads.lists().markets(),
      timestamp: async () => {
        const told = await this.time();
        return told.ok ? signedTime(BigInt(told.value.unix_ms)) : undefined;
      },
    });
  }

  async time(options?: ReadOptions): Promise<Result<ServerTime>> {
    return this.#reads.read(CALLS.time(), options);
  }

  /** With ticks and fees assumed: `rules` asks for those of one market. Names are no reason to fail. */
  async markets(options?: UrgentOptions): Promise<Result<readonly Market[]>> {
    const [pairs, names, prices] = await Promise.all([
      this.#reads.pairs(options),
      this.#reads.names(options),
      this.tickers(),
    ]);
    if (!pairs.ok) return pairs;
    const last = new Map(prices.ok ? prices.value.map((ticker) => [ticker.symbol, ticker.last]) : []);
    return ok(marketsOf(pairs.value, names.ok ? names.value : [], (symbol) => last.get(symbol) ?? null));
  }

  async rules(market: Market): Promise<Result<Market>> {
    const name = marketOf(market.symbol);
    const [ticks, prices, fees] = await Promise.all([
      this.#reads.ticks(name),
      this.tickers([market.symbol]),
      this.keyId === undefined ? undefined : this.#reads.fees(),
    ]);
    if (!ticks.ok) return ticks;
    if (fees?.ok === false) return fees;
    const told = ticks.value.find(({ symbol }) => symbol === name);
    const last = (prices.ok && prices.value[0]?.last) || null;
    const ticked = told === undefined ? market : withTicks(market, told, last);
    return ok(
      withFees(
        ticked,
        fees?.value.find(({ symbol }) => symbol === name),
      ),
    );
  }

  async tickers(symbols?: readonly string[], options?: ReadOptions): Promise<Result<readonly Ticker[]>> {
    if (symbols?.length === 0) return ok([]);
    return this.#reads.mapped(CALLS.tickers(symbols?.map(marketOf)), options, (found) =>
      found.map((each) => answers.tickerOf(each, this.now())),
    );
  }

  async orderbook(symbol: string, depth = 20, options?: ReadOptions) {
    const market = marketOf(symbol);
    return this.#reads.mapped(CALLS.book(market), options, (book) => answers.bookOf(book, market, depth, this.now()));
  }

  async trades(symbol: string, limit = 100, options?: ReadOptions) {
    return this.#reads.mapped(CALLS.trades(marketOf(symbol), Math.min(limit, TRADES_MAX)), options, (found) =>
      found.map((each) => answers.tradeOf(symbol, each)),
    );
  }

  /** Oldest first. */
  async candles(
    symbol: string,
    interval: CandleInterval,
    { fromMs = 0, toMs }: { readonly fromMs?: number; readonly toMs?: number } = {},
    options?: ReadOptions,
  ): Promise<Result<readonly Candle[]>> {
    // Whether a list begins at its start or ends at its end where it is full is not documented: none is asked for that could be.
    const span = CANDLE_INTERVAL_MS[interval] * (CANDLES_MAX - 1);
    const found = new Map<number, Candle>();
    let end = toMs ?? this.now();
    for (let asked = 0; asked < CANDLE_CALLS && found.size < CANDLES_KEPT && end >= fromMs; asked++) {
      const start = Math.max(fromMs, end - span);
      const page = await this.#reads.read(
        CALLS.candles(marketOf(symbol), INTERVALS[interval], { start, end: end + 1 }),
        options,
      );
      if (!page.ok) return page;
      for (const each of page.value)
        if (each.timestamp >= fromMs && each.timestamp <= end) found.set(each.timestamp, answers.candleOf(each));
      end = start - 1;
    }
    const sorted = [...found].sort(([a], [b]) => a - b).map(([, each]) => each);
    return ok(sorted.slice(-CANDLES_KEPT));
  }

  async keyFacts(): Promise<Result<KeyFacts>> {
    return this.#reads.read(CALLS.key());
  }

  async accounts(options?: UrgentOptions) {
    return this.#reads.mapped(CALLS.balance(), options, (held) => ({
      account_id: this.account,
      balances: answers.balancesOf(held),
    }));
  }

  /** Open ones unless a state is given. By a name one is looked up, in its market. */
  async orders(request: OrdersRequest = {}, options: QueryOptions = {}) {
    const { userref, ...rest } = request;
    if (userref === undefined) return this.#lists.orders(rest, options);
    const found = await this.lookup({ userref, ...defined({ symbol: request.symbol }) }, options);
    if (!found.ok) return found;
    if (found.value.kind === "cannot_say")
      return failed(localFault("ELocal:Invalid input", { field: "symbol", message: found.value.why }));
    return ok({ orders: found.value.kind === "found" ? found.value.item : [], next_cursor: null });
  }

  async order(symbol: string, orderId: string, options?: UrgentOptions): Promise<Result<Order>> {
    if (!isId(orderId)) return failed(localFault("ELocal:Invalid input", { field: "orderId" }));
    const market = marketOf(symbol);
    const call = { ...CALLS.order(market, orderId), matches: isOf(market, orderId) };
    return this.#reads.mapped(call, options, (order) => orderOf(order, market, this.now()));
  }

  /** That there is none is the exchange's own word. It proves nothing of a request on its way, nor of an order that ended without a trade days ago. */
  async lookup(
    { userref, symbol, sentAtMs }: { readonly userref: string; readonly symbol?: string; readonly sentAtMs?: number },
    options?: QueryOptions,
  ): Promise<Result<FoundOrders>> {
    if (!isName(userref)) return failed(localFault("ELocal:Invalid input", { field: "userref" }));
    if (symbol === undefined)
      return ok({ kind: "cannot_say", why: "Korbit finds an order by its name in a market alone: name it." });
    const market = marketOf(symbol);
    const answer = await this.#reads.read({ ...CALLS.orderNamed(market, userref), matches: isOf(market) }, options);
    if (!answer.ok && isNoOrder(answer.fault)) {
      if (sentAtMs !== undefined && this.now() - sentAtMs > FOUND_FOR_MS)
        return ok({ kind: "cannot_say", why: "Korbit shows no order that ended without a trade so long ago." });
      return ok({ kind: "none", covers: EVERYWHERE, atMs: this.now() });
    }
    if (!answer.ok) return answer;
    const named = { ...answer.value, clientOrderId: answer.value.clientOrderId ?? userref };
    const order = orderOf(named, market, this.now());
    if (order.userref !== userref)
      return ok({ kind: "cannot_say", why: "Korbit answered with an order of another name." });
    if (order.state === "open") this.#lists.touched.add(market);
    return ok({ kind: "found", item: [order] });
  }

  /** Own fills of the last 36 hours; without a symbol of every market that was traded in since the last time. */
  async fills(request: FillsRequest = {}, options: ReadOptions = {}) {
    return this.#lists.fills(request, options);
  }

  /**
   * Sends the order once and never again.
   * @param beforeSend called before the first byte leaves; when it resolves to false nothing is sent
   */
  async submit(
    order: CreateOrderBody,
    beforeSend?: WriteOptions["beforeSend"],
  ): Promise<Result<{ readonly orderId: string }>> {
    const fields = placement(order);
    if (!fields.ok) return fields;
    this.#lists.touched.add(marketOf(order.symbol));
    const answer = await this.#write(CALLS.place(fields.value), { beforeSend });
    return answer.ok ? ok({ orderId: answer.value.orderId }) : answer;
  }

  /** Taken, and carried out a moment later. */
  async cancel(symbol: string, orderId: string, beforeSend?: () => Promise<boolean>) {
    return this.#cancel(marketOf(symbol), orderId, { beforeSend });
  }

  /** One by one, market by market, each as soon as it is found. Where not every market could be asked, the next look at what is open says so. */
  async cancelAll(
    symbol?: string,
    { deadlineMs }: Pick<UrgentOptions, "deadlineMs"> = {},
  ): Promise<Result<BatchCancel>> {
    const urgent = { urgent: true, ...defined({ deadlineMs }) };
    const requested = new Set<string>();
    const refused = new Map<string, Fault>();
    const again = new Set<string>();
    const cancelIn = async ({ symbol: found, orderId }: Order): Promise<void> => {
      if (requested.has(orderId) || (refused.has(orderId) && !again.delete(orderId))) return;
      const answer = await this.#cancel(marketOf(found), orderId, defined({ deadlineMs }));
      if (answer.ok || faultKind(answer.fault.code) === "closed") {
        refused.delete(orderId);
        requested.add(orderId);
      } else {
        refused.set(orderId, answer.fault);
        // It is still being placed.
        if (answer.fault.code === "EService:Unavailable" && answer.fault.reachedVenue === "yes") again.add(orderId);
      }
    };
    for (
      let round = 0, tried = -1;
      round < CANCEL_ROUNDS && (again.size > 0 || requested.size + refused.size > tried);
      round++
    ) {
      if (again.size > 0) await this.#pause(TRY_AGAIN_MS);
      tried = requested.size + refused.size;
      const open = await this.#lists.open(symbol, urgent, async (orders) => {
        await Promise.all(orders.map(cancelIn));
      });
      if (!open.ok && tried === 0 && requested.size + refused.size === 0) return open;
      if (!open.ok) break;
    }
    const failedOnes = [...refused].map(([uuid, { code }]) => ({ uuid, error: code }));
    const unheard = [...refused.values()].find(({ reachedVenue }) => reachedVenue === "unknown");
    if (unheard !== undefined && requested.size === 0) return failed(unheard);
    return ok({ requested: [...requested], failed: failedOnes });
  }

  async #cancel(market: string, orderId: string, options: WriteOptions): Promise<Result<{ readonly count: number }>> {
    if (!isId(orderId)) return failed(localFault("ELocal:Invalid input", { field: "orderId" }));
    const answer = await this.#write(CALLS.cancel(market, orderId), { ...options, urgent: true });
    return answer.ok ? ok({ count: 1 }) : answer;
  }

  async #write<T>(call: GroupCall<T, true>, options: WriteOptions): Promise<Result<T>> {
    return this.sender.write(
      venueCall(call, () => this.sender.offset.expire()),
      options,
    );
  }
}

function isId(text: string): boolean {
  return /^\d{1,20}$/.test(text);
}

function isOf(market: string, orderId?: string) {
  return (order: answers.OrderAnswer): boolean =>
    (orderId ?? order.orderId) === order.orderId && (order.symbol ?? market) === market;
}

function isNoOrder({ code, status }: Fault): boolean {
  return code === "EOrder:Unknown order" && status !== undefined && status < 500;
}
