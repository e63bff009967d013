/**
 * Finds orders and fills: one order by its id or user_order_id, the open orders, the fills of a period. Entry points: `getDetail`,
 * `listActive`, `listCompleted`, `findOrder`.
 *
 * Invariant: what is hidden on purpose is found by nothing that it is hidden from.
 */
import { z } from "zod";
import type { FillRecord, Millis, OrderRecord } from "../../model/index.ts";
import { halved, isLeftOut, type Looking, openOrders, orderById, orderByName } from "../../venue-kit/own-orders.ts";
import { tradeUuid } from "../../venue-kit/uuid.ts";
import type { PrivateCall } from "./coinone-call.ts";
import { isUserOrderId, marketIn, optional, orderFields, pairFields, readFields } from "./fields.ts";
import { activeView, detailView, fillView, isCanceled, typeOf } from "./order-view.ts";
import { answer, type CoinoneError, type CoinoneOutcome, refuse } from "./outcome.ts";

function lookingOf({ service, memory, key, at, effect }: PrivateCall): Looking {
  return { exchange: service.exchange, memory, accountId: key.accountId, at, effect, isCanceled };
}

export function getDetail(call: PrivateCall): CoinoneOutcome {
  const found = findOrder(call);
  if ("ok" in found) return found;
  return answer({ order: detailView(found, call.memory.noteOf(found.orderId), call.variant) });
}

const oneOrder = z.strictObject(orderFields);

/** By exactly one of its ids, in its own market. */
export function findOrder(call: PrivateCall): OrderRecord | CoinoneError {
  const sent = readFields(call, oneOrder);
  if (!sent.ok) return sent;
  const { order_id: orderId, user_order_id: userOrderId } = sent.read;
  if ((orderId === undefined) === (userOrderId === undefined)) return refuse(313);
  if (userOrderId !== undefined && !isUserOrderId(userOrderId)) return refuse(314);
  const market = marketIn(call, sent.read);
  if ("ok" in market) return market;
  const looking = lookingOf(call);
  const found = orderId === undefined ? orderByName(looking, userOrderId ?? "") : orderById(looking, orderId);
  if (found === undefined || found.symbol !== market.symbol || isLeftOut(looking, found, false)) return refuse(104);
  return found;
}

const activeFields = z.strictObject({
  quote_currency: optional(pairFields.quote_currency),
  target_currency: optional(pairFields.target_currency),
  order_type: optional(z.array(z.enum(["LIMIT", "STOP_LIMIT"]))),
});

/** Newest first; of all markets where none is named. */
export function listActive(call: PrivateCall): CoinoneOutcome {
  const sent = readFields(call, activeFields);
  if (!sent.ok) return sent;
  const { quote_currency: quote, target_currency: target, order_type: types = [] } = sent.read;
  if ((quote === undefined) !== (target === undefined)) return refuse(107);
  const pair =
    quote === undefined || target === undefined ? undefined : { quote_currency: quote, target_currency: target };
  const market = pair && marketIn(call, pair);
  if (market !== undefined && "ok" in market) return market;
  const isAsked = types.length === 0 || types.includes("LIMIT");
  const open = isAsked ? openOrders(lookingOf(call), { symbol: market?.symbol, oldestFirst: false }) : [];
  const shown = halved(call.effect, open);
  return answer({ active_orders: shown.map((order) => activeView(order, call.memory.noteOf(order.orderId))) });
}

const completedFields = {
  size: z.int(),
  from_ts: z.int(),
  to_ts: z.int(),
  to_trade_id: optional(z.string()),
};
const completedOfAll = z.strictObject(completedFields);
const completedOfOne = z.strictObject({ ...completedFields, ...pairFields });

const SIZE_MAX = 100;
const DAY_MS: Millis = 86_400_000;
const WINDOW_MS = 90 * DAY_MS;

export function listAllCompleted(call: PrivateCall): CoinoneOutcome {
  const sent = readFields(call, completedOfAll);
  return sent.ok ? completed(call, sent.read, undefined) : sent;
}

export function listCompleted(call: PrivateCall): CoinoneOutcome {
  const sent = readFields(call, completedOfOne);
  if (!sent.ok) return sent;
  const market = marketIn(call, sent.read);
  return "ok" in market ? market : completed(call, sent.read, market.symbol);
}

/** Fills alone, newest first: an order without one is never among them. */
function completed(
  call: PrivateCall,
  asked: z.infer<typeof completedOfAll>,
  symbol: string | undefined,
): CoinoneOutcome {
  const { size, from_ts: from, to_ts: to, to_trade_id: before } = asked;
  const { memory, at, effect } = call;
  if (size < 1 || size > SIZE_MAX) return refuse(317);
  const tomorrow = at - (at % DAY_MS) + DAY_MS;
  if (from < 0 || from > to || to - from > WINDOW_MS || to >= tomorrow) return refuse(316);
  const fills = fillsIn(call, { symbol, from, to });
  const start = before === undefined ? 0 : fills.findIndex((fill) => idOf(fill) === before) + 1;
  if (before !== undefined && start === 0) return refuse(107);
  const looking = lookingOf(call);
  const shown = fills.slice(start).filter(({ orderId }) => !memory.isHidden(orderId, at, true));
  const views = halved(effect, shown.slice(0, size)).map((fill) => {
    const order = orderById(looking, fill.orderId);
    return fillView(fill, order === undefined ? "LIMIT" : typeOf(order, memory.noteOf(fill.orderId)));
  });
  return answer({ completed_orders: views });
}

function idOf({ symbol, tradeSeq }: FillRecord): string {
  return tradeUuid(symbol, tradeSeq);
}

interface Period {
  readonly symbol: string | undefined;
  readonly from: Millis;
  readonly to: Millis;
}

const CHUNK = 1_000;

function fillsIn({ service, key }: PrivateCall, period: Period): readonly FillRecord[] {
  const found: FillRecord[] = [];
  for (let more = true; more; ) {
    const page = service.exchange.fills(key.accountId, { ...period, limit: CHUNK, skip: found.length });
    found.push(...page.fills);
    more = page.more;
  }
  return found;
}
