/**
 * Where a venue keeps an id of ours that is no name of a person's: orders are sent under it, looked up by it, and shown under the name that
 * they have here.
 *
 * Invariant: the id follows from the name alone, so it is known before anything is numbered, and after a restart.
 *
 * Source: decision 0092.
 */
import { type Order, ok } from "../../contract/index.ts";
import type { JournaledOrder } from "../model/intent.ts";
import { UNRESOLVED_STATES } from "../model/submission.ts";
import type { Venue } from "../ports/venue.ts";
import { attempt } from "./attempt.ts";
import { clientIdOf, isDerived, isMintedUserref } from "./ids.ts";
import { type TakenOrderParts, takenOrders } from "./taken-orders.ts";

/** States of an order that has no id of the exchange's yet: that it was not placed may have been a person's word. */
const NEVER_SEEN = [...UNRESOLVED_STATES, "not_placed"] as const;
const UNSEEN_MAX = 1_000;

/** For a venue whose card says that ids are minted. */
export function withOwnIds(plain: Venue, parts: TakenOrderParts): Venue {
  const { journal, account } = parts;
  const venue = overridden(plain, takenOrders(plain, parts));
  /** Where the exchange does not show our id either, the journal knows the order by the exchange's. */
  const shown = async (order: Order, unseen = neverSeen()): Promise<Order> => {
    const { userref: clientId } = order;
    if (clientId !== null && isMintedUserref(clientId)) return order;
    const { value: known } = await attempt(() => journal.byOrderId(account(), order.orderId));
    const isSought = known === undefined && clientId !== null && isDerived(clientId);
    return { ...order, userref: known?.userref ?? (isSought ? (await unseen()).get(clientId) : undefined) ?? clientId };
  };
  /** The names of what was sent and never seen at the exchange, by the id of each: read once for a list, and where there is something to look for. */
  const neverSeen = () => {
    let read: Promise<ReadonlyMap<string, string>> | undefined;
    return () => {
      read ??= attempt(() => journal.inStates(account(), NEVER_SEEN, UNSEEN_MAX)).then(
        ({ value = [] }) => new Map(value.map(({ userref }) => [clientIdOf(userref), userref])),
      );
      return read;
    };
  };
  const own: Partial<Venue> = {
    submit: (order, beforeSend) => {
      const sent = { ...order, userref: clientIdOf(order.userref) } as JournaledOrder;
      return venue.submit(sent, beforeSend).then((answer) => {
        if (!answer.ok || !("state" in answer.value)) return answer;
        return ok(named(answer.value, order.userref));
      });
    },
    lookup: async ({ userref, ...name }, options) => {
      const found = await venue.lookup({ ...name, userref: clientIdOf(userref) }, options);
      if (!found.ok || found.value.kind !== "found") return found;
      return ok({ kind: "found", item: found.value.item.map((order) => named(order, userref)) });
    },
    orders: async (request, options) => {
      const page = await venue.orders(request, options);
      if (!page.ok) return page;
      const unseen = neverSeen();
      return ok({ ...page.value, orders: await Promise.all(page.value.orders.map((order) => shown(order, unseen))) });
    },
    order: async (symbol, orderId, urgency) => {
      const answer = await venue.order(symbol, orderId, urgency);
      return answer.ok ? ok(await shown(answer.value)) : answer;
    },
    cancel: async (symbol, orderId, beforeSend) => {
      const answer = await venue.cancel(symbol, orderId, beforeSend);
      return answer.ok && "state" in answer.value ? ok(await shown(answer.value)) : answer;
    },
  };
  return overridden(venue, own);
}

function overridden(venue: Venue, own: Partial<Venue>): Venue {
  return new Proxy(venue, {
    get: (_, name) => {
      if (name in own) return own[name as keyof Venue];
      const value: unknown = Reflect.get(venue, name, venue);
      return typeof value === "function" ? value.bind(venue) : value;
    },
  });
}

/** An order that stands under the id of this name. */
function named(order: Order, userref: string): Order {
  const { userref: clientId } = order;
  return clientId !== null && clientId === clientIdOf(userref) ? { ...order, userref } : order;
}
