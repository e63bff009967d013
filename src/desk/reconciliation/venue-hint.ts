/**
 * Reports about orders from elsewhere, such as a webhook: a reason to query the venue, never evidence. An order's state is what the
 * venue answers, and an order without an answer is settled as ever, by a query of our own.
 *
 * Invariant: nothing of such a report is stored; it only decides whether the venue is queried.
 */
import { type Order, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import { isLive } from "../model/intent-state.ts";
import { isNotPlacedByWord, updateFrom } from "../model/intent-transition.ts";
import type { OrderReconciler } from "./order-lookup.ts";
import type { OrderTracker } from "./order-tracker.ts";

export class VenueHints {
  readonly #context: DeskContext;
  readonly #tracker: OrderTracker;
  readonly #reconciler: OrderReconciler;

  constructor(context: DeskContext, tracker: OrderTracker, reconciler: OrderReconciler) {
    this.#context = context;
    this.#tracker = tracker;
    this.#reconciler = reconciler;
  }

  /**
   * @returns whether the venue was queried: not for an order that is not ours, or is known to be so. A fault where the venue or the
   * store could not be read.
   */
  async notice(hint: Order): Promise<Result<boolean>> {
    const account = await this.#context.account();
    if (!account.ok) return account;
    const { journal } = this.#context.parts;
    const shown = await journal.byOrderId(account.value, hint.orderId);
    if (!shown.ok) return shown;
    if (shown.value !== undefined) return this.#queryIfNew(shown.value, hint);
    const { userref } = hint;
    if (userref === null) return ok(false);
    const sent = await journal.byUserref(account.value, userref);
    if (!sent.ok) return sent;
    // While it is being submitted its own answer is on the way.
    if (sent.value?.state !== "unknown" && !(sent.value && isNotPlacedByWord(sent.value))) return ok(false);
    await this.#reconciler.settle(sent.value);
    return ok(true);
  }

  async #queryIfNew(intent: IntentRecord, hint: Order): Promise<Result<boolean>> {
    if (!isLive(intent.state) || updateFrom(intent, hint) === undefined) return ok(false);
    const shown = await this.#tracker.query(intent, hint.orderId);
    return shown.ok ? ok(true) : shown;
  }
}
