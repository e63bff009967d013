/**
 * Orders as Upbit shows them. Entry points: `orderView`, `listedView`, `detailView`, `acceptedView`, `stateOf`, `nameOf`.
 *
 * Invariants: amounts are decimal text without trailing zeros; what an order does not have is absent; a buy for an amount that left any of it ends as
 * `cancel`, however little that is.
 */
import { type FillRecord, ONE, type OrderRecord, type Units } from "../../model/index.ts";
import type { JsonObject } from "../../venue-kit/json-text.ts";
import { fineKstText, kstText } from "../../venue-kit/kst.ts";
import { tradeUuid } from "../../venue-kit/uuid.ts";
import { decimalText } from "../../wire/decimal-text.ts";
import { codeOf, FEE_RATE } from "./market-rules.ts";
import type { OrderNote } from "./order-note.ts";
import type { UpbitSide } from "./outcome.ts";

export type UpbitState = "wait" | "watch" | "done" | "cancel";

export function sideOf({ side }: Pick<OrderRecord, "side">): UpbitSide {
  return side === "buy" ? "bid" : "ask";
}

export function feeOn(value: Units): Units {
  return (value * FEE_RATE) / ONE;
}

function valueAt(price: Units, volume: Units): Units {
  return (price * volume) / ONE;
}

export function stateOf(order: OrderRecord, { total }: OrderNote): UpbitState {
  switch (order.state) {
    case "open":
      return "wait";
    case "filled": {
      const amount = order.side === "buy" ? (order.amount ?? total ?? null) : null;
      return amount === null || amount === order.executedValue ? "done" : "cancel";
    }
    case "canceled":
    case "expired":
    case "rejected":
      return "cancel";
    default:
      return order.state satisfies never;
  }
}

export function orderTypeOf({ orderType, side }: OrderRecord, { isBest = false }: OrderNote): string {
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

export function timeInForceOf({ timeInForce, postOnly, price }: OrderRecord): string | undefined {
  if (postOnly) return "post_only";
  return price === null || timeInForce === "GTC" ? undefined : timeInForce.toLowerCase();
}

/** What of an order is locked, and reserved for its fee; of a sell the fee comes off the proceeds. */
function costsOf(
  order: OrderRecord,
  state: UpbitState,
  total: Units | null,
): Record<"reserved" | "remaining" | "locked", Units> {
  const { side, price, volume, executedVolume, executedValue, fee } = order;
  const open = state === "wait";
  if (side === "sell") return { reserved: 0n, remaining: 0n, locked: open ? (volume ?? 0n) - executedVolume : 0n };
  const wanted = total ?? (price === null || volume === null ? 0n : valueAt(price, volume));
  const reserved = feeOn(wanted);
  const remaining = state === "done" || reserved < fee ? 0n : reserved - fee;
  const rest = price === null || volume === null ? wanted - executedValue : valueAt(price, volume - executedVolume);
  return { reserved, remaining, locked: open ? rest + feeOn(rest) : 0n };
}

export interface OrderCosts extends Record<"reserved" | "remaining" | "locked", Units> {
  /** What a buy for an amount may spend; null for any other order. */
  readonly total: Units | null;
}

export function orderCosts(order: OrderRecord, note: OrderNote): OrderCosts {
  const total = order.side === "buy" ? (note.total ?? order.amount) : null;
  return { ...costsOf(order, stateOf(order, note), total), total };
}

/** Without its trades. */
export function orderView(order: OrderRecord, note: OrderNote, tradesCount: number): JsonObject {
  const { orderId, symbol, price, volume, executedVolume } = order;
  const { reserved, remaining, locked, total } = orderCosts(order, note);
  const state = stateOf(order, note);
  const asked = total ?? (note.isBest === true ? null : price);
  const size = total === null ? volume : null;
  return {
    market: codeOf(symbol),
    uuid: orderId,
    side: sideOf(order),
    ord_type: orderTypeOf(order, note),
    price: asked === null ? undefined : decimalText(asked),
    state,
    created_at: kstText(order.createdAt),
    volume: size === null ? undefined : decimalText(size),
    remaining_volume: size === null ? undefined : decimalText(size - executedVolume),
    executed_volume: decimalText(executedVolume),
    reserved_fee: decimalText(reserved),
    remaining_fee: decimalText(remaining),
    paid_fee: decimalText(order.fee),
    locked: decimalText(locked),
    time_in_force: timeInForceOf(order),
    identifier: order.userref ?? undefined,
    smp_type: note.smpType,
    prevented_volume: decimalText(note.preventedVolume ?? 0n),
    prevented_locked: decimalText(preventedLocked(order, note)),
    trades_count: tradesCount,
  };
}

function preventedLocked({ side, price }: OrderRecord, { preventedVolume = 0n }: OrderNote): Units {
  return side === "sell" || price === null ? preventedVolume : valueAt(price, preventedVolume);
}

export function listedView(order: OrderRecord, note: OrderNote, tradesCount: number): JsonObject {
  return { ...orderView(order, note, tradesCount), executed_funds: decimalText(order.executedValue) };
}

export function detailView(order: OrderRecord, note: OrderNote, fills: readonly FillRecord[]): JsonObject {
  return { ...orderView(order, note, fills.length), trades: fills.map(tradeView) };
}

/** The trades of an order have no fee of their own. */
function tradeView(fill: FillRecord): JsonObject {
  const { symbol, tradeSeq, price, volume, value, side, time } = fill;
  return {
    market: codeOf(symbol),
    uuid: tradeUuid(symbol, tradeSeq),
    price: decimalText(price),
    volume: decimalText(volume),
    funds: decimalText(value),
    trend: side === "buy" ? "up" : "down",
    created_at: fineKstText(time),
    side: side === "buy" ? "bid" : "ask",
  };
}

/** What names an order in the answer to a cancellation of several. */
export function nameOf({ orderId, symbol, userref }: OrderRecord): JsonObject {
  return { uuid: orderId, market: codeOf(symbol), identifier: userref ?? undefined };
}
