/**
 * From what a caller asks for to a task with everything that is approved and sent: checked here first, then read at the exchange.
 * Nothing is recorded yet.
 *
 * Invariant: a quote is the exchange's own, as it shows it now, never the caller's words about it.
 */
import {
  type CreateRemittanceBody,
  checkFault,
  createRemittanceBody,
  type Fault,
  failed,
  localFault,
  ok,
  type Payment,
  REMITTANCE_TRAVEL_RULE,
  type RemittanceQuote,
  type Result,
} from "../../contract/index.ts";
import { formatAmount, notional } from "../../decimal/index.ts";
import type { DeskContext } from "../core/context.ts";
import type { TransferTask } from "../model/transfer.ts";
import type { SendRequest, TransferRequest } from "../model/transfer-reports.ts";
import { BILLED_IN } from "../model/transfer-task.ts";
import type { TransferParts } from "../ports/transfer.ts";

/** The request with what the profile adds to it, or what is wrong with it. */
export function completed(request: TransferRequest, { compliance }: DeskContext["parts"]): Result<TransferRequest> {
  if (request.kind !== "send_remittance") return ok(request);
  const { originator_vasp_id = compliance?.originator_vasp_id } = request;
  const whole = { ...request, ...(originator_vasp_id === undefined ? {} : { originator_vasp_id }) };
  const missing = REMITTANCE_TRAVEL_RULE.filter((field) => (textAt(whole, field) ?? "").trim() === "");
  if (missing.length > 0) return failed(lacking(missing));
  const parsed = createRemittanceBody.safeParse(bodyOf(whole));
  if (parsed.success) return ok(whole);
  const [issue] = parsed.error.issues;
  const field = issue?.path.map(String).join(".") ?? "";
  const message = `${field}: ${issue?.message ?? "does not fit"}. Nothing was sent.`;
  return failed(localFault("ELocal:Invalid input", { message, ...(field === "" ? {} : { field }) }));
}

function textAt(request: SendRequest, path: string): string | undefined {
  const [name = "", inside] = path.split(".");
  const value = (request as unknown as Readonly<Record<string, unknown>>)[name];
  const found = inside === undefined ? value : (value as Readonly<Record<string, unknown>> | undefined)?.[inside];
  return typeof found === "string" ? found : undefined;
}

function lacking(missing: readonly string[]): Fault {
  return checkFault("ECompliance:Missing travel-rule metadata", {
    message: `The travel rule asks for more: ${missing.join(", ")}. Nothing was sent.`,
    field: missing[0] ?? "",
    nextAction: `Ask the user for ${missing.join(", ")}; never make them up. Then call send_remittance again, with a quote that still holds.`,
  });
}

/** As it goes over the wire. Only what `completed` has let through fits. */
function bodyOf({ kind: _kind, ...send }: SendRequest): CreateRemittanceBody {
  return send as CreateRemittanceBody;
}

/** @param request `completed` */
export async function taskOf(request: TransferRequest, { venue }: TransferParts): Promise<Result<TransferTask>> {
  switch (request.kind) {
    case "confirm_payment": {
      const payment = await venue.payment(request.payment_id);
      return payment.ok ? confirming(payment.value) : payment;
    }
    case "refund_payment": {
      const payment = await venue.payment(request.payment_id);
      return payment.ok ? refunding(payment.value, request.amount) : payment;
    }
    case "send_remittance": {
      const quote = await venue.remittanceQuote(request.quote_id);
      if (quote.ok) return sendTask(quote.value, bodyOf(request));
      return quote.fault.status === 404 ? failed(unusable("quote_id", "quote_remittance")) : quote;
    }
    case "cancel_remittance": {
      const remittance = await venue.remittance(request.remittance_id);
      return remittance.ok ? ok({ kind: "cancel_remittance", remittance: remittance.value }) : remittance;
    }
    default:
      return request satisfies never;
  }
}

function sendTask(quote: RemittanceQuote, send: CreateRemittanceBody): Result<TransferTask> {
  const { destination_country: to } = quote;
  const { country } = send.beneficiary;
  if (country === to) return ok({ kind: "send_remittance", quote, send });
  return failed(
    localFault("ELocal:Invalid input", {
      field: "beneficiary.country",
      message: `The quote is for money to ${to}, and beneficiary.country is ${country}. Nothing was sent.`,
      nextAction: `Ask the user which is right: call send_remittance with a beneficiary in ${to}, or quote_remittance for ${country}.`,
    }),
  );
}

function confirming(payment: Payment): Result<TransferTask> {
  if (payment.state === "quoted") return ok({ kind: "confirm_payment", quote: payment });
  if (payment.state === "expired" || payment.state === "canceled")
    return failed(unusable("payment_id", "quote_payment"));
  return failed(wrongState(payment, "is paid already: there is nothing to confirm"));
}

function refunding(payment: Payment, given: string | undefined): Result<TransferTask> {
  const left = notional(payment.amount).minus(notional(payment.refunded_amount));
  if (payment.state === "refunded") return failed(wrongState(payment, "is already fully refunded"));
  if (payment.state === "paid")
    return failed(wrongState(payment, "is paid and not settled yet: try again in a moment"));
  if (payment.state !== "settled" && payment.state !== "partially_refunded")
    return failed(wrongState(payment, "was not paid"));
  const amount = given ?? left.toString();
  if (notional(amount).lte(left)) return ok({ kind: "refund_payment", payment, amount });
  const message = `Only ${formatAmount(left, BILLED_IN)} of this payment can still be refunded; ${formatAmount(notional(amount), BILLED_IN)} was requested. Nothing was sent.`;
  return failed(localFault("ELocal:Invalid input", { message, field: "amount" }));
}

function wrongState({ state }: Payment, why: string): Fault {
  return localFault("ELocal:Draft not usable", {
    field: "payment_id",
    message: `This payment ${why} (${state}). Nothing was sent.`,
    nextAction: "Look with get_payment.",
  });
}

function unusable(field: string, tool: string): Fault {
  return localFault("ELocal:Draft not usable", {
    field,
    message: "This quote has expired, was used or given up, or is not of this account. Nothing was sent.",
    nextAction: `Call ${tool} again.`,
  });
}
