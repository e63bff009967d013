/**
 * Places and cancels orders. The answer to placing is an id alone; what became of the order is asked for. Entry points: `placeOrder`,
 * `cancelOrder`, `cancelAll`.
 *
 * Invariant: a user_order_id is used up before anything else of the order is looked at.
 */
import { z } from "zod";
import { cancelOrder as cancel, placeOrder as place } from "../../venue-kit/order-commands.ts";
import { uuidOf } from "../../venue-kit/uuid.ts";
import type { PrivateCall } from "./coinone-call.ts";
import { isUserOrderId, marketIn, pairFields, readFields } from "./fields.ts";
import { findOrder } from "./order-queries.ts";
import { placeFields, readTerms } from "./order-terms.ts";
import { canceledView } from "./order-view.ts";
import { type CoinoneError, type CoinoneOutcome, changed, refuse, refusedOrder } from "./outcome.ts";

export function placeOrder(call: PrivateCall): CoinoneOutcome {
  const sent = readFields(call, placeFields);
  if (!sent.ok) return sent;
  const refused = useId(call, sent.read.user_order_id);
  if (refused !== undefined) return refused;
  const terms = readTerms(call, sent.read, uuidOf(call.service.nextOrderId()));
  if (!terms.ok) return terms;
  const { service, memory, at, effect } = call;
  const { command, note } = terms;
  const apply = () => service.journaled.apply(command, service.now());
  const placed = place({ service, memory, at, effect, note, apply }, command);
  if (!placed.ok) return refusedOrder(placed);
  if (effect?.kind === "duplicate_id") return { ...refuse(312), changed: true };
  return { ...changed({ order_id: command.orderId }), changed: placed.changed };
}

function useId({ service, key, userOrderIds }: PrivateCall, id: string | undefined): CoinoneError | undefined {
  if (id === undefined) return undefined;
  if (!isUserOrderId(id)) return refuse(314);
  const orders = service.exchange.countOrders(key.accountId, { userref: id, limit: 1 });
  return orders === 0 && userOrderIds.use(key.accountId, id) ? undefined : refuse(312);
}

export function cancelOrder(call: PrivateCall): CoinoneOutcome {
  const found = findOrder(call);
  if ("ok" in found) return found;
  const { service, memory, key, variant } = call;
  const at = service.now();
  if (!cancel({ service, memory, at }, found)) return refuse(found.state === "filled" ? 116 : 117);
  const canceled = service.exchange.order(key.accountId, found.orderId) ?? {
    ...found,
    state: "canceled",
    updatedAt: at,
  };
  return changed(canceledView(canceled, variant));
}

/** More than an account may have open. */
const OPEN_MAX = 100_000;
const everyOrderOf = z.strictObject(pairFields);

/** Of one market, those that are hidden on purpose too. */
export function cancelAll(call: PrivateCall): CoinoneOutcome {
  const sent = readFields(call, everyOrderOf);
  if (!sent.ok) return sent;
  const market = marketIn(call, sent.read);
  if ("ok" in market) return market;
  const { service, memory, key, at } = call;
  const { symbol } = market;
  const placed = service.exchange.orders(key.accountId, { symbol, states: ["open"], limit: OPEN_MAX }).orders;
  const late = memory.lateOrders(key.accountId).filter((order) => order.state === "open" && order.symbol === symbol);
  const open = [...late, ...placed];
  const canceled = open.filter((order) => cancel({ service, memory, at }, order));
  return changed({ canceled_count: canceled.length, total_order_count: open.length });
}
