/**
 * The duplicate guard of orders. Orders to which callers gave different userrefs are two orders while the first is on its
 * way; and an order with a userref of its own is another than one that is known to be placed. An order that comes of a plan is no
 * duplicate of any, nor any of it: step by step it is known which one it is.
 *
 * Source: architecture.md#rule-1; decision 0017.
 */
import { type Fault, localFault, type Order, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import { isMintedUserref } from "../core/ids.ts";
import type { IntentBody, IntentRecord } from "../model/intent.ts";
import { isAtVenue, UNSETTLED_STATES } from "../model/intent-state.ts";
import { isDuplicateOf } from "../model/order-body.ts";
import { longestSendMs } from "../reconciliation/absence.ts";
import type { OrderAcknowledgements } from "../reconciliation/acknowledgements.ts";
import { type OrderReconciler, settlingOrders } from "../reconciliation/order-lookup.ts";
import { Duplicates } from "../submission/duplicates.ts";
import type { Refusal } from "../submission/submit.ts";

export class DuplicateGuard {
  readonly #context: DeskContext;
  readonly #duplicates: Duplicates<IntentRecord, Order>;

  constructor(context: DeskContext, reconciler: OrderReconciler, acknowledgements: OrderAcknowledgements) {
    this.#context = context;
    const { journal } = context.parts;
    const isAcknowledged = (id: string): boolean => acknowledgements.isAcknowledged(id);
    const kind = {
      ...settlingOrders(context),
      journal,
      open: UNSETTLED_STATES,
      isAcknowledged,
      openFault: duplicateFault,
    };
    this.#duplicates = new Duplicates(context, kind, reconciler);
  }

  /** The orders that an order requested now may duplicate. */
  openAtRequest(): Promise<Result<readonly IntentRecord[]>> {
    return this.#duplicates.openAtRequest();
  }

  /** The order that a new one must wait for, or that is its answer. @param atRequest what it could duplicate when it was requested */
  find(
    body: IntentBody,
    atRequest: Result<readonly IntentRecord[]>,
    lately?: Result<readonly IntentRecord[]>,
  ): Promise<Refusal<IntentRecord> | undefined> {
    const isLike = (other: IntentRecord): boolean =>
      other.plan === undefined &&
      isDuplicateOf(other.body, body) &&
      !this.#isSeparateRequest(other, body.order.userref);
    return this.#duplicates.find(isLike, atRequest, lately);
  }

  /**
   * Why an order may not be sent: a duplicate of it was sent after this one was requested, so the caller could not know of it. Of
   * several requested at the same moment, the first is sent, unless their callers gave them userrefs.
   */
  sentMeanwhile(body: IntentBody, sentSince: readonly IntentRecord[]): Refusal<IntentRecord> | undefined {
    const duplicates = sentSince.filter(
      (each) => each.plan === undefined && isDuplicateOf(each.body, body) && !haveOwnUserrefs(each, body.order.userref),
    );
    const first =
      duplicates.find(({ state }) => isAtVenue(state)) ?? duplicates.find((each) => this.#duplicates.isOpen(each));
    return first && this.#duplicates.refusalFor(first);
  }

  /**
   * The new one has a name of its own, and the first is known to be placed: whoever wants two says so by that. Or both have one, and
   * the first may simply be on its way.
   */
  #isSeparateRequest(other: IntentRecord, userref: string | undefined): boolean {
    if (isAtVenue(other.state)) return isOwn(userref);
    if (other.state === "unknown" || !haveOwnUserrefs(other, userref)) return false;
    const { clock, venue } = this.#context.parts;
    const ageMs = clock.now() - other.updatedAtMs;
    return ageMs >= 0 && ageMs <= longestSendMs(venue);
  }
}

/** Whether callers gave both orders a userref. */
function haveOwnUserrefs(other: IntentRecord, userref: string | undefined): boolean {
  return isOwn(userref) && isOwn(other.userref);
}

function isOwn(userref: string | undefined): boolean {
  return userref !== undefined && !isMintedUserref(userref);
}

/** Said beside the first order, in place of a second. */
export function placedText({ userref }: Pick<IntentRecord, "userref">): string {
  return `The same order was sent before as userref ${userref}, and nobody may have heard of it: this is that one. No second order was placed.`;
}

function duplicateFault(first: IntentRecord): Fault {
  const { userref, state } = first;
  if (isAtVenue(state)) return localFault("ELocal:Twin unresolved", { message: placedText(first) });
  const how = state === "approved" ? "is already approved and may be about to be sent" : "was sent before";
  return localFault("ELocal:Twin unresolved", {
    message: `The same order ${how} as userref ${userref}, and has no answer yet. Nothing was sent now.`,
    nextAction: `Look with get_order, userref ${userref}, until it is settled: a new order now could double it.`,
  });
}
