/**
 * What a person approves: exactly one intent, every field of its order, the account, the environment, the price seen and the
 * expiry, named by one digest. An answer that comes back through a client names the same digest, or it is not an answer to this.
 *
 * Source: architecture rule 2.
 */
import { canonicalDigest } from "../../contract/index.ts";
import type { ApprovalTerms, IntentBody, IntentRecord } from "../model/intent.ts";

type Named = Pick<IntentRecord, "intentId" | "account"> & {
  readonly body: Pick<IntentBody, "order" | "environment" | "keyId">;
};
type Terms = Pick<ApprovalTerms, "priceSeen" | "valueKrw" | "askedAtMs" | "expiresAtMs">;

/** A clock may be put right by this much without anything lapsing. */
const CLOCK_SLACK_MS = 10_000;

/** SHA-256, hex. */
export function approvalDigest({ intentId, account, body }: Named, terms: Terms): string {
  const { order, environment, keyId } = body;
  const { priceSeen, valueKrw, askedAtMs, expiresAtMs } = terms;
  return canonicalDigest({ intentId, account, order, environment, keyId, priceSeen, valueKrw, askedAtMs, expiresAtMs });
}

/** Whether the terms are the ones of this intent as it stands, unchanged in any field. */
export function matchesDigest(intent: IntentRecord, digest: string): boolean {
  const { approval } = intent.body;
  return approval !== undefined && approvalDigest(intent, approval) === digest;
}

/** Whether the time of the question is over. Where the clock was set back nobody knows how much of it is left, so it is over. */
export function hasExpired(
  { askedAtMs, expiresAtMs }: Pick<ApprovalTerms, "askedAtMs" | "expiresAtMs">,
  nowMs: number,
): boolean {
  return nowMs > expiresAtMs || (askedAtMs !== undefined && nowMs < askedAtMs - CLOCK_SLACK_MS);
}
