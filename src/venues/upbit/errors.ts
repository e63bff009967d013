/**
 * What an answer of Upbit means when it is not what was asked for.
 *
 * Invariant: only a code that stands here as a refusal lets a write count as refused. Whatever is not listed, a time-out, a failure of the exchange
 * and an answer that cannot be read leave open what became of it.
 *
 * Source: SOURCES.md#errors, architecture.md#rule-5, architecture.md#rule-10.
 */
import type { Fault } from "../../contract/index.ts";
import { type Asked, errorBody, faultOf, type Listed, refusalsOf, WHY } from "../refusals.ts";

export const ERRORS = refusalsOf([
  ["sure", "EOrder:Insufficient funds", "insufficient_funds_bid|insufficient_funds_ask"],
  ["sure", "EOrder:Order minimum not met", "under_min_total_bid|under_min_total_ask"],
  ["sure", "EOrder:Tick size check failed", "invalid_price_bid|invalid_price_ask"],
  ["sure", "EGeneral:Invalid arguments", "create_bid_error|create_ask_error|validation_error|invalid_parameter"],
  ["sure", "EGeneral:Invalid arguments", "invalid_time_in_force"],
  ["sure", "EGeneral:Invalid arguments", "over_krw_funds_bid", WHY.tooLarge],
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

/** Whatever else is said, the first of two deliveries may have been taken. */
const REPEATED: Listed = ["duplicate", "EOrder:Duplicate userref"];

type AskedSo = Asked & { readonly isPrivate: boolean };

export function faultIn({ status }: { readonly status: number }, json: unknown, asked: AskedSo): Fault {
  const { success, data } = errorBody.safeParse(json);
  const { name, message } = data?.error ?? {};
  const isRepeated = asked.isWrite && status === 400 && /identifier/i.test(`${name}: ${message}`);
  const listed = isRepeated ? REPEATED : (ERRORS.get(name ?? "") ?? byStatus(status, asked));
  const more = status === 418 ? { retryAfterMs: SHUT_OUT_MS } : {};
  return faultOf(status, asked, { said: success && [name, message], listed, more });
}

function byStatus(status: number, { isWrite, isPrivate }: AskedSo) {
  return (isWrite || isPrivate ? STATUSES : READ_STATUSES)[status];
}
