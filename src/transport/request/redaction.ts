/**
 * Hides secrets in what the venue says, so that nothing downstream, the store above all, meets a key that an exchange quotes.
 * Entry point: `redactResult`.
 *
 * Invariant: accounts that an exchange calls by their keys keep different names.
 *
 * Names keys: a key goes by its name outside of the request's headers.
 *
 * Source: architecture.md#rule-9.
 */

import { createHash } from "node:crypto";
import { ok, type Result } from "../../contract/index.ts";

/** The value without secrets: the same object where it held none. Values are JSON. */
export type Redact = <T>(value: T) => T;

export function redactResult<T>(result: Result<T>, redact: Redact): Result<T> {
  const redacted = redact(result);
  if (redacted === result || !redacted.ok || !result.ok || !hasAccountId(result.value)) return redacted;
  const { account_id: accountId } = result.value;
  const shown = redact(accountId);
  return shown === accountId ? redacted : ok({ ...redacted.value, account_id: `${shown} ${keyName(accountId)}` });
}

function hasAccountId<T>(value: T): value is T & { readonly account_id: string } {
  return typeof value === "object" && value !== null && "account_id" in value && typeof value.account_id === "string";
}

const NAME_LETTERS = 32;

/** In logs and in the store: the same for the same key, and the key cannot be computed from it. */
export function keyName(apiKey: string): string {
  return createHash("sha256").update(`hoga key ${apiKey}`).digest("hex").slice(0, NAME_LETTERS);
}
