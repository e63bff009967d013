/**
 * The endpoints of the Open API that place, cancel and show orders.
 *
 * Invariant: a call that changes the exchange does so in one command, and its answer is marked as changed.
 * Source: service.md#v1-create-order, service.md#v1-orders, service.md#v1-order, service.md#v1-cancel-order,
 * service.md#v1-cancel-batch.
 */
import type { BatchCancel, CreateOrderBody, OrderState, OrderStateFilter } from "../../../contract/index.ts";
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
import { countOf, periodOf, placeOf } from "../../http/query-value.ts";
import type { OrderRecord, PlaceCommand } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { cursorOf } from "../../wire/cursor.ts";
import { unitsOf } from "../../wire/decimal-text.ts";
import { descriptionOf, fillView, orderSetting, orderView } from "../../wire/order-view.ts";
import type { Call, Handlers } from "./open-call.ts";

export const ORDER_ENDPOINTS: Handlers<"createOrder" | "orders" | "order" | "cancelOrder" | "cancelBatch"> = {
  createOrder,
  orders,
  order,
  cancelOrder,
  cancelBatch,
};

function createOrder({ service, at, key, body }: Call<"createOrder">): Outcome {
  const symbol = service.markets.symbolOf(body.symbol);
  if (symbol === undefined) return unknownPair(body.symbol);
  const setting = orderSetting(service, key.accountId, symbol);
  const command = placeCommand(service, key, symbol, body);
  if (command.settlementMode === "INSTANT_KRW" && !setting.krwAccountLinked)
    return fault("ECompliance:KRW account not linked", "INSTANT_KRW settlement needs a linked KRW account");
  if (body.validate_only === true) {
    const checked = service.exchange.check(command, at);
    return checked.ok ? answer({ descr: descriptionOf(command, setting.quote) }) : faultOf(checked);
  }
  const applied = service.journaled.applyUnwritten(command, at);
  if (!applied.ok) return faultOf(applied);
  return applied.kind === "order" ? changedAnswer(orderView(applied.order, setting), 201) : unavailable(500);
}

function placeCommand(
  service: Service,
  key: Call<"createOrder">["key"],
  symbol: string,
  body: CreateOrderBody,
): PlaceCommand {
  return {
    type: "place",
    accountId: key.accountId,
    keyId: key.keyId,
    orderId: service.nextOrderId(),
    symbol,
    side: body.side,
    orderType: body.type,
    price: body.price === undefined ? null : unitsOf(body.price),
    volume: body.volume === undefined ? null : unitsOf(body.volume),
    amount: body.amount === undefined ? null : unitsOf(body.amount),
    timeInForce: body.time_in_force ?? "GTC",
    postOnly: body.post_only ?? false,
    userref: body.userref ?? null,
    settlementMode: body.compliance?.settlement_mode ?? "INSTANT_KRW",
    kycLevel: body.compliance?.kyc_level,
  };
}

const CLOSED: readonly OrderState[] = ["filled", "canceled", "expired", "rejected"];

function statesOf(filter: OrderStateFilter): readonly OrderState[] | undefined {
  if (filter === "all") return undefined;
  return filter === "closed" ? CLOSED : [filter];
}

function orders({ service, key, query }: Call<"orders">): Outcome {
  const symbol = query.symbol === undefined ? undefined : service.markets.symbolOf(query.symbol);
  if (query.symbol !== undefined && symbol === undefined) return unknownPair(query.symbol);
  const period = periodOf(query);
  if (!period.ok) return period;
  const place = placeOf("order", query.cursor);
  if (!place.ok) return place;
  const page = service.exchange.orders(key.accountId, {
    symbol,
    states: statesOf(query.state ?? "open"),
    userref: query.userref,
    from: period.from,
    to: period.to,
    beforeId: place.before,
    limit: countOf(query.limit, service.limits.pageSizeDefault),
  });
  return answer({
    orders: page.orders.map((each) => orderView(each, orderSetting(service, key.accountId, each.symbol))),
    next_cursor: cursorOf("order", page.more ? page.orders.at(-1)?.orderId : undefined),
  });
}

function order({ service, key, params }: Call<"order">): Outcome {
  const symbol = service.markets.symbolOf(params.symbol);
  if (symbol === undefined) return unknownPair(params.symbol);
  const found = service.exchange.order(key.accountId, params.uuid);
  if (found === undefined || found.symbol !== symbol) return unknownOrder();
  const setting = orderSetting(service, key.accountId, symbol);
  const { exchange } = service;
  const fills = exchange.fillsOf(key.accountId, found.orderId);
  const trades = fills.map((each) => fillView(each, setting.quote, exchange));
  return answer({ ...orderView(found, setting), trades });
}

function cancelOrder({ service, at, key, params }: Call<"cancelOrder">): Outcome {
  const symbol = service.markets.symbolOf(params.symbol);
  if (symbol === undefined) return unknownPair(params.symbol);
  const { accountId } = key;
  const applied = service.journaled.applyUnwritten({ type: "cancel", accountId, symbol, orderId: params.uuid }, at);
  if (!applied.ok) return faultOf(applied);
  const after: OrderRecord | undefined =
    applied.kind === "order" ? applied.order : service.exchange.order(accountId, params.uuid);
  if (after === undefined) return unavailable(500);
  return changedAnswer(orderView(after, orderSetting(service, accountId, symbol)), 200);
}

function cancelBatch({ service, at, key, query }: Call<"cancelBatch">): Outcome {
  const symbol = query.symbol === undefined ? null : service.markets.symbolOf(query.symbol);
  if (symbol === undefined) return unknownPair(query.symbol ?? "");
  const applied = service.journaled.applyUnwritten({ type: "cancelAll", accountId: key.accountId, symbol }, at);
  if (!applied.ok) return faultOf(applied);
  if (applied.kind !== "canceled") return unavailable(500);
  return changedAnswer({ requested: [...applied.orderIds], failed: [] } satisfies BatchCancel, 200);
}
