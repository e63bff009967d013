/**
 * Open orders at the venue that the journal does not know: placed by a person or another program, or by a journal that is gone. Budgets do
 * not count them.
 *
 * Invariant: what cannot be asked is not called known.
 */
import type { DeskContext } from "../core/context.ts";
import { attempt } from "../core/store-result.ts";
import { isNotPlacedByWord } from "../model/intent-transition.ts";
import type { OrderReconciler } from "../reconciliation/order-lookup.ts";

const LISTED_MAX = 500;
const NAMED_MAX = 3;

export const openAtVenue = ({ parts: { venue } }: DeskContext) => venue.orders({ state: "open", limit: LISTED_MAX });

/** Lines for the status; none where every open order is known. */
export async function unknownOrderLines(
  context: DeskContext,
  reconciler: Pick<OrderReconciler, "settle">,
  open: Awaited<ReturnType<typeof openAtVenue>>,
): Promise<readonly string[]> {
  const { journal } = context.parts;
  if (!context.knowsAccount) return [];
  if (!open.ok)
    return [`Whether the exchange has open orders that are not in this journal is not known. ${open.fault.message}`];
  const unknown: string[] = [];
  const { orders } = open.value;
  const account = context.journalAccount();
  const known = await Promise.all(orders.map(({ orderId }) => attempt(() => journal.byOrderId(account, orderId))));
  for (const [index, { orderId, userref }] of orders.entries()) {
    const { value: intent, fault } = known[index] ?? {};
    // That the journal cannot be read is said already.
    if (fault !== undefined) return [];
    if (intent !== undefined) continue;
    const isOurs = userref !== null && (await isTakenBack(context, reconciler, { orderId, userref }));
    if (!isOurs) unknown.push(orderId);
  }
  if (unknown.length === 0) return [];
  const named = unknown.slice(0, NAMED_MAX).join(", ");
  const more = unknown.length > NAMED_MAX ? ", …" : "";
  const many = unknown.length === 1 ? "1 open order" : `${unknown.length} open orders`;
  return [
    `${many} at the exchange ${unknown.length === 1 ? "is" : "are"} not in this journal (order_id ${named}${more}): placed elsewhere, or by a journal that is gone. Budgets do not count them.`,
  ];
}

/** An order that a person had said was not placed: what the exchange shows wins over the word. */
async function isTakenBack(
  context: DeskContext,
  reconciler: Pick<OrderReconciler, "settle">,
  { orderId, userref }: { readonly orderId: string; readonly userref: string },
): Promise<boolean> {
  const { value: intent } = await attempt(() => context.parts.journal.byUserref(context.journalAccount(), userref));
  if (intent === undefined || !isNotPlacedByWord(intent)) return false;
  return (await reconciler.settle(intent)).orderId === orderId;
}
