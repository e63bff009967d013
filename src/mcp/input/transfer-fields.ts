/** Owns the fields of the payment and remittance tools, each with the message for a value that does not fit it. */
import type { z } from "zod";
import { decimal, text } from "./field.ts";

const ID_FIX = "write the id as it was returned, lower case with dashes";
const ID = /^[0-9a-f-]{36}$/;

export const paymentId = text(ID, ID_FIX).describe("From quote_payment");
export const quoteId = text(ID, ID_FIX).describe("From quote_remittance");
export const remittanceId = text(ID, ID_FIX).describe("From send_remittance");
export const transferId = text(ID, ID_FIX).optional().describe("Of a confirm, refund, send or cancel");
export const won = text(/^[1-9]\d{0,17}$/, 'write whole won above zero as text, such as "50000"');
export const assetCode = text(/^[A-Z0-9]{1,15}$/, "write the asset in capital letters, such as BTC");
export const currencyCode = text(/^[A-Z]{3}$/, "write the currency as three capital letters, such as USD");
export const countryCode = text(/^[A-Z]{2}$/, "write the country as two capital letters, such as US");
export const reference = text(/^[A-Za-z0-9._-]{1,64}$/, "use 1 to 64 characters out of A-Z a-z 0-9 . _ -");
export const sendAmount = decimal("Of the source asset, decimal string").optional();
export const arriveAmount = decimal("Of the target currency, decimal string").optional();
/** The desk names the fields that are missing. */
export const line = text(/^[^\p{Cc}\p{Cf}]{1,200}$/u, "write one line of up to 200 characters").optional();

interface Named {
  readonly transfer_id?: string | undefined;
  readonly [id: string]: string | undefined;
}

/** Exactly one of the two names, so that they can never mean two. */
export function requireOneName(id: string): (name: Named, context: z.core.$RefinementCtx<Named>) => void {
  return (name, context) => {
    const given = name[id];
    if ((given === undefined) !== (name.transfer_id === undefined)) return;
    const message = given === undefined ? `send ${id} or transfer_id` : `send ${id} or transfer_id, not both`;
    context.addIssue({ code: "custom", path: [id], message, input: given });
  };
}
