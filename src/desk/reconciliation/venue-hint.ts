/**
 * What others say about orders, such as a webhook: a reason to look, and never evidence. What an order is, the venue says when it
 * is asked, and an order without an answer is settled as ever, by asking behind the fence.
 *
 * Invariant: nothing of what was said is written down; it decides only whether the venue is asked.
 */
import { type Order, ok, type Result } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import { isLive } from "../model/intent-state.ts";
import { updateFrom } from "../model/intent-transition.ts";
import type { OrderTracker } from "./order-tracker.ts";
import type { Reconciler } from "./reconciler.ts";

export class VenueHints {
  readonly #context: DeskContext;
  readonly #tracker: OrderTracker;
  readonly #reconciler: Reconciler;

  constructor(context: DeskContext, following: OrderTracker, reconciler: Reconciler) {
    this.#context = context;
    this.#tracker = following;
    this.#reconciler = reconciler;
  }

  /**
   * @returns whether it was a reason to ask the venue: of an order that is not ours, or known to be so, nobody is asked. A fault
   * where the venue or the store could not be asked.
   */
  async notice(said: Order): Promise<Result<boolean>> {
    const account = await this.#context.account();
    if (!account.ok) return account;
    const { journal } = this.#context.parts;
    const shown = await journal.byOrderId(account.value, said.orderId);
    if (!shown.ok) return shown;
    if (shown.value !== undefined) return this.#queryIfNew(shown.value, said);
    const { userref } = said;
    if (userref === null) return ok(false);
    const sent = await journal.byUserref(account.value, userref);
    if (!sent.ok) return sent;
    // While it is being submitted its own answer is on the way.
    if (sent.value?.state !== "unknown") return ok(false);
    await this.#reconciler.settle(sent.value);
    return ok(true);
  }

  async #queryIfNew(intent: IntentRecord, said: Order): Promise<Result<boolean>> {
    if (!isLive(intent.state) || updateFrom(intent, said) === undefined) return ok(false);
    const looked = await this.#tracker.query(intent, said.orderId);
    return looked.ok ? ok(true) : looked;
  }
}
