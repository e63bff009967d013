/**
 * Cancels orders: one, or several by ids. The answer says that the cancellation was taken; what became of the order is asked for. Entry points:
 * `cancelOne`, `cancelByIds`.
 */
import type { JsonObject } from "../../venue-kit/json-text.ts";
import { cancelOrder } from "../../venue-kit/order-commands.ts";
import { isLeftOut, orderById, orderByName } from "../../venue-kit/own-orders.ts";
import type { PrivateCall } from "./bithumb-call.ts";
import { findOrder, isUnready, lookingOf } from "./order-queries.ts";
import { canceledView } from "./order-view.ts";
import { type BithumbOutcome, badValue, changed, errorView, refuse } from "./outcome.ts";

const IDS_MAX = 30;

/** An order that has ended is not found. */
export function cancelOne(call: PrivateCall): BithumbOutcome {
  const found = findOrder(call, "order_id");
  if ("ok" in found) return found;
  const crowded = call.chargeAsset(found.symbol);
  if (crowded !== undefined) return crowded;
  return cancelOrder(call, found) ? changed(canceledView(found)) : refuse("order_not_found");
}

/** Ids before own ids, as elsewhere. */
export function cancelByIds(call: PrivateCall): BithumbOutcome {
  const [ids, clientIds] = [call.parameters.list("order_ids"), call.parameters.list("client_order_ids")];
  const named = ids.length > 0 ? ids : clientIds;
  if (named.length === 0 || named.length > IDS_MAX) return badValue("order_ids");
  const looking = lookingOf(call);
  const success: JsonObject[] = [];
  const fail: JsonObject[] = [];
  for (const id of named) {
    const found = ids.length > 0 ? orderById(looking, id) : orderByName(looking, id);
    const isThere = found !== undefined && !isLeftOut(looking, found, false);
    if (isThere && !isUnready(call, found) && cancelOrder(call, found)) success.push(canceledView(found));
    else {
      const name = isThere && isUnready(call, found) ? "order_not_ready" : "order_not_found";
      const which: JsonObject = ids.length > 0 ? { order_id: id } : { client_order_id: id };
      fail.push({ ...which, error: errorView(refuse(name)) });
    }
  }
  return changed({ success, fail });
}
