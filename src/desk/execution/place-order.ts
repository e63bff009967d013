/**
 * The way of an order up to its sending: check, gate, record. What was asked for before is looked up, never sent anew.
 *
 * Source: architecture rules 1 to 3.
 */
import { type Fault, failed, localFault, ok, type Result } from "../../contract/index.ts";
import { approvalDigest } from "../approval/approval-digest.ts";
import { pendingApprovals } from "../approval/pending-approvals.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import { storeResult } from "../core/store-result.ts";
import type { ApprovalTerms, IntentBody, IntentRecord, OrderRequest } from "../model/intent.ts";
import { orderBody, orderDigest } from "../model/order-body.ts";
import { isSameRequestAs } from "../model/order-match.ts";
import { deniedOrder, intentReport } from "../model/order-report.ts";
import type { WriteReport } from "../model/reports.ts";
import type { OrderAcknowledgements } from "../reconciliation/order-acknowledgements.ts";
import type { OrderTracker } from "../reconciliation/order-tracker.ts";
import { checkOrder } from "../risk/order-validation.ts";
import { type Assessment, denialOf, type PreTradeCheck } from "../risk/pre-trade-check.ts";
import type { DuplicateGuard } from "./duplicate-guard.ts";
import type { SubmitOrder } from "./submit-order.ts";

export type PlaceRequest = OrderRequest | { readonly draft_id: string };

/** Orders that may wait for a person at the same time. */
const WAITING_MAX = 30;

export interface PlaceOrderParts {
  readonly context: DeskContext;
  readonly gate: PreTradeCheck;
  readonly sending: SubmitOrder;
  readonly twins: DuplicateGuard;
  readonly telling: OrderAcknowledgements;
  readonly following: OrderTracker;
}

export class PlaceOrder {
  readonly #context: DeskContext;
  readonly #parts: PlaceOrderParts;

  constructor(parts: PlaceOrderParts) {
    this.#context = parts.context;
    this.#parts = parts;
  }

  async place(request: PlaceRequest): Promise<WriteReport> {
    const askedAtMs = this.#context.parts.clock.now();
    const beside = await this.#parts.twins.openAtRequest();
    const body = await this.bodyOf(request);
    if (!body.ok) return this.#denied(body.fault);
    const known = await this.#known(body.value);
    if (!known.ok) return this.#denied(known.fault);
    if (known.value !== undefined && known.value.state !== "not_placed") return this.#asked(known.value, askedAtMs);
    const twin = await this.#parts.twins.find(body.value, beside);
    if (twin !== undefined) {
      const halted = await this.#halted(body.value);
      return halted === undefined
        ? this.#parts.telling.with(this.#denied(twin.fault), twin.acknowledges)
        : this.#refuse(body.value, halted);
    }
    const assessment = await this.assess(body.value);
    if (!assessment.ok) return this.#denied(assessment.fault);
    const { verdict } = assessment.value;
    if (verdict.kind === "ask") return this.#ask(body.value, assessment.value, verdict.why);
    const refusal = denialOf(verdict);
    if (refusal !== undefined) return this.#refuse(body.value, refusal);
    const intent = await this.#record(body.value, this.#context.parts.ids.intentId(), "approved");
    if (!intent.ok) return this.#denied(intent.fault);
    if (intent.value.state !== "approved") return this.#asked(intent.value, askedAtMs);
    const step = await this.#parts.sending.submit(intent.value, askedAtMs, assessment.value);
    return intentReport(this.#context.stamp(), step.intent, step.warnings);
  }

  /** The body of the intent that a request asks for; nothing is recorded yet. A draft is used up by it. */
  bodyOf(request: PlaceRequest): Promise<Result<IntentBody>> {
    return "draft_id" in request ? this.#fromDraft(request.draft_id) : this.fromRequest(request);
  }

  /** The brake is told of before all else. */
  async #halted(body: IntentBody): Promise<Fault | undefined> {
    const assessment = await this.#parts.gate.assess(body);
    const isHalted =
      assessment.ok && assessment.value.verdict.kind === "deny" && assessment.value.verdict.refusal.rule === "brake";
    return isHalted ? denialOf(assessment.value.verdict) : undefined;
  }

