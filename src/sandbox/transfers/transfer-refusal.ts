/**
 * Converts the engine's refusal of a payment or remittance into a fault: with the field as the caller names it, and with 404 or 409
 * where it applies. Entry points: `transferFault`, `unknownTransfer`. Source: service.md#transfer-errors.
 */
import { IDEMPOTENCY_HEADER } from "../../contract/index.ts";
import { badArgument, type Fault, faultOf } from "../http/outcome.ts";
import type { Refusal } from "../model/index.ts";

/** The names on the wire of fields that the engine names differently. */
const WIRE_NAMES: Readonly<Record<string, string>> = {
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
  const { field: name, transferState, message } = refusal;
  const field = name === undefined ? undefined : (WIRE_NAMES[name] ?? name);
  if (refusal.code !== "EGeneral:Invalid arguments" || field === undefined) return faultOf({ ...refusal, field });
  if (transferState !== undefined) return { ...badArgument(field, message, 409), transferState };
  if (field === "id") return badArgument(field, message, 404);
  // Another request used the key, or another remittance the quote.
  return badArgument(field, message, field === IDEMPOTENCY_HEADER || field === "quote_id" ? 409 : 400);
}

export function unknownTransfer(what: "payment" | "quote" | "remittance"): Fault {
  return badArgument("id", `this account has no such ${what}`, 404);
}
