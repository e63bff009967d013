/**
 * Whether what the venue shows can be the order of an intent. Where it cannot, nobody knows what became of the order that was requested: it stays
 * `unknown`, and a person has to look.
 *
 * Source: architecture.md#rule-1, architecture.md#rule-10.
 */
import { type Fault, localFault, type Order, quoted } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import { attempt } from "../core/store-result.ts";
import type { IntentRecord } from "../model/intent.ts";
import { isOrderOf } from "../model/order-match.ts";
import type { TakenOrder } from "../ports/venue.ts";

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
