/**
 * The duplicate guard: holds back an order that equals one whose outcome the caller may not know. The caller most likely means that
 * one, so nothing is sent until it is settled, and then that one is the answer.
 *
 * An order counts as a possible original while it is approved or sent without a settled answer, and, once settled, until its outcome
 * was handed to a caller that still waited (its process may have died first, or its caller given up). What counts is how it stood when
 * the new order was requested, or stands now. Orders to which callers gave different userrefs are two orders while the first is on its
 * way; and an order with a userref of its own is another than one that is known to be placed.
 *
 * Source: architecture.md#rule-1; decision 0017.
 */
import { type Fault, localFault, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import { isMintedUserref } from "../core/ids.ts";
import type { IntentBody, IntentRecord } from "../model/intent.ts";
import { isAtVenue, UNRESOLVED_STATES } from "../model/intent-state.ts";
import { isDuplicateOf } from "../model/order-match.ts";
import { longestSendMs } from "../reconciliation/absence.ts";
import type { OrderAcknowledgements } from "../reconciliation/order-acknowledgements.ts";
import type { Reconciler } from "../reconciliation/reconciler.ts";

/** Approved or sent, and not settled. */
const OPEN = ["approved", ...UNRESOLVED_STATES] as const;
/** Orders that a new one is compared with. */
const COMPARED_MAX = 100;
/** After this long, the same order requested again is a new one. */
export const DUPLICATE_WINDOW_MS = 24 * 3_600_000;

/** Why a new order is not sent: another is to be settled first, or is placed, and then is the answer. */
export type Duplicate = { readonly fault: Fault } | { readonly placed: IntentRecord };

export class DuplicateGuard {
  readonly #context: DeskContext;
  readonly #reconciler: Reconciler;
  readonly #acknowledgements: OrderAcknowledgements;
  readonly #placed = new WeakMap<Fault, IntentRecord>();

  constructor(context: DeskContext, reconciler: Reconciler, acknowledgements: OrderAcknowledgements) {
    this.#context = context;
    this.#acknowledgements = acknowledgements;
    this.#reconciler = reconciler;
  }

  /** The orders that an order requested now may duplicate. Of all accounts as long as ours is not known. */
  async openAtRequest(): Promise<Result<readonly IntentRecord[]>> {
    const { journal, clock } = this.#context.parts;
    const account = this.#context.knowsAccount ? this.#context.journalAccount() : undefined;
    const since = clock.now() - DUPLICATE_WINDOW_MS;
    const isUnacknowledged = ({ intentId, updatedAtMs }: IntentRecord): boolean =>
      updatedAtMs > since && !this.#acknowledgements.isAcknowledged(intentId);
    const found = await journal.unresolvedOrUnacknowledged(account, OPEN, COMPARED_MAX);
    return found.ok ? ok(found.value.filter((intent) => isOpen(intent) || isUnacknowledged(intent))) : found;
  }

  /**
   * The order that a new one must wait for, settled as far as it can be.
   * @param atRequest what it could duplicate when it was requested; the outcome may have been reported to another caller since
   */
  async find(body: IntentBody, atRequest: Result<readonly IntentRecord[]>): Promise<Duplicate | undefined> {
    const now = await this.openAtRequest();
    if (!now.ok) return { fault: now.fault };
    if (!atRequest.ok) return { fault: atRequest.fault };
    const account = this.#context.journalAccount();
    const then = atRequest.value.filter((each) => each.account === account);
    for (const other of new Map([...then, ...now.value].map((each) => [each.intentId, each])).values()) {
      if (!this.#isDuplicate(body, other)) continue;
      const settled = await this.#reconciler.settle(other);
      if (isAtVenue(settled.state)) return { placed: settled };
      if (isOpen(settled)) return { fault: openFault(settled) };
    }
    return undefined;
  }

  /**
   * Why an order may not be sent: a duplicate of it was sent after this one was requested, so the caller could not know of it. Of
   * several requested at the same moment, the first is sent, unless their callers gave them userrefs.
   */
  sentMeanwhile(body: IntentBody, sentSince: readonly IntentRecord[]): Fault | undefined {
    const duplicates = sentSince.filter(
      (each) => isDuplicateOf(each.body, body) && !haveOwnUserrefs(each, body.order.userref),
    );
    const placed = duplicates.find(({ state }) => isAtVenue(state));
    if (placed !== undefined) return this.#placedFault(placed);
    // What the venue has rejected holds nothing back.
    const open = duplicates.find(isOpen);
    return open && openFault(open);
  }

  /** The order that is the answer in place of a refusal of `sentMeanwhile`. */
  placedBefore(refused: Fault): IntentRecord | undefined {
    return this.#placed.get(refused);
  }

  #placedFault(placed: IntentRecord): Fault {
    const fault = localFault("ELocal:Twin unresolved", { message: placedText(placed) });
    this.#placed.set(fault, placed);
    return fault;
  }

  #isDuplicate(body: IntentBody, other: IntentRecord): boolean {
    return isDuplicateOf(other.body, body) && !this.#isSeparateRequest(other, body.order.userref);
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

function isOpen({ state }: IntentRecord): boolean {
  return OPEN.some((each) => each === state);
}

/** Said beside the first order, in place of a second. */
export function placedText({ userref }: Pick<IntentRecord, "userref">): string {
  return `The same order was sent before as userref ${userref}, and nobody may have heard of it: this is that one. No second order was placed.`;
}

function openFault({ userref, state }: IntentRecord): Fault {
  const how = state === "approved" ? "is already approved and may be about to be sent" : "was sent before";
  return localFault("ELocal:Twin unresolved", {
    message: `The same order ${how} as userref ${userref}, and has no answer yet. Nothing was sent now.`,
    nextAction: `Look with get_order, userref ${userref}, until it is settled: a new order now could double it.`,
  });
}
