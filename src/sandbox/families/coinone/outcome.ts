/**
 * The outcomes of a call, and Coinone's errors: with status 200, a code as text and a message. Entry points: `answer`, `changed`, `refuse`.
 *
 * Invariant: every code is a row of `ERRORS`, where SOURCES.md says which of them stand on a document.
 */
import type { FaultCode } from "../../../contract/index.ts";
import type { Refusal } from "../../model/index.ts";
import type { JsonObject } from "../../venue-kit/json-text.ts";

export interface CoinoneAnswer {
  readonly ok: true;
  readonly body: JsonObject;
  /** Tells whether the call changed the exchange; the reply then waits until that is on disk. */
  readonly changed: boolean;
}

export interface CoinoneError {
  readonly ok: false;
  readonly code: ErrorCode;
  /** Tells that the call changed the exchange all the same, where that is injected. */
  readonly changed?: boolean;
}

export type CoinoneOutcome = CoinoneAnswer | CoinoneError;

export const ERRORS = {
  4: "Blocked user access",
  10: "This IP address is not allowed.",
  11: "Access token is missing",
  12: "Invalid access token",
  20: "This service does not exist",
  40: "Invalid API permission",
  101: "Invalid format",
  103: "Lack of Balance",
  104: "Order id is not exist",
  105: "Price is not correct",
  107: "Parameter value is wrong",
  108: "Unknown CryptoCurrency",
  109: "Unknown cryptocurrency pair",
  116: "Already Traded",
  117: "Already Canceled",
  120: "V2 API payload is missing",
  121: "V2 API signature is missing",
  122: "V2 API nonce is missing",
  123: "V2 API signature is not correct",
  132: "Nonce already used",
  133: "Nonce must be in the form of a UUID",
  161: "price is required for LIMIT or STOP_LIMIT order.",
  162: "qty is required for LIMIT or STOP_LIMIT or MARKET(SELL) order.",
  163: "post_only is required for LIMIT order.",
  165: "amount is required for MARKET(BUY) order.",
  166: "Not Supported Order Type.",
  300: "Invalid order information",
  305: "Invalid quantity",
  306: "Cannot be process the orders below the minimum amount",
  307: "Cannot be process the orders exceed the maximum amount",
  308: "Price is out of range.",
  309: "Qty is out of range.",
  310: "Unavailable price unit. Please check the Range unit API to get the price_unit.",
  312: "Duplicated user_order_id",
  313: "user_order_id and order_Id cannot be requested together. Otherwise, neither was entered",
  314: "Invalid user_order_id (It must be lower case)",
  316: "Invalid range",
  317: "Invalid size",
  405: "Server error",
} as const;

export type ErrorCode = keyof typeof ERRORS;

export function answer(body: JsonObject): CoinoneAnswer {
  return { ok: true, body, changed: false };
}

/** An answer to a call that changed the exchange. */
export function changed(body: JsonObject): CoinoneAnswer {
  return { ok: true, body, changed: true };
}

export function refuse(code: ErrorCode): CoinoneError {
  return { ok: false, code };
}

const REFUSALS: Partial<Record<FaultCode, ErrorCode>> = {
  "EOrder:Invalid price": 105,
  "EOrder:Tick size check failed": 310,
  "EOrder:Order minimum not met": 306,
  "EOrder:Insufficient funds": 103,
  "EQuery:Unknown asset pair": 109,
};

/** A refusal of an order by the engine. */
export function refusedOrder({ code }: Refusal): CoinoneError {
  return refuse(REFUSALS[code] ?? 300);
}
