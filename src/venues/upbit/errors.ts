/**
 * What an answer of Upbit means when it is not what was asked for.
 *
 * Invariant: only a code that stands here as a refusal lets a write count as refused. Whatever is not listed, a time-out, a failure of the exchange
 * and an answer that cannot be read leave open what became of it.
 *
 * Source: SOURCES.md#errors, architecture.md#rule-5, architecture.md#rule-10.
 */
import { type Fault, type RetryRule, venueFault } from "../../contract/index.ts";
import { unreadableAnswer, venueText } from "../../transport/index.ts";
import { DUPLICATE, errorBody, type Listed, reached, refusalsOf, UNKNOWN } from "../refusals.ts";

export const ERRORS = refusalsOf([
  ["sure", "EOrder:Insufficient funds", "insufficient_funds_bid|insufficient_funds_ask"],
  ["sure", "EOrder:Order minimum not met", "under_min_total_bid|under_min_total_ask"],
  ["sure", "EOrder:Tick size check failed", "invalid_price_bid|invalid_price_ask"],
  ["sure", "EGeneral:Invalid arguments", "create_bid_error|create_ask_error|validation_error|invalid_parameter"],
  ["sure", "EGeneral:Invalid arguments", "invalid_time_in_force|over_krw_funds_bid"],
  ["sure", "EQuery:Unknown asset pair", "notfoundmarket"],
  ["sure", "EOrder:Market halted", "market_offline"],
  ["sure", "EGeneral:Permission denied", "withdraw_address_not_registered|withdraw_address_not_registerd"],
  ["gate", "EAPI:Invalid signature", "jwt_verification|invalid_query_payload"],
  ["gate", "EAPI:Invalid key", "invalid_access_key|expired_access_key|no_authorization_token"],
  ["gate", "EAPI:IP not allowed", "no_authorization_i_p|no_authorization_ip"],
  ["gate", "EGeneral:Permission denied", "out_of_scope"],
  ["gate", "EAPI:Rate limit exceeded", "too_many_requests"],
  ["maybe", "EAPI:Invalid nonce", "nonce_used"],
  ["maybe", "EService:Unavailable", "internal_server_error"],
  ["not_found", "EOrder:Unknown order", "order_not_found"],
]);

/** By the status alone, where the code is a number or is not listed. */
const STATUSES: Readonly<Record<number, Listed>> = {
  418: ["gate", "EAPI:Rate limit exceeded"],
  429: ["gate", "EAPI:Rate limit exceeded"],
};
/** The same for what is public and changes nothing. */
const READ_STATUSES: typeof STATUSES = {
  ...STATUSES,
  400: ["sure", "EGeneral:Invalid arguments"],
  404: ["not_found", "EQuery:Unknown asset pair"],
};

const SHUT_OUT_MS = 600_000;

export interface Asked {
  readonly isWrite: boolean;
  readonly isPrivate: boolean;
  /** It places an order, of which no answer can say that it is not there. */
  readonly places?: boolean;
}

export function faultIn({ status }: { readonly status: number }, json: unknown, asked: Asked): Fault {
  const body = errorBody.safeParse(json);
  if (status < 400 || !body.success) return unreadableAnswer(status, asked.isWrite);
  const { name, message } = body.data.error;
  const said = [name, message].filter((text) => typeof text === "string").join(": ");
  const words = venueText(said);
  const detail = { status, ...(words !== undefined && { venueText: words }) };
  // Before all lists: whatever else is said, the first of two deliveries may have been taken.
  if (asked.isWrite && status === 400 && /identifier/i.test(said))
    return venueFault(DUPLICATE, { ...detail, ...UNKNOWN, retry: "never" });
  const listed = ERRORS.get(name ?? "") ?? byStatus(status, asked);
  if (status >= 500) return venueFault("EService:Unavailable", { ...detail, ...(asked.isWrite ? UNKNOWN : {}) });
  if (listed === undefined) return venueFault("EGeneral:Unlisted", { ...detail, ...(asked.isWrite ? UNKNOWN : {}) });
  const list = asked.places && listed[0] === "not_found" ? "maybe" : listed[0];
  const code = listed[1];
  const limited = code === "EAPI:Rate limit exceeded" ? { retry: RETRY_LATER, ...shutOut(status) } : {};
  return venueFault(code, { ...detail, ...limited, ...(asked.isWrite ? reached(list) : {}) });
}

const RETRY_LATER: RetryRule = "after_delay";

function shutOut(status: number): { readonly retryAfterMs?: number } {
  return status === 418 ? { retryAfterMs: SHUT_OUT_MS } : {};
}

function byStatus(status: number, { isWrite, isPrivate }: Asked) {
  return (isWrite || isPrivate ? STATUSES : READ_STATUSES)[status];
}
