/**
 * Owns how the engine's no to a payment or remittance looks on the wire: its field under the caller's name, and the HTTP status
 * that says more than 400 where there is one (decisions §3). Entry points: `transferFault`, `unknownTransfer`.
 */
import { IDEMPOTENCY_HEADER } from "../../contract/index.ts";
import { badArgument, type Fault, faultOf } from "../http/outcome.ts";
import type { Refusal } from "../model/index.ts";

/** The engine's names of what the wire calls otherwise. */
const NAMES: Readonly<Record<string, string>> = {
  paymentId: "id",
  remittanceId: "id",
  quoteId: "quote_id",
  payAsset: "pay_asset",
  sourceAsset: "source_asset",
  targetCurrency: "target_currency",
  targetAmount: "target_amount",
  destinationCountry: "destination_country",
};

export function transferFault(refusal: Refusal): Fault {
  const { field: inner, transferState, message } = refusal;
  const field = inner === undefined ? undefined : (NAMES[inner] ?? inner);
  if (refusal.code !== "EGeneral:Invalid arguments" || field === undefined)
    return faultOf({ ...refusal, ...(field === undefined ? {} : { field }) });
  if (transferState !== undefined) return { ...badArgument(field, message, 409), transferState };
  if (field === "id") return badArgument(field, message, 404);
  // Used up, by another request or another remittance.
  return badArgument(field, message, field === IDEMPOTENCY_HEADER || field === "quote_id" ? 409 : 400);
}

export function unknownTransfer(what: "payment" | "quote" | "remittance"): Fault {
  return badArgument("id", `this account has no such ${what}`, 404);
}
