/** Owns the shapes of the results of the payment and remittance tools. */
import { payment, remittance, remittanceQuote } from "../../contract/index.ts";
import type { QuoteView, TransferApprovalRequest, TransferReport, TransferView } from "../../desk/index.ts";
import type { JsonSchema } from "../input/argument-schema.ts";
import { accountResult, closed, closedLike, flag, maybe, text, texts, writeResult } from "./result-shape.ts";

/** Loose inside: it stands in several results, and the desk has checked it. */
const paymentShape = closedLike(payment, "open");
const remittanceShape = closedLike(remittance, "open");

/** Describes what look-ups have shown of one without an answer. Loose inside, as the rest of what the desk has put together itself. */
const evidence: JsonSchema = { type: "object" };

const approval = closed<TransferApprovalRequest>({
  transfer_id: text,
  kind: text,
  summary: text,
  value: text,
  why: text,
  asked_at: text,
  expires_at: text,
});

export function quoteResult(of: "payment" | "quote"): JsonSchema {
  const shape = { draft: flag, value: maybe, policy: text, why: text, next_action: text };
  if (of === "payment") return accountResult<Omit<QuoteView, "quote">>({ ...shape, payment: paymentShape });
  return accountResult<Omit<QuoteView, "payment">>({ ...shape, quote: closedLike(remittanceQuote, "open") });
}

export function viewResult(of: "payment" | "remittance"): JsonSchema {
  const named = { state: text, kind: text, transfer_id: text };
  const shape = { draft: flag, ...named, evidence, warnings: texts, next_action: text };
  if (of === "payment") return accountResult<Omit<TransferView, "remittance">>({ ...shape, payment: paymentShape });
  return accountResult<Omit<TransferView, "payment">>({ ...shape, remittance: remittanceShape });
}

export function reportResult(of: "payment" | "remittance"): JsonSchema {
  const shape = { draft: flag, state: text, kind: text, transfer_id: text, duplicate_of: text, approval };
  if (of === "payment")
    return writeResult<Omit<TransferReport, "remittance">>({ ...shape, payment: paymentShape }, "state");
  return writeResult<Omit<TransferReport, "payment">>({ ...shape, remittance: remittanceShape }, "state");
}
