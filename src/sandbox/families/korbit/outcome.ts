/**
 * The outcomes of a call, and Korbit's errors: `{"success":false,"error":{"code","message","description"}}`, where `code` is the status and `message`
 * the name. Entry points: `answer`, `refuse`, `refusedOrder`, `writtenOutcome`.
 *
 * Invariant: every name and status is a row of `ERRORS`, and SOURCES.md says which of them stand on a document.
 */
import type { FaultCode } from "../../../contract/index.ts";
import type { Refusal } from "../../model/index.ts";

/** To be written as JSON, which leaves out what is undefined. */
export type Json = string | number | boolean | null | undefined | readonly Json[] | { readonly [name: string]: Json };

/** `other` is what other sources say where they differ: SOURCES.md has the list. */
export const VARIANTS = ["newest", "other"] as const;

export type Variant = (typeof VARIANTS)[number];

export interface KorbitAnswer {
  readonly ok: true;
  /** Absent where success is all that is said. */
  readonly data?: Json;
  /** Tells whether the call changed the exchange; the reply then waits until that is on disk. */
  readonly changed: boolean;
}

export interface KorbitError {
  readonly ok: false;
  readonly status: number;
  readonly name: ErrorName;
  readonly description: string;
  /** Tells that the call changed the exchange all the same, where that is injected. */
  readonly changed?: boolean;
}

export type KorbitOutcome = KorbitAnswer | KorbitError;

const ERRORS = {
  BAD_REQUEST: [400, "The request is malformed."],
  INVALID_CURRENCY_PAIR: [400, "The trading pair is not valid."],
  DUPLICATE_CLIENT_ORDER_ID: [400, "The clientOrderId was used before."],
  NO_BALANCE: [400, "The balance is not sufficient."],
  ORDER_VALUE_TOO_SMALL: [400, "The value of the order is below the minimum."],
  ORDER_VALUE_TOO_LARGE: [400, "The value of the order is above the maximum."],
  PRICE_TICK_SIZE_INVALID: [400, "The price is not on the tick size."],
  TOO_MANY_OPEN_ORDERS: [400, "There are too many open orders."],
  ORDER_NOT_FOUND: [400, "There is no such order."],
  ORDER_ALREADY_CANCELED: [400, "The order was canceled before."],
  ORDER_ALREADY_FILLED: [400, "The order was filled before."],
  ORDER_ALREADY_EXPIRED: [400, "The order has failed."],
  TRY_AGAIN: [400, "The order is being processed."],
  EXCEED_TIME_WINDOW: [400, "The timestamp is outside of the window."],
  KEY_NOT_FOUND: [401, "There is no such API key."],
  INVALID_SIGNATURE: [401, "The signature is not valid."],
  IP_NOT_ALLOWED: [403, "The address is not on the list of the API key."],
  FORBIDDEN: [403, "The API key lacks the permission."],
  NOT_FOUND: [404, "There is nothing here."],
  TOO_MANY_REQUESTS: [429, "There are too many requests."],
  INTERNAL_SERVER_ERROR: [500, "Something went wrong."],
} as const;

export type ErrorName = keyof typeof ERRORS;

/** Of placing, finding and canceling: what some clients expect in an answer with status 200. */
const OF_ORDERS: readonly ErrorName[] = [
  "DUPLICATE_CLIENT_ORDER_ID",
  "NO_BALANCE",
  "ORDER_VALUE_TOO_SMALL",
  "ORDER_VALUE_TOO_LARGE",
  "PRICE_TICK_SIZE_INVALID",
  "TOO_MANY_OPEN_ORDERS",
  "ORDER_ALREADY_CANCELED",
  "ORDER_ALREADY_FILLED",
  "ORDER_ALREADY_EXPIRED",
  "TRY_AGAIN",
];

export function answer(data: Json): KorbitAnswer {
  return { ok: true, data, changed: false };
}

export function refuse(name: ErrorName, description: string = ERRORS[name][1]): KorbitError {
  return { ok: false, status: ERRORS[name][0], name, description };
}

export function badRequest(parameter: string): KorbitError {
  return refuse("BAD_REQUEST", `${parameter} is missing or not valid.`);
}

const REFUSALS: Partial<Record<FaultCode, ErrorName>> = {
  "EOrder:Market halted": "INVALID_CURRENCY_PAIR",
  "EOrder:Invalid price": "PRICE_TICK_SIZE_INVALID",
  "EOrder:Order minimum not met": "ORDER_VALUE_TOO_SMALL",
  "EOrder:Orders limit exceeded": "TOO_MANY_OPEN_ORDERS",
  "EOrder:Insufficient funds": "NO_BALANCE",
};

/** A refusal of an order by the engine. */
export function refusedOrder({ code, field, message }: Refusal): KorbitError {
  if (code === "EOrder:Tick size check failed" && field === "price") return refuse("PRICE_TICK_SIZE_INVALID");
  const name = REFUSALS[code];
  return name === undefined ? refuse("BAD_REQUEST", message) : refuse(name);
}

/** The status of an answer, and its body. */
export function writtenOutcome(
  outcome: KorbitOutcome,
  variant: Variant,
): { readonly status: number; readonly body: Json } {
  if (outcome.ok) return { status: 200, body: { success: true, data: outcome.data } };
  const { status, name, description } = outcome;
  if (variant === "newest")
    return { status, body: { success: false, error: { code: status, message: name, description } } };
  return { status: otherStatus(status, name), body: { success: false, error: { message: name } } };
}

function otherStatus(status: number, name: ErrorName): number {
  if (name === "ORDER_NOT_FOUND") return 404;
  if (name === "KEY_NOT_FOUND") return 400;
  return OF_ORDERS.includes(name) ? 200 : status;
}
