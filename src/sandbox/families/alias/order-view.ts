/**
 * Converts orders and fills into the shapes of the alias endpoints.
 *
 * Invariants: `orderId` and `txid[0]` are the order's id, as in every family; `clientOrderId` is its `userref`, or its id when it
 * has none, so that every order can be queried by it. Source: service.md#alias-order-id.
 */
import type {
  AliasAck,
  AliasCanceled,
  AliasMyTrade,
  AliasOrder,
  AliasPlaced,
  AliasPlacedFill,
} from "../../../contract/index.ts";
import type { FillRecord, OrderRecord } from "../../model/index.ts";
import { timeText } from "../../wire/market-view.ts";
import { aliasSymbolOf, amountOrZero, amountText } from "./amount-text.ts";

export function clientOrderIdOf({ userref, orderId }: OrderRecord): string {
  return userref ?? orderId;
}

export function ackView(order: OrderRecord): AliasAck {
  return {
    ...idsOf(order),
    clientOrderId: clientOrderIdOf(order),
    transactTime: order.updatedAt,
    ...timesOf(order),
  };
}

export function placedView(order: OrderRecord): AliasPlaced {
  return { ...ackView(order), ...termsOf(order), workingTime: order.createdAt };
}

/** @param quote the currency in which fees are charged */
export function placedFillView(fill: FillRecord, quote: string): AliasPlacedFill {
  return {
    price: amountText(fill.price),
    qty: amountText(fill.volume),
    commission: amountText(fill.fee),
    commissionAsset: quote,
    tradeId: fill.tradeSeq,
  };
}

export function orderView(order: OrderRecord): AliasOrder {
  return {
    ...idsOf(order),
    clientOrderId: clientOrderIdOf(order),
    ...termsOf(order),
    stopPrice: amountText(0n),
    icebergQty: amountText(0n),
    time: order.createdAt,
    updateTime: order.updatedAt,
    ...timesOf(order),
    isWorking: true,
    workingTime: order.createdAt,
  };
}

/** @param cancelId the `clientOrderId` of the cancellation itself */
export function canceledView(order: OrderRecord, cancelId: string): AliasCanceled {
  return {
    ...ackView(order),
    origClientOrderId: clientOrderIdOf(order),
    clientOrderId: cancelId,
    ...termsOf(order),
  };
}

export function myTradeView(fill: FillRecord, quote: string): AliasMyTrade {
  return {
    symbol: aliasSymbolOf(fill.symbol),
    id: fill.tradeSeq,
    orderId: fill.orderId,
    orderListId: -1,
    price: amountText(fill.price),
    qty: amountText(fill.volume),
    quoteQty: amountText(fill.value),
    commission: amountText(fill.fee),
    commissionAsset: quote,
    time: fill.time,
    traded_at: timeText(fill.time),
    isBuyer: fill.side === "buy",
    isMaker: fill.liquidity === "maker",
    isBestMatch: true,
  };
}

function idsOf({ symbol, orderId }: OrderRecord): Pick<AliasAck, "symbol" | "orderId" | "txid" | "orderListId"> {
  return { symbol: aliasSymbolOf(symbol), orderId, txid: [orderId], orderListId: -1 };
}

function timesOf({ createdAt, updatedAt }: OrderRecord): Pick<AliasAck, "created_at" | "updated_at"> {
  return { created_at: timeText(createdAt), updated_at: timeText(updatedAt) };
}

type Terms = Omit<AliasPlaced, keyof AliasAck | "workingTime">;

function termsOf(order: OrderRecord): Terms {
  return {
    price: amountOrZero(order.price),
    // The quantity of an order by amount is what the amount bought or sold.
    origQty: amountText(order.volume ?? order.executedVolume),
    executedQty: amountText(order.executedVolume),
    origQuoteOrderQty: amountOrZero(order.amount),
    cummulativeQuoteQty: amountText(order.executedValue),
    status: statusOf(order),
    timeInForce: order.timeInForce,
    type: typeOf(order),
    side: order.side === "buy" ? "BUY" : "SELL",
    selfTradePreventionMode: "EXPIRE_TAKER",
  };
}

function typeOf({ orderType, postOnly }: OrderRecord): Terms["type"] {
  switch (orderType) {
    case "market":
      return "MARKET";
    case "limit":
      return postOnly ? "LIMIT_MAKER" : "LIMIT";
    default:
      return orderType satisfies never;
  }
}

function statusOf({ state, executedVolume, reason }: OrderRecord): Terms["status"] {
  switch (state) {
    case "open":
      return executedVolume > 0n ? "PARTIALLY_FILLED" : "NEW";
    case "filled":
      return "FILLED";
    case "canceled":
      return reason === "self_trade_prevented" ? "EXPIRED_IN_MATCH" : "CANCELED";
    case "expired":
      return "EXPIRED";
    case "rejected":
      return "REJECTED";
    default:
      return state satisfies never;
  }
}
