/**
 * Orders and fills as Coinone shows them. Entry points: `detailView`, `activeView`, `canceledView`, `fillView`, `statusOf`, `isCanceled`.
 *
 * Invariants: a quantity is text, or null where an order of its kind has none; original is executed, canceled and remaining together.
 */
import { ORDER_TRAITS } from "../../../contract/index.ts";
import type { FillRecord, OrderRecord, Units } from "../../model/index.ts";
import type { JsonObject } from "../../venue-kit/json-text.ts";
import { tradeUuid } from "../../venue-kit/uuid.ts";
import { decimalText, nullableText, quotient } from "../../wire/decimal-text.ts";
import { pointed } from "./amounts.ts";
import type { CutShort, OrderNote, Variant } from "./coinone-call.ts";
import { FEE_RATE, pairOf } from "./market-rules.ts";

type Note = Partial<OrderNote>;

type Status =
  | "LIVE"
  | "PARTIALLY_FILLED"
  | "PARTIALLY_CANCELED"
  | "FILLED"
  | "CANCELED"
  | "CANCELED_UNDER_PRODUCT_UNIT"
  | CutShort;

export function typeOf({ orderType }: OrderRecord, { isMarket }: Note): "LIMIT" | "MARKET" {
  return isMarket === true || !ORDER_TRAITS[orderType].isPriced ? "MARKET" : "LIMIT";
}

/** What a market buy may spend; null for any other order. */
export function amountOf(order: OrderRecord, note: Note): Units | null {
  return order.side === "buy" ? (note.amount ?? order.amount) : null;
}

export function statusOf(order: OrderRecord, note: Note, variant: Variant): Status {
  const { state, executedVolume, executedValue } = order;
  const amount = amountOf(order, note);
  switch (state) {
    case "open":
      return executedVolume === 0n ? "LIVE" : "PARTIALLY_FILLED";
    case "filled":
      if (note.cutShort !== undefined && amount !== null) return note.cutShort;
      return amount === null || amount === executedValue ? "FILLED" : "CANCELED_UNDER_PRODUCT_UNIT";
    case "expired":
      return note.cutShort ?? "CANCELED_NO_ORDER";
    case "canceled":
    case "rejected":
      return executedVolume === 0n || variant === "other" ? "CANCELED" : "PARTIALLY_CANCELED";
    default:
      return state satisfies never;
  }
}

/** Whether an order ended by being canceled before all of it was executed. */
export function isCanceled({ state }: OrderRecord): boolean {
  return state === "canceled" || state === "expired" || state === "rejected";
}

/** What of an order by quantity is executed, canceled and left. */
function quantities(order: OrderRecord): Readonly<Record<"original" | "canceled" | "remain", Units>> {
  const original = order.volume ?? 0n;
  const rest = original - order.executedVolume;
  return order.state === "open" ? { original, canceled: 0n, remain: rest } : { original, canceled: rest, remain: 0n };
}

function averageOf({ executedValue, executedVolume }: OrderRecord): string {
  return executedVolume === 0n ? "0" : decimalText(quotient(executedValue, executedVolume));
}

function feeRateOf({ executedVolume }: OrderRecord): string {
  return executedVolume === 0n ? "0.0" : decimalText(FEE_RATE);
}

function sideOf({ side }: Pick<OrderRecord, "side">): "BUY" | "SELL" {
  return side === "buy" ? "BUY" : "SELL";
}

export function detailView(order: OrderRecord, note: Note, variant: Variant): JsonObject {
  const type = typeOf(order, note);
  const amount = amountOf(order, note);
  const { original, canceled, remain } = quantities(order);
  const unlessAmount = (units: Units): string | null => (amount === null ? decimalText(units) : null);
  const ofAmount = (units: Units): string | null => (amount === null ? null : decimalText(units));
  const rate = amount === null || variant === "other" ? "fee_rate" : "average_fee_rate";
  return {
    order_id: order.orderId,
    type,
    ...pairOf(order.symbol),
    status: statusOf(order, note, variant),
    side: sideOf(order),
    fee: decimalText(order.fee),
    [rate]: feeRateOf(order),
    average_executed_price: averageOf(order),
    updated_at: order.updatedAt,
    ordered_at: order.createdAt,
    price: type === "MARKET" ? null : nullableText(order.price),
    original_qty: unlessAmount(original),
    executed_qty: decimalText(order.executedVolume),
    canceled_qty: unlessAmount(canceled),
    remain_qty: type === "MARKET" ? null : decimalText(remain),
    limit_price: nullableText(note.limitPrice ?? null),
    traded_amount: ofAmount(order.executedValue),
    original_amount: ofAmount(amount ?? 0n),
    canceled_amount: ofAmount(order.state === "open" ? 0n : (amount ?? 0n) - order.executedValue),
    ...(variant === "other" ? { user_order_id: order.userref } : {}),
    is_triggered: null,
    trigger_price: null,
  };
}

export function activeView(order: OrderRecord, note: Note): JsonObject {
  const { original, canceled, remain } = quantities(order);
  return {
    order_id: order.orderId,
    type: typeOf(order, note),
    ...pairOf(order.symbol),
    price: nullableText(order.price),
    remain_qty: decimalText(remain),
    original_qty: decimalText(original),
    canceled_qty: decimalText(canceled),
    executed_qty: decimalText(order.executedVolume),
    side: sideOf(order),
    fee: decimalText(order.fee),
    fee_rate: feeRateOf(order),
    average_executed_price: averageOf(order),
    ordered_at: order.createdAt,
    ...{ is_triggered: null, trigger_price: null, triggered_at: null },
  };
}

/** The answer to a cancellation. Its times are milliseconds in the documents, and seconds in their example. */
export function canceledView(order: OrderRecord, variant: Variant): JsonObject {
  const { original, canceled, remain } = quantities(order);
  const time = (at: number): number => (variant === "other" ? Math.floor(at / 1_000) : at);
  return {
    order_id: order.orderId,
    price: pointed(order.price ?? 0n),
    qty: pointed(canceled),
    remain_qty: pointed(remain),
    side: sideOf(order),
    original_qty: pointed(original),
    traded_qty: pointed(order.executedVolume),
    canceled_qty: pointed(canceled),
    fee: pointed(order.fee),
    fee_rate: feeRateOf(order),
    avg_price: averageOf(order),
    canceled_at: time(order.updatedAt),
    ordered_at: time(order.createdAt),
  };
}

export function fillView(fill: FillRecord, type: string): JsonObject {
  const { symbol, tradeSeq, orderId, side, liquidity, price, volume, time, fee } = fill;
  const pair = pairOf(symbol);
  return {
    trade_id: tradeUuid(symbol, tradeSeq),
    order_id: orderId,
    ...pair,
    order_type: type,
    is_ask: side === "sell",
    is_maker: liquidity === "maker",
    price: decimalText(price),
    qty: decimalText(volume),
    timestamp: time,
    fee_rate: decimalText(FEE_RATE),
    fee: decimalText(fee),
    fee_currency: pair.quote_currency,
  };
}
