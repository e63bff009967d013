/**
 * What a person approves: exactly one intent, with every field of its order, the account, the environment, the price shown and the
 * expiry, under one digest. An answer that comes back through a client must carry the same digest.
 *
 * Source: architecture.md#rule-2.
 */
import { canonicalDigest } from "../../contract/index.ts";
import type { ApprovalTerms, IntentBody, IntentRecord } from "../model/intent.ts";

type Named = Pick<IntentRecord, "intentId" | "account"> & {
  readonly body: Pick<IntentBody, "order" | "environment" | "keyId">;
};
type Terms = Pick<ApprovalTerms, "priceSeen" | "valueKrw" | "askedAtMs" | "expiresAtMs">;

/** SHA-256, hex. */
export function approvalDigest({ intentId, account, body }: Named, terms: Terms): string {
  const { order, environment, keyId } = body;
  const { priceSeen, valueKrw, askedAtMs, expiresAtMs } = terms;
  return canonicalDigest({ intentId, account, order, environment, keyId, priceSeen, valueKrw, askedAtMs, expiresAtMs });
}

/** Whether the digest is that of this intent's approval request, unchanged in any field. */
export function matchesDigest(intent: IntentRecord, digest: string): boolean {
  const { approval } = intent.body;
  return approval !== undefined && approvalDigest(intent, approval) === digest;
}
