/**
 * Messages of the stream. Those of markets have the fields of the quotations with Korea's dates and times; those of an account are of the second
 * version. Entry point: one function for each.
 */
import {
  type BalanceRecord,
  type Exchange,
  type FillRecord,
  type Millis,
  ONE,
  type OrderRecord,
  type TradeRecord,
  type Units,
} from "../../model/index.ts";
import { type JsonObject, long } from "../../venue-kit/json-text.ts";
import { compactDateTime, kstDateTime, utcDateTime } from "../../venue-kit/kst.ts";
import { marketDay, previousClose, sequentialId } from "../../venue-kit/market-day.ts";
import type { ListedMarket } from "../../venue-kit/won-markets.ts";
import type { PublicCall } from "./bithumb-call.ts";
import type { Figures } from "./figures.ts";
import { codeOf, tradeIdOf } from "./market-rules.ts";
import type { OrderNote } from "./order-note.ts";
import { cancelTypeOf, conditionOf, figuresOf, orderTypeOf, stateOf } from "./order-view.ts";
import { bookView, changeWord, dayView } from "./quotation.ts";

export type StreamKind = "SNAPSHOT" | "REALTIME";

type Asked = Pick<PublicCall, "service" | "at" | "figures">;

const DEPTH = 15;

export function tickerMessage(asked: Asked, market: ListedMarket, kind: StreamKind): JsonObject {
  const { service, at, figures } = asked;
  const { trade, highest, lowest } = marketDay(service.exchange, market, at);
  const tradedAt = trade?.time ?? at;
  const [date, time] = compactDateTime(kstDateTime(tradedAt));
  return {
    type: "ticker",
    code: codeOf(market.symbol),
    ...dayView(asked, market),
    ...{ trade_date: date, trade_time: time, trade_timestamp: long(tradedAt) },
    ask_bid: trade?.takerSide === "sell" ? "ASK" : "BID",
    highest_52_week_price: figures.number(highest.price),
    highest_52_week_date: utcDateTime(highest.dayStart).slice(0, 10),
    lowest_52_week_price: figures.number(lowest.price),
    lowest_52_week_date: utcDateTime(lowest.dayStart).slice(0, 10),
    market_state: market.status === "trading" ? "ACTIVE" : "DELISTED",
    ...{ is_trading_suspended: market.status !== "trading", delisting_date: "", market_warning: "NONE" },
    timestamp: long(at),
    stream_type: kind,
  };
}

export function bookMessage(asked: Asked, market: ListedMarket, kind: StreamKind): JsonObject {
  const { at, figures } = asked;
  return {
    type: "orderbook",
    code: codeOf(market.symbol),
    ...bookView(asked, market, DEPTH),
    level: 1,
    timestamp: long(figures.fineBooks ? BigInt(at) * 1_000n : at),
    stream_type: kind,
  };
}

export function tradeMessage(asked: Asked, market: ListedMarket, trade: TradeRecord, kind: StreamKind): JsonObject {
  const { number } = asked.figures;
  const before = previousClose(asked.service.exchange, market, asked.at);
  const { symbol, price, volume, takerSide, time } = trade;
  const [date, clock] = kstDateTime(time).split("T");
  const change = price - before;
  return {
    type: "trade",
    code: codeOf(symbol),
    trade_price: number(price),
    trade_volume: number(volume),
    ask_bid: takerSide === "buy" ? "BID" : "ASK",
    prev_closing_price: number(before),
    change: changeWord(price, before),
    change_price: number(change < 0n ? -change : change),
    ...{ trade_date: date ?? "", trade_time: clock ?? "", trade_timestamp: long(time) },
    sequential_id: long(sequentialId(trade)),
    timestamp: long(asked.at),
    stream_type: kind,
  };
}

/** What happened to an order: a trade of it, or that it began or ended. */
export interface OrderNews {
  readonly order: OrderRecord;
  readonly note: Partial<OrderNote>;
  readonly fill: FillRecord | undefined;
  readonly at: Millis;
}

export function orderMessage({ order, note, fill, at }: OrderNews, { number }: Figures): JsonObject {
  const { orderId, symbol, side, price, volume, executedVolume, executedValue, fee } = order;
  const { reserved, remaining, total } = figuresOf(order, note);
  const limit = note.isBest === true ? 0n : (price ?? 0n);
  const size = total === null ? (volume ?? 0n) : 0n;
  const figure = (units: Units | undefined): JsonObject[string] => (units === undefined ? undefined : number(units));
  return {
    ...{ type: "myOrder", stream_type: "REALTIME", code: codeOf(symbol), order_id: orderId },
    client_order_id: order.userref ?? undefined,
    side,
    order_type: orderTypeOf(order, note),
    state: fill === undefined ? stateOf(order) : "trade",
    time_in_force: conditionOf(order),
    order_price: number(limit),
    order_quantity: number(size),
    order_amount: number(total ?? (limit * size) / ONE),
    order_timestamp: long(order.createdAt),
    trade_id: fill && tradeIdOf(symbol, fill.tradeSeq),
    trade_price: figure(fill?.price),
    trade_quantity: figure(fill?.volume),
    trade_amount: figure(fill?.value),
    trade_timestamp: fill && long(fill.time),
    executed_quantity: number(executedVolume),
    remaining_quantity: number(total === null ? size - executedVolume : 0n),
    executed_amount: number(executedValue),
    ...{ reserved_fee: number(reserved), remaining_fee: number(remaining), paid_fee: number(fee) },
    cancel_type: fill === undefined ? cancelTypeOf(order) : undefined,
    timestamp: long(at),
  };
}

export function assetMessage(balances: readonly BalanceRecord[], at: Millis, { text }: Figures): JsonObject {
  return {
    type: "myAsset",
    stream_type: "REALTIME",
    assets: balances.map(({ asset, available, locked }) => ({
      currency: asset,
      balance: text(available),
      locked: text(locked),
    })),
    asset_timestamp: long(at),
    timestamp: long(at),
  };
}

/** The market of a record, which is always there. */
export function listed(exchange: Exchange, symbol: string): ListedMarket {
  const market = exchange.market(symbol);
  if (market === undefined) throw new Error(`an event names ${symbol}, which is no market`);
  return market;
}
