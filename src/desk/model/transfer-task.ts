/**
 * Holds what a transfer is about: its family, its request key, its digest, and what of it is shown where a beneficiary's data must not be.
 *
 * Invariant: what leaves this process, and what is logged, shows of a beneficiary's account its last four letters at most.
 */
import { canonicalDigest, canonicalJson, defined, type Remittance, visibleLine } from "../../contract/index.ts";
import { formatAmount, notional } from "../../decimal/index.ts";
import type { AuditDetail, Environment } from "./submission.ts";
import type {
  TransferBody,
  TransferFamily,
  TransferKind,
  TransferRecord,
  TransferTask,
  TransferTerms,
} from "./transfer.ts";
import type { TransferRequest } from "./transfer-reports.ts";

/** A bill is in won, whatever it is paid with. */
export const BILLED_IN = "KRW";

export function familyOf(kind: TransferKind): TransferFamily {
  return kind === "confirm_payment" || kind === "refund_payment" ? "payment" : "remittance";
}

/** Names what is wanted: the same is not done twice. A refund of the same amount once more has to be named otherwise. */
export function requestKeyOf(request: TransferRequest): string {
  switch (request.kind) {
    case "confirm_payment":
      return `${request.kind} ${request.payment_id}`;
    case "refund_payment": {
      const { kind, payment_id, amount = "rest", userref } = request;
      return [kind, payment_id, amount, ...(userref === undefined ? [] : [userref])].join(" ");
    }
    case "send_remittance":
      return `${request.kind} ${request.quote_id}`;
    case "cancel_remittance":
      return `${request.kind} ${request.remittance_id}`;
    default:
      return request satisfies never;
  }
}

/** SHA-256 over what is asked for, account and environment, hex. */
export function requestDigest(request: TransferRequest, account: string, environment: Environment): string {
  return canonicalDigest({ account, environment, request });
}

type Named = Pick<TransferRecord, "transferId" | "account"> & {
  readonly body: Pick<TransferBody, "task" | "environment" | "keyId">;
};

/** Stands for exactly this transfer, every field of it, with its quote, its value and its times. SHA-256, hex. */
export function termsDigest(
  { transferId, account, body }: Named,
  terms: Omit<TransferTerms, "digest" | "why">,
): string {
  const { task, environment, keyId } = body;
  const { value, unit, askedAtMs, expiresAtMs } = terms;
  return canonicalDigest({ transferId, account, environment, keyId, task, value, unit, askedAtMs, expiresAtMs });
}

/** When what was quoted cannot be used any more, by the exchange's clock; undefined where nothing was. */
export function quoteEndsAtMs(task: TransferTask): number | undefined {
  const isQuoted = task.kind === "confirm_payment" || task.kind === "send_remittance";
  return isQuoted ? Date.parse(task.quote.expires_at) : undefined;
}

const LAST = 4;
const NAME_MAX = 40;

/** `…7890`; of a number so short that this would show it, nothing. */
export function maskedAccount(account: string): string {
  return account.length > LAST ? `…${account.slice(-LAST)}` : "…";
}

type Beneficiary = Remittance["beneficiary"];

export function maskedBeneficiary({ name, account, ...where }: Beneficiary): Beneficiary {
  const [initial = ""] = Array.from(visibleLine(name, NAME_MAX) ?? "");
  return { name: `${initial}…`, account: maskedAccount(account), ...where };
}

export function maskedRemittance(remittance: Remittance): Remittance {
  return { ...remittance, beneficiary: maskedBeneficiary(remittance.beneficiary) };
}

/** Leaves out what is personal: for a transfer that has ended, and for the log. */
export function maskedTask(task: TransferTask): TransferTask {
  switch (task.kind) {
    case "confirm_payment":
    case "refund_payment":
      return task;
    case "send_remittance":
      return { ...task, send: { ...task.send, beneficiary: maskedBeneficiary(task.send.beneficiary) } };
    case "cancel_remittance":
      return { ...task, remittance: maskedRemittance(task.remittance) };
    default:
      return task satisfies never;
  }
}

/** Tells the log of a transfer when it is recorded. */
export function auditDetailOf({ task, approval }: TransferBody): AuditDetail {
  return {
    draft: true,
    what: summaryOf(task),
    task: maskedTask(task),
    ...defined({ approval }),
  };
}

/**
 * Tells whether one asks for what the other asked for, under another name: the same bill, the same beneficiary and amount, the same payment
 * to be given back. By what is left of a task that has ended.
 */
export function isDuplicateTask(a: TransferTask, b: TransferTask): boolean {
  if (a.kind === "confirm_payment" && b.kind === "confirm_payment")
    return a.quote.order_ref === b.quote.order_ref && a.quote.amount === b.quote.amount;
  if (a.kind === "refund_payment" && b.kind === "refund_payment") return a.payment.payment_id === b.payment.payment_id;
  if (a.kind !== "send_remittance" || b.kind !== "send_remittance") return false;
  const [one, other] = [a, b].map(({ send }) => canonicalJson(maskedOnce(send.beneficiary)));
  const { quote: from } = a;
  const { quote: to } = b;
  const isSame =
    (from.source_asset === to.source_asset && from.source_amount === to.source_amount) ||
    (from.target_currency === to.target_currency && from.target_amount === to.target_amount);
  return one === other && isSame;
}

/** A mask of a mask would be another one. */
function maskedOnce(beneficiary: Beneficiary): Beneficiary {
  return beneficiary.account.startsWith("…") ? beneficiary : maskedBeneficiary(beneficiary);
}

/** Tells what it is, in one line. @param open with all that a person who is asked has to read */
export function summaryOf(task: TransferTask, open = false): string {
  switch (task.kind) {
    case "confirm_payment": {
      const { amount, pay_amount, pay_asset, rate, order_ref } = task.quote;
      return `pay ${formatAmount(notional(amount), BILLED_IN)} with ${pay_amount} ${pay_asset} (rate ${rate}), order_ref ${order_ref}`;
    }
    case "refund_payment": {
      const { payment_id, amount: paid, refunded_amount, pay_asset, order_ref } = task.payment;
      const before = `of ${formatAmount(notional(paid), BILLED_IN)} paid, ${formatAmount(notional(refunded_amount), BILLED_IN)} given back before`;
      return `give ${formatAmount(notional(task.amount), BILLED_IN)} back (${before}) for ${pay_asset}, order_ref ${order_ref}, payment ${payment_id}`;
    }
    case "send_remittance": {
      const { source_amount, source_asset, target_amount, target_currency, rate } = task.quote;
      const { account, bank_code, country } = task.send.beneficiary;
      const to = `${bank_code}, ${country}, account ${open ? account : maskedAgain(account)}`;
      return `send ${formatAmount(notional(source_amount), source_asset)}, of which ${formatAmount(notional(target_amount), target_currency)} arrive (rate ${rate}), to ${to}`;
    }
    case "cancel_remittance": {
      const { remittance_id, source_amount, source_asset } = task.remittance;
      return `take back ${source_amount} ${source_asset}, remittance ${remittance_id}`;
    }
    default:
      return task satisfies never;
  }
}

function maskedAgain(account: string): string {
  return account.startsWith("…") ? account : maskedAccount(account);
}
