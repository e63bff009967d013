/**
 * Owns the fault catalogue: every error the service answers with, what it means, whether the call may be repeated and what the
 * caller does next. The error reference page is generated from it.
 *
 * A code is `<Class>:<message>`, sometimes followed by `:<detail>` (the field, or the missing compliance fields). `faultFor`
 * finds the entry for a code as it came over the wire.
 *
 * Source: service.md#errors.
 */
import { defined } from "./idioms.ts";

/**
 * When a refused call may be sent again.
 * `never`: not unchanged. `new_nonce`: at once with a larger nonce, at most 5 times.
 * `after_delay`: after `retry_after_ms`. `back_off`: exponentially; an order is queried first.
 */
export type RetryRule = "never" | "new_nonce" | "after_delay" | "back_off";

/** Says what a refusal is about, of those by which something is decided: what decides compares this, and no words of an exchange. */
export type FaultKind =
  | "bad_arguments"
  | "closed"
  | "halted"
  | "insufficient"
  | "key"
  | "nonce"
  | "rate"
  | "unknown_market"
  | "unknown_order";

export interface FaultEntry {
  readonly status: number;
  readonly retry: RetryRule;
  /** Absent where nothing is decided by it. */
  readonly kind?: FaultKind;
  readonly meaning: string;
  readonly nextAction: string;
}

const fixKey = { status: 401, retry: "never", kind: "key" } as const;
const fixOrder = { status: 422, retry: "never" } as const;
const notFound = { status: 404, retry: "never" } as const;
const conflict = { status: 409, retry: "never" } as const;

export const FAULTS = {
  "EAPI:Invalid key": {
    ...fixKey,
    meaning: "The API key is not known to the service.",
    nextAction: "Check API-Key; it belongs to one environment only.",
  },
  "EAPI:Invalid signature": {
    ...fixKey,
    meaning: "The signature does not fit the request.",
    nextAction: "Check the secret (base64, decoded before use) and that the signed text is the sent text.",
  },
  "EAPI:Invalid nonce": {
    status: 401,
    retry: "new_nonce",
    kind: "nonce",
    meaning:
      "The nonce is not larger than the last one accepted for this key; this delivery of the call had no effect.",
    nextAction: "Repeat a query with a larger nonce, at most 5 times; look an order up, as it may have taken effect.",
  },
  "EAPI:IP not allowed": {
    ...fixKey,
    status: 403,
    meaning: "The calling address is not on the key's allow-list.",
    nextAction: "Register the address for this key.",
  },
  "EGeneral:Permission denied": {
    ...fixKey,
    status: 403,
    meaning: "The key lacks the permission this endpoint needs.",
    nextAction: "Use a key with the permission named in the message.",
  },
  "EAPI:Rate limit exceeded": {
    status: 429,
    retry: "after_delay",
    kind: "rate",
    meaning:
      "The calls-per-second or weight-per-minute limit of the key, or of the address, is used up; the call had no effect.",
    nextAction: "Wait retry_after_ms.",
  },
  "EGeneral:Invalid arguments": {
    status: 400,
    retry: "never",
    kind: "bad_arguments",
    meaning: "A field is missing, unknown or of the wrong form; the field is named.",
    nextAction: "Correct the named field.",
  },
  "EGeneral:Unknown method": {
    ...notFound,
    meaning: "No such method and path, or not in the requested API-Version.",
    nextAction: "Check the path and the requested version.",
  },
  "EQuery:Unknown asset pair": {
    ...notFound,
    kind: "unknown_market",
    meaning: "No such market.",
    nextAction: "Take the symbol from GET /v1/markets.",
  },
  "EOrder:Unknown order": {
    ...notFound,
    kind: "unknown_order",
    meaning: "No such order for this account in this market.",
    nextAction: "Check the id and the symbol.",
  },
  "EOrder:Insufficient funds": {
    ...fixOrder,
    kind: "insufficient",
    meaning: "The available balance does not cover the order and its fee.",
    nextAction: "Show the user what is available, and ask for another size or which open order to cancel.",
  },
  "EOrder:Order minimum not met": {
    ...fixOrder,
    meaning: "Volume or notional is below the market's minimum.",
    nextAction: "Show the user the minimum (min_volume, min_notional), and ask before raising the order.",
  },
  "EOrder:Tick size check failed": {
    ...fixOrder,
    meaning: "The price is not a multiple of the tick at that price, or the volume has too many decimals.",
    nextAction: "Show the user the nearest values that fit (tick_bands, volume_decimals), and ask which one.",
  },
  "EOrder:Invalid price": {
    ...fixOrder,
    meaning: "The price is zero or outside what the market accepts.",
    nextAction: "Show the user the book, and ask for another price.",
  },
  "EOrder:Post only order": {
    ...fixOrder,
    meaning: "A post-only order would have matched at once.",
    nextAction: "Show the user a price that rests, and ask for it or for an order without post_only.",
  },
  "EOrder:Order already closed": {
    ...conflict,
    kind: "closed",
    meaning: "The order has ended; its final state is shown.",
    nextAction: "Nothing to cancel.",
  },
  "EOrder:Market halted": {
    ...fixOrder,
    kind: "halted",
    meaning: "The market accepts no new orders now; cancels work.",
    nextAction: "Wait until the market's status is trading.",
  },
  "EOrder:Orders limit exceeded": {
    ...fixOrder,
    meaning: "Too many open orders on this account.",
    nextAction: "Cancel orders that are no longer needed.",
  },
  "EOrder:Duplicate userref": {
    ...conflict,
    meaning: "This userref was used within the last 24 hours and the key refuses duplicates.",
    nextAction: "Query by userref; use a new one for a new order.",
  },
  "ECompliance:Missing travel-rule metadata": {
    ...fixOrder,
    meaning: "Compliance fields are missing; they are listed.",
    nextAction: "Send all four compliance fields.",
  },
  "ECompliance:KYC level too low": {
    ...fixOrder,
    meaning: "The stated KYC level does not cover an order of this value; the message names the level it needs.",
    nextAction: "State the account's KYC level if it is higher, else raise it or reduce the order.",
  },
  "ECompliance:KRW account not linked": {
    ...fixOrder,
    meaning: "The settlement mode needs a linked KRW account.",
    nextAction: "Link a KRW account.",
  },
  "ETransfer:Unknown transfer": {
    ...notFound,
    meaning: "No such payment, quote or remittance of this account.",
    nextAction: "Check the id; a quote is gone once it was used or has expired.",
  },
  "ETransfer:Wrong state": {
    ...conflict,
    meaning: "What is asked for is not possible in the state that the payment or remittance has; it is shown.",
    nextAction: "Nothing was changed; read the payment or remittance.",
  },
  "ETransfer:Quote not usable": {
    ...conflict,
    meaning: "The quote is unknown, was used, or has expired.",
    nextAction: "Ask for a new quote.",
  },
  "ETransfer:Idempotency key reused": {
    ...conflict,
    meaning: "The idempotency key was used with another request.",
    nextAction: "Look up what became of that request by its key; a new request takes a new key.",
  },
  "EService:Unavailable": {
    status: 503,
    retry: "back_off",
    meaning: "The service cannot answer now.",
    nextAction: "Back off; for an order query first.",
  },
  "EService:Timeout": {
    status: 504,
    retry: "back_off",
    meaning: "The service did not finish in time; an order may or may not have been placed.",
    nextAction: "Back off; for an order query first.",
  },
} as const satisfies Record<string, FaultEntry>;

