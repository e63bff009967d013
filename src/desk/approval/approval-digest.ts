/**
 * What a person approves: exactly one intent, with every field of its order, the order it replaces, the account, the environment, the price
 * and the costs shown, the limits it goes over, what it was warned of and the expiry, under one digest. An answer that comes back through a client must carry the same digest, and the log
 * of years ago is checked by it: of what is there it has to stay the same.
 *
 * Source: architecture.md#rule-2.
 */
import { canonicalDigest } from "../../contract/index.ts";
import type { ApprovalTerms, IntentBody, IntentRecord } from "../model/intent.ts";

type Named = Pick<IntentRecord, "intentId" | "account"> & {
  readonly body: Pick<IntentBody, "order" | "environment" | "keyId" | "replaces">;
};
type Terms = Pick<
  ApprovalTerms,
  "priceSeen" | "value" | "unit" | "costs" | "over" | "warnings" | "askedAtMs" | "expiresAtMs"
>;

/** SHA-256, hex. */
export function approvalDigest({ intentId, account, body }: Named, terms: Terms): string {
  const { environment, keyId } = body;
  // Once the old order has ended, the new one may be for less than was approved.
  const { ended: _since, ...replaces } = body.replaces ?? {};
  const order = body.replaces === undefined ? body.order : { ...body.order, volume: body.replaces.volume };
  const { priceSeen, value, unit, costs, over, warnings, askedAtMs, expiresAtMs } = terms;
  const named = { intentId, account, order, environment, keyId, ...(body.replaces && { replaces }) };
  return canonicalDigest({ ...named, priceSeen, value, unit, costs, over, warnings, askedAtMs, expiresAtMs });
}

/** Whether the digest is that of this intent's approval request, unchanged in any field. */
export function matchesDigest(intent: IntentRecord, digest: string): boolean {
  const { approval } = intent.body;
  return approval !== undefined && approvalDigest(intent, approval) === digest;
}
