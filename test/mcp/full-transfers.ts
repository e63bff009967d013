/** Payments and remittances whose reports have every field, each with a value that occurs once: done, waiting for a person, and without an answer. */
import { failed, ok, type Payment, type Remittance, type RemittanceQuote } from "../../src/contract/index.ts";
import type { QuoteView, TransferDesk, TransferReport, TransferView } from "../../src/desk/index.ts";
import { ERROR, FAULT } from "./full-reports.ts";

const STAMP = { environment: "sandbox", account: "the-account", unit: "KRW", draft: true } as const;
const PAYMENT_ID = "01999f3e-7a10-7c31-9a52-0c6d5b1f2b01";
const QUOTE_ID = "01999f3e-7a10-7c31-9a52-0c6d5b1f2b02";
const REMITTANCE_ID = "01999f3e-7a10-7c31-9a52-0c6d5b1f2b03";
const TRANSFER_ID = "01999f3e-7a10-7c31-9a52-0c6d5b1f2b04";
const TIMES = { created_at: "2026-07-20T01:02:03.004Z", updated_at: "2026-07-20T05:06:07.008Z" };

const PAYMENT: Payment = {
  ...TIMES,
  draft: true,
  payment_id: PAYMENT_ID,
  state: "partially_refunded",
  amount: "510000",
  pay_asset: "BTC",
  pay_amount: "0.0034",
  rate: "150000700",
  order_ref: "shop-77",
  description: "a chair",
  refunded_amount: "120000",
  refunded_pay_amount: "0.0008",
  expires_at: "2026-07-20T01:03:03.004Z",
  paid_at: "2026-07-20T01:02:33.004Z",
  settled_at: "2026-07-20T01:02:43.004Z",
};
const JUST_QUOTED: Payment = {
  ...PAYMENT,
  ...{ state: "quoted", refunded_amount: "0", refunded_pay_amount: "0", paid_at: null, settled_at: null },
};
const QUOTE: RemittanceQuote = {
  draft: true,
  quote_id: QUOTE_ID,
  state: "quoted",
  source_asset: "KRW",
  source_amount: "740000",
  target_currency: "USD",
  target_amount: "511.23",
  rate: "1447.5",
  destination_country: "US",
  created_at: TIMES.created_at,
  expires_at: "2026-07-20T01:03:04.004Z",
};
const { expires_at: _, ...QUOTED } = QUOTE;
const REMITTANCE: Remittance = {
  ...QUOTED,
  ...TIMES,
  remittance_id: REMITTANCE_ID,
  state: "sent",
  beneficiary: { name: "J. Doe", account: "*****6789", bank_code: "CHASUS33", country: "US" },
  originator_vasp_id: "vasp-1",
  beneficiary_vasp_id: "vasp-2",
  purpose_code: "FAMILY",
};

const APPROVAL = {
  transfer_id: TRANSFER_ID,
  summary: "pay 510000 KRW with 0.0034 BTC",
  value: "511000",
  why: "mode is confirm: a person approves every movement",
  asked_at: "2026-07-20T01:02:13.004Z",
  expires_at: "2026-07-20T01:02:53.004Z",
};
const EVIDENCE = { lookups: 12, since: "2026-07-20T02:02:03.004Z", last_at: "2026-07-20T02:12:03.004Z" };

/** What its writes come to. */
export type TransferEnd = "done" | "waiting" | "unanswered" | "failed";

/** A desk in which every movement of money ends so. */
export function fullTransfers(end: TransferEnd): TransferDesk {
  const said = { ...STAMP, warnings: ["Watch the money."], next_action: "Look at it again." };
  const quoted: Omit<QuoteView, "payment" | "quote"> = {
    ...STAMP,
    value: "511000",
    policy: "needs_approval",
    why: APPROVAL.why,
    next_action: "Show it to the user.",
  };
  const view = (shown: Pick<TransferView, "payment" | "remittance">, kind: TransferReport["kind"]): TransferView =>
    end === "unanswered"
      ? { ...said, state: "unknown", kind, transfer_id: TRANSFER_ID, evidence: EVIDENCE }
      : { ...said, ...shown, state: (shown.payment ?? shown.remittance)?.state ?? "unknown", transfer_id: TRANSFER_ID };
  const report = (kind: TransferReport["kind"]): TransferReport => {
    const made = { ...said, kind, transfer_id: TRANSFER_ID };
    if (end === "waiting")
      return { ...made, outcome: "not_sent", state: "awaiting_approval", approval: { ...APPROVAL, kind } };
    if (end === "unanswered") return { ...made, outcome: "unknown", state: "unknown" };
    if (end === "failed") return { ...made, outcome: "rejected", state: "rejected", error: ERROR };
    const isPayment = kind.endsWith("payment");
    const shown = isPayment ? { payment: PAYMENT } : { remittance: REMITTANCE };
    const { state } = isPayment ? PAYMENT : REMITTANCE;
    return { ...made, ...shown, outcome: "accepted", state, duplicate_of: TRANSFER_ID };
  };
  const answer = <Value>(value: Value) => (end === "failed" ? failed(FAULT) : ok(value));
  const desk: Partial<TransferDesk> = {
    quotePayment: async () => answer({ ...quoted, payment: JUST_QUOTED }),
    quoteRemittance: async () => answer({ ...quoted, quote: QUOTE }),
    payment: async () => answer(view({ payment: PAYMENT }, "confirm_payment")),
    remittance: async () => answer(view({ remittance: REMITTANCE }, "send_remittance")),
    make: async ({ kind }) => report(kind),
  };
  return desk as TransferDesk;
}

export const TRANSFER_CALLS: readonly (readonly [tool: string, args: object])[] = [
  ["quote_payment", { amount: "510000", pay_asset: "BTC", order_ref: "shop-77" }],
  ["confirm_payment", { payment_id: PAYMENT_ID }],
  ["get_payment", { transfer_id: TRANSFER_ID }],
  ["refund_payment", { payment_id: PAYMENT_ID }],
  ["quote_remittance", { source_asset: "KRW", target_currency: "USD", amount: "740000", destination_country: "US" }],
  [
    "send_remittance",
    {
      quote_id: QUOTE_ID,
      beneficiary: { name: "J. Doe", account: "123456789", bank_code: "CHASUS33", country: "US" },
      originator_vasp_id: "vasp-1",
      purpose_code: "FAMILY",
    },
  ],
  ["get_remittance", { transfer_id: TRANSFER_ID }],
  ["cancel_remittance", { remittance_id: REMITTANCE_ID }],
];
