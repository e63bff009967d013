/**
 * Converts an account's orders, fills and balances into the wire's shapes.
 *
 * Invariant: `uuid`, `orderId` and `txid[0]` are the same id.
 * Source: service.md#order-record, service.md#fill, service.md#balance, service.md#txid-and-orderid.
 */
import type { Balance, ServiceFill, ServiceOrder, Settlement } from "../../contract/index.ts";
import type {
  BalanceRecord,
  Exchange,
  FillRecord,
  OrderRecord,
  PlaceCommand,
  SettlementModeName,
} from "../model/index.ts";
import { decimalText, fixedText, nullableText, quotient } from "./decimal-text.ts";
import type { MarketDirectory } from "./market-directory.ts";
import { timeText } from "./market-view.ts";

export interface OrderSetting {
  /** The currency in which fees are charged. */
  readonly quote: string;
  readonly krwAccountLinked: boolean;
  readonly exchange: Settling;
}

/** Tells what the exchange knows of settlements. */
export type Settling = Pick<Exchange, "settlementState" | "fillSettlement">;

export function orderSetting({ exchange, markets }: OrderContext, accountId: string, symbol: string): OrderSetting {
  return {
    quote: markets.quoteOf(symbol),
    krwAccountLinked: exchange.account(accountId)?.krwAccountLinked ?? false,
    exchange,
  };
}

interface OrderContext {
  readonly exchange: Exchange;
  readonly markets: MarketDirectory;
}

const SETTLES: Record<SettlementModeName, string> = { INSTANT_KRW: "T+0", STANDARD_KRW: "T+1" };

export function orderView(order: OrderRecord, setting: OrderSetting): ServiceOrder {
  const { quote } = setting;
  const { orderId, volume, executedVolume, executedValue } = order;
  return {
    uuid: orderId,
    orderId,
    txid: [orderId],
    symbol: order.symbol,
    side: order.side,
    type: order.orderType,
    time_in_force: order.timeInForce,
    post_only: order.postOnly,
    price: nullableText(order.price),
    volume: nullableText(volume),
    amount: nullableText(order.amount),
    executed_volume: decimalText(executedVolume),
    remaining_volume: volume === null ? null : decimalText(volume - executedVolume),
    executed_value: decimalText(executedValue),
    avg_price: executedVolume === 0n ? null : decimalText(quotient(executedValue, executedVolume)),
    fee: decimalText(order.fee),
    fee_currency: quote,
    state: order.state,
    reject_reason: order.reason,
    userref: order.userref,
    settlement: settlementView(order, setting),
    descr: descriptionOf(order, quote),
    created_at: timeText(order.createdAt),
    updated_at: timeText(order.updatedAt),
  };
}

export function settlementView(
  { accountId, orderId, settlementMode: mode }: Pick<OrderRecord, "accountId" | "orderId" | "settlementMode">,
  { krwAccountLinked, exchange }: OrderSetting,
): Settlement {
  const state = exchange.settlementState(accountId, orderId);
  return { mode, expected_settle_time: SETTLES[mode], krw_account_linked: krwAccountLinked, state };
}

/** "buy 0.01500000 BTC/KRW @ limit 95000000", "buy 0.01500000 BTC/KRW @ market", "buy BTC/KRW for 50000 KRW @ market". */
export function descriptionOf(
  order: Pick<PlaceCommand, "side" | "symbol" | "orderType" | "price" | "volume" | "amount">,
  quote: string,
): { order: string } {
  const { side, symbol, price, volume, amount } = order;
  const kind = price === null ? "market" : `limit ${decimalText(price)}`;
  if (volume !== null) return { order: `${side} ${fixedText(volume)} ${symbol} @ ${kind}` };
  return { order: `${side} ${symbol} for ${decimalText(amount ?? 0n)} ${quote} @ ${kind}` };
}

export function fillView(fill: FillRecord, quote: string, exchange: Settling): ServiceFill {
  return {
    trade_id: String(fill.tradeSeq),
    orderId: fill.orderId,
    userref: fill.userref,
    symbol: fill.symbol,
    side: fill.side,
    price: decimalText(fill.price),
    volume: decimalText(fill.volume),
    value: decimalText(fill.value),
    liquidity: fill.liquidity,
    fee: decimalText(fill.fee),
    fee_currency: quote,
    settlement: { state: exchange.fillSettlement(fill) },
    time: timeText(fill.time),
  };
}

/** A fill as versions before 1.2.0 show it. */
export function fillViewWithoutFee(...fill: Parameters<typeof fillView>): Omit<ServiceFill, "fee" | "fee_currency"> {
  const { fee: _fee, fee_currency: _currency, ...rest } = fillView(...fill);
  return rest;
}

export function balanceView({ asset, available, locked, unsettled }: BalanceRecord): Balance {
  return {
    asset,
    total: decimalText(available + locked),
    available: decimalText(available),
    locked: decimalText(locked),
    unsettled: decimalText(unsettled),
  };
}
