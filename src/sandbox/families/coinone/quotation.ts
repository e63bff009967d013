/** Public data: markets, price units, tickers, books, trades, currencies. Amounts are text. Entry point: one function for each. */
import type { Millis, TradeRecord, Units } from "../../model/index.ts";
import { type JsonObject, long, WrittenNumber } from "../../venue-kit/json-text.ts";
import { type ListedMarket, unitAt } from "../../venue-kit/won-markets.ts";
import { decimalText } from "../../wire/decimal-text.ts";
import { pointed } from "./amounts.ts";
import type { PublicCall } from "./coinone-call.ts";
import { MAX_PRICE, MAX_QTY, MAX_TOTAL, marketOf, pairOf, qtyUnit } from "./market-rules.ts";
import { answer, type CoinoneError, type CoinoneOutcome, refuse } from "./outcome.ts";

const DAY_MS: Millis = 86_400_000;
const SIZES = { orderbook: ["5", "10", "15", "16"], trades: ["10", "50", "100", "150", "200"] } as const;
const [BOOK_SIZE, TRADES_SIZE] = ["15", "200"];

export type Asked = Pick<PublicCall, "service" | "at" | "startedAt">;

/** The markets of a quote, of which an unknown one has none; or the one of a target. */
function marketsIn({ service, path: [quote = "", target] }: PublicCall): readonly ListedMarket[] | CoinoneError {
  if (target === undefined) return service.exchange.markets().filter((market) => market.quote === quote.toUpperCase());
  const market = marketOf(service, quote, target);
  return market === undefined ? refuse(108) : [market];
}

/** The market of a path that has to name one. */
export function marketAt({ service, path: [quote = "", target = ""] }: PublicCall): ListedMarket | CoinoneError {
  return marketOf(service, quote, target) ?? refuse(108);
}

export function listMarkets(call: PublicCall): CoinoneOutcome {
  const markets = marketsIn(call);
  if ("ok" in markets) return markets;
  const types = ["limit", "market"].map((type) => (call.variant === "other" ? type.toUpperCase() : type));
  return answer({ server_time: call.at, markets: markets.map((market) => marketView(market, types)) });
}

function marketView(market: ListedMarket, types: readonly string[]): JsonObject {
  const { symbol, tickBands, last, anchorPrice, minNotional, minVolume, status } = market;
  const isOpen = status === "trading";
  return {
    ...pairOf(symbol),
    price_unit: pointed(unitAt(tickBands, last ?? anchorPrice)),
    qty_unit: pointed(qtyUnit(market)),
    max_order_amount: pointed(MAX_TOTAL),
    max_price: pointed(MAX_PRICE),
    max_qty: pointed(MAX_QTY),
    min_order_amount: pointed(minNotional),
    min_price: pointed(unitAt(tickBands, 0n)),
    min_qty: pointed(minVolume),
    order_book_units: ["0.0"],
    maintenance_status: isOpen ? 0 : 1,
    trade_status: isOpen ? 1 : 0,
    order_types: types,
  };
}

/** JSON numbers, as documented; or text, as some clients read them. */
export function listRangeUnits(call: PublicCall): CoinoneOutcome {
  const market = marketAt(call);
  if ("ok" in market) return market;
  const written = (units: Units) =>
    call.variant === "other" ? decimalText(units) : new WrittenNumber(decimalText(units));
  const bands = market.tickBands.map(({ from, tick }, index) => ({
    range_min: written(from),
    next_range_min: written(market.tickBands[index + 1]?.from ?? MAX_PRICE),
    price_unit: written(tick),
  }));
  return answer({ range_price_units: bands });
}

export function listTickers(call: PublicCall): CoinoneOutcome {
  const markets = marketsIn(call);
  if ("ok" in markets) return markets;
  const withYesterday = call.query.get("additional_data") === "true";
  const tickers = markets.map((market) => ({
    ...namedIn(call, market.symbol),
    ...tickerView(call, market),
    ...(withYesterday ? yesterdayView(call, market, pointed) : {}),
  }));
  return answer({ server_time: call.at, tickers });
}

/** The answers spell a pair in small letters, the documents in capitals. */
function namedIn({ variant }: PublicCall, symbol: string): JsonObject {
  const { quote_currency: quote, target_currency: target } = pairOf(symbol);
  if (variant === "other") return { quote_currency: quote, target_currency: target };
  return { quote_currency: quote.toLowerCase(), target_currency: target.toLowerCase() };
}

