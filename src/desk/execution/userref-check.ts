/**
 * Whether the venue has an order under a userref that is about to be used for the first time here. A journal that was put back from a copy
 * does not know what was sent since, and would send it again under a yes, a draft or a userref that it still has.
 *
 * Invariant: asked before the first sending of what was written down before (a yes, a draft, what another process left, the change of an order); of what
 * a caller names in this very call only while the journal may lack what was sent before it; what cannot be asked is not sent.
 *
 * Source: architecture.md#rule-1; decision 0025, decision 0063.
 */
import { type CreateOrderBody, type Fault, localFault, ok } from "../../contract/index.ts";
import { attempt } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import { beforeSending } from "../model/order-report.ts";
import { DUPLICATE_WINDOW_MS } from "../submission/duplicates.ts";

/** For so long a caller that got no answer may ask again, by the userref that it gave. */
const ASKED_AGAIN_MS = DUPLICATE_WINDOW_MS;

/** Whether the journal is known to have forgotten nothing of what a caller may still ask for again. The question weighs ten, the order one. */
export async function remembersAll({ parts: { clock, vouchedSinceMs } }: DeskContext): Promise<boolean> {
  const { value: sinceMs } = await attempt(async () => ok(await vouchedSinceMs?.()));
  return sinceMs !== undefined && clock.now() - sinceMs >= ASKED_AGAIN_MS;
}

const CANNOT_SAY = "The exchange cannot say whether it has an order under this userref. Nothing was sent.";

/** @returns why the order may not be sent; undefined where the venue has none under its userref */
export async function userrefFault(
  { parts: { venue } }: DeskContext,
  { userref, symbol }: CreateOrderBody,
): Promise<Fault | undefined> {
  if (userref === undefined) return undefined;
  const answer = await venue.lookup({ userref, symbol, limit: 1 });
  if (!answer.ok) return beforeSending(answer.fault);
  if (answer.value.kind === "none") return undefined;
  const taken = answer.value.kind === "found" ? answer.value.item[0] : undefined;
  if (taken === undefined) return localFault("ELocal:Not placed", { message: CANNOT_SAY });
  return localFault("ELocal:Userref in use", {
    field: "userref",
    message: `The exchange already has an order under userref ${userref} (order_id ${taken.orderId}, ${taken.state}), which the journal does not know. Nothing was sent.`,
    nextAction: `Look at it with get_order, userref ${userref}. If another one is wanted, place it without a userref or with a new one.`,
  });
}
