/**
 * Puts an intent on disk before anything else happens to it.
 *
 * Invariant: an account has one intent per `userref`. The same `userref` with the same fields is the same intent; with other fields
 * it is a fault.
 *
 * Source: architecture.md#rule-1.
 */
import { failed, localFault, ok, type Result } from "../../contract/index.ts";
import { approvalDigest } from "../approval/approval-digest.ts";
import type { DeskContext } from "../core/context.ts";
import type { IntentBody, IntentRecord } from "../model/intent.ts";
import { holderOf } from "../reconciliation/lease.ts";

/** The intent that this very request recorded before; a fault when another order has its `userref`. */
export async function existingIntent(
  context: DeskContext,
  { order, digest, replaces }: IntentBody,
): Promise<Result<IntentRecord | undefined>> {
  const { userref } = order;
  if (userref === undefined) return ok(undefined);
  const found = await context.parts.journal.byUserref(context.journalAccount(), userref);
  if (!found.ok || found.value === undefined || found.value.body.digest === digest) return found;
  if (replaces !== undefined) return failed(localFault("ELocal:Twin unresolved", { message: OTHER_CHANGE }));
  return failed(localFault("ELocal:Userref in use", { field: "userref" }));
}

const OTHER_CHANGE = "Another change of this order was asked for just now. Nothing was sent.";

/** @returns the intent as recorded; the existing one where there is one, reopened only if it is proven not placed */
export async function recordIntent(
  context: DeskContext,
  body: IntentBody,
  { intentId, state }: { readonly intentId: string; readonly state: "approved" | "awaiting_approval" },
): Promise<Result<IntentRecord>> {
  const { journal, clock, ids } = context.parts;
  const account = context.journalAccount();
  const userref = body.order.userref ?? ids.userref();
  const createdAtMs = clock.now();
  const held = state === "approved" ? { ...body, ...holderOf(context) } : body;
  const named = { intentId, account, userref, unit: context.unit };
  const item = { ...named, state, nonce: null, orderId: null, body: held, createdAtMs };
  const recorded = await journal.record(item);
  if (!recorded.ok || recorded.value !== undefined) return recorded as Result<IntentRecord>;
  const existing = await existingIntent(context, body);
  if (!existing.ok || existing.value?.state !== "not_placed") return orInUse(existing);
  const reopened = { from: ["not_placed"], to: state, body: withDigestOf(existing.value, held) } as const;
  const { intentId: existingId } = existing.value;
  const moved = await journal.advance(existingId, reopened, clock.now());
  if (!moved.ok || moved.value !== undefined) return orInUse(moved);
  return orInUse(await journal.byId(existingId));
}

function orInUse(found: Result<IntentRecord | undefined>): Result<IntentRecord> {
  if (!found.ok) return found;
  return found.value === undefined
    ? failed(localFault("ELocal:Userref in use", { field: "userref" }))
    : ok(found.value);
}

/** The approval's digest names the intent it is about, and here that is the existing one. */
function withDigestOf({ intentId, account }: IntentRecord, body: IntentBody): IntentBody {
  const { approval } = body;
  if (approval === undefined) return body;
  return { ...body, approval: { ...approval, digest: approvalDigest({ intentId, account, body }, approval) } };
}
