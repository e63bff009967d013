/**
 * Finds out what became of orders without an answer. It queries, it never sends an order.
 *
 * The nonce fence makes "not found" final: once the venue has answered a query with a larger nonce of the same key, the
 * lost request can no longer take effect. Where the fence does not hold (another key, a venue without the rule),
 * "not found" is believed only after the request's deadline is long past.
 *
 * Source: architecture.md#rule-1, service.md#nonce-fence.
 */
import { type Fault, LIMITS, localFault, type Order, ok, type Result } from "../../contract/index.ts";
import { pendingOrders } from "../approval/pending-approvals.ts";
import type { DeskContext } from "../core/context.ts";
import { isMintedUserref } from "../core/ids.ts";
import type { IntentChange, IntentRecord } from "../model/intent.ts";
import { isAtVenue, isUnresolved } from "../model/intent-state.ts";
import { changeShownBy, notPlaced } from "../model/intent-transition.ts";
import { isOrderOf } from "../model/order-match.ts";
import type { ReconcileReport } from "../model/reports.ts";
import type { Urgency, Venue } from "../ports/venue.ts";
import { reconcileBatch } from "./reconcile-batch.ts";
import { wrongOrderFault } from "./wrong-order.ts";

/** Intents settled in one pass. */
const PASS_LIMIT = 500;
/** An intent that was approved and not sent for this long belongs to a process that died. */
export const APPROVED_MAX_AGE_MS = 30_000;
/** Added to the deadline, as clocks are never quite right. */
const CLOCK_SLACK_MS = 10_000;

/** A request that has no answer this long after it was sent will get none: twice the deadline, as it may wait in the network. */
export function longestSendMs({ writeTimeoutMs }: Pick<Venue, "writeTimeoutMs">): number {
  return 2 * writeTimeoutMs + CLOCK_SLACK_MS;
}

/** Whether "not found" proves that the request cannot take effect any more. Holds for transfers as for orders. */
export async function absenceIsFinal(context: DeskContext, sent: SentRequest): Promise<boolean> {
  const { venue, clock } = context.parts;
  if (venue.nonceFence && venue.keyId === sent.body.keyId && sent.nonce !== null) return true;
  // It must have passed by our clock and by the venue's (a nonce is its time in milliseconds), as either may jump.
  const longestMs = longestSendMs(venue);
  const time = await venue.time();
  const sentAtMs = Number(sent.nonce ?? sent.updatedAtMs); // not money: a time
  return clock.now() - sent.updatedAtMs > longestMs && time.ok && time.value.unix_ms - sentAtMs > longestMs;
}

/** A request that was numbered, and by which key. */
interface SentRequest {
  readonly nonce: string | null;
  readonly updatedAtMs: number;
  readonly body: { readonly keyId: string };
}

export class Reconciler {
  readonly #context: DeskContext;

  constructor(context: DeskContext) {
    this.#context = context;
  }

  /**
   * Settles one intent if it can be settled now.
   * @param urgency of a cancel
   * @returns the intent as it then is
   */
  async settle(intent: IntentRecord, urgency?: Urgency): Promise<IntentRecord> {
    return (await this.tryToSettle(intent, urgency)).after;
  }

