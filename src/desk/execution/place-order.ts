/**
 * The way of an order up to its submission: build, look for duplicates, check, approve, record. An order that was requested before is
 * looked up, never sent again.
 *
 * Source: architecture.md#rule-1, architecture.md#rule-2, architecture.md#rule-3.
 */
import { type Fault, ok, type Result } from "../../contract/index.ts";
import { quantity } from "../../decimal/index.ts";
import { pendingOrders } from "../approval/pending-approvals.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import type { IntentBody, IntentRecord, OrderRequest } from "../model/intent.ts";
import { isNotPlacedByWord } from "../model/intent-transition.ts";
import { requestOf } from "../model/order-body.ts";
import { deniedOrder, intentReport } from "../model/order-report.ts";
import type { WriteReport } from "../model/reports.ts";
import type { MarketAndAccount } from "../queries/market-and-account.ts";
import {
  availableSoon,
  dustLeft,
  dustWarnings,
  leftOver,
  orderWarnings,
  type WarningFacts,
} from "../risk/order-warnings.ts";
import { type Assessment, denialOf } from "../risk/pre-trade-check.ts";
import { shortWarnings } from "../risk/protected-coins.ts";
import { withdrawal } from "../submission/withdrawn.ts";
import { type AssessOrderParts, assessOrder } from "./assess-order.ts";
import { buildOrder } from "./build-order.ts";
import { type DuplicateGuard, placedText } from "./duplicate-guard.ts";
import { useDraft } from "./order-draft.ts";
import { withProposals } from "./order-outlook.ts";
import { existingIntent, recordIntent } from "./record-intent.ts";
import type { SeenOrder } from "./replaced-order.ts";
import { type ApprovalReason, requestApproval } from "./request-approval.ts";
import type { SubmitOrder } from "./submit-order.ts";
import { remembersAll, userrefFault } from "./userref-check.ts";

export type PlaceRequest = OrderRequest | { readonly draft_id: string };

/** Who asked for an order, when, and what it may duplicate. */
export interface Asked {
  readonly requestedAtMs: number;
  readonly openAtRequest: Awaited<ReturnType<DuplicateGuard["openAtRequest"]>>;
  /** The same, where it was read once more since. */
  readonly openLately?: Asked["openAtRequest"];
  readonly session: string | undefined;
  /** Fires when it is withdrawn. */
  readonly withdrawn: AbortSignal | undefined;
}

/** Of a userref. `minted`: just now, by the desk; `given`: by the caller, in this very call; `kept`: it was written down before, or follows from what was. */
export type NameOrigin = "minted" | "given" | "kept";

/** A step on the way: what the next one needs, or the report that it ends with. */
type Passed<Next> = { readonly go: Next } | { readonly ended: WriteReport };

interface Named {
  readonly name: NameOrigin;
  /** Recorded by this very request before, and not placed. */
  readonly earlier: IntentRecord | undefined;
}

export interface PlaceOrderParts extends AssessOrderParts {
  readonly submission: SubmitOrder;
  readonly duplicates: DuplicateGuard;
  readonly queries: () => MarketAndAccount;
}

export class PlaceOrder {
  readonly #context: DeskContext;
  readonly #parts: PlaceOrderParts;
  /** Approvals are requested one at a time: of equal orders placed at the same moment, the second finds the first waiting. */
  #approvalRequested: Promise<unknown> = Promise.resolve();

  constructor(parts: PlaceOrderParts) {
    this.#context = parts.context;
    this.#parts = parts;
  }

  /** @param session of the client that asks: its person alone may approve it there */
  async place(request: PlaceRequest, session?: string, withdrawn?: AbortSignal): Promise<WriteReport> {
    const asked = await this.asked(session, withdrawn);
    const body = await this.#build(request);
    if (!body.ok) return this.#notSent(body.fault);
    if ("draft_id" in request) return this.placeBuilt(body.value, asked, "kept");
    return this.placeBuilt(body.value, asked, request.userref === undefined ? "minted" : "given");
  }

