/**
 * Puts an order where a person finds it and can approve it.
 *
 * Invariant: an order just like one that already waits is that one; no second one is recorded.
 *
 * Source: architecture.md#rule-2.
 */
import { defined, failed, ok, type Result } from "../../contract/index.ts";
import { approvalDigest } from "../approval/approval-digest.ts";
import { pendingOrders } from "../approval/pending-approvals.ts";
import { missingPin } from "../approval/pin-needed.ts";
import type { DeskContext } from "../core/context.ts";
import { expectedCosts } from "../market/order-estimate.ts";
import type { MoneyLimit } from "../model/account-usage.ts";
import type { ApprovalTerms, IntentBody, IntentRecord } from "../model/intent.ts";
import { isSameRequestAs, requestOf } from "../model/order-body.ts";
import type { Assessment } from "../risk/pre-trade-check.ts";
import { tooManyWait } from "../submission/approve.ts";
import { recordIntent } from "./record-intent.ts";

export interface ApprovalRequested {
  readonly intent: IntentRecord;
  readonly warnings: readonly string[];
  /** Whether the intent was there before and does not wait as the one just recorded would. */
  readonly isExisting: boolean;
  /** Whether this call has recorded it. */
  readonly isNew: boolean;
}

/**
 * Why a person is asked, which limits the order goes over, what is known against it, and the session of the client that asked for it: an answer in a client's form counts in
 * that one alone.
 */
export interface ApprovalReason {
  readonly why: string;
  readonly over: readonly MoneyLimit[];
  readonly warnings: readonly string[];
  readonly askedIn: string | undefined;
}

export async function requestApproval(
  context: DeskContext,
  body: IntentBody,
  { countsFor: value, price: priceSeen, policy, market, seen }: Assessment,
  { why, over, warnings, askedIn }: ApprovalReason,
): Promise<Result<ApprovalRequested>> {
  const { ids, clock } = context.parts;
  const noPin = await missingPin(context);
  if (noPin !== undefined) return failed(noPin);
  const account = context.journalAccount();
  const waiting = await pendingOrders(context).list();
  if (!waiting.ok) return waiting;
  const duplicate = waiting.value.find(
    (each) => each.body.replaces?.orderId === body.replaces?.orderId && isSameRequestAs(each.body, body),
  );
  if (duplicate !== undefined)
    return ok({
      intent: duplicate,
      warnings: ["The same order already waits for approval; no second one was made."],
      isExisting: false,
      isNew: false,
    });
  const flood = tooManyWait("orders", waiting.value.length);
  if (flood !== undefined)
    return failed({ ...flood, nextAction: `${flood.nextAction} Orders are withdrawn with cancel_order.` });
  const intentId = ids.intentId();
  const askedAtMs = clock.now();
  const known = { ...(over.length > 0 && { over }), ...(warnings.length > 0 && { warnings }) };
  const costs = expectedCosts(market, requestOf(body.order), seen.book);
  const terms = {
    priceSeen,
    value,
    unit: context.unit,
    costs,
    ...known,
    askedAtMs,
    expiresAtMs: askedAtMs + policy.approvalTtlMs,
  };
  const approval: ApprovalTerms = {
    digest: approvalDigest({ intentId, account, body }, terms),
    why,
    ...terms,
    ...defined({ askedIn }),
  };
  const intent = await recordIntent(context, { ...body, approval }, { intentId, state: "awaiting_approval" });
  if (!intent.ok) return intent;
  const isExisting = intent.value.intentId !== intentId;
  return ok({ intent: intent.value, warnings: [], isExisting, isNew: !isExisting });
}
