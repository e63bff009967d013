/**
 * What an answer of Bithumb means when it is not what was asked for.
 *
 * Invariant: only a code that stands here as a refusal lets a write count as refused. Whatever is not listed, a time-out, a failure of the exchange
 * and an answer that cannot be read leave open what became of it.
 *
 * Source: SOURCES.md#errors, architecture.md#rule-5, architecture.md#rule-10.
 */
import type { Fault } from "../../contract/index.ts";
import { type Asked, errorBody, faultOf, type Listed, refusalsOf } from "../refusals.ts";

export const NOT_READY = "order_not_ready";

/** Refusals of deposits and withdrawals, for which hoga does not ask, leave open whatever they are an answer to. */
export const ERRORS = refusalsOf([
  ["sure", "EOrder:Insufficient funds", "insufficient_funds_bid|insufficient_funds_ask"],
  ["sure", "EOrder:Order minimum not met", "under_min_total_bid|under_min_total_ask"],
  ["sure", "EOrder:Tick size check failed", "invalid_price|invalid_price_bid|invalid_price_ask"],
  ["sure", "EOrder:Invalid price", "under_price_limit_bid|under_price_limit_ask"],
  ["sure", "EGeneral:Invalid arguments", "invalid_parameter|cross_trading"],
  ["sure", "EQuery:Unknown asset pair", "currency does not have a valid value"],
  ["sure", "EGeneral:Permission denied", "bank_account_required|two_factor_auth_required"],
  ["gate", "EAPI:Invalid signature", "invalid_query_payload"],
  // No name is known for a token that was used, or is too old by the time of a second delivery: it may be either of these.
  ["maybe", "EAPI:Invalid signature", "jwt_verification|expired_jwt"],
  ["gate", "EAPI:IP not allowed", "NotAllowIP"],
  ["gate", "EGeneral:Permission denied", "out_of_scope|blocked_member_id"],
  ["maybe", "EService:Unavailable", `server_error|${NOT_READY}`],
  ["maybe", "EGeneral:Permission denied", "withdraw_insufficient_balance|deposit_not_found|withdraw_not_found"],
  ["not_found", "EOrder:Unknown order", "order_not_found"],
]);

/** By the status alone, where the code is a number or is not listed. It does not say how it refuses what is too much: of a write that stays open. */
const STATUSES: Readonly<Record<number, Listed>> = { 429: ["maybe", "EAPI:Rate limit exceeded"] };
/** The same for what is public and changes nothing. */
const READ_STATUSES: typeof STATUSES = {
  ...STATUSES,
  400: ["sure", "EGeneral:Invalid arguments"],
  404: ["not_found", "EQuery:Unknown asset pair"],
};

/** Whatever else is said, the first of two deliveries may have been taken. */
const REPEATED: Listed = ["duplicate", "EOrder:Duplicate userref"];

type AskedSo = Asked & { readonly isPrivate: boolean };

/** Says whether a body is a refusal: one may come with a status of success. */
export function isRefusal(json: unknown): boolean {
  return errorBody.safeParse(json).success;
}

export function faultIn({ status }: { readonly status: number }, json: unknown, asked: AskedSo): Fault {
  const { success, data } = errorBody.safeParse(json);
  const { name, message } = data?.error ?? {};
  const isRepeated = asked.places === true && /client_?order_?id/i.test(`${name}: ${message}`);
  const known = ERRORS.get(name ?? "") ?? byStatus(status < 300 ? Number(name) : status, asked); // not money: a status
  return faultOf(status, asked, { said: success && [name, message], listed: isRepeated ? REPEATED : known });
}

function byStatus(status: number, { isWrite, isPrivate }: AskedSo): Listed | undefined {
  return (isWrite || isPrivate ? STATUSES : READ_STATUSES)[status];
}

/** The exchange has taken the order and cannot show or cancel it yet. */
export function isNotReady({ code, venueText: words }: Fault): boolean {
  return code === "EService:Unavailable" && words?.startsWith(NOT_READY) === true;
}
