/**
 * Finds out what became of what was sent and has no answer, of whatever kind. It queries, it never sends.
 *
 * "Not found" ends an item only where the venue's rule makes it final (`absence.ts`); elsewhere it stays `unknown`, is looked up
 * again and again, and what was found out is kept for the person who decides. What is found counts whenever that is.
 *
 * Source: architecture.md#rule-1, service.md#nonce-fence; decision 0064, decision 0134.
 */
import { defined, type Fault, localFault, ok, type Result } from "../../contract/index.ts";
import { PendingApprovals, type SubmissionKind } from "../approval/pending-approvals.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import { isLookupDue, type ListEvidence, wasJustLookedUp } from "../model/evidence.ts";
import type { ReconcileReport } from "../model/reports.ts";
import { type AnySubmission, isUnresolved, type SubmissionChange } from "../model/submission.ts";
import type { Found, OrdersOptions, Urgency } from "../ports/venue.ts";
import { absenceIsFinal, evidenceAfter, isFenced, lateBy } from "./absence.ts";
import { isAbandoned } from "./lease.ts";

/** Items settled in one pass. */
const PASS_LIMIT = 500;

export type Move<Item extends AnySubmission> = Omit<SubmissionChange<Item>, "from">;

/** What a look-up shows: `fault`, where it shows something else than was asked for. */
export type Seen<Shown> = Found<Shown> | { readonly kind: "cannot_say"; readonly fault: Fault };

/** How a kind is looked up, and what is written down of it. */
export interface SettlingKind<Item extends AnySubmission, Shown> extends SubmissionKind<Item> {
  readonly journal: SubmissionKind<Item>["journal"] & {
    inStates(account: string, states: readonly UnsettledState[], limit: number): Promise<Result<readonly Item[]>>;
  };
  /** The state of one that had no effect. */
  readonly undone: Item["state"];
  isDone(state: Item["state"]): boolean;
  /** What the exchange has made of its one request, asked in the environment that it was sent to. */
  find(item: Item, query: OrdersOptions): Promise<Result<Seen<Shown>>>;
  shownBy(item: Item, shown: Shown): Move<Item>;
  /** `none`: the exchange has nothing of it. `unsent`: let through and never sent. `word`: a person says so. */
  undoneBy(item: Item, why: "none" | "unsent" | "word"): Move<Item>;
  /** Of one that was let through and, as far as is known, not sent, what makes it sent; absent where the exchange is not asked before it ends unsent. */
  sentAs?(item: Item, shown: Shown): Move<Item>;
  /** Whether somebody else ends it where its process dies before it has left. */
  isLookedAfter?(item: Item): boolean;
  /** What the lists of the exchange say besides; absent where there are none. */
  lists?(item: Item): Promise<ListEvidence | undefined>;
  /** As the audit log names it. */
  named(item: Item): { readonly account: string; readonly intentId: string; readonly orderId?: string };
}

type UnsettledState = "awaiting_approval" | "approved" | "submitting" | "unknown";

/** As it then is; `fault`: why the venue could not be queried. */
export interface Settled<Item> {
  readonly after: Item;
  readonly fault?: Fault;
}

export class Reconciler<Item extends AnySubmission, Shown> {
  readonly #context: DeskContext;
  readonly #kind: SettlingKind<Item, Shown>;

  constructor(context: DeskContext, kind: SettlingKind<Item, Shown>) {
    this.#context = context;
    this.#kind = kind;
  }

