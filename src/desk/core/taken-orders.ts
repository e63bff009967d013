/**
 * Orders that the exchange has taken and does not show: where its answers may lag behind, and its lists end early, an order that it has answered
 * with is neither gone nor absent.
 *
 * Invariants:
 * - A list of open orders has also those that the journal has open and that list left out, each as the exchange shows it by its id.
 * - For as long as the exchange may not show it yet, an order is as it was last seen.
 * - Whatever costs a request is asked only where something is missing.
 *
 * Source: decision 0092, architecture.md#rule-5.
 */
import { type Fault, failed, faultKind, type Order, ok } from "../../contract/index.ts";
import type { IntentRecord } from "../model/intent.ts";
import { isLive, LIVE_STATES } from "../model/intent-state.ts";
import type { Journal } from "../ports/journal.ts";
import type { Clock } from "../ports/runtime.ts";
import type { OrdersOptions, Venue } from "../ports/venue.ts";
import { attempt } from "./store-result.ts";
import { withTimeout } from "./timeout.ts";

/** Orders asked for one by one beside a list. */
const SINGLE_MAX = 20;
const LIVE_MAX = 500;
/** A list is not held up by a store that does not answer. */
const STORE_MS = 1_000;

export interface TakenOrderParts {
  readonly journal: Pick<Journal, "byOrderId" | "inStates">;
  readonly clock: Clock;
  /** As the journal names it. */
  readonly account: () => string;
}

/** What is asked of the exchange otherwise; nothing where its answers do not lag. */
export function takenOrders(venue: Venue, parts: TakenOrderParts): Partial<Pick<Venue, "order" | "orders">> {
  if (venue.card.visible_after_ms === 0) return {};
  const { journal, account } = parts;
  const order: Venue["order"] = async (symbol, orderId, urgency) => {
    const answer = await venue.order(symbol, orderId, urgency);
    if (answer.ok || faultKind(answer.fault.code) !== "unknown_order") return answer;
    const intent = await read(parts, () => journal.byOrderId(account(), orderId));
    if (intent === undefined) return answer;
    const last = intent.state === "cancel_requested" ? undefined : lastSeen(parts, venue, intent);
    return last === undefined ? failed(hidden(answer.fault)) : ok(last);
  };
  const leftOut = async (intent: IntentRecord, options: OrdersOptions | undefined): Promise<Order | undefined> => {
    const { orderId, body } = intent;
    if (orderId === null) return undefined;
    const answer = await venue.order(body.order.symbol, orderId, options);
    if (answer.ok) return answer.value;
    return faultKind(answer.fault.code) === "unknown_order" ? lastSeen(parts, venue, intent) : body.seen;
  };
  return {
    order,
    orders: async (request, options) => {
      const page = await venue.orders(request, options);
      const { state = "open", cursor, symbol } = request;
      if (!page.ok || state !== "open" || cursor !== undefined || page.value.next_cursor !== null) return page;
      const live = await read(parts, () => journal.inStates(account(), LIVE_STATES, LIVE_MAX));
      const listed = new Set(page.value.orders.map(({ orderId }) => orderId));
      const missing = (live ?? []).filter(
        ({ orderId, body }) =>
          orderId !== null && !listed.has(orderId) && (symbol ?? body.order.symbol) === body.order.symbol,
      );
      const found = await Promise.all(missing.slice(0, SINGLE_MAX).map((intent) => leftOut(intent, options)));
      const open = found.flatMap((each) => (each?.state === "open" ? [each] : []));
      return ok({ ...page.value, orders: [...page.value.orders, ...open] });
    },
  };
}

/** As it was last seen, while the exchange may not show it yet. */
function lastSeen({ clock }: TakenOrderParts, { card }: Venue, intent: IntentRecord): Order | undefined {
  const ageMs = clock.now() - (intent.sentAtMs ?? intent.updatedAtMs);
  return isLive(intent.state) && Math.abs(ageMs) < card.visible_after_ms ? intent.body.seen : undefined;
}

function hidden(fault: Fault): Fault {
  const message = "The exchange has taken this order, and does not show it now. That does not say that it is gone.";
  return { ...fault, message, nextAction: "Look again with get_order, and with get_open_orders." };
}

async function read<T>({ clock }: TakenOrderParts, step: Parameters<typeof attempt<T>>[0]): Promise<T | undefined> {
  return (await withTimeout(clock, STORE_MS, attempt(step)))?.value;
}
