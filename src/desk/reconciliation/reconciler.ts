/**
 * Finds out what became of orders without an answer. It queries, it never sends an order.
 *
 * "Not found" ends an order only where the venue's rule makes it final (`absence.ts`); elsewhere the order stays `unknown`, is looked up
 * again and again, and what was found out is kept for the person who decides. An order that is found counts whenever that is.
 *
 * Source: architecture.md#rule-1, service.md#nonce-fence; decision 0064.
 */
import { type Fault, LIMITS, localFault, type Order, ok, type Result } from "../../contract/index.ts";
import { pendingOrders } from "../approval/pending-approvals.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import { isMintedUserref } from "../core/ids.ts";
import { isLookupDue, wasJustLookedUp } from "../model/evidence.ts";
import type { IntentChange, IntentRecord } from "../model/intent.ts";
import { isAtVenue, isUnresolved } from "../model/intent-state.ts";
import { changeShownBy, isNotPlacedByWord, notPlaced, notSent } from "../model/intent-transition.ts";
import { isOrderOf } from "../model/order-match.ts";
import type { ReconcileReport } from "../model/reports.ts";
import type { Found, Urgency } from "../ports/venue.ts";
import { absenceIsFinal, evidenceAfter, lateBy } from "./absence.ts";
import { isAbandoned } from "./lease.ts";
import { areListsOld, listEvidence } from "./order-evidence.ts";
import { reconcileBatch } from "./reconcile-batch.ts";
import { wrongOrderFault } from "./wrong-order.ts";

/** Intents settled in one pass. */
const PASS_LIMIT = 500;
/** Clocks are never quite right. */
const CLOCK_SLACK_MS = 10_000;
const EVERYWHERE = new Set(["open", "closed", "canceled"] as const);

export class Reconciler {
  readonly #context: DeskContext;

  constructor(context: DeskContext) {
    this.#context = context;
  }

