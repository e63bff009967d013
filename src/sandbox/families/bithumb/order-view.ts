/**
 * Orders as Bithumb shows them: by the first version of its API and by the second, which have other names for the same. Entry points:
 * `placedView`, `firstView`, `detailView`, `secondView`, `stateOf`.
 *
 * Invariants: what an order does not have is absent; a buy at the market's price that left any of its amount ends as `cancel`, however little that
 * is; an order of immediate execution that was filled in part ends as `done`.
 */
import { type FillRecord, ONE, type OrderRecord, type Units } from "../../model/index.ts";
import type { JsonObject } from "../../venue-kit/json-text.ts";
import { kstText } from "../../venue-kit/kst.ts";
import type { Figures } from "./figures.ts";
import { codeOf, FEE_RATE, tradeIdOf } from "./market-rules.ts";
import type { OrderNote } from "./order-note.ts";
import type { BithumbSide } from "./outcome.ts";

export type BithumbState = "wait" | "watch" | "done" | "cancel";

/** Since it prevents that an account trades with itself, every order says how. */
const STP_TYPE = "cancel_taker";
/** Why the exchange ends orders that trade with their own account. */
const SELF_TRADE = "self_trade_prevented";

export function sideOf({ side }: Pick<OrderRecord, "side">): BithumbSide {
  return side === "buy" ? "bid" : "ask";
}

export function feeOn(value: Units): Units {
  return (value * FEE_RATE) / ONE;
}

function valueAt(price: Units, volume: Units): Units {
  return (price * volume) / ONE;
}

export function stateOf(order: OrderRecord): BithumbState {
  switch (order.state) {
    case "open":
      return "wait";
    case "filled": {
      const amount = order.side === "buy" ? order.amount : null;
      return amount === null || amount === order.executedValue ? "done" : "cancel";
    }
    case "expired":
      return order.price !== null && order.executedVolume > 0n ? "done" : "cancel";
    case "canceled":
    case "rejected":
      return "cancel";
    default:
      return order.state satisfies never;
  }
}

export function orderTypeOf({ orderType, side }: OrderRecord, { isBest = false }: Partial<OrderNote>): string {
  if (isBest) return "best";
  switch (orderType) {
    case "limit":
      return "limit";
    case "market":
      return side === "buy" ? "price" : "market";
    default:
      return orderType satisfies never;
  }
}

export function conditionOf({ timeInForce, postOnly, price }: OrderRecord): string | undefined {
  if (postOnly) return "post_only";
  return price === null || timeInForce === "GTC" ? undefined : timeInForce.toLowerCase();
}

/** Why it was canceled, where its owner did not. */
export function cancelTypeOf(order: OrderRecord): string | undefined {
  if (stateOf(order) !== "cancel" || order.reason === null) return undefined;
  if (order.reason === SELF_TRADE) return "stp_cancel";
  return conditionOf(order) === undefined ? undefined : "tif_cancel";
}

export interface OrderFigures extends Record<"reserved" | "remaining" | "locked", Units> {
  /** What a buy for an amount may spend; null for any other order. */
  readonly total: Units | null;
}

/** What of an order is locked, and reserved for its fee; of a sell the fee comes off the proceeds. */
export function figuresOf(order: OrderRecord, note: Partial<OrderNote>): OrderFigures {
  const { side, price, volume, executedVolume, executedValue, fee } = order;
  const isOpen = stateOf(order) === "wait";
  if (side === "sell")
    return { reserved: 0n, remaining: 0n, locked: isOpen ? (volume ?? 0n) - executedVolume : 0n, total: null };
  const total = note.total ?? order.amount;
  const wanted = total ?? (price === null || volume === null ? 0n : valueAt(price, volume));
  const reserved = feeOn(wanted);
  const rest = price === null || volume === null ? wanted - executedValue : valueAt(price, volume - executedVolume);
  const remaining = isOpen && reserved > fee ? reserved - fee : 0n;
  return { reserved, remaining, locked: isOpen ? rest + feeOn(rest) : 0n, total };
}

/** Says that it was taken, and neither its state nor its size. */
export function placedView(order: OrderRecord, note: Partial<OrderNote>): JsonObject {
  return {
    order_id: order.orderId,
    client_order_id: order.userref ?? undefined,
    market: codeOf(order.symbol),
    side: sideOf(order),
    order_type: orderTypeOf(order, note),
    time_in_force: conditionOf(order),
    created_at: kstText(order.createdAt),
    stp_type: STP_TYPE,
  };
}

/** Says that its cancellation was taken. */
export function canceledView({ orderId, userref, createdAt }: OrderRecord): JsonObject {
  return { order_id: orderId, client_order_id: userref ?? undefined, created_at: kstText(createdAt) };
}

interface Shown {
  readonly order: OrderRecord;
  readonly note: Partial<OrderNote>;
  readonly tradesCount: number;
}

/** The fields that have the same names in both versions. */
function sharedFields({ order, note, tradesCount }: Shown, text: Figures["text"]): JsonObject {
  const { price, volume, executedVolume, executedValue, fee } = order;
  const { reserved, remaining, locked, total } = figuresOf(order, note);
  const asked = total ?? (note.isBest === true ? null : price);
  const size = total === null ? volume : null;
  return {
    price: asked === null ? undefined : text(asked),
    state: stateOf(order),
    market: codeOf(order.symbol),
    volume: size === null ? undefined : text(size),
    remaining_volume: size === null ? undefined : text(size - executedVolume),
    reserved_fee: text(reserved),
    remaining_fee: text(remaining),
    paid_fee: text(fee),
    locked: text(locked),
    executed_volume: text(executedVolume),
    executed_funds: text(executedValue),
    trades_count: tradesCount,
    stp_type: STP_TYPE,
    time_in_force: conditionOf(order),
    cancel_type: cancelTypeOf(order),
  };
}

export function firstView(shown: Shown, { text }: Figures): JsonObject {
  const { order, note } = shown;
  return {
    uuid: order.orderId,
    client_order_id: order.userref ?? undefined,
    side: sideOf(order),
    ord_type: orderTypeOf(order, note),
    created_at: kstText(order.createdAt),
    ...sharedFields(shown, text),
  };
}

/** The trades of an order have no fee of their own. */
export function detailView(shown: Shown, fills: readonly FillRecord[], figures: Figures): JsonObject {
  return { ...firstView(shown, figures), trades: fills.map((fill) => tradeView(fill, figures)) };
}

function tradeView({ symbol, tradeSeq, price, volume, value, side, time }: FillRecord, { text }: Figures): JsonObject {
  return {
    market: codeOf(symbol),
    uuid: tradeIdOf(symbol, tradeSeq),
    price: text(price),
    volume: text(volume),
    funds: text(value),
    side: side === "buy" ? "bid" : "ask",
    created_at: kstText(time),
  };
}

export function secondView(shown: Shown, { listed }: Figures): JsonObject {
  const { order, note } = shown;
  return {
    order_id: order.orderId,
    client_order_id: order.userref ?? undefined,
    side: sideOf(order),
    order_type: orderTypeOf(order, note),
    created_at: milliKst(order.createdAt),
    ...sharedFields(shown, listed),
  };
}

/** `2026-04-06T12:00:00.000+09:00`. */
function milliKst(at: number): string {
  return kstText(at).replace("+", `.${String(at % 1_000).padStart(3, "0")}+`);
}
