/**
 * What an answer of Korbit means when it is not what was asked for.
 *
 * Invariant: only a code that stands here as a refusal lets a write count as refused. Whatever is not listed, a failure of the exchange and an answer
 * that cannot be read leave open what became of it.
 *
 * Source: SOURCES.md#errors, architecture.md#rule-5, architecture.md#rule-10.
 */
import { z } from "zod";
import type { Fault } from "../../contract/index.ts";
import { type Asked, faultOf, type Listed, refusalsOf, WHY } from "../refusals.ts";

/** It took the time of a request for wrong, so that its clock is to be read again. */
export const TIME_REFUSED = "EAPI:Invalid nonce";

export const ERRORS = refusalsOf([
  ["sure", "EOrder:Insufficient funds", "NO_BALANCE"],
  ["sure", "EOrder:Order minimum not met", "ORDER_VALUE_TOO_SMALL"],
  ["sure", "EOrder:Tick size check failed", "PRICE_TICK_SIZE_INVALID"],
  ["sure", "EOrder:Invalid price", "PRICE_OVER_UPPER_BOUND|PRICE_UNDER_LOWER_BOUND"],
  ["sure", "EOrder:Orders limit exceeded", "TOO_MANY_OPEN_ORDERS"],
  ["sure", "EOrder:Market halted", "ONLY_SELL_LIMIT_ORDERS_ALLOWED", WHY.justListed],
  ["sure", "EQuery:Unknown asset pair", "INVALID_CURRENCY_PAIR"],
  ["sure", "EGeneral:Permission denied", "INVALID_USER_STATUS", WHY.restricted],
  ["sure", "EGeneral:Invalid arguments", "BAD_REQUEST"],
  ["sure", "EGeneral:Invalid arguments", "ORDER_VALUE_TOO_LARGE", WHY.tooLarge],
  ["cancel", "EOrder:Order already closed", "ORDER_ALREADY_CANCELED|ORDER_ALREADY_FILLED|ORDER_ALREADY_EXPIRED"],
  ["cancel", "EService:Unavailable", "TRY_AGAIN", WHY.stillPlaced],
  ["gate", TIME_REFUSED, "EXCEED_TIME_WINDOW", WHY.wrongTime],
  ["gate", "EAPI:Invalid signature", "NO_TIMESTAMP"],
  ["gate", "EAPI:Invalid key", "KEY_NOT_FOUND"],
  ["duplicate", "EOrder:Duplicate userref", "DUPLICATE_CLIENT_ORDER_ID"],
  ["not_found", "EOrder:Unknown order", "ORDER_NOT_FOUND"],
]);

/** By the status alone, where the code is not listed. */
const STATUSES: Readonly<Record<number, Listed>> = {
  401: ["gate", "EAPI:Invalid key"],
  403: ["gate", "EGeneral:Permission denied"],
  429: ["gate", "EAPI:Rate limit exceeded"],
};

/** The status stands in `code`, the name in `message`. */
const errorBody = z.looseObject({
  error: z.looseObject({ message: z.string().nullish(), description: z.string().nullish().catch(undefined) }),
});

/** It says that it refuses, whatever the status. */
export function isRefusal(json: unknown): boolean {
  return z.looseObject({ success: z.literal(false) }).safeParse(json).success;
}

export function faultIn({ status }: { readonly status: number }, json: unknown, asked: Asked): Fault {
  const { success, data } = errorBody.safeParse(json);
  const { message: name, description } = data?.error ?? {};
  const listed = ERRORS.get(name ?? "") ?? STATUSES[status];
  return faultOf(status, asked, { said: success && [name, description], listed });
}