  /**
   * Settles one item if it can be settled now. One that was looked up a moment ago is not looked up again.
   * @param urgency of a cancel
   * @returns the item as it then is
   */
  async settle(item: Item, urgency?: Urgency): Promise<Item> {
    const isFresh = item.state === "unknown" && wasJustLookedUp(item.body.evidence, this.#now());
    return isFresh ? item : (await this.tryToSettle(item, urgency)).after;
  }

  /** @returns besides, why the venue could not be queried */
  async tryToSettle(item: Item, urgency?: Urgency): Promise<Settled<Item>> {
    if (item.state === "approved") return this.#dropIfAbandoned(item, urgency);
    if (item.state === "awaiting_approval")
      return { after: await new PendingApprovals(this.#context, this.#kind).expireIfDue(item) };
    // Ended by a person's word alone: what the exchange shows later still counts.
    const isByWord = this.#isUndoneByWord(item);
    if (!isUnresolved(item.state) && !isByWord) return { after: item };
    const answer = await this.#find(item, urgency);
    if (!answer.ok) return { after: isByWord ? item : await this.#keepUnknown(item), fault: answer.fault };
    const found = answer.value;
    if (found.kind === "found") return { after: await this.#accept(item, found.item) };
    if (isByWord) return { after: item };
    // A person has said so, and the venue shows nothing else.
    if (item.body.settledBy === "person") return { after: await this.#move(item, this.#kind.undoneBy(item, "word")) };
    if (found.kind === "none" && this.#isFinal(item, found))
      return { after: await this.#move(item, this.#kind.undoneBy(item, "none")) };
    return { after: await this.#keepLooking(item, found, urgency) };
  }

  /**
   * Looks for what was let through and has not left, as far as is known: a store that was put back knows nothing of what it sent since.
   * @returns it as it then is; undefined where the exchange does not have it
   */
  async sentBefore(item: Item, urgency?: Urgency): Promise<Result<Item | undefined>> {
    if (this.#kind.sentAs === undefined) return ok(undefined);
    const answer = await this.#find(item, urgency);
    if (!answer.ok) return answer;
    if (answer.value.kind !== "found") return ok(undefined);
    const shown = answer.value.item;
    const { item: sent, hasMoved } = await this.#tryToMove(item, this.#kind.sentAs(item, shown));
    return ok(hasMoved ? await this.#accept(sent, shown) : sent);
  }

  /** Asks behind the nonce of its request, where that was the same key's: then "none" may be final. */
  async #find(item: Item, urgency: Urgency | undefined): Promise<Result<Seen<Shown>>> {
    const { venue } = this.#context.parts;
    const { environment, keyId } = venue;
    const { body, nonce } = item;
    if (body.environment !== environment) return ok({ kind: "cannot_say", why: "another environment" });
    const isBehind = isFenced(venue) && keyId === body.keyId && nonce !== null;
    const fence = isBehind ? { afterNonce: nonce } : {};
    return this.#kind.find(item, { ...fence, ...urgency });
  }

  /** Whether a person's word alone has ended it as having had no effect. */
  #isUndoneByWord({ state, body }: Pick<Item, "state" | "body">): boolean {
    return state === this.#kind.undone && body.heldBeforeWord !== undefined;
  }

  /** Settles everything of the account that has no answer and is due; stops at the first that the venue cannot be queried for. */
  async reconcile(): Promise<ReconcileReport> {
    const counts = { ...NOTHING_RECONCILED };
    const account = await this.#context.account();
    if (!account.ok) return { ...counts, fault: account.fault };
    const open = await this.#kind.journal.inStates(account.value, ["approved", "submitting", "unknown"], PASS_LIMIT);
    if (!open.ok) return { ...counts, fault: open.fault };
    for (const [index, item] of open.value.entries()) {
      const isDue = isLookupDue(item.body.evidence, this.#now());
      const { after, fault } = isDue ? await this.tryToSettle(item) : { after: item, fault: undefined };
      if (fault !== undefined) {
        const rest = open.value.slice(index).filter((each) => isUnresolved(each.state));
        return { ...counts, still_unknown: counts.still_unknown + rest.length, fault };
      }
      counts.checked += 1;
      const ended = this.#outcomeOf(after);
      if (ended !== undefined) counts[ended] += 1;
    }
    return counts;
  }

  #outcomeOf(item: Item): "accepted" | "not_placed" | "still_unknown" | undefined {
    const { state } = item;
    if (isUnresolved(item.state)) return "still_unknown";
    if (state === this.#kind.undone) return "not_placed";
    return this.#kind.isDone(state) || state === "rejected" ? "accepted" : undefined;
  }

  #isFinal(item: Item, none: Extract<Found<Shown>, { readonly kind: "none" }>): boolean {
    // It has answered once with another one: that none is shown now is no proof of anything.
    if (item.body.fault?.code === "ELocal:Wrong order") return false;
    return absenceIsFinal(this.#context.parts.venue, item, { none, before: item.body.evidence, nowMs: this.#now() });
  }

  async #accept(item: Item, shown: Shown): Promise<Item> {
    const { item: after, hasMoved } = await this.#tryToMove(item, this.#kind.shownBy(item, shown));
    const late = lateBy(item, item.body.evidence, this.#now());
    if (late !== undefined && hasMoved) await recordStep(this.#context, { ...late, ...this.#kind.named(after) });
    return after;
  }

  /** Nothing was heard of it. */
  async #keepUnknown(item: Item): Promise<Item> {
    if (item.state !== "submitting") return item;
    const fault: Fault = item.body.fault ?? localFault("ELocal:No answer");
    return this.#move(item, { to: "unknown", body: { ...item.body, fault } });
  }

  /** It was looked up, and that settles nothing: what is known of it now is kept. */
  async #keepLooking(
    item: Item,
    found: Exclude<Seen<Shown>, { readonly kind: "found" }>,
    urgency: Urgency | undefined,
  ): Promise<Item> {
    const before = item.body.evidence;
    // A cancel does not wait for what is only for a person to read.
    const lists = urgency === undefined ? await this.#kind.lists?.(item) : undefined;
    const isWrong = item.body.fault?.code === "ELocal:Wrong order";
    const evidence = evidenceAfter(this.#context.parts.venue, item, {
      ...{ found: isWrong ? { kind: "cannot_say" } : found, before, nowMs: this.#now() },
      ...defined({ lists }),
    });
    const why = "fault" in found ? found.fault : undefined;
    const fault: Fault = why ?? item.body.fault ?? localFault("ELocal:No answer");
    const body = { ...item.body, fault, evidence };
    // A person's word that came meanwhile must not be written over.
    const ifStill = (now: Item): boolean =>
      now.updatedAtMs === item.updatedAtMs && now.body.settledBy === item.body.settledBy;
    return this.#move(item, { to: "unknown", body, lazy: true, ifStill });
  }

  async #dropIfAbandoned(item: Item, urgency: Urgency | undefined): Promise<Settled<Item>> {
    if (this.#kind.isLookedAfter?.(item) === true || !isAbandoned(this.#context, item)) return { after: item };
    const sent = await this.sentBefore(item, urgency);
    if (!sent.ok) return { after: item, fault: sent.fault };
    // A process that still sends it is kept from doing so by this move.
    return { after: sent.value ?? (await this.#move(item, this.#kind.undoneBy(item, "unsent"))) };
  }

  async #move(item: Item, move: Move<Item>): Promise<Item> {
    return (await this.#tryToMove(item, move)).item;
  }

  /** Moves the item unless another process did, or has begun a new request since; then that counts. */
  async #tryToMove(item: Item, move: Move<Item>): Promise<{ readonly item: Item; readonly hasMoved: boolean }> {
    const { journal, idOf } = this.#kind;
    const change = { from: [item.state], ifNonce: item.nonce, ...move };
    const moved = await journal.advance(idOf(item), change, this.#now());
    if (moved.ok && moved.value !== undefined) return { item: moved.value, hasMoved: true };
    const current = await journal.byId(idOf(item));
    return { item: (current.ok && current.value) || item, hasMoved: false };
  }

  #now(): number {
    return this.#context.parts.clock.now();
  }
}

export const NOTHING_RECONCILED: ReconcileReport = { checked: 0, accepted: 0, not_placed: 0, still_unknown: 0 };

/** Several reports as one; what is still unknown, and the fault, are those of the last. */
export function combinedReport(reports: readonly ReconcileReport[]): ReconcileReport {
  return reports.reduce(
    (all, { fault, ...report }) => ({
      checked: all.checked + report.checked,
      accepted: all.accepted + report.accepted,
      not_placed: all.not_placed + report.not_placed,
      still_unknown: report.still_unknown,
      ...defined({ fault }),
    }),
    NOTHING_RECONCILED,
  );
}
