/** What orders have of their own on the way that all submissions go: how one is judged, sent, asked about and reported. */
import { defined, type Fault, faultKind, localFault, type Order, ok, type Result } from "../../contract/index.ts";
import { matchesDigest } from "../approval/approval-digest.ts";
import { approvalLapse } from "../approval/approval-validity.ts";
import type { DeskContext } from "../core/context.ts";
import type { AccountUsage } from "../model/account-usage.ts";
import type { ApprovalAnswer } from "../model/approval-request.ts";
import type { IntentBody, IntentChange, IntentRecord, JournaledOrder } from "../model/intent.ts";
import { canMove } from "../model/intent-state.ts";
import { changeShownBy } from "../model/intent-transition.ts";
import { orderDigest } from "../model/order-body.ts";
import { deniedOrder, intentReport } from "../model/order-report.ts";
import { asksFor } from "../model/replaced-order.ts";
import type { WriteReport } from "../model/reports.ts";
import type { SentSince } from "../ports/journal.ts";
import type { OrderWrites, TakenOrder } from "../ports/venue.ts";
import { isNameOf } from "../reconciliation/moved-order.ts";
import { settlingOrders, wrongOrderFault } from "../reconciliation/order-lookup.ts";
import { takenInSpite } from "../reconciliation/refused-order.ts";
import { mandateFault } from "../risk/plan-in-force.ts";
import { denialOf } from "../risk/pre-trade-check.ts";
import type { ApprovalJudgement, ApprovalKind } from "../submission/approve.ts";
import type { Judgement, Refusal, Request, Step } from "../submission/submit.ts";
import { withdrawal } from "../submission/withdrawn.ts";
import { type Assessed, type AssessOrderParts, assessOrder } from "./assess-order.ts";
import { buildOrder } from "./build-order.ts";
import type { DuplicateGuard } from "./duplicate-guard.ts";
import { nothingStands, withOldNow } from "./replaced-order.ts";
import { userrefFault } from "./userref-check.ts";

export type Answered = Order | TakenOrder;
export type OrderKind = ApprovalKind<IntentRecord, Answered, Assessed, ApprovalAnswer["request"], WriteReport>;

export interface OrderKindParts extends AssessOrderParts {
  readonly writes: Pick<OrderWrites, "submit">;
  readonly duplicates: DuplicateGuard;
}

export function submittedOrders(parts: OrderKindParts): OrderKind {
  const { context } = parts;
  return {
    ...settlingOrders(context),
    journal: context.parts.journal,
    judge: (intent) => judge(parts, intent),
    isStale: ({ rule }) => rule === "book_age",
    lapsesBy: ({ code }, { body }) => body.approval !== undefined && code === "ELocal:Not approved",
    // Where another order had to go for it, that one is gone.
    told: (refusal, { body }) => (body.replaces === undefined ? refusal : nothingStands(refusal)),
    // One that takes another's place may be for less than was recorded.
    isChanged: ({ body }) => body.replaces !== undefined,
    begin: (intent, send, request, judged) => begin(parts, intent, send, { request, judged }),
    send: (intent, beforeSend) => send(parts, intent, beforeSend),
    heard: (intent, answer) => heard(context, intent, answer),
    answeredBy,
    changed: (intent, change) => ({ ...intent, orderId: null, ...changedFields(change) }),
    canMove,
    shownNow: (intent, after) => shownNow(parts, intent, after),
    isAskedAs: matchesDigest,
    describes: (request, intent) => describes(context, request, intent),
    judgeApproved: (intent, approved) => judgeApproved(parts, intent, approved),
    report: async (intent, warnings) => intentReport(context.stamp(), await withOldNow(context, intent), warnings),
    refused: (fault) => deniedOrder(context.stamp(), fault),
    unsure: ({ intentId: intent_id, userref }, refused) => {
      const next_action = `Look with get_order, userref ${userref}.`;
      return { ...refused, outcome: "unknown", state: "unknown", intent_id, userref, next_action };
    },
    withdrawnBy: ({ userref }) => `To withdraw it, use cancel_order with userref ${userref}.`,
  };
}

async function judge({ context, check }: OrderKindParts, intent: IntentRecord): Promise<Judgement<Assessed>> {
  const { approval } = intent.body;
  const assessed = await check.assess(intent.body, undefined, intent.plan);
  if (!assessed.ok) return { ends: "undone", fault: assessed.fault };
  const { policy, verdict } = assessed.value;
  const lapse = approval && approvalLapse(approval, policy, assessed.value, context.parts.clock.now());
  if (lapse !== undefined) return { ends: "lapsed", fault: lapse };
  const denial = denialOf(verdict, policy);
  return denial === undefined ? { judged: assessed.value } : { ends: "denied", fault: denial };
}

type Send = Parameters<OrderKind["begin"]>[1];

async function begin(
  { context, duplicates }: OrderKindParts,
  intent: IntentRecord,
  send: Send,
  { request: { requestedAtMs, withdrawn }, judged: assessed }: { readonly request: Request; readonly judged: Assessed },
) {
  const { journal, clock, venue } = context.parts;
  const judged = await assessed.renewed();
  const offsetMs = venue.clockOffsetMs() ?? 0;
  const numbered = {
    ...send,
    offsetMs,
    held: judged.countsFor,
    unit: context.unit,
    sinceMs: [requestedAtMs, ...judged.sinceMs],
  };
  const admit = (usage: AccountUsage, sentSince: SentSince): Refusal<IntentRecord> | undefined => {
    const exchangeMs = clock.now() + offsetMs;
    const outsidePlan = usage.plan === undefined ? undefined : mandateFault(usage.plan, exchangeMs);
    const fault = withdrawal(withdrawn) ?? judged.recheck(usage, sentSince) ?? outsidePlan;
    if (fault !== undefined) return { fault };
    // Which step of which plan it is makes it another order than any.
    return intent.plan === undefined ? duplicates.sentMeanwhile(intent.body, sentSince(requestedAtMs)) : undefined;
  };
  return journal.begin(intent.intentId, numbered, admit, () => clock.now());
}