  /**
   * Settles one intent if it can be settled now. One that was looked up a moment ago is not looked up again.
   * @param urgency of a cancel
   * @returns the intent as it then is
   */
  async settle(intent: IntentRecord, urgency?: Urgency): Promise<IntentRecord> {
    const isFresh =
      intent.state === "unknown" && wasJustLookedUp(intent.body.evidence, this.#context.parts.clock.now());
    return isFresh ? intent : (await this.tryToSettle(intent, urgency)).after;
  }

  /** @returns besides, why the venue could not be queried */
  async tryToSettle(
    intent: IntentRecord,
    urgency?: Urgency,
  ): Promise<{ readonly after: IntentRecord; readonly fault?: Fault }> {
    if (intent.state === "approved") return { after: await this.#dropIfAbandoned(intent) };
    if (intent.state === "awaiting_approval") return { after: await pendingOrders(this.#context).expireIfDue(intent) };
    const isByWord = isNotPlacedByWord(intent);
    if (!isUnresolved(intent.state) && !isByWord) return { after: intent };
    const answer = await this.#find(intent, urgency);
    if (!answer.ok) return { after: isByWord ? intent : await this.#keepUnknown(intent), fault: answer.fault };
    const found = answer.value;
    const wrong = found.kind === "found" ? await wrongOrderFault(this.#context, intent, found.item) : undefined;
    if (found.kind === "found" && wrong === undefined) return { after: await this.#accept(intent, found.item) };
    if (isByWord) return { after: intent };
    // A person has said so, and the venue shows nothing else.
    if (intent.body.settledBy === "person") return { after: await this.#release(intent) };
    const shown = found.kind === "found" ? ({ kind: "cannot_say" } as const) : found;
    if (shown.kind === "cannot_say") return { after: await this.#keepLooking(intent, shown, urgency, wrong) };
    // It has answered once with another order: that none is shown now is no proof of anything.
    if (intent.body.fault?.code === "ELocal:Wrong order")
      return { after: await this.#keepLooking(intent, { kind: "cannot_say" }, urgency) };
    const { venue, clock } = this.#context.parts;
    const looked = { none: shown, before: intent.body.evidence, nowMs: clock.now() };
    if (absenceIsFinal(venue, intent, looked)) return { after: await this.#release(intent) };
    return { after: await this.#keepLooking(intent, shown, urgency) };
  }

  /** Settles every unresolved intent of the account that is due; stops at the first that the venue cannot be queried for. */
  async reconcile(): Promise<ReconcileReport> {
    const { clock } = this.#context.parts;
    return reconcileBatch<IntentRecord>(this.#context, {
      open: (account) =>
        this.#context.parts.journal.inStates(account, ["approved", "submitting", "unknown"], PASS_LIMIT),
      settle: async (intent) =>
        isLookupDue(intent.body.evidence, clock.now()) ? this.tryToSettle(intent) : { after: intent },
      outcome: ({ state }) => {
        if (isUnresolved(state)) return "still_unknown";
        if (state === "not_placed") return "not_placed";
        return isAtVenue(state) || state === "rejected" ? "accepted" : undefined;
      },
    });
  }

  /**
   * The venue's order of this intent. `cannot_say` when an order with our userref and our fields may be ours but is not surely: then
   * nothing is decided here, as freeing the intent could double the order; a person can. An order with other fields is another
   * program's under the same name; under a name that only we can have given, it is ours and wrong, and is returned.
   */
  async #find(intent: IntentRecord, urgency?: Urgency): Promise<Result<Found>> {
    const { venue, clock } = this.#context.parts;
    const { order } = intent.body;
    if (intent.body.environment !== venue.environment) return ok({ kind: "cannot_say", why: "another environment" });
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
    const item = sinceThen.find(isAlike) ?? (isMinted ? orders.find((seen) => !isAlike(seen)) : undefined);
    if (item !== undefined) return ok({ kind: "found", item });
    if (orders.some(isAlike)) return ok({ kind: "cannot_say", why: "an order alike may be of another time" });
    return ok({ kind: "none", covers: EVERYWHERE, atMs: clock.now() + (venue.clockOffsetMs() ?? 0) });
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
    const { settledBy, evidence, heldBeforeWord, ...body } = intent.body;
    // What a person's word had freed counts again.
    const live = heldBeforeWord === undefined ? {} : { hold: { krw: heldBeforeWord, isLive: true } };
    const change =
      settledBy === undefined
        ? changeShownBy(body, order)
        : {
            ...live,
            ...changeShownBy({ ...body, contradicted: true }, order),
            detail: { contradicts: "a person's word" },
          };
    const after = await this.#move(intent, change);
    const late = lateBy(intent, evidence, this.#context.parts.clock.now());
    if (late === undefined || after.orderId !== order.orderId) return after;
    const { account, intentId } = intent;
    await recordStep(this.#context, { ...late, account, intentId, orderId: order.orderId });
    return after;
  }

  async #release(intent: IntentRecord): Promise<IntentRecord> {
    return this.#move(intent, notPlaced(intent));
  }

  /** Nothing was heard of it. */
  async #keepUnknown(intent: IntentRecord): Promise<IntentRecord> {
    if (intent.state !== "submitting") return intent;
    const fault: Fault = intent.body.fault ?? localFault("ELocal:No answer");
    return this.#move(intent, { to: "unknown", body: { ...intent.body, fault } });
  }

  /** It was looked up, and that settles nothing: what is known of it now is kept. */
  async #keepLooking(
    intent: IntentRecord,
    found: Exclude<Found, { readonly kind: "found" }> | { readonly kind: "cannot_say" },
    urgency: Urgency | undefined,
    why?: Fault,
  ): Promise<IntentRecord> {
    const { venue, clock } = this.#context.parts;
    const before = intent.body.evidence;
    // A cancel does not wait for what is only for a person to read.
    const isWanted = urgency === undefined && areListsOld(before?.lists, clock.now());
    const lists = isWanted ? await listEvidence(this.#context, intent) : undefined;
    const evidence = evidenceAfter(venue, intent, { found, before, nowMs: clock.now(), lists });
    const fault: Fault = why ?? intent.body.fault ?? localFault("ELocal:No answer");
    return this.#move(intent, {
      to: "unknown",
      body: { ...intent.body, fault, evidence },
      lazy: true,
      // A person's word that came meanwhile must not be written over.
      ifStill: ({ updatedAtMs, body }) =>
        updatedAtMs === intent.updatedAtMs && body.settledBy === intent.body.settledBy,
    });
  }

  async #dropIfAbandoned(intent: IntentRecord): Promise<IntentRecord> {
    if (!isAbandoned(this.#context, intent)) return intent;
    // A process that still sends it is kept from doing so by this move.
    return this.#move(intent, notSent(intent.body));
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
