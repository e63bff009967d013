/**
 * Places and cancels orders. The answer to the one is an id, that to the other says that the cancellation was taken; what became of the order is asked
 * for. Entry points: `placeOrder`, `cancelOrder`.
 *
 * Invariant: an id of the account's own is of one order, until it was forgotten; one that is refused at once uses none up.
 */
import type { Millis, PlaceCommand } from "../../model/index.ts";
import { placeOrder as place } from "../../venue-kit/order-commands.ts";
import type { PrivateCall } from "./korbit-call.ts";
import { findOrder, isForgotten, ordersNamed } from "./order-queries.ts";
import { readTerms } from "./order-terms.ts";
import { type KorbitState, shownState } from "./order-view.ts";
import { type KorbitError, type KorbitOutcome, refuse, refusedOrder } from "./outcome.ts";

/** Of an account in one market. */
const OPEN_MAX = 100;
/** How long a cancellation takes unless it is to take longer, by the machine's clock. */
const CANCELING_MS: Millis = 20;

export function placeOrder(call: PrivateCall): KorbitOutcome {
  const { service, at, effect } = call;
  const terms = readTerms(call, nextNumber(call));
  if (!terms.ok) return terms;
  const { command } = terms;
  const refused = refusalOf(call, command);
  if (refused !== undefined) return refused;
  const apply = (placed: PlaceCommand) => service.journaled.apply(placed, service.now());
  const placed = place({ ...call, at, note: terms.note, apply }, command);
  if (!placed.ok) return refusedOrder(placed);
  const { changed } = placed;
  if (effect?.kind === "duplicate_id") return { ...refuse("DUPLICATE_CLIENT_ORDER_ID"), changed };
  return { ok: true, data: { orderId: Number(command.orderId) }, changed }; // not money: an id
}

/** Not one of before a restart either, where the clock stands still. */
function nextNumber({ service, key, numbers, at }: PrivateCall): string {
  let number = numbers.next(at);
  while (service.exchange.order(key.accountId, number) !== undefined) number = numbers.next(at);
  return number;
}

function refusalOf(call: PrivateCall, { userref, symbol, timeInForce }: PlaceCommand): KorbitError | undefined {
  if (userref !== null && ordersNamed(call, userref).some((order) => !isForgotten(call, order)))
    return refuse("DUPLICATE_CLIENT_ORDER_ID");
  const filter = { symbol, states: ["open"] as const, limit: 1 };
  const open = call.service.exchange.countOrders(call.key.accountId, filter);
  return timeInForce === "GTC" && open >= OPEN_MAX ? refuse("TOO_MANY_OPEN_ORDERS") : undefined;
}

export function cancelOrder(call: PrivateCall): KorbitOutcome {
  const found = findOrder(call);
  if ("ok" in found) return found;
  const { memory, cancellations, variant, effect } = call;
  const refused = uncancelable(shownState(found, memory, variant));
  if (refused !== undefined) return refused;
  if (cancellations.isUnderWay(found.orderId)) return refuse("TRY_AGAIN");
  cancellations.take(found, effect?.kind === "late_execution" ? effect.ms : CANCELING_MS);
  return { ok: true, changed: false };
}

function uncancelable(state: KorbitState): KorbitError | undefined {
  switch (state) {
    case "open":
    case "partiallyFilled":
      return undefined;
    case "pending":
      return refuse("TRY_AGAIN");
    case "filled":
      return refuse("ORDER_ALREADY_FILLED");
    case "canceled":
    case "partiallyFilledCanceled":
      return refuse("ORDER_ALREADY_CANCELED");
    case "expired":
      return refuse("ORDER_ALREADY_EXPIRED");
    default:
      return state satisfies never;
  }
}
