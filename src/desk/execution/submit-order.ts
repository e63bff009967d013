/**
 * Sends orders by the way of what is sent once. What replaces another order is sent only when that one is gone, and is judged once more then.
 *
 * Source: architecture.md#rule-1, architecture.md#rule-3; decision 0029.
 */
import type { Fault } from "../../contract/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentRecord } from "../model/intent.ts";
import type { OrderReconciler } from "../reconciliation/order-lookup.ts";
import { type Request, type Step, SubmitOnce } from "../submission/submit.ts";
import type { Assessed } from "./assess-order.ts";
import type { Answered, OrderKind } from "./order-kind.ts";
import { makeRoom } from "./replaced-order.ts";
import { userrefFault } from "./userref-check.ts";
import type { VerifiedCancel } from "./verified-cancel.ts";

export type OrderStep = Step<IntentRecord>;

export class SubmitOrder {
  readonly #context: DeskContext;
  readonly #once: SubmitOnce<IntentRecord, Answered, Assessed>;
  readonly #reconciler: OrderReconciler;
  readonly #cancels: () => VerifiedCancel;

  constructor(context: DeskContext, kind: OrderKind, reconciler: OrderReconciler, cancels: () => VerifiedCancel) {
    this.#context = context;
    this.#once = new SubmitOnce(context, kind, reconciler);
    this.#reconciler = reconciler;
    this.#cancels = cancels;
  }

  /**
   * Sends an approved intent, or ends it unsent.
   * @param fresh an assessment made just now that allows the order
   */
  async submit(intent: IntentRecord, request: Request, fresh?: Assessed): Promise<OrderStep> {
    return this.#once.held(intent, request, () => this.#submit(intent, request, fresh));
  }

  async #submit(intent: IntentRecord, request: Request, fresh?: Assessed): Promise<OrderStep> {
    const { replaces } = intent.body;
    if (replaces === undefined) return this.#once.send(intent, request, fresh);
    const change = { replaces, lookedAtMs: fresh?.lookedAtMs, withdrawn: request.withdrawn };
    const { body, fault } = await makeRoom(this.#context, this.#cancels(), intent, change);
    const room = { ...intent, body };
    const step =
      fault === undefined ? await this.#once.send(room, request) : await this.#once.end(room, "lapsed", fault);
    const { ended } = body.replaces ?? {};
    if (ended === undefined) return step;
    // Another process may have given it up meanwhile, and knows nothing of the cancel.
    return { ...step, item: { ...step.item, body: { ...step.item.body, replaces: { ...replaces, ended } } } };
  }

  /**
   * Sends what was approved and never sent, as its process died; the venue may know better, as this journal may be an older copy.
   * @param isDue asked behind the venue; where it is no more the intent stays as it is
   */
  async submitLeftOver(intent: IntentRecord, request: Request, isDue = () => true): Promise<OrderStep> {
    const fault = await userrefFault(this.#context, intent.body.order);
    if (fault === undefined) return isDue() ? this.submit(intent, request) : { item: intent, warnings: [] };
    return isInUse(fault) ? this.#sentBefore(intent, fault) : this.#once.end(intent, "undone", fault);
  }

  /** Ends the same unsent, unless another process has begun to send it meanwhile; where the venue cannot be asked it stays as it is. */
  async dropLeftOver(intent: IntentRecord, why: Fault): Promise<OrderStep> {
    const fault = await userrefFault(this.#context, intent.body.order);
    if (fault === undefined) return this.#once.end(intent, "lapsed", why);
    return isInUse(fault) ? this.#sentBefore(intent, fault) : { item: intent, warnings: [] };
  }

  /** It was sent since this copy of the journal was made; or another order has its name, by `fault`. */
  async #sentBefore(intent: IntentRecord, fault: Fault): Promise<OrderStep> {
    const sent = await this.#reconciler.sentBefore(intent);
    if (sent.ok && sent.value === undefined) return this.#once.end(intent, "denied", fault);
    return { item: (sent.ok && sent.value) || intent, warnings: [] };
  }

  /** What became of an intent that was requested before. */
  reportExisting(intent: IntentRecord): Promise<OrderStep> {
    return this.#once.reportExisting(intent);
  }
}

function isInUse({ code }: Fault): boolean {
  return code === "ELocal:Userref in use";
}
