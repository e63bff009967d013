/**
 * Orders and their trades as Korbit shows them. Entry points: `orderView`, `tradeView`, `shownState`.
 *
 * Invariants: amounts are decimal text without trailing zeros, ids and times are numbers; what an order does not have is absent.
 */
import { ORDER_TRAITS } from "../../../contract/index.ts";
import type { FillRecord, OrderRecord } from "../../model/index.ts";
import type { OrderMemory } from "../../venue-kit/order-memory.ts";
import { QUOTE } from "../../venue-kit/won-markets.ts";
import { decimalText, quotient } from "../../wire/decimal-text.ts";
import { codeOf } from "./market-rules.ts";
import type { OrderNote } from "./order-note.ts";
import type { Json, Variant } from "./outcome.ts";

export type KorbitState =
  | "pending"
  | "open"
  | "partiallyFilled"
  | "filled"
  | "canceled"
  | "partiallyFilledCanceled"
  | "expired";

/** Why the exchange ends an order that was to rest and would have taken. */
const WOULD_MATCH = "post_only_would_match";

/**
 * An order that takes what it can and leaves nothing ends as `filled`, with less than was asked for, or as `expired` with nothing. By other sources the
 * one is `partiallyFilledCanceled`, and one that was to rest and would have taken `canceled`.
 */
function stateOf(order: OrderRecord, variant: Variant): KorbitState {
  const isBegun = order.executedVolume > 0n;
  switch (order.state) {
    case "open":
      return isBegun ? "partiallyFilled" : "open";
    case "filled":
      return "filled";
    case "expired":
      if (!isBegun) return "expired";
      return variant === "other" ? "partiallyFilledCanceled" : "filled";
    case "canceled":
      if (order.reason === WOULD_MATCH && variant !== "other") return "expired";
      return isBegun ? "partiallyFilledCanceled" : "canceled";
    case "rejected":
      return "expired";
    default:
      return order.state satisfies never;
  }
}

/** The state of an order that may not have reached the exchange: until then it is pending, and it has failed where it was refused in the end. */
export function shownState(order: OrderRecord, memory: OrderMemory<OrderNote>, variant: Variant): KorbitState {
  const late = memory.lateOrders(order.accountId).find(({ orderId }) => orderId === order.orderId);
  if (late === undefined) return stateOf(order, variant);
  return late.state === "open" ? "pending" : "expired";
}

export interface ShownOrder {
  readonly order: OrderRecord;
  readonly note: Partial<OrderNote>;
  readonly state: KorbitState;
  readonly lastFill: FillRecord | undefined;
}

type View = { readonly [name: string]: Json };

export function orderView({ order, note, state, lastFill }: ShownOrder): View {
  const { orderId, symbol, side, executedVolume, executedValue, createdAt, userref } = order;
  const orderType = note.orderType ?? order.orderType;
  const amount = note.amount ?? order.amount;
  const price = note.price === undefined ? order.price : note.price;
  return {
    orderId: Number(orderId), // not money: an id
    clientOrderId: userref ?? undefined,
    symbol: codeOf(symbol),
    orderType,
    side,
    timeInForce: note.timeInForce ?? timeInForceOf(order),
    price: price === null ? undefined : decimalText(price),
    qty: order.volume === null ? undefined : decimalText(order.volume),
    amt: amount === null ? undefined : decimalText(amount),
    filledQty: decimalText(executedVolume),
    filledAmt: decimalText(executedValue),
    avgPrice: executedVolume === 0n ? undefined : decimalText(quotient(executedValue, executedVolume)),
    createdAt,
    lastFilledAt: lastFill?.time,
    status: state,
  };
}

function timeInForceOf({ orderType, timeInForce, postOnly }: OrderRecord): string {
  if (postOnly) return "po";
  return ORDER_TRAITS[orderType].mayRest ? timeInForce.toLowerCase() : "ioc";
}

export function tradeView({
  symbol,
  tradeSeq,
  orderId,
  side,
  price,
  volume,
  value,
  time,
  liquidity,
  fee,
}: FillRecord): View {
  return {
    symbol: codeOf(symbol),
    tradeId: tradeSeq,
    orderId: Number(orderId), // not money: an id
    side,
    price: decimalText(price),
    qty: decimalText(volume),
    amt: decimalText(value),
    tradedAt: time,
    isTaker: liquidity === "taker",
    feeCurrency: codeOf(QUOTE),
    feeQty: decimalText(fee),
  };
}