  /** Judges an order. Where the budgets refuse it, orders that have ended meanwhile are looked up first. */
  async assess(body: IntentBody): Promise<Result<Assessment>> {
    const assessment = await this.#parts.gate.assess(body);
    if (!assessment.ok || assessment.value.verdict.kind !== "deny") return assessment;
    if (!BUDGET_RULES.includes(assessment.value.verdict.refusal.rule)) return assessment;
    const released = await this.#parts.following.refreshIfStale();
    return released ? this.#parts.gate.assess(body) : assessment;
  }

  /**
   * What was asked for before. One that was let through and never sent may belong to a process that died: it is sent now, by
   * whoever is first. A person's yes, though, was to that one sending.
   */
  async #asked(intent: IntentRecord, askedAtMs: number): Promise<WriteReport> {
    const { sending } = this.#parts;
    const isLeft = intent.state === "approved" && intent.body.approval === undefined;
    const step = isLeft ? await sending.submit(intent, askedAtMs) : await sending.reportExisting(intent);
    return intentReport(this.#context.stamp(), step.intent, step.warnings);
  }

  #denied(fault: Fault, warnings: readonly string[] = []): WriteReport {
    return deniedOrder(this.#context.stamp(), fault, warnings);
  }

  /** Denied by the policy: nothing is recorded but the fact. */
  async #refuse(body: IntentBody, fault: Fault): Promise<WriteReport> {
    const { rule, figure, limit } = fault;
    const detail = { code: fault.code, rule, figure, limit, order: body.order };
    const account = this.#context.journalAccount();
    return this.#denied(fault, await recordStep(this.#context, { event: "order_denied", account, detail }));
  }

  /** Puts the order where a person finds it. One just like it that waits already is that one. */
  async #ask(body: IntentBody, assessment: Assessment, why: string): Promise<WriteReport> {
    const { ids, clock } = this.#context.parts;
    const account = this.#context.journalAccount();
    const waiting = await pendingApprovals(this.#context);
    if (!waiting.ok) return this.#denied(waiting.fault);
    const twin = waiting.value.find((each) => isSameRequestAs(each.body.order, body.order));
    if (twin !== undefined)
      return intentReport(this.#context.stamp(), twin, [
        "An order just like this one waits for approval already; this is that one, no second one was made.",
      ]);
    // A flood of them would hide from a person what is worth reading.
    if (waiting.value.length >= WAITING_MAX)
      return this.#denied(
        localFault("ELocal:Not approved", {
          message: `${waiting.value.length} orders wait for approval already. Nothing was recorded or sent.`,
          nextAction: "Have the user approve or deny some of them first, or withdraw them with cancel_order.",
        }),
      );
    const intentId = ids.intentId();
    const { valueKrw, price: priceSeen, policy } = assessment;
    const askedAtMs = clock.now();
    const open = { priceSeen, valueKrw, askedAtMs, expiresAtMs: askedAtMs + policy.approvalTtlMs };
    const digest = approvalDigest({ intentId, account, body }, open);
    const approval: ApprovalTerms = { digest, why, ...open };
    const intent = await this.#record({ ...body, approval }, intentId, "awaiting_approval");
    if (!intent.ok) return this.#denied(intent.fault);
    return intent.value.intentId === intentId
      ? intentReport(this.#context.stamp(), intent.value)
      : this.#asked(intent.value, clock.now());
  }

  /** Checks a request and makes the body of its intent; nothing is recorded yet. */
  async fromRequest(request: OrderRequest): Promise<Result<IntentBody>> {
    const account = await this.#context.account();
    if (!account.ok) return account;
    const market = await this.#context.market(request.symbol);
    if (!market.ok) return market;
    const { problems } = checkOrder(market.value, request, this.#context.lacksCompliance(request));
    const first = problems[0];
    if (first !== undefined) return failed(joined(first, problems));
    const { ids, venue, compliance } = this.#context.parts;
    if (venue.keyId === undefined) return failed(localFault("ELocal:No key"));
    const order = orderBody(request, market.value, request.userref ?? ids.userref(), compliance);
    const digest = orderDigest(order, account.value, venue.environment);
    return ok({ order, environment: venue.environment, keyId: venue.keyId, digest });
  }

  /** Takes a draft, once. A second call with the same draft leads to the order that the first one placed. */
  async #fromDraft(draftId: string): Promise<Result<IntentBody>> {
    const { journal, clock, venue } = this.#context.parts;
    const account = await this.#context.account();
    if (!account.ok) return account;
    const found = await storeResult(() => journal.byIntentId(draftId));
    if (!found.ok) return found;
    const draft = found.value;
    const body = draft?.body;
    if (draft === undefined || body === undefined || draft.account !== account.value || !isDraft(draft))
      return failed(draftFault("There is no draft with this id."));
    const expired = (body.expiresAtMs ?? 0) <= clock.now();
    // After its end a used draft still leads to its order, but does not send one any more.
    if (draft.state === "used" && (!expired || (await this.#stands(draft)))) return ok(withoutExpiry(body));
    const usable = draft.state === "draft" && !expired && body.environment === venue.environment;
    if (draft.state === "draft") {
      const to = usable ? "used" : "lapsed";
      const moved = await storeResult(() => journal.advance(draftId, { from: ["draft"], to }, clock.now()));
      if (!moved.ok) return moved;
    }
    return usable
      ? ok({ ...withoutExpiry(body), keyId: venue.keyId ?? body.keyId })
      : failed(draftFault("This draft has expired or belongs to another environment."));
  }

  /** Whether an order was placed from the draft, or may have been, or waits to be. */
  async #stands({ account, body }: IntentRecord): Promise<boolean> {
    const { userref } = body.order;
    const found = await storeResult(async () =>
      userref === undefined ? undefined : this.#context.parts.journal.byUserref(account, userref),
    );
    return found.ok && found.value !== undefined && !["approved", "not_placed"].includes(found.value.state);
  }

  /** The intent that this very request made before; a fault when its `userref` is on another order. */
  async #known({ order, digest }: IntentBody): Promise<Result<IntentRecord | undefined>> {
    const { userref } = order;
    if (userref === undefined) return ok(undefined);
    const found = await storeResult(() =>
      this.#context.parts.journal.byUserref(this.#context.journalAccount(), userref),
    );
    if (!found.ok || found.value === undefined || found.value.body.digest === digest) return found;
    return failed(localFault("ELocal:Userref in use", { field: "userref" }));
  }

  /**
   * Puts the intent on disk. An intent with the same `userref` and the same fields is the same intent: it is returned, and
   * armed again only if it is proven not placed.
   */
  async #record(
    body: IntentBody,
    intentId: string,
    state: "approved" | "awaiting_approval",
  ): Promise<Result<IntentRecord>> {
    const { journal, clock, ids } = this.#context.parts;
    const account = this.#context.journalAccount();
    const userref = body.order.userref ?? ids.userref();
    const createdAtMs = clock.now();
    const intent = await storeResult(async () => {
      const fresh = { intentId, account, userref, state, nonce: null, orderId: null, body, createdAtMs };
      const recorded = await journal.record(fresh);
      if (recorded !== undefined) return recorded;
      const existing = await journal.byUserref(account, userref);
      if (existing === undefined || existing.body.digest !== body.digest) return undefined;
      if (existing.state !== "not_placed") return existing;
      const again = { ...body, ...rearmed(existing, body) };
      const rearm = { from: ["not_placed"], to: state, body: again } as const;
      return (await journal.advance(existing.intentId, rearm, clock.now())) ?? journal.byIntentId(existing.intentId);
    });
    if (!intent.ok) return intent;
    return intent.value === undefined
      ? failed(localFault("ELocal:Userref in use", { field: "userref" }))
      : ok(intent.value);
  }
}