  /** @returns besides, why the venue could not be queried */
  async tryToSettle(
    intent: IntentRecord,
    urgency?: Urgency,
  ): Promise<{ readonly after: IntentRecord; readonly fault?: Fault }> {
    if (intent.state === "approved") return { after: await this.#dropIfAbandoned(intent) };
    if (intent.state === "awaiting_approval") return { after: await pendingOrders(this.#context).expireIfDue(intent) };
    if (!isUnresolved(intent.state)) return { after: intent };
    const found = await this.#find(intent, urgency);
    if (!found.ok) return { after: await this.#keepUnknown(intent), fault: found.fault };
    const order = typeof found.value === "string" ? undefined : found.value;
    const wrong = order && (await wrongOrderFault(this.#context, intent, order));
    if (order !== undefined && wrong === undefined) return { after: await this.#accept(intent, order) };
    // A person has said so, and the venue shows nothing else.
    if (intent.body.settledBy === "person") return { after: await this.#release(intent) };
    if (found.value !== "none") return { after: await this.#keepUnknown(intent, wrong) };
    // It has answered once with another order: that none is shown now is no proof of anything.
    if (intent.body.fault?.code === "ELocal:Wrong order") return { after: intent };
    return {
      after: await ((await absenceIsFinal(this.#context, intent)) ? this.#release(intent) : this.#keepUnknown(intent)),
    };
  }

  /** Settles every unresolved intent of the account; stops at the first that the venue cannot be queried for. */
  async reconcile(): Promise<ReconcileReport> {
    return reconcileBatch<IntentRecord>(this.#context, {
      open: (account) =>
        this.#context.parts.journal.inStates(account, ["approved", "submitting", "unknown"], PASS_LIMIT),
      settle: (intent) => this.tryToSettle(intent),
      outcome: ({ state }) => {
        if (isUnresolved(state)) return "still_unknown";
        if (state === "not_placed") return "not_placed";
        return isAtVenue(state) || state === "rejected" ? "accepted" : undefined;
      },
    });
  }

  /**
   * The venue's order of this intent. `unclear` when an order with our userref and our fields may be ours but is not surely: then
   * nothing is decided here, as freeing the intent could double the order; a person can. An order with other fields is another
   * program's under the same name; under a name that only we can have given, it is ours and wrong, and is returned.
   */
  async #find(intent: IntentRecord, urgency?: Urgency): Promise<Result<Order | "none" | "unclear">> {
    const { venue } = this.#context.parts;
    const { order } = intent.body;
    if (intent.body.environment !== venue.environment) return ok("unclear");
    const fence = venue.keyId === intent.body.keyId && intent.nonce !== null ? { afterNonce: intent.nonce } : undefined;
    const answer = await venue.orders(
      { userref: intent.userref, symbol: order.symbol, state: "all" },
      { ...fence, ...urgency },
    );
    if (!answer.ok) return answer;
    const { orders } = answer.value;
    // A userref that a person chose may be on an order of another day or machine. One that we minted is not.
    const isMinted = isMintedUserref(intent.userref);
    const notBefore = isMinted ? Number.NEGATIVE_INFINITY : this.#earliestMs(intent);
    const sinceThen = orders.filter((seen) => Date.parse(seen.created_at) >= notBefore);
    const isAlike = (seen: Order): boolean => isOrderOf(seen, order);
    return ok(
      sinceThen.find(isAlike) ?? (orders.some(isAlike) ? "unclear" : ((isMinted ? orders[0] : undefined) ?? "none")),
    );
  }

  /** When an order of this intent can have been made at the earliest, by the venue's clock. */
  #earliestMs({ createdAtMs, nonce }: IntentRecord): number {
    const { venue, clock } = this.#context.parts;
    const offsetMs = venue.clockOffsetMs();
    const isClockRight = offsetMs !== undefined && createdAtMs <= clock.now() + CLOCK_SLACK_MS;
    // Made in what is now the future: the clock was set since, and nothing is known of how wrong it was then.
    if (!isClockRight) return createdAtMs + (offsetMs ?? 0) - LIMITS.userrefWindowMs;
    // A nonce is the venue's time as it was known then, which holds whatever our clock was set to.
    const sentAtMs = nonce === null ? Number.POSITIVE_INFINITY : Number(nonce); // not money: a time
    return Math.min(createdAtMs + offsetMs, sentAtMs) - CLOCK_SLACK_MS;
  }

  async #accept(intent: IntentRecord, order: Order): Promise<IntentRecord> {
    const { settledBy, ...body } = intent.body;
    if (settledBy === undefined) return this.#move(intent, changeShownBy(body, order));
    const detail = { contradicts: "a person's word" };
    return this.#move(intent, { ...changeShownBy({ ...body, contradicted: true }, order), detail });
  }

  async #release(intent: IntentRecord): Promise<IntentRecord> {
    return this.#move(intent, notPlaced(intent.body));
  }

  async #keepUnknown(intent: IntentRecord, why?: Fault): Promise<IntentRecord> {
    const fault: Fault = why ?? intent.body.fault ?? localFault("ELocal:No answer");
    const body = { ...intent.body, fault };
    if (intent.state === "submitting") return this.#move(intent, { to: "unknown", body });
    return why === undefined ? intent : { ...intent, body };
  }

  async #dropIfAbandoned(intent: IntentRecord): Promise<IntentRecord> {
    const ageMs = this.#context.parts.clock.now() - intent.updatedAtMs;
    // A process that still sends it is kept from doing so by the move to `not_placed`. The absolute age is taken, as a clock that was
    // set back must not keep it for hours.
    if (Math.abs(ageMs) < APPROVED_MAX_AGE_MS) return intent;
    return this.#release(intent);
  }

  /** Moves the intent unless another process did, or has begun a new request since; then that counts. */
  async #move(intent: IntentRecord, change: Omit<IntentChange, "from">): Promise<IntentRecord> {
    const { journal, clock } = this.#context.parts;
    const moved = await journal.advance(
      intent.intentId,
      { from: [intent.state], ifNonce: intent.nonce, ...change },
      clock.now(),
    );
    if (moved.ok && moved.value !== undefined) return moved.value;
    const current = await journal.byId(intent.intentId);
    return current.ok && current.value !== undefined ? current.value : intent;
  }
}
