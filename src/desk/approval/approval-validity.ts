/**
 * Whether an approval is still valid: not expired, given in a way that the policy accepts, and the market and the value close to what
 * the person was shown.
 *
 * Source: architecture.md#rule-2; policy.md#approval.
 */

import type { Fault } from "../../contract/index.ts";
import { localFault } from "../../contract/index.ts";
import type { Value } from "../../decimal/index.ts";
import { formatAmount, inUnit, price } from "../../decimal/index.ts";
import type { MarketSnapshot } from "../market/order-value.ts";
import { stepOf } from "../model/account-usage.ts";
import type { ApprovalTerms } from "../model/intent.ts";
import type { Policy } from "../model/policy.ts";

/** A clock may be put right by this much without anything lapsing. */
const CLOCK_SLACK_MS = 10_000;

/** Whether the approval request has expired. Where the clock was set back, the time left is unknown, so it counts as expired. */
export function hasExpired(
  { askedAtMs, expiresAtMs }: Pick<ApprovalTerms, "askedAtMs" | "expiresAtMs">,
  nowMs: number,
): boolean {
  return nowMs > expiresAtMs || (askedAtMs !== undefined && nowMs < askedAtMs - CLOCK_SLACK_MS);
}

/**
 * Why an approval is no longer valid: it has expired, its way is no longer accepted, the market has moved by more than the policy
 * allows, or the order's value has grown by more.
 */
export function approvalLapse(
  terms: ApprovalTerms,
  policy: Policy,
  now: MarketSnapshot,
  nowMs: number,
): Fault | undefined {
  if (hasExpired(terms, nowMs)) return notApproved("The approval has expired.");
  const { approvedBy } = terms;
  if (approvedBy !== undefined && !policy.approveBy.includes(approvedBy))
    return notApproved(`The policy does not take approval by ${approvedBy} any more (approve_by).`);
  return priceLapse(terms.priceSeen, now.price, policy) ?? valueLapse(terms.value, now.value, policy);
}

function priceLapse(then: string | null, now: string | null, { approvalDrift, unit }: Policy): Fault | undefined {
  if (then === null || now === null)
    return then === now ? undefined : notApproved("The market has moved since it was asked for.");
  const [before, after] = [price(then), price(now)];
  const moved = after.gt(before) ? after.minus(before) : before.minus(after);
  if (moved.lte(before.scale(approvalDrift))) return undefined;
  return notApproved(
    `The market has moved from ${formatAmount(before, unit)} to ${formatAmount(after, unit)} since it was asked for, more than approval_drift_pct allows.`,
  );
}

/** Both are rounded up to the unit's step. What the order counts for may fall. */
function valueLapse(asked: string, now: Value | undefined, { approvalDrift, unit }: Policy): Fault | undefined {
  const then = inUnit(asked);
  if (now === undefined || now.lte(then.plus(then.scale(approvalDrift)).plus(stepOf(unit)))) return undefined;
  return notApproved(
    `It counts for ${formatAmount(now, unit)} now and did for ${formatAmount(then, unit)} when it was asked for: it has grown by more than approval_drift_pct allows.`,
  );
}

function notApproved(why: string): Fault {
  return localFault("ELocal:Not approved", {
    message: `${why} Nothing was sent.`,
    nextAction: "If it is still wanted, ask for it anew, without a userref or with another one.",
  });
}
