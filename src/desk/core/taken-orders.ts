/**
 * Orders that the exchange has taken and does not show: where its answers may lag behind, and its lists end early, an order that it has answered
 * with is neither gone nor absent.
 *
 * Invariants:
 * - A list of open orders has also those that the journal has open and that list left out, each as the exchange shows it by its id.
 * - For as long as the exchange may not show it yet, an order is as it was last seen; one that was never seen is not shown yet, which is no news of it,
 *   and in the list of what is open it is as it was sent.
 * - Where all orders are canceled one by one from a list, those that the journal has open and that list left out are canceled by their ids.
 * - Whatever costs a request is asked only where something is missing.
 *
 * Source: decision 0092, architecture.md#rule-5.
 */
import { type Fault, failed, faultKind, ORDER_TRAITS, type Order, ok } from "../../contract/index.ts";
import type { IntentRecord } from "../model/intent.ts";
import { isLive, LIVE_STATES } from "../model/intent-state.ts";
import type { Journal } from "../ports/journal.ts";
import type { Clock } from "../ports/runtime.ts";
import type { OrdersOptions, Venue } from "../ports/venue.ts";
import { attempt, withTimeout } from "./attempt.ts";

/** Orders asked for one by one beside a list. */
const SINGLE_MAX = 20;
const LIVE_MAX = 500;
/** How long it is waited for the exchange to name the account, in a process that has just started. */
const ACCOUNT_MS = 3_000;
/** A list is not held up by a store that does not answer. */
const STORE_MS = 1_000;

export interface TakenOrderParts {
  readonly journal: Pick<Journal, "byOrderId" | "inStates">;
  readonly clock: Clock;
  /** As the journal names it. */
  readonly account: () => string;
  /** Lets the exchange name it, where it has not yet: until then the journal knows no order of it. */
  readonly identify?: () => Promise<unknown>;
}

/** What is asked of the exchange otherwise; nothing where its answers do not lag. */
export function takenOrders(
  venue: Venue,
  parts: TakenOrderParts,
): Partial<Pick<Venue, "order" | "orders" | "cancelAll">> {
  if (venue.card.visible_after_ms === 0) return {};
  const { journal, account, clock, identify } = parts;
  const order: Venue["order"] = async (symbol, orderId, urgency) => {
    const answer = await venue.order(symbol, orderId, urgency);
    if (answer.ok || faultKind(answer.fault.code) !== "unknown_order") return answer;
    const intent = await read(parts, () => journal.byOrderId(account(), orderId));
    if (intent === undefined) return answer;
    if (intent.state === "cancel_requested" || !isYoung(parts, venue, intent)) return failed(hidden(answer.fault));
    const { seen } = intent.body;
    return seen === undefined ? failed(notYet(answer.fault)) : ok(seen);
  };
  const leftOutOf = async (ids: ReadonlySet<string>, symbol: string | undefined) => {
    if (identify !== undefined) await withTimeout(clock, ACCOUNT_MS, identify());
    const live = await read(parts, () => journal.inStates(account(), LIVE_STATES, LIVE_MAX));
    return (live ?? []).flatMap((intent) => {
      const { orderId, body } = intent;
      const isMissing = orderId !== null && !ids.has(orderId) && (symbol ?? body.order.symbol) === body.order.symbol;
      return isMissing ? [{ intent, orderId }] : [];
    });
  };
  const leftOut = async (intent: IntentRecord, options: OrdersOptions | undefined): Promise<Order | undefined> => {
    const { orderId, body } = intent;
    if (orderId === null) return undefined;
    const answer = await venue.order(body.order.symbol, orderId, options);
    if (answer.ok) return answer.value;
    if (faultKind(answer.fault.code) !== "unknown_order") return body.seen;
    return isYoung(parts, venue, intent) ? (body.seen ?? asSent(intent, orderId)) : undefined;
  };
  const cancelAll: Venue["cancelAll"] = async (symbol, urgency) => {
    const answer = await venue.cancelAll(symbol, urgency);
    const named = answer.ok ? [...answer.value.requested, ...answer.value.failed.map(({ uuid }) => uuid)] : [];
    const missing = await leftOutOf(new Set(named), symbol);
    const taken = await Promise.all(
      missing.slice(0, SINGLE_MAX).map(async ({ intent, orderId }) => {
        const canceled = await venue.cancel(intent.body.order.symbol, orderId);
        return canceled.ok ? [orderId] : [];
      }),
    );
    return answer.ok ? ok({ ...answer.value, requested: [...answer.value.requested, ...taken.flat()] }) : answer;
  };
  return {
    ...(venue.card.cancel_all === "loop_orders" && { cancelAll }),
    order,
    orders: async (request, options) => {
      const page = await venue.orders(request, options);
      const { state = "open", cursor, symbol } = request;
      if (!page.ok || state !== "open" || cursor !== undefined || page.value.next_cursor !== null) return page;
      const missing = await leftOutOf(new Set(page.value.orders.map(({ orderId }) => orderId)), symbol);
      const found = await Promise.all(missing.slice(0, SINGLE_MAX).map(({ intent }) => leftOut(intent, options)));
      const open = found.flatMap((each) => (each?.state === "open" ? [each] : []));
      return ok({ ...page.value, orders: [...page.value.orders, ...open] });
    },
  };
}

/** An order that may rest and was never seen, as it was sent: a list without it would say that nothing is open. */
function asSent({ userref, sentAtMs, updatedAtMs, body }: IntentRecord, orderId: string): Order | undefined {
  const { symbol, side, type, price, volume, time_in_force = "GTC" } = body.order;
  if (!ORDER_TRAITS[type].mayRest || time_in_force !== "GTC" || price === undefined || volume === undefined)
    return undefined;
  return {
    ...{ uuid: orderId, orderId, txid: [orderId], userref, symbol, side, type, price, volume, amount: null },
    ...{ executed_volume: "0", remaining_volume: volume, avg_price: null, state: "open", reject_reason: null },
    created_at: new Date(sentAtMs ?? updatedAtMs).toISOString(),
  };
}

function isYoung({ clock }: TakenOrderParts, { card }: Venue, { state, sentAtMs, updatedAtMs }: IntentRecord): boolean {
  return isLive(state) && Math.abs(clock.now() - (sentAtMs ?? updatedAtMs)) < card.visible_after_ms;
}

/** It was answered with its id alone, a moment ago. */
function notYet(fault: Fault): Fault {
  const message = "The exchange has taken this order a moment ago, and does not show it yet.";
  return { ...hidden(fault), code: "EService:Unavailable", message };
}

function hidden(fault: Fault): Fault {
  const message = "The exchange has taken this order, and does not show it now. That does not say that it is gone.";
  return { ...fault, message, nextAction: "Look again with get_order, and with get_open_orders." };
}

async function read<T>({ clock }: TakenOrderParts, step: Parameters<typeof attempt<T>>[0]): Promise<T | undefined> {
  return (await withTimeout(clock, STORE_MS, attempt(step)))?.value;
}
