/**
 * Twins: an order just like one of which the caller may not know what became. Whoever asks again most likely means that one, so
 * nothing is sent until it is settled and told.
 *
 * A twin is any order that is let through or sent without a settled answer, and any that was settled without anybody having heard
 * of it, as its process died first: now, or when the new one was asked for, as whoever asked knew no more than that. Two names that a
 * caller gave on purpose are two orders while the first is on its way.
 *
 * Source: architecture.md#rule-1; decision 0017.
 */
import { type Fault, localFault, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import { isMintedUserref } from "../core/ids.ts";
import type { IntentBody, IntentRecord } from "../model/intent.ts";
import { isAtVenue, UNRESOLVED_STATES } from "../model/intent-state.ts";
import { isDuplicateOf } from "../model/order-match.ts";
import type { OrderAcknowledgements } from "../reconciliation/order-acknowledgements.ts";
import { longestSendMs, type Reconciler } from "../reconciliation/reconciler.ts";

/** Let through or sent, and not settled. */
const OPEN = ["approved", ...UNRESOLVED_STATES] as const;
/** Orders that a new one is compared with. */
const LOOKED_AT = 100;
/** After this long whoever asks again does not mean what was asked for then. */
export const DUPLICATE_WINDOW_MS = 24 * 3_600_000;

export interface Duplicate {
  /** Why the order that is like it is not sent now. */
  readonly fault: Fault;
  /** The intent whose end the fault tells; absent while it has none. */
  readonly acknowledges?: string;
}

export class DuplicateGuard {
  readonly #context: DeskContext;
  readonly #reconciler: Reconciler;
  readonly #acknowledgements: OrderAcknowledgements;

  constructor(context: DeskContext, reconciler: Reconciler, telling: OrderAcknowledgements) {
    this.#context = context;
    this.#acknowledgements = telling;
    this.#reconciler = reconciler;
  }

  /** What an order that is asked for now may mean. Of all accounts as long as ours is not known. */
  async openAtRequest(): Promise<Result<readonly IntentRecord[]>> {
    const { journal, clock } = this.#context.parts;
    const account = this.#context.knowsAccount ? this.#context.journalAccount() : undefined;
    const since = clock.now() - DUPLICATE_WINDOW_MS;
    const isUnheard = ({ intentId, updatedAtMs }: IntentRecord): boolean =>
      updatedAtMs > since && !this.#acknowledgements.isAcknowledged(intentId);
    const found = await journal.unsure(account, OPEN, LOOKED_AT);
    return found.ok ? ok(found.value.filter((intent) => isOpen(intent) || isUnheard(intent))) : found;
  }

  /**
   * The order that a new one must wait for, settled as far as it can be.
   * @param beside what it may have meant when it was asked for; another caller may have heard of it since
   */
  async find({ order }: IntentBody, beside: Result<readonly IntentRecord[]>): Promise<Duplicate | undefined> {
    const now = await this.openAtRequest();
    if (!now.ok) return { fault: now.fault };
    if (!beside.ok) return { fault: beside.fault };
    const account = this.#context.journalAccount();
    const then = beside.value.filter((each) => each.account === account);
    for (const twin of new Map([...then, ...now.value].map((each) => [each.intentId, each])).values()) {
      if (!this.#isDuplicate(order, twin)) continue;
      const settled = await this.#reconciler.settle(twin);
      if (isAtVenue(settled.state)) return { fault: placedFault(settled), acknowledges: settled.intentId };
      if (isOpen(settled)) return { fault: openFault(settled) };
    }
    return undefined;
  }

  /**
   * Why an order may not leave: one like it was sent since this one was asked for, so whoever asked could not know of it. Of
   * several asked for at the same moment, the first to be sent goes, unless their callers named them.
   */
  sentMeanwhile({ order }: IntentBody, sentSince: readonly IntentRecord[]): Fault | undefined {
    const alike = sentSince.filter((each) => isDuplicateOf(each.body.order, order) && !areNamed(each, order.userref));
    const placed = alike.find(({ state }) => isAtVenue(state));
    if (placed !== undefined) return placedFault(placed);
    // What the venue has refused stands in nobody's way.
    const open = alike.find(isOpen);
    return open && openFault(open);
  }

  #isDuplicate(order: IntentBody["order"], twin: IntentRecord): boolean {
    return isDuplicateOf(twin.body.order, order) && !this.#isSeparateRequest(twin, order.userref);
  }

  /** Named by the caller both times, and the first may simply be on its way: two orders at the same time are meant. */
  #isSeparateRequest(twin: IntentRecord, userref: string | undefined): boolean {
    if (twin.state === "unknown" || !areNamed(twin, userref)) return false;
    const { clock, venue } = this.#context.parts;
    const ageMs = clock.now() - twin.updatedAtMs;
    return ageMs >= 0 && ageMs <= longestSendMs(venue);
  }
}

/** Whether callers gave both orders names of their own. */
function areNamed(twin: IntentRecord, userref: string | undefined): boolean {
  return userref !== undefined && !isMintedUserref(userref) && !isMintedUserref(twin.userref);
}

function isOpen({ state }: IntentRecord): boolean {
  return OPEN.some((each) => each === state);
}

function placedFault({ userref }: IntentRecord): Fault {
  const message =
    `The same order was sent before as userref ${userref}, and whoever asked for it may not have been told; it is now known ` +
    "to be placed. Nothing was sent now.";
  return localFault("ELocal:Twin unresolved", { message });
}

function openFault({ userref, state }: IntentRecord): Fault {
  const how = state === "approved" ? "was let through before and may be about to be sent" : "was sent before";
  return localFault("ELocal:Twin unresolved", {
    message: `The same order ${how} as userref ${userref}, and has no answer yet. Nothing was sent now.`,
    nextAction: `Look with get_order, userref ${userref}, until it is settled: a new order now could double it.`,
  });
}
