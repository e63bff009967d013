/**
 * Converts answers of the Trading API to the shapes of the Open API: markets, tickers, candles, trades, orders, executions and
 * balances.
 *
 * Invariant: nothing is rounded and nothing is invented. Where a field of the dialect is less exact, the service's own field is read.
 * Source: service.md#trading-dialect; decision 0009.
 */
import {
  type AssetPair,
  type Balance,
  type Candle,
  type CandleRow,
  defined,
  type ExtendedBalance,
  type Fill,
  type Market,
  ORDER_TRAITS,
  type Order,
  type OrderState,
  type PublicTrade,
  type PublicTradeRow,
  type Ticker,
  type TradingFill,
  type TradingOrder,
  type TradingTicker,
} from "../../../contract/index.ts";
import { quantity } from "../../../decimal/index.ts";

export function marketOf(symbol: string, pair: AssetPair): Market {
  return {
    symbol,
    base: pair.base,
    quote: pair.quote,
    korean_name: pair.korean_name,
    english_name: pair.english_name,
    status: pair.market_status,
    min_volume: pair.ordermin,
    min_notional: pair.costmin,
    tick_size: pair.tick_size,
    tick_bands: pair.tick_bands,
    price_decimals: pair.pair_decimals,
    volume_decimals: pair.lot_decimals,
    maker_fee_rate: pair.maker_fee_rate,
    taker_fee_rate: pair.taker_fee_rate,
  };
}

export function tickerOf(symbol: string, ticker: TradingTicker): Ticker {
  return {
    symbol,
    last: ticker.c?.[0] ?? null,
    open: ticker.open_24h,
    high: ticker.h[1],
    low: ticker.l[1],
    volume: ticker.v[1],
    quote_volume: ticker.quote_volume_24h,
    change: ticker.change_24h,
    change_rate: ticker.change_rate_24h,
    best_bid: ticker.b?.[0] ?? null,
    best_ask: ticker.a?.[0] ?? null,
    time: ticker.time,
  };
}

export function candleOf([seconds, open, high, low, close, , volume, , quoteVolume]: CandleRow): Candle {
  return { time: timeOf(seconds), open, high, low, close, volume, quote_volume: quoteVolume };
}

export function publicTradeOf(symbol: string, row: PublicTradeRow): PublicTrade {
  const [price, volume, seconds, side, , , tradeId] = row;
  return {
    trade_id: String(tradeId),
    symbol,
    side: side === "b" ? "buy" : "sell",
    price,
    volume,
    time: timeOf(seconds),
  };
}

const STATES: Readonly<Record<TradingOrder["status"], OrderState>> = {
  open: "open",
  closed: "filled",
  canceled: "canceled",
  expired: "expired",
};

export function orderOf(orderId: string, row: TradingOrder): Order {
  const flags = row.oflags.split(",");
  const isAmount = flags.includes("viqc");
  const hasExecuted = !quantity(row.vol_exec).isZero();
  return {
    uuid: orderId,
    orderId,
    txid: [orderId],
    symbol: row.descr.pair,
    side: row.descr.type,
    type: row.descr.ordertype,
    time_in_force: row.timeinforce,
    post_only: flags.includes("post"),
    price: ORDER_TRAITS[row.descr.ordertype].isPriced ? row.descr.price : null,
    volume: isAmount ? null : row.vol,
    amount: isAmount ? row.vol : null,
    executed_volume: row.vol_exec,
    remaining_volume: isAmount ? null : quantity(row.vol).minus(quantity(row.vol_exec)).toString(),
    executed_value: row.cost,
    avg_price: hasExecuted ? row.price : null,
    fee: row.fee,
    fee_currency: row.fee_currency,
    state: STATES[row.status],
    reject_reason: row.reason,
    userref: row.userref,
    settlement: row.settlement,
    descr: { order: row.descr.order },
    created_at: row.opened_at,
    updated_at: row.updated_at,
  };
}

/** Newest first: ids sort by time. */
export function ordersIn(rows: Readonly<Record<string, TradingOrder>>): Order[] {
  return Object.entries(rows)
    .map(([orderId, row]) => orderOf(orderId, row))
    .sort((a, b) => (a.orderId < b.orderId ? 1 : -1));
}

/** Newest first. */
export function fillsIn(rows: Readonly<Record<string, TradingFill>>): Fill[] {
  return Object.values(rows)
    .sort((a, b) => b.trade_id - a.trade_id)
    .map(fillOf);
}

export function fillOf(row: TradingFill): Fill {
  return {
    trade_id: String(row.trade_id),
    orderId: row.ordertxid,
    userref: row.userref,
    symbol: row.pair,
    side: row.type,
    price: row.price,
    volume: row.vol,
    value: row.cost,
    liquidity: row.maker ? "maker" : "taker",
    fee: row.fee,
    fee_currency: row.fee_currency,
    ...defined({ settlement: row.settlement }),
    time: row.traded_at,
  };
}

export function balanceOf(asset: string, row: ExtendedBalance): Balance {
  const available = quantity(row.balance).minus(quantity(row.hold_trade)).toString();
  return { asset, total: row.balance, available, locked: row.hold_trade, ...defined({ unsettled: row.unsettled }) };
}

function timeOf(seconds: number): string {
  return new Date(Math.round(seconds * 1000)).toISOString();
}
