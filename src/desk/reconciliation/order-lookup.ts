/**
 * How an order without an answer is looked up, and what is written down of it.
 *
 * Invariant: an order with our userref and our fields that may be another's decides nothing, as freeing the intent could double the order; a person can.
 *
 * Tells whether what the venue shows can be the order of an intent. Where it cannot, nobody knows what became of the order that was requested: it stays
 * `unknown`, and a person has to look.
 *
 * Source: architecture.md#rule-1, architecture.md#rule-10, service.md#nonce-fence; decision 0064.
 */
import { type Fault, LIMITS, localFault, type Order, ok, quoted, type Unit } from "../../contract/index.ts";
import { orderKind } from "../approval/pending-approvals.ts";
import { attempt } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import { isMintedUserref } from "../core/ids.ts";
import { counted, worthAtPrice } from "../model/account-usage.ts";
import type { IntentChange, IntentRecord } from "../model/intent.ts";
import { isAtVenue } from "../model/intent-state.ts";
import { changeShownBy, notPlaced, notSent } from "../model/intent-transition.ts";
import { isOrderOf } from "../model/order-body.ts";
import type { TakenOrder } from "../ports/venue.ts";
import { nothingFound } from "./absence.ts";
import { areListsOld, listEvidence } from "./order-evidence.ts";
import { Reconciler, type Seen, type SettlingKind } from "./reconciler.ts";

/** Clocks are never quite right. */
const CLOCK_SLACK_MS = 10_000;

export type OrderReconciler = Reconciler<IntentRecord, Order>;

export function orderReconciler(context: DeskContext): OrderReconciler {
  return new Reconciler(context, settlingOrders(context));
}

export function settlingOrders(context: DeskContext): SettlingKind<IntentRecord, Order> {
  const { journal, clock, venue } = context.parts;
  return {
    ...orderKind(journal),
    journal,
    undone: "not_placed",
    isDone: isAtVenue,
    find: async (intent, query) => {
      const { userref, body, sentAtMs } = intent;
      const sought = { userref, symbol: body.order.symbol, ...(sentAtMs !== null && { sentAtMs }) };
      const answer = await venue.lookup(sought, query);
      if (!answer.ok) return answer;
      if (answer.value.kind !== "found") return ok(answer.value);
      return ok(await seenIn(context, intent, answer.value.item));
    },
    shownBy,
    sentAs: ({ unit }, order) => ({ to: "submitting", hold: { value: worthOf(order, unit), isLive: true } }),
    undoneBy: (intent, why) => (why === "unsent" ? notSent(intent.body) : notPlaced(intent)),
    isLookedAfter: ({ plan }) => plan !== undefined,
    lists: async (intent) =>
      areListsOld(intent.body.evidence?.lists, clock.now()) ? listEvidence(context, intent) : undefined,
    named: ({ account, intentId, orderId }) => ({ account, intentId, ...(orderId !== null && { orderId }) }),
  };
}

/** All of it, whatever has executed. */
function worthOf(order: Order, unit: Unit): string {
  return counted(worthAtPrice(order, order.volume ?? order.executed_volume), unit).toString();
}

/** What a person's word had freed counts again. */
function shownBy(intent: IntentRecord, order: Order): Omit<IntentChange, "from"> {
  const { unit } = intent;
  const { settledBy, evidence: _looked, heldBeforeWord, ...body } = intent.body;
  if (settledBy === undefined) return changeShownBy({ body, unit }, order);
  const live = heldBeforeWord === undefined ? {} : { hold: { value: heldBeforeWord, isLive: true } };
  const shown = changeShownBy({ body: { ...body, contradicted: true }, unit }, order);
  return { ...live, ...shown, detail: { contradicts: "a person's word" } };
}

/**
 * The venue's order of this intent. An order with other fields is another program's under the same name; under a name that only we can have given, it is
 * ours and wrong.
 */
async function seenIn(context: DeskContext, intent: IntentRecord, orders: readonly Order[]): Promise<Seen<Order>> {
  const { order } = intent.body;
  // A userref that a person chose may be on an order of another day or machine. One that we minted, or that follows from a plan's step, is not.
  const isMinted = isMintedUserref(intent.userref) || intent.plan !== undefined;
  const notBefore = isMinted ? Number.NEGATIVE_INFINITY : earliestMs(context, intent);
  const sinceThen = orders.filter((seen) => Date.parse(seen.created_at) >= notBefore);
  const isAlike = (seen: Order): boolean => isOrderOf(seen, order);
  const item = sinceThen.find(isAlike) ?? (isMinted ? orders.find((seen) => !isAlike(seen)) : undefined);
  if (item !== undefined) {
    const fault = await wrongOrderFault(context, intent, item);
    return fault === undefined ? { kind: "found", item } : { kind: "cannot_say", fault };
  }
  if (orders.some(isAlike)) return { kind: "cannot_say", why: "an order alike may be of another time" };
  return nothingFound(context);
}

/** When an order of this intent can have been made at the earliest, by the venue's clock. */
function earliestMs({ parts: { venue, clock } }: DeskContext, { createdAtMs, nonce }: IntentRecord): number {
  const offsetMs = venue.clockOffsetMs();
  const isClockRight = offsetMs !== undefined && createdAtMs <= clock.now() + CLOCK_SLACK_MS;
  // Made in what is now the future: the clock was set since, and nothing is known of how wrong it was then.
  if (!isClockRight) return createdAtMs + (offsetMs ?? 0) - LIMITS.userrefWindowMs;
  // A nonce is the venue's time as it was known then, which holds whatever our clock was set to.
  const sentAtMs = nonce === null ? Number.POSITIVE_INFINITY : Number(nonce); // not money: a time
  return Math.min(createdAtMs + offsetMs, sentAtMs) - CLOCK_SLACK_MS;
}

/** @returns undefined when the order shown can be the one requested */
export async function wrongOrderFault(
  { parts: { journal } }: DeskContext,
  intent: IntentRecord,
  shown: Order | TakenOrder,
): Promise<Fault | undefined> {
  if ("state" in shown && !isOrderOf(shown, intent.body.order)) return otherOrder(shown);
  // An id that the journal cannot look up is found out when it is stored.
  const { value: owner } = await attempt(() => journal.byOrderId(intent.account, shown.orderId));
  if (owner === undefined || owner.intentId === intent.intentId) return undefined;
  return localFault("ELocal:Wrong order", {
    message: `WRONG ANSWER: the exchange gave this order the id ${quoted(shown.orderId)}, which is that of another order, userref ${owner.userref}.`,
  });
}

function otherOrder({ symbol, side, type, volume, amount, price, userref }: Order): Fault {
  const size = volume ?? amount ?? "?";
  const words = [side, size, symbol, type, ...(price === null ? [] : [`at ${price}`]), `userref ${userref ?? "none"}`];
  return localFault("ELocal:Wrong order", {
    message: `WRONG ANSWER: the exchange shows another order than was requested: ${quoted(words.join(" "), 200)}.`,
  });
}