function tickerView({ service, at }: Asked, { symbol, last, anchorPrice }: ListedMarket): JsonObject {
  const { exchange } = service;
  const day = exchange.ticker(symbol, at);
  const price = last ?? anchorPrice;
  const [trade] = exchange.trades(symbol, 1);
  const { buys, asks } = exchange.book(symbol, 1);
  const levels = (side: typeof buys) => side.map(([each, qty]) => ({ price: pointed(each), qty: pointed(qty) }));
  return {
    timestamp: trade?.time ?? at,
    high: pointed(day.high ?? price),
    low: pointed(day.low ?? price),
    first: pointed(day.open ?? price),
    last: pointed(price),
    quote_volume: pointed(day.quoteVolume),
    target_volume: pointed(day.volume),
    best_asks: levels(asks),
    best_bids: levels(buys),
    id: trade === undefined ? idOf(at, 1) : tradeId(trade),
  };
}

/** Of the day before in UTC; of the market's first price where there was none. */
export function yesterdayView(
  { service, at }: Asked,
  { symbol, anchorPrice }: ListedMarket,
  written: (units: Units) => string,
): JsonObject {
  const today = at - (at % DAY_MS);
  const [day] = service.exchange.candles(symbol, DAY_MS, today - DAY_MS, today - 1, 1);
  return {
    yesterday_high: written(day?.high ?? anchorPrice),
    yesterday_low: written(day?.low ?? anchorPrice),
    yesterday_first: written(day?.open ?? anchorPrice),
    yesterday_last: written(day?.close ?? anchorPrice),
    yesterday_quote_volume: written(day?.quoteVolume ?? 0n),
    yesterday_target_volume: written(day?.volume ?? 0n),
  };
}

/** A time and a number of three digits, as Coinone's ids are made. */
export function idOf(at: Millis, counter: number): string {
  return `${at}${String(counter % 1_000).padStart(3, "0")}`;
}

export function tradeId({ time, tradeSeq }: TradeRecord): string {
  return idOf(time, tradeSeq);
}

/** Of REST and of the stream alike; another grouping than none gives the book without one. */
export function getBook(call: PublicCall): CoinoneOutcome {
  const market = marketAt(call);
  if ("ok" in market) return market;
  const size = call.query.get("size") ?? BOOK_SIZE;
  if (!SIZES.orderbook.some((known) => known === size)) return refuse(107);
  const { id, bids, asks } = bookView(call, market, Number(size)); // not money: a count
  return answer({ timestamp: call.at, id, ...pairOf(market.symbol), order_book_unit: "0.0", bids, asks });
}

export interface BookView {
  readonly id: string;
  /** Both best first. */
  readonly bids: readonly JsonObject[];
  readonly asks: readonly JsonObject[];
}

/** Its id rises with each change of the book, over restarts too. */
export function bookView({ service, startedAt }: Asked, { symbol }: ListedMarket, size: number): BookView {
  const { seq, buys, asks } = service.exchange.book(symbol, size);
  const levels = (side: typeof buys) =>
    side.map(([price, qty]) => ({ price: decimalText(price), qty: decimalText(qty) }));
  return { id: String(BigInt(startedAt) * 1_000n + BigInt(seq)), bids: levels(buys), asks: levels(asks) };
}

/** Newest first. */
export function listTrades(call: PublicCall): CoinoneOutcome {
  const market = marketAt(call);
  if ("ok" in market) return market;
  const size = call.query.get("size") ?? TRADES_SIZE;
  if (!SIZES.trades.some((known) => known === size)) return refuse(107);
  const trades = call.service.exchange.trades(market.symbol, Number(size)); // not money: a count
  const transactions = trades.map((trade) => {
    const view = tradeView(trade);
    return call.variant === "other" ? { ...view, is_seller_maker: trade.takerSide === "sell" } : view;
  });
  return answer({ server_time: call.at, ...pairOf(market.symbol), transactions });
}

export function tradeView(trade: TradeRecord): JsonObject {
  return {
    id: tradeId(trade),
    timestamp: long(trade.time),
    price: decimalText(trade.price),
    qty: decimalText(trade.volume),
    is_seller_maker: trade.takerSide === "buy",
  };
}

export function listCurrencies({ service, at, path: [asked] }: PublicCall): CoinoneOutcome {
  const all = service.exchange.markets();
  const found = asked === undefined ? all : all.filter(({ base }) => base === asked.toUpperCase());
  if (asked !== undefined && found.length === 0) return refuse(108);
  const currencies = found.map(({ base, englishName }) => ({
    ...{ name: englishName, symbol: base, deposit_status: "normal", withdraw_status: "normal" },
    ...{ deposit_confirm_count: 1, max_precision: 8, deposit_fee: "0.0" },
    ...{ withdrawal_min_amount: "0.0", withdrawal_fee: "0.0" },
  }));
  return answer({ server_time: at, currencies });
}
