/**
 * Converts the engine's refusal of a payment or remittance into a fault: with the field as the caller names it, and the state where
 * that is the reason. Entry points: `transferFault`, `unknownTransfer`. Source: service.md#transfer-errors.
 */
import { type Fault, fault, faultOf } from "../../http/outcome.ts";
import type { Refusal } from "../../model/index.ts";

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
  const { field: name, transferState } = refusal;
  const field = name === undefined ? undefined : (WIRE_NAMES[name] ?? name);
  return { ...faultOf({ ...refusal, field }), transferState };
}

export function unknownTransfer(what: "payment" | "quote" | "remittance"): Fault {
  return { ...fault("ETransfer:Unknown transfer", `this account has no such ${what}`), field: "id" };
}