/** A code of the catalogue, without detail. */
export type FaultCode = keyof typeof FAULTS;

export const FAULT_CODES = Object.keys(FAULTS) as FaultCode[];

/**
 * Splits a wire code into its catalogue code and detail.
 * @returns undefined for a code that is not in the catalogue.
 */
export function faultFor(wireCode: string): { code: FaultCode; detail?: string; entry: FaultEntry } | undefined {
  const code = FAULT_CODES.find((known) => wireCode === known || wireCode.startsWith(`${known}:`));
  if (code === undefined) return undefined;
  const detail = wireCode.slice(code.length + 1).trim();
  return defined({ code, entry: FAULTS[code], detail: detail === "" ? undefined : detail });
}

/** @returns undefined for a code without a kind, or of no exchange */
export function faultKind(wireCode: string | undefined): FaultKind | undefined {
  return wireCode === undefined ? undefined : faultFor(wireCode)?.entry.kind;
}

/** Faults any endpoint may answer with: an unknown query field or API-Version too is an invalid argument. */
export const COMMON_FAULTS = [
  "EAPI:Rate limit exceeded",
  "EGeneral:Invalid arguments",
  "EGeneral:Unknown method",
  "EService:Unavailable",
  "EService:Timeout",
] as const satisfies readonly FaultCode[];

/** What an order may be refused for, besides a market that does not exist. */
export const ORDER_FAULTS = [
  "EOrder:Insufficient funds",
  "EOrder:Order minimum not met",
  "EOrder:Tick size check failed",
  "EOrder:Invalid price",
  "EOrder:Post only order",
  "EOrder:Market halted",
  "EOrder:Orders limit exceeded",
  "EOrder:Duplicate userref",
  "ECompliance:KYC level too low",
  "ECompliance:KRW account not linked",
  "ECompliance:Missing travel-rule metadata",
] as const satisfies readonly FaultCode[];

/** Faults any private endpoint may answer with besides `COMMON_FAULTS`. */
export const PRIVATE_FAULTS = [
  "EAPI:Invalid key",
  "EAPI:Invalid signature",
  "EAPI:Invalid nonce",
  "EAPI:IP not allowed",
  "EGeneral:Permission denied",
] as const satisfies readonly FaultCode[];
