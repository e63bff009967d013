/**
 * Owns the Remittance API: an asset of the account, arriving abroad as another currency.
 *
 * `quoted → created → compliance_review → sent → completed`; `rejected` by the review, `canceled` before it is sent, `returned` by
 * the receiving bank. A quote moves no money; a remittance locks its amount, which leaves once it is sent.
 *
 * Source: service.md#remittance-endpoints, service.md#remittance-states, service.md#remittance-compliance; decision 0015.
 */
import { z } from "zod";
import { asset, cursor, decimalString, isoTime, nextCursor, pageLimitText, uuid } from "../wire.ts";
import {
  draftMark,
  idempotencyKey,
  KEY_REUSED,
  standsAlone,
  TRANSFER_LIST,
  TRANSFER_READ,
  TRANSFER_WRITE,
  type TransferEndpoint,
  transferPath,
} from "./wire.ts";

export const remittanceState = z.enum([
  "created",
  "compliance_review",
  "sent",
  "completed",
  "rejected",
  "canceled",
  "returned",
]);

const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, { error: "write the currency as three capital letters, such as USD" })
  .meta({ id: "Currency", examples: ["USD"] });

const country = z
  .string()
  .regex(/^[A-Z]{2}$/, { error: "write the country as two capital letters, such as US" })
  .meta({ id: "Country", examples: ["US"] });

const vaspId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,64}$/, { error: "use 1 to 64 characters out of A-Z a-z 0-9 . _ : -" });

export const quoteRemittanceBody = z
  .strictObject({
    source_asset: asset,
    target_currency: currency,
    amount: decimalString.optional().meta({ description: "Of the source asset, to be sent." }),
    target_amount: decimalString.optional().meta({ description: "Of the target currency, to arrive." }),
    destination_country: country,
  })
  .superRefine(({ amount, target_amount: target }, context) => {
    if ((amount === undefined) === (target === undefined))
      context.addIssue({ code: "custom", path: ["amount"], message: "give exactly one of amount and target_amount" });
  })
  .meta({ id: "QuoteRemittance", description: "Exactly one of amount and target_amount." });

/** Two beneficiary accounts that the sandbox pays nothing to; every other one is paid. */
const MAGIC = "In the sandbox 0000000001 is rejected by the review, and 0000000002 sends the money back.";

export const beneficiary = z
  .strictObject({
    name: z.string().regex(/^[^\p{Cc}\p{Cf}]{1,140}$/u, { error: "use 1 to 140 characters on one line" }),
    account: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,34}$/, { error: "use 1 to 34 letters, digits and hyphens" })
      .meta({ description: `Account number or IBAN. ${MAGIC}` }),
    bank_code: z.string().regex(/^[A-Z0-9]{2,11}$/, { error: "use 2 to 11 capital letters and digits" }),
    country,
  })
  .meta({ id: "Beneficiary" });

/** Lists what the travel rule asks for, in the order in which missing fields are listed: without them the fault is one of compliance. */
export const REMITTANCE_TRAVEL_RULE = [
  "beneficiary.name",
  "beneficiary.account",
  "beneficiary.bank_code",
  "beneficiary.country",
  "originator_vasp_id",
  "purpose_code",
] as const;

export const createRemittanceBody = z
  .strictObject({
    quote_id: uuid,
    beneficiary,
    originator_vasp_id: vaspId,
    beneficiary_vasp_id: vaspId.optional(),
    purpose_code: z.string().regex(/^[A-Z0-9_]{1,32}$/, { error: "use 1 to 32 characters out of A-Z 0-9 _" }),
  })
  .meta({
    id: "CreateRemittance",
    description: `Without ${REMITTANCE_TRAVEL_RULE.join(", ")} it is refused: \`ECompliance:Missing travel-rule metadata\`.`,
  });

export const remittancesQuery = z
  .strictObject({
    state: remittanceState.optional(),
    idempotency_key: idempotencyKey.optional().meta({
      description:
        "The one remittance a request with this key was about; none if it had no effect, or was for a quote. No other filter beside it.",
    }),
    cursor: cursor.optional(),
    limit: pageLimitText.optional(),
  })
  .superRefine(standsAlone);

const quoted = z.object({
  draft: draftMark,
  quote_id: uuid,
  source_asset: asset,
  source_amount: decimalString,
  target_currency: currency,
  target_amount: decimalString.meta({ description: "What arrives." }),
  rate: decimalString.meta({ description: "Target currency for one of the source asset." }),
  destination_country: country,
});

export const remittanceQuote = quoted
  .extend({ state: z.literal("quoted"), created_at: isoTime, expires_at: isoTime })
  .meta({ id: "RemittanceQuote", description: "Good for one remittance until expires_at." });

export const remittance = quoted
  .extend({
    remittance_id: uuid,
    state: remittanceState,
    beneficiary: z.object(beneficiary.shape).meta({ id: "RemittanceBeneficiary" }),
    originator_vasp_id: vaspId,
    beneficiary_vasp_id: vaspId.nullable(),
    purpose_code: z.string(),
    created_at: isoTime,
    updated_at: isoTime,
  })
  .meta({ id: "Remittance" });

export const remittanceList = z
  .object({ draft: draftMark, remittances: z.array(remittance), next_cursor: nextCursor })
  .meta({ id: "RemittanceList" });

const UNKNOWN = "ETransfer:Unknown transfer";

export const REMITTANCE_ENDPOINTS = {
  quoteRemittance: {
    ...TRANSFER_WRITE,
    path: "/v0.1/remittances/quotes",
    summary: "Quote what arrives, or what has to be sent",
    status: 201,
    body: quoteRemittanceBody,
    response: remittanceQuote,
    faults: ["EQuery:Unknown asset pair", "EOrder:Market halted", "EOrder:Invalid price", KEY_REUSED],
  },
  remittanceQuote: {
    ...TRANSFER_READ,
    path: "/v0.1/remittances/quotes/{id}",
    summary: "One quote, while it can be used",
    response: remittanceQuote,
    faults: [UNKNOWN],
  },
  createRemittance: {
    ...TRANSFER_WRITE,
    path: "/v0.1/remittances",
    summary: "Send a quoted remittance",
    status: 201,
    body: createRemittanceBody,
    response: remittance,
    faults: [
      "EOrder:Insufficient funds",
      "ECompliance:Missing travel-rule metadata",
      "ETransfer:Quote not usable",
      KEY_REUSED,
    ],
  },
  remittance: {
    ...TRANSFER_READ,
    path: "/v0.1/remittances/{id}",
    summary: "One remittance",
    response: remittance,
    faults: [UNKNOWN],
  },
  remittances: {
    ...TRANSFER_LIST,
    path: "/v0.1/remittances",
    summary: "Remittances, newest first",
    query: remittancesQuery,
    response: remittanceList,
  },
  cancelRemittance: {
    ...TRANSFER_WRITE,
    path: "/v0.1/remittances/{id}/cancel",
    summary: "Cancel a remittance before it is sent",
    status: 200,
    params: transferPath,
    response: remittance,
    faults: [UNKNOWN, "ETransfer:Wrong state", KEY_REUSED],
  },
} as const satisfies Record<string, TransferEndpoint>;

export type QuoteRemittanceBody = z.infer<typeof quoteRemittanceBody>;
export type CreateRemittanceBody = z.infer<typeof createRemittanceBody>;
export type RemittanceQuote = z.infer<typeof remittanceQuote>;
export type Remittance = z.infer<typeof remittance>;
export type RemittanceList = z.infer<typeof remittanceList>;
export type RemittanceState = z.infer<typeof remittanceState>;
