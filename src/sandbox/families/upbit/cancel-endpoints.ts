/**
 * Cancels orders: one, several by ids, all that fit. The answer says that the cancellation was taken; what became of the order is asked for.
 * Entry points: `cancelOne`, `cancelByIds`, `cancelOpen`.
 */
import type { OrderRecord } from "../../model/index.ts";
import type { JsonObject } from "../../venue-kit/json-text.ts";
import { cancelOrder } from "../../venue-kit/order-commands.ts";
import { symbolOf } from "./market-rules.ts";
import { findByIds, findOrder } from "./order-queries.ts";
import { nameOf, orderView, sideOf } from "./order-view.ts";
import { badValue, changed, refuse, type UpbitError, type UpbitOutcome } from "./outcome.ts";
import type { PrivateCall } from "./upbit-call.ts";

const IDS_MAX = 20;
const PAIRS_MAX = 20;
const [COUNT_DEFAULT, COUNT_MAX] = [20, 300];
/** More than an account may have open. */
const OPEN_MAX = 100_000;

export function cancelOne(call: PrivateCall): UpbitOutcome {
  const found = findOrder(call);
  if ("ok" in found) return found;
  const { service, key, memory } = call;
  const trades = service.exchange.fillsOf(key.accountId, found.orderId).length;
  const before = orderView(found, memory.noteOf(found.orderId), trades);
  return cancelOrder(call, found) ? changed(before) : refuse("order_not_found");
}

export function cancelByIds(call: PrivateCall): UpbitOutcome {
  const found = findByIds(call, IDS_MAX);
  return "ok" in found ? found : canceled(call, found);
}

export function cancelOpen(call: PrivateCall): UpbitOutcome {
  const { service, key, memory, parameters } = call;
  const side = parameters.choice("cancel_side", ["all", "bid", "ask"], "all");
  const count = parameters.count("count", COUNT_DEFAULT, COUNT_MAX);
  const direction = parameters.choice("order_by", ["asc", "desc"], "desc");
  const markets = marketsOf(call);
  if (typeof side !== "string") return side;
  if (typeof count !== "number") return count;
  if (typeof direction !== "string") return direction;
  if (typeof markets !== "function") return markets;
  const filter = { states: ["open"] as const, limit: OPEN_MAX, oldestFirst: direction === "asc" };
  const { orders } = service.exchange.orders(key.accountId, filter);
  const chosen = [...memory.lateOrders(key.accountId), ...orders].filter(
    (order) => order.state === "open" && (side === "all" || sideOf(order) === side) && markets(order.symbol),
  );
  return canceled(call, chosen.slice(0, count));
}

/** Which markets are meant: some, those of some quotes, or all; and never those that are left out. */
function marketsOf({ parameters }: PrivateCall): ((symbol: string) => boolean) | UpbitError {
  const [pairs, quotes] = [parameters.list("pairs"), parameters.list("quote_currencies")];
  const excluded = parameters.list("excluded_pairs");
  if (pairs.length > 0 && quotes.length > 0) return badValue("pairs");
  if (pairs.length > PAIRS_MAX) return badValue("pairs");
  if (excluded.length > PAIRS_MAX) return badValue("excluded_pairs");
  const [wanted, unwanted] = [pairs.map(symbolOf), excluded.map(symbolOf)];
  return (symbol) =>
    (pairs.length === 0 || wanted.includes(symbol)) &&
    (quotes.length === 0 || quotes.some((quote) => symbol.endsWith(`/${quote}`))) &&
    !unwanted.includes(symbol);
}

function canceled(call: PrivateCall, orders: readonly OrderRecord[]): UpbitOutcome {
  const results = orders.map((order) => ({ order, done: cancelOrder(call, order) }));
  const listed = (done: boolean): JsonObject => {
    const names = results.filter((each) => each.done === done).map(({ order }) => nameOf(order));
    return { count: names.length, orders: names };
  };
  return changed({ success: listed(true), failed: listed(false) });
}
