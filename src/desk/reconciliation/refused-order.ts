/**
 * An order that was refused, and that the exchange may have all the same: a network may deliver a request twice, the first delivery is taken,
 * and what is heard is the refusal of the second.
 *
 * Invariant: one look-up, which a caller waits for only briefly. Where nothing is found, the refusal counts.
 *
 * Source: decision 0092, architecture.md#rule-5.
 */
import type { Fault, Order } from "../../contract/index.ts";
import { attempt } from "../core/attempt.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import { settlingOrders } from "./order-lookup.ts";

const LOOK_MS = 3_000;

/** @returns the order that the exchange has in spite of its refusal; undefined where its names of orders are not looked up so */
export async function takenInSpite(
  context: DeskContext,
  intent: IntentRecord,
  { reachedVenue, status, code }: Fault,
): Promise<Order | undefined> {
  const { client_id: name } = context.parts.venue.card;
  // Without a status nothing was answered; what is unknown is looked up anyway.
  if (name.is !== "minted" || status === undefined || reachedVenue === "unknown") return undefined;
  const { value: seen } = await attempt(() => settlingOrders(context).find(intent, { deadlineMs: LOOK_MS }));
  if (seen?.kind !== "found") return undefined;
  const { account, intentId } = intent;
  const { orderId } = seen.item;
  await recordStep(context, { event: "refused_and_taken", account, intentId, orderId, detail: { code } });
  return seen.item;
}
