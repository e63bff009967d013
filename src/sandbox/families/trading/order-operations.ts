/**
 * The operations of the Trading API that place and cancel orders.
 *
 * Invariant: an operation that changes the exchange does so in one command per order or account, and its answer is marked as
 * changed. Source: service.md#add-order, service.md#trading-cancel, service.md#cancel-all-orders-after.
 */
import type { AddOrderRequest } from "../../../contract/index.ts";
import {
  answer,
  changedAnswer,
  fault,
  faultOf,
  type Outcome,
  unavailable,
  unknownOrder,
  unknownPair,
} from "../../http/outcome.ts";
import type { KeyRecord, OrderFilter, OrderRecord, PlaceCommand } from "../../model/index.ts";
import { unitsOf } from "../../wire/decimal-text.ts";
import { timeText } from "../../wire/market-view.ts";
import { orderSetting, settlementView } from "../../wire/order-view.ts";
import { descriptionText } from "./order-rows.ts";
import type { OperationCall, OperationHandlers } from "./trading-call.ts";

export const ORDER_OPERATIONS: OperationHandlers<"AddOrder" | "CancelOrder" | "CancelAll" | "CancelAllOrdersAfter"> = {
  AddOrder: addOrder,
  CancelOrder: cancelOrder,
  CancelAll: cancelAll,
  CancelAllOrdersAfter: cancelAllAfter,
};

function addOrder({ service, pairs, at, key, request }: OperationCall<"AddOrder">): Outcome {
  const symbol = pairs.symbolOf(request.pair);
  if (symbol === undefined) return unknownPair(request.pair);
  const setting = orderSetting(service, key.accountId, symbol);
  const command = placeCommand(key, service.nextOrderId(), symbol, request);
  const descr = { order: descriptionText(command, setting.quote) };
  if (command.settlementMode === "INSTANT_KRW" && !setting.krwAccountLinked)
    return fault("ECompliance:KRW account not linked", "INSTANT_KRW settlement needs a linked KRW account");
  if (isTrue(request.validate)) {
    const checked = service.exchange.check(command, at);
    return checked.ok ? answer({ descr }) : faultOf(checked);
  }
  const applied = service.journaled.applyUnwritten(command, at);
  if (!applied.ok) return faultOf(applied);
  if (applied.kind !== "order") return unavailable(500);
  const { orderId } = applied.order;
  const settlement = settlementView(applied.order, setting);
  return changedAnswer({ descr, txid: [orderId], orderId, settlement }, 200);
}

function placeCommand(key: KeyRecord, orderId: string, symbol: string, request: AddOrderRequest): PlaceCommand {
  const flags = request.oflags?.split(",") ?? [];
  const size = unitsOf(request.volume);
  const isAmount = flags.includes("viqc");
  return {
    type: "place",
    accountId: key.accountId,
    keyId: key.keyId,
    orderId,
    symbol,
    side: request.type,
    orderType: request.ordertype,
    price: request.price === undefined ? null : unitsOf(request.price),
    volume: isAmount ? null : size,
    amount: isAmount ? size : null,
    timeInForce: request.timeinforce ?? "GTC",
    postOnly: flags.includes("post"),
    userref: request.userref ?? request.cl_ord_id ?? null,
    settlementMode: request.settlement_mode,
    kycLevel: request.kyc_level,
  };
}

function cancelOrder({ service, pairs, at, key, request }: OperationCall<"CancelOrder">): Outcome {
  const { accountId } = key;
  const market = request.pair === undefined ? undefined : pairs.symbolOf(request.pair);
  if (request.pair !== undefined && market === undefined) return unknownPair(request.pair);
  const name = request.txid ?? request.cl_ord_id ?? "";
  const byId = request.txid === undefined ? undefined : service.exchange.order(accountId, name);
  const scope = { accountId, userref: name, symbol: market };
  const named = byId === undefined ? withUserref(service, scope) : [byId];
  const [newest] = named;
  if (newest === undefined || (market !== undefined && newest.symbol !== market)) return unknownOrder();
  const open = named.filter(({ state }) => state === "open");
  const canceled: string[] = [];
  // The engine refuses to cancel an order that has ended, with the message for that.
  for (const { orderId, symbol } of open.length === 0 ? [newest] : open) {
    const applied = service.journaled.applyUnwritten({ type: "cancel", accountId, symbol, orderId }, at);
    if (applied.ok) canceled.push(orderId);
    else if (open.length === 0) return faultOf(applied);
  }
  return changedAnswer(countOfCanceled(canceled), 200);
}

/** The open orders with a userref, newest first; when none is open, the newest one. */
function withUserref(
  { exchange }: OperationCall<"CancelOrder">["service"],
  { accountId, ...named }: Pick<OrderFilter, "userref" | "symbol"> & { readonly accountId: string },
): readonly OrderRecord[] {
  const open = exchange.orders(accountId, { ...named, states: ["open"], limit: Number.MAX_SAFE_INTEGER }).orders;
  return open.length > 0 ? open : exchange.orders(accountId, { ...named, limit: 1 }).orders;
}

function cancelAll({ service, pairs, at, key, request }: OperationCall<"CancelAll">): Outcome {
  const symbol = request.pair === undefined ? null : pairs.symbolOf(request.pair);
  if (symbol === undefined) return unknownPair(request.pair ?? "");
  const applied = service.journaled.applyUnwritten({ type: "cancelAll", accountId: key.accountId, symbol }, at);
  if (!applied.ok) return faultOf(applied);
  if (applied.kind !== "canceled") return unavailable(500);
  return changedAnswer(countOfCanceled(applied.orderIds), 200);
}

function cancelAllAfter({ service, at, key, request }: OperationCall<"CancelAllOrdersAfter">): Outcome {
  const { accountId } = key;
  const timeoutMs = Number(request.timeout) * 1000; // not money: seconds
  const applied = service.journaled.applyUnwritten({ type: "armCancelTimer", accountId, timeoutMs }, at);
  if (!applied.ok) return faultOf(applied);
  const cancelAt = service.exchange.cancelTimer(accountId);
  return changedAnswer({ currentTime: timeText(at), triggerTime: cancelAt === null ? "0" : timeText(cancelAt) }, 200);
}

function countOfCanceled(orderIds: readonly string[]): object {
  return { count: orderIds.length, pending: false, txid: [...orderIds] };
}

/** Tells whether a flag, which was checked against the contract's schema, is set. */
export function isTrue(text: string | undefined): boolean {
  return text?.toLowerCase() === "true";
}