/** The one request, and where it is refused whether the exchange has it all the same. */
async function send(
  { context, writes }: OrderKindParts,
  intent: IntentRecord,
  beforeSend: (nonce: string) => Promise<boolean>,
): Promise<Result<Answered>> {
  let hasLeft = false;
  // Only what stands in the journal comes here.
  const answer = await writes.submit(intent.body.order as JournaledOrder, async (nonce) => {
    hasLeft = await beforeSend(nonce);
    return hasLeft;
  });
  if (answer.ok || !hasLeft) return answer;
  const taken = await takenInSpite(context, intent, answer.fault);
  return taken === undefined ? answer : ok(taken);
}

async function heard(context: DeskContext, intent: IntentRecord, answer: Result<Answered>): Promise<Fault | undefined> {
  if (answer.ok) return wrongOrderFault(context, intent, answer.value);
  // What was let through a moment ago was judged by a market that may be another by now.
  if (answer.fault.reachedVenue === "yes" && answer.fault.retry === "never") context.forgetMarkets();
  return undefined;
}

function answeredBy({ body, unit }: IntentRecord, answer: Answered): Omit<IntentChange, "from"> {
  if ("state" in answer) return { ...changeShownBy({ body, unit }, answer), lazy: true };
  // The venue has the order, and its state there is not known yet.
  const { fault: _lost, ...rest } = body;
  return { to: "accepted", orderId: answer.orderId, body: rest, lazy: true };
}

function changedFields({ to: state, body, orderId }: Omit<IntentChange, "from">) {
  return { state, ...defined({ body, orderId }) };
}

/** With the order as the venue shows it now; as it was last shown only where the venue cannot be queried. */
async function shownNow(
  { context, tracker }: OrderKindParts,
  intent: IntentRecord,
  after: "sending" | "repeat",
): Promise<Step<IntentRecord>> {
  const { userref, orderId, state } = intent;
  const before = `An order with userref ${userref} was requested before; this is that order, nothing was sent.`;
  const warnings = after === "repeat" ? [before] : [];
  // That it was accepted is on disk; its state can be queried without haste.
  if (orderId === null || (after === "sending" && state !== "accepted")) return { item: intent, warnings };
  const { venue, journal } = context.parts;
  const answer = await venue.order(intent.body.order.symbol, orderId);
  if (answer.ok) {
    const wrong = await wrongOrderFault(context, intent, answer.value);
    if (wrong !== undefined)
      return { item: { ...intent, state: "unknown", body: { ...intent.body, fault: wrong } }, warnings };
    await tracker().record([answer.value]);
    const found = await journal.byId(intent.intentId);
    const now = (found.ok && found.value) || intent;
    return { item: { ...now, body: { ...now.body, seen: answer.value } }, warnings };
  }
  if (faultKind(answer.fault.code) !== "unknown_order") return { item: intent, warnings };
  const { seen: _gone, ...body } = intent.body;
  const message = "The exchange accepted this order earlier and says now that it does not know it.";
  const fault = localFault("ELocal:Unknown order", { message });
  return { item: { ...intent, state: "unknown", body: { ...body, fault } }, warnings };
}

async function judgeApproved(
  parts: OrderKindParts,
  { body: { order, approval } }: IntentRecord,
  approved: IntentBody,
): Promise<ApprovalJudgement<Assessed>> {
  const { context } = parts;
  // The yes may have counted already, in a journal that this one is an older copy of.
  const taken = await userrefFault(context, order);
  if (taken !== undefined) return taken.code === "ELocal:Userref in use" ? { lapse: taken } : { refusal: taken };
  const assessed = await assessOrder(parts, approved);
  // The order that it was to replace has ended, and will never be open again.
  if (!assessed.ok)
    return approved.replaces !== undefined && faultKind(assessed.fault.code) === "closed"
      ? { lapse: assessed.fault }
      : { refusal: assessed.fault };
  const { policy, verdict } = assessed.value;
  const lapse = approval && approvalLapse(approval, policy, assessed.value, context.parts.clock.now());
  if (lapse !== undefined) return { lapse };
  const refusal = denialOf(verdict, policy);
  return refusal === undefined ? { judged: assessed.value, policy } : { refusal, policy };
}

/** Whether the arguments of a call describe the order of this intent, field by field. */
async function describes(
  context: DeskContext,
  request: ApprovalAnswer["request"],
  intent: IntentRecord,
): Promise<boolean> {
  const { replaces, digest, environment } = intent.body;
  if ("replace" in request) {
    const { replace } = request;
    if (replaces === undefined || asksFor(replace, replaces)) return replaces !== undefined;
    // By the name of an order that was moved, and whose place this one took.
    const { orderId } = replaces;
    return asksFor({ ...replace, orderId }, replaces) && isNameOf(context, intent.account, replace, orderId);
  }
  if (replaces !== undefined) return false;
  if ("draft_id" in request) {
    const draft = await context.parts.journal.byId(request.draft_id);
    return draft.ok && draft.value?.account === intent.account && draft.value.body.digest === digest;
  }
  const body = await buildOrder(context, { ...request, userref: request.userref ?? intent.userref });
  return body.ok && orderDigest(body.value.order, intent.account, environment) === digest;
}