const BUDGET_RULES: readonly string[] = ["open_orders", "open_exposure", "day_budget"];

/** Terms name the intent they are about, and this one is older than they are. */
function rearmed({ intentId, account }: IntentRecord, body: IntentBody): Pick<IntentBody, "approval"> {
  const { approval } = body;
  if (approval === undefined) return {};
  return { approval: { ...approval, digest: approvalDigest({ intentId, account, body }, approval) } };
}

function isDraft({ state, userref, intentId }: IntentRecord): boolean {
  return (state === "draft" || state === "used" || state === "lapsed") && userref === draftUserref(intentId);
}

/** Drafts stand in the journal under a name of their own, so that they never hold back the `userref` of an order. */
export function draftUserref(draftId: string): string {
  return `draft-${draftId}`;
}

/** All problems in one fault: the first gives the field and code, the message names every one. */
function joined(first: Fault, problems: readonly Fault[]): Fault {
  return { ...first, message: `${problems.map((problem) => problem.message).join("; ")}. Nothing was sent.` };
}

function draftFault(why: string): Fault {
  return localFault("ELocal:Draft not usable", { field: "draft_id", message: `${why} Nothing was sent.` });
}

function withoutExpiry(body: IntentBody): IntentBody {
  const { expiresAtMs: _expiry, ...rest } = body;
  return rest;
}