  /** What holds when something is asked for, to be read before anything else. */
  async asked(session: string | undefined, withdrawn: AbortSignal | undefined): Promise<Asked> {
    const requestedAtMs = this.#context.parts.clock.now();
    return { requestedAtMs, openAtRequest: await this.#parts.duplicates.openAtRequest(), session, withdrawn };
  }

  /** @param name where its userref is from @param seen the order that it replaces, as it was found a moment ago */
  async placeBuilt(body: IntentBody, asked: Asked, name: NameOrigin, seen?: SeenOrder): Promise<WriteReport> {
    const earlier = await this.#earlier(body, asked, name);
    if ("ended" in earlier) return earlier.ended;
    const duplicate = await this.#duplicate(body, asked);
    if (duplicate !== undefined) return duplicate;
    const taking = this.#taken(body, asked, { name, earlier: earlier.go });
    // What a change asks the exchange stands in the lane together. Any other order is judged by the book as it is after that wait.
    const taken = body.replaces === undefined ? await taking : undefined;
    const judged = taken === undefined ? await this.#judged(body, asked, taking, seen) : { ended: taken };
    return "ended" in judged ? judged.ended : this.#recorded(body, asked, judged.go);
  }

  /** What this very request has recorded before: the answer, unless it is proven not to have been placed. */
  async #earlier(body: IntentBody, asked: Asked, name: NameOrigin): Promise<Passed<IntentRecord | undefined>> {
    // A userref that was minted for this very order, or found free for this change, is looked for where it is recorded.
    const isNew = name === "minted" || body.replaces !== undefined;
    const existing = isNew ? ok(undefined) : await existingIntent(this.#context, body);
    if (!existing.ok) return { ended: this.#notSent(existing.fault) };
    const intent = existing.value;
    if (intent !== undefined && intent.state !== "not_placed") return { ended: await this.#resume(intent, asked) };
    if (intent === undefined || !isNotPlacedByWord(intent)) return { go: intent };
    // Over a person's word alone the exchange may show by now that it was placed.
    const { item, warnings } = await this.#parts.submission.reportExisting(intent);
    if (item.state === "not_placed") return { go: intent };
    return { ended: intentReport(this.#context.stamp(), item, warnings) };
  }

  /** Another order that this one may mean, here. */
  async #duplicate(body: IntentBody, { openAtRequest, openLately }: Asked): Promise<WriteReport | undefined> {
    const duplicate = await this.#parts.duplicates.find(body, openAtRequest, openLately);
    if (duplicate?.instead !== undefined) return this.#answeredBy(duplicate.instead);
    return duplicate && this.#unjudged(body, duplicate.fault);
  }

  /** The same at the exchange. */
  async #taken(body: IntentBody, asked: Asked, { name, earlier }: Named): Promise<WriteReport | undefined> {
    // A person who has looked there has said that what has this userref is another order.
    const isFree = name === "minted" || earlier?.body.settledBy === "person";
    const isTold = name === "given" && earlier === undefined && (await remembersAll(this.#context));
    return isFree || isTold ? undefined : this.#takenAtVenue(body, asked);
  }

  async #judged(
    body: IntentBody,
    { withdrawn }: Asked,
    taking: Promise<WriteReport | undefined>,
    seen: SeenOrder | undefined,
  ): Promise<Passed<Assessment>> {
    const [taken, assessment] = await Promise.all([taking, assessOrder(this.#parts, body, seen)]);
    if (taken !== undefined) return { ended: taken };
    if (!assessment.ok) return { ended: await this.#unjudged(body, assessment.fault) };
    const { policy, verdict } = assessment.value;
    const denial = withdrawal(withdrawn) ?? (verdict.kind === "ask" ? undefined : denialOf(verdict, policy));
    return denial === undefined ? { go: assessment.value } : { ended: await this.#deny(body, denial) };
  }

  /** On disk, to wait for a person or to be sent at once. */
  async #recorded(body: IntentBody, asked: Asked, assessment: Assessment): Promise<WriteReport> {
    const { verdict } = assessment;
    const facts = this.#facts(body, assessment);
    const warnings = [...orderWarnings(facts), ...shortWarnings(assessment)];
    if (verdict.kind !== "ask") return this.#send(body, assessment, asked, warnings);
    const dust = await this.#dust(facts, false);
    return this.#requestApproval(body, assessment, { ...verdict, ...asked }, [...warnings, ...dust]);
  }

  async #send(
    body: IntentBody,
    assessment: Assessment,
    asked: Asked,
    warnings: readonly string[],
  ): Promise<WriteReport> {
    const intentId = this.#context.parts.ids.intentId();
    const intent = await recordIntent(this.#context, body, { intentId, state: "approved" });
    if (!intent.ok) return this.#notSent(intent.fault);
    const isOthers = body.replaces !== undefined && intent.value.intentId !== intentId;
    if (intent.value.state !== "approved" || isOthers) return this.#resume(intent.value, asked);
    const step = await this.#parts.submission.submit(intent.value, asked, assessment);
    if (step.instead !== undefined) return this.#answeredBy(step.instead);
    const report = intentReport(this.#context.stamp(), step.item, [...warnings, ...step.warnings]);
    if (report.outcome === "accepted") {
      const isSell = body.order.side === "sell";
      const dust = isSell
        ? this.#dust(this.#facts(body, assessment), true)
        : dustLeft(this.#context, step.item.body.seen === undefined ? [] : [step.item.body.seen]);
      return { ...report, warnings: [...report.warnings, ...(await dust)] };
    }
    if (report.outcome !== "rejected" || body.replaces !== undefined) return report;
    return withProposals(this.#context, this.#parts.queries(), requestOf(body.order), report);
  }

  #build(request: PlaceRequest): Promise<Result<IntentBody>> {
    return "draft_id" in request ? useDraft(this.#context, request.draft_id) : buildOrder(this.#context, request);
  }

  /** The report of an order whose userref the venue has an order under already; undefined where it has none. */
  async #takenAtVenue(body: IntentBody, asked: Asked): Promise<WriteReport | undefined> {
    const fault = await userrefFault(this.#context, body.order);
    if (fault === undefined) return undefined;
    // Another call for the same order may have sent it since this one looked for it in the journal.
    const ours = await existingIntent(this.#context, body);
    const isSent = ours.ok && ours.value !== undefined && ours.value.state !== "not_placed";
    if (isSent && ours.value !== undefined) return this.#resume(ours.value, asked);
    return fault.code === "ELocal:Userref in use" ? this.#notSent(fault) : this.#unjudged(body, fault);
  }

  /**
   * An order that was requested before. One that was approved and never sent may belong to a process that died: the first process
   * that is asked again sends it now. A person's approval, though, was for that one submission, and another order was to go for that one alone.
   */
  async #resume(intent: IntentRecord, asked: Pick<Asked, "requestedAtMs" | "withdrawn">): Promise<WriteReport> {
    const { submission } = this.#parts;
    const { approval, replaces } = intent.body;
    const isUnsent = intent.state === "approved" && approval === undefined && replaces === undefined;
    const step = isUnsent ? await submission.submitLeftOver(intent, asked) : await submission.reportExisting(intent);
    return intentReport(this.#context.stamp(), step.item, step.warnings);
  }

  /** Of what cannot be judged now, a halt is reported before all else: asking again would not help. */
  async #unjudged(body: IntentBody, fault: Fault): Promise<WriteReport> {
    const halted = await this.#parts.check.haltFault();
    return halted === undefined ? this.#notSent(fault) : this.#deny(body, halted);
  }

  /** The first order in place of a second. */
  async #answeredBy(first: IntentRecord): Promise<WriteReport> {
    const { item } = await this.#parts.submission.reportExisting(first);
    return { ...intentReport(this.#context.stamp(), item, [placedText(first)]), duplicate_of: first.intentId };
  }

  #facts(body: IntentBody, { market, seen }: Assessment): WarningFacts {
    const { book, own, tradedPrice: lastPrice } = seen;
    return { market, body, book, lastPrice, own, nowMs: this.#context.parts.clock.now() };
  }

  /** Of a new sell, by the balance: looked at when the order is sent, as no order waits for what only a warning is about. */
  async #dust(facts: WarningFacts, isSent: boolean): Promise<readonly string[]> {
    const { body, market } = facts;
    if (body.order.side !== "sell" || body.replaces !== undefined) return [];
    const available = await availableSoon(this.#context, market.base);
    if (available === undefined) return [];
    return dustWarnings(facts, isSent ? quantity(available) : leftOver(facts, available));
  }

  async #requestApproval(
    body: IntentBody,
    assessment: Assessment,
    { why, over, ...asked }: Pick<ApprovalReason, "why" | "over"> & Asked,
    known: readonly string[],
  ): Promise<WriteReport> {
    const reason = { why, over, warnings: known, askedIn: asked.session };
    const turn = this.#approvalRequested.then(() => requestApproval(this.#context, body, assessment, reason));
    this.#approvalRequested = turn.catch(() => undefined);
    const requested = await turn;
    if (!requested.ok) return this.#notSent(requested.fault);
    const { intent, warnings, isExisting, isNew } = requested.value;
    if (isExisting) return this.#resume(intent, { ...asked, requestedAtMs: this.#context.parts.clock.now() });
    const unwanted = withdrawal(asked.withdrawn);
    if (unwanted !== undefined && isNew) {
      const ended = await pendingOrders(this.#context).lapse(intent, unwanted);
      return ended.ok ? intentReport(this.#context.stamp(), ended.value) : this.#notSent(ended.fault);
    }
    return intentReport(this.#context.stamp(), intent, [...known, ...warnings]);
  }

  /** Denied by the policy: nothing is recorded but the denial itself. */
  async #deny(body: IntentBody, fault: Fault): Promise<WriteReport> {
    const { rule, figure, limit } = fault;
    const detail = { code: fault.code, rule, figure, limit, order: body.order };
    const account = this.#context.journalAccount();
    return this.#notSent(fault, await recordStep(this.#context, { event: "order_denied", account, detail }));
  }

  #notSent(fault: Fault, warnings: readonly string[] = []): WriteReport {
    return deniedOrder(this.#context.stamp(), fault, warnings);
  }
}
