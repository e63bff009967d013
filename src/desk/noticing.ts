/**
 * What others say about orders, such as a webhook: a reason to look, and never evidence. What an order is, the venue says when it
 * is asked, and an order without an answer is settled as ever, by asking behind the fence.
 *
 * Invariant: nothing of what was said is written down; it decides only whether the venue is asked.
 */
import { type Order, ok, type Result } from "../contract/index.ts";
import { type DeskContext, stored } from "./context.ts";
import { newsOf } from "./evidence.ts";
import type { Following } from "./following.ts";
import { isLive } from "./intent.ts";
import type { IntentRecord } from "./ports.ts";
import type { Reconciler } from "./reconciler.ts";

export class Noticing {
  private readonly context: DeskContext;
  private readonly following: Following;
  private readonly reconciler: Reconciler;

  constructor(context: DeskContext, following: Following, reconciler: Reconciler) {
    this.context = context;
    this.following = following;
    this.reconciler = reconciler;
  }

  /**
   * @returns whether it was a reason to ask the venue: of an order that is not ours, or known to be so, nobody is asked. A fault
   * where the venue or the store could not be asked.
   */
  async notice(said: Order): Promise<Result<boolean>> {
    const account = await this.context.account();
    if (!account.ok) return account;
    const { journal } = this.context.parts;
    const shown = await stored(() => journal.byOrderId(account.value, said.orderId));
    if (!shown.ok) return shown;
    if (shown.value !== undefined) return this.followed(shown.value, said);
    const { userref } = said;
    if (userref === null) return ok(false);
    const sent = await stored(() => journal.byUserref(account.value, userref));
    if (!sent.ok) return sent;
    // While it is being submitted its own answer is on the way.
    if (sent.value?.state !== "unknown") return ok(false);
    await this.reconciler.settle(sent.value);
    return ok(true);
  }

  private async followed(intent: IntentRecord, said: Order): Promise<Result<boolean>> {
    if (!isLive(intent.state) || newsOf(intent, said) === undefined) return ok(false);
    const looked = await this.following.look(intent, said.orderId);
    return looked.ok ? ok(true) : looked;
  }
}
