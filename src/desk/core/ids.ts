/**
 * Fresh ids. Time-ordered UUIDs for intents; a `userref` is short enough to read out and to be an order's id at every exchange, and long enough
 * (79 random bits) never to repeat across machines.
 */
import { hash } from "node:crypto";
import { type Order, ok } from "../../contract/index.ts";
import type { JournaledOrder } from "../model/intent.ts";
import type { Journal } from "../ports/journal.ts";
import type { Clock, Ids } from "../ports/runtime.ts";
import type { Venue } from "../ports/venue.ts";
import { attempt } from "./store-result.ts";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
/** Begins what was derived of another name; nothing that is minted begins with it. */
const DERIVED = "hgz";
const MINTED = /^hg[0-9a-hjkmnp-tv-y][0-9a-hjkmnp-tv-z]{15}$/;

/** @param randomBytes a source of `count` random bytes, such as `node:crypto`'s. */
export function createIds(clock: Clock, randomBytes: (count: number) => Uint8Array): Ids {
  return {
    intentId: () => uuidV7(clock.now(), randomBytes(10)),
    userref: () => `hg${letters(randomBytes(16)).replace(/^z/, "0")}`,
  };
}

function letters(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => ALPHABET[byte % 32]).join("");
}

/** Tells whether a userref is one that `createIds` minted: then at most one order ever has it. */
export function isMintedUserref(userref: string): boolean {
  return MINTED.test(userref);
}

/** The id of an order at an exchange that takes 18 lower-case letters and digits alone: the same of a name for ever. */
export function clientIdOf(userref: string): string {
  return isMintedUserref(userref) ? userref : `${DERIVED}${letters(hash("sha256", userref, "buffer").subarray(0, 15))}`;
}

/** UUIDv7 of a time in Unix milliseconds and 10 random bytes. Source: RFC 9562 §5.7. */
function uuidV7(atMs: number, random: Uint8Array): string {
  const time = BigInt(atMs).toString(16).padStart(12, "0");
  const rest = Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const variant = "89ab"[(random[2] ?? 0) % 4];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-${variant}${rest.slice(5, 8)}-${rest.slice(8, 20)}`;
}

/**
 * Where a venue keeps an id of ours that is no name of a person's: orders are sent under it, looked up by it, and shown under the name that
 * they have here. The id follows from the name alone, so it is known before anything is numbered, and after a restart. Source: decision 0092.
 * @param account as the journal names it
 */
export function withOwnIds(venue: Venue, journal: Pick<Journal, "byOrderId">, account: () => string): Venue {
  if (venue.card.client_id.is === "userref") return venue;
  const shown = async (order: Order): Promise<Order> => {
    const { userref: clientId } = order;
    if (clientId === null || isMintedUserref(clientId)) return order;
    const { value: intent } = await attempt(() => journal.byOrderId(account(), order.orderId));
    return { ...order, userref: intent?.userref ?? clientId };
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
      return page.ok ? ok({ ...page.value, orders: await Promise.all(page.value.orders.map(shown)) }) : page;
    },
    order: async (symbol, orderId, urgency) => {
      const answer = await venue.order(symbol, orderId, urgency);
      return answer.ok ? ok(await shown(answer.value)) : answer;
    },
  };
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
