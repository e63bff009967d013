/** Messages of the stream. Those of markets have the fields of the quotations, and `code` in place of `market`; all amounts are numbers. */
import type {
  BalanceRecord,
  Exchange,
  FillRecord,
  Millis,
  OrderRecord,
  TradeRecord,
  Units,
} from "../../model/index.ts";
import { double, type JsonObject, long } from "../../venue-kit/json-text.ts";
import { previousClose } from "../../venue-kit/market-day.ts";
import { tradeUuid, uuidOf } from "../../venue-kit/uuid.ts";
import type { ListedMarket } from "../../venue-kit/won-markets.ts";
import { quotient } from "../../wire/decimal-text.ts";
import { codeOf } from "./market-rules.ts";
import type { OrderNote } from "./order-note.ts";
import { orderCosts, orderTypeOf, stateOf, timeInForceOf } from "./order-view.ts";
import { bookView, tickerView, tradeView } from "./quotation.ts";
import type { PublicCall } from "./upbit-call.ts";

export type StreamKind = "SNAPSHOT" | "REALTIME";

type Asked = Pick<PublicCall, "service" | "at">;

function named(type: string, { market, ...rest }: JsonObject, kind: StreamKind): JsonObject {
  return { type, code: market, ...rest, stream_type: kind };
}

export function tickerMessage(asked: Asked, market: ListedMarket, kind: StreamKind): JsonObject {
  const state = { market_state: market.status === "trading" ? "ACTIVE" : "SUSPENDED", market_warning: "NONE" };
  return named("ticker", { ...tickerView(asked, market), ...state, is_trading_suspended: false }, kind);
}

export function bookMessage(asked: Asked, market: ListedMarket, depth: number, kind: StreamKind): JsonObject {
  return named("orderbook", bookView(asked, market, depth), kind);
}

export function tradeMessage(asked: Asked, market: ListedMarket, trade: TradeRecord, kind: StreamKind): JsonObject {
  const before = previousClose(asked.service.exchange, market, asked.at);
  const { trade_date_utc: date, trade_time_utc: time, ...view } = tradeView(trade, before);
  const change = trade.price === before ? "EVEN" : trade.price > before ? "RISE" : "FALL";
  const traded = { trade_date: date, trade_time: time, trade_timestamp: long(trade.time), change };
  return named("trade", { ...view, ...traded, timestamp: long(asked.at) }, kind);
}

/** What happened to an order: a trade of it, or that it began or ended. */
export interface OrderNews {
  readonly order: OrderRecord;
  readonly note: OrderNote;
  readonly fill: FillRecord | undefined;
  readonly tradesCount: number;
  readonly at: Millis;
}

/** With a trade, its price and volume stand in place of the order's. */
export function orderMessage({ order, note, fill, tradesCount, at }: OrderNews): JsonObject {
  const { orderId, symbol, side, price, volume, executedVolume, executedValue } = order;
  const { reserved, remaining, locked, total } = orderCosts(order, note);
  const number = (units: Units | null | undefined): JsonObject[string] => (units == null ? undefined : double(units));
  return {
    ...{ type: "myOrder", code: codeOf(symbol), uuid: orderId, ask_bid: side === "buy" ? "BID" : "ASK" },
    order_type: orderTypeOf(order, note),
    state: fill === undefined ? stateOf(order, note) : "trade",
    trade_uuid: fill && tradeUuid(symbol, fill.tradeSeq),
    price: number(fill?.price ?? total ?? price),
    avg_price: double(executedVolume === 0n ? 0n : quotient(executedValue, executedVolume)),
    volume: number(fill?.volume ?? (total === null ? volume : undefined)),
    remaining_volume: number(total === null && volume !== null ? volume - executedVolume : undefined),
    executed_volume: double(executedVolume),
    trades_count: tradesCount,
    ...{ reserved_fee: double(reserved), remaining_fee: double(remaining), paid_fee: double(order.fee) },
    ...{ locked: double(locked), executed_funds: double(executedValue) },
    time_in_force: timeInForceOf(order),
    trade_fee: number(fill?.fee),
    is_maker: fill && fill.liquidity === "maker",
    identifier: order.userref ?? undefined,
    smp_type: note.smpType,
    prevented_volume: double(note.preventedVolume ?? 0n),
    trade_timestamp: fill && long(fill.time),
    order_timestamp: long(order.createdAt),
    timestamp: long(at),
    stream_type: "REALTIME",
  };
}

export function assetMessage(accountId: string, balances: readonly BalanceRecord[], at: Millis): JsonObject {
  return {
    type: "myAsset",
    asset_uuid: uuidOf(`asset ${accountId}`),
    assets: balances.map(({ asset, available, locked }) => ({
      currency: asset,
      balance: double(available),
      locked: double(locked),
    })),
    asset_timestamp: long(at),
    timestamp: long(at),
    stream_type: "REALTIME",
  };
}

/** The market of a record, which is always there. */
export function listed(exchange: Exchange, symbol: string): ListedMarket {
  const market = exchange.market(symbol);
  if (market === undefined) throw new Error(`an event names ${symbol}, which is no market`);
  return market;
}
