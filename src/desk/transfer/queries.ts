/**
 * Quotes and queries: what moves no money. A query first settles what has no answer, so that the state it shows is the true one.
 */
import {
  failed,
  localFault,
  ok,
  type QuotePaymentBody,
  type QuoteRemittanceBody,
  type Result,
} from "../../contract/index.ts";
import { type DeskContext, recordStep } from "../core/context.ts";
import { lookupView } from "../model/evidence.ts";
import type { Listener } from "../model/listener.ts";
import { isUnresolved, UNRESOLVED_STATES } from "../model/submission.ts";
import type { TransferRecord, TransferTask } from "../model/transfer.ts";
import type { QuoteView, TransferName, TransferView } from "../model/transfer-reports.ts";
import { familyOf, maskedRemittance } from "../model/transfer-task.ts";
import type { TransferParts } from "../ports/transfer.ts";
import type { Acknowledgements } from "../reconciliation/acknowledgements.ts";
import type { Reconciler } from "../reconciliation/reconciler.ts";
import { pendingTransfers } from "./pending-approvals.ts";
import type { TransferRiskCheck } from "./risk-check.ts";
import type { Shown } from "./transfer-lookup.ts";
import { transferReport } from "./transfer-report.ts";

const LOOKED_AT = 100;

export interface TransferQueriesParts {
  readonly context: DeskContext;
  readonly transfers: TransferParts;
  readonly riskCheck: TransferRiskCheck;
  readonly reconciler: Reconciler<TransferRecord, Shown>;
  readonly acknowledgements: Acknowledgements;
}

export class TransferQueries {
  readonly #context: DeskContext;
  readonly #parts: TransferQueriesParts;

  constructor(parts: TransferQueriesParts) {
    this.#context = parts.context;
    this.#parts = parts;
  }

  async quotePayment(body: QuotePaymentBody): Promise<Result<QuoteView>> {
    const ready = await this.#context.account();
    if (!ready.ok) return ready;
    const quoted = await this.#parts.transfers.venue.quotePayment(body, { idempotencyKey: this.#freshKey() });
    if (!quoted.ok) return quoted;
    const { value: payment } = quoted;
    await this.#recordQuote("payment_quoted", { payment });
    return this.#judged({ kind: "confirm_payment", quote: payment }, { payment });
  }

  async quoteRemittance(body: QuoteRemittanceBody): Promise<Result<QuoteView>> {
    const ready = await this.#context.account();
    if (!ready.ok) return ready;
    const quoted = await this.#parts.transfers.venue.quoteRemittance(body, { idempotencyKey: this.#freshKey() });
    if (!quoted.ok) return quoted;
    const { value: quote } = quoted;
    await this.#recordQuote("remittance_quoted", { quote });
    // Nobody has said yet who is to get it.
    const beneficiary = { name: "", account: "", bank_code: "", country: quote.destination_country };
    const send = { quote_id: quote.quote_id, beneficiary, originator_vasp_id: "", purpose_code: "" };
    return this.#judged({ kind: "send_remittance", quote, send }, { quote });
  }

  async payment(name: TransferName, listener?: Listener): Promise<Result<TransferView>> {
    const found = await this.#named(name, "payment");
    if (!found.ok) return found;
    const { transfer } = found.value;
    const id = "id" in name ? name.id : paymentIdOf(transfer?.body.task);
    if (id === undefined) return failed(unknownTransfer());
    const seen = await this.#parts.transfers.venue.payment(id);
    return seen.ok ? ok(this.#view(found.value, { state: seen.value.state, payment: seen.value }, listener)) : seen;
  }

  async remittance(name: TransferName, listener?: Listener): Promise<Result<TransferView>> {
    const found = await this.#named(name, "remittance");
    if (!found.ok) return found;
    const { transfer } = found.value;
    const id = "id" in name ? name.id : remittanceIdOf(transfer);
    // Sent from here, and there is none at the exchange, or nobody knows yet.
    if (id === undefined) return ok(this.#view(found.value, {}, listener));
    const seen = await this.#parts.transfers.venue.remittance(id);
    if (!seen.ok) return seen;
    const shown = { state: seen.value.state, remittance: maskedRemittance(seen.value) };
    return ok(this.#view(found.value, shown, listener));
  }

  #freshKey(): string {
    return this.#context.parts.ids.intentId();
  }

  async #recordQuote(event: string, detail: object): Promise<void> {
    await recordStep(this.#context, {
      event,
      account: this.#context.journalAccount(),
      detail: { draft: true, ...detail },
    });
  }

  /** With what the policy says to it as things stand. */
  async #judged(task: TransferTask, shown: Pick<QuoteView, "payment" | "quote">): Promise<Result<QuoteView>> {
    const { venue } = this.#context.parts;
    const body = { task, environment: venue.environment, keyId: venue.keyId ?? "", digest: "" };
    const base = { draft: true, ...shown, ...this.#context.stamp() } as const;
    const call = task.kind === "confirm_payment" ? "confirm_payment" : "send_remittance";
    const next_action = `Show the user the quote; ${call} makes it, before it expires.`;
    const assessment = await this.#parts.riskCheck.assess(body);
    if (!assessment.ok)
      return ok({ ...base, value: null, policy: "denied", why: assessment.fault.message, next_action });
    const { verdict, countsFor: value } = assessment.value;
    switch (verdict.kind) {
      case "allow":
        return ok({ ...base, value, policy: "allowed", next_action });
      case "ask":
        return ok({ ...base, value, policy: "needs_approval", why: verdict.why, next_action });
      case "deny": {
        // Who gets it is not known yet, and decides.
        const isOpen = verdict.rule === "beneficiary";
        const policy = isOpen ? "needs_approval" : "denied";
        const why = isOpen ? "policy.toml names who may get money" : verdict.finding.message;
        return ok({ ...base, value, policy, why, next_action });
      }
      default:
        return verdict satisfies never;
    }
  }

  /** The transfer that a query is about, settled as far as it can be; without one where only the exchange's id was named. */
  async #named(name: TransferName, family: string): Promise<Result<Named>> {
    const account = await this.#context.account();
    if (!account.ok) return account;
    const { journal } = this.#parts.transfers;
    if ("id" in name) {
      const unsettled = await journal.inStates(account.value, UNRESOLVED_STATES, LOOKED_AT);
      const about = unsettled.ok ? unsettled.value.filter(({ body }) => idsOf(body.task).includes(name.id)) : [];
      const settled = await Promise.all(about.map((each) => this.#parts.reconciler.settle(each)));
      const open = settled.filter(({ state }) => isUnresolved(state));
      return ok({ open, done: settled.filter(({ state }) => state === "done") });
    }
    const found = await journal.byId(name.transferId);
    if (!found.ok) return found;
    if (found.value?.account !== account.value || familyOf(found.value.body.task.kind) !== family)
      return failed(unknownTransfer());
    const waiting = await pendingTransfers(this.#context, this.#parts.transfers).expireIfDue(found.value);
    return ok({ transfer: await this.#parts.reconciler.settle(waiting), open: [], done: [] });
  }

  /** The answer, which acknowledges what it shows: only once the exchange's side of it has been read. */
  #view({ transfer, open, done }: Named, seen: Partial<TransferView>, listener?: Listener): TransferView {
    const { acknowledgements } = this.#parts;
    acknowledgements.toldTo(listener, ...done.map(({ transferId }) => transferId));
    const stamp = this.#context.stamp();
    const warnings = open.map(
      ({ transferId, body }) => `${body.task.kind} ${transferId} has no answer yet; what is shown may change by it.`,
    );
    const base = { draft: true, state: "unknown", ...stamp, warnings } as const;
    if (transfer === undefined) return { ...base, ...seen };
    const report = transferReport(stamp, transfer);
    if (report.outcome !== "unknown" && report.state !== "awaiting_approval")
      acknowledgements.toldTo(listener, transfer.transferId);
    // What the exchange shows of a payment says nothing of a transfer that has no answer, or was not made.
    const state = transfer.state === "done" ? (seen.state ?? report.state) : report.state;
    const next = report.next_action === undefined ? {} : { next_action: report.next_action };
    const kind = transfer.state === "done" ? {} : { kind: transfer.body.task.kind };
    const { transferId: transfer_id } = transfer;
    const { evidence: known } = transfer.body;
    const evidence = isUnresolved(transfer.state) && known && { evidence: lookupView(known) };
    return {
      ...base,
      ...seen,
      ...next,
      ...kind,
      ...evidence,
      state,
      transfer_id,
      warnings: [...warnings, ...report.warnings, ...errorOf(report)],
    };
  }
}

interface Named {
  readonly transfer?: TransferRecord;
  /** Without an answer still, and about the same. */
  readonly open: readonly TransferRecord[];
  /** Found by this query to be done, and about the same. */
  readonly done: readonly TransferRecord[];
}

function errorOf({ error }: ReturnType<typeof transferReport>): readonly string[] {
  return error === undefined ? [] : [error.message];
}

function idsOf(task: TransferTask): readonly string[] {
  const ids = [paymentIdOf(task), task.kind === "cancel_remittance" ? task.remittance.remittance_id : undefined];
  return ids.filter((id) => id !== undefined);
}

function paymentIdOf(task: TransferTask | undefined): string | undefined {
  if (task?.kind === "confirm_payment") return task.quote.payment_id;
  return task?.kind === "refund_payment" ? task.payment.payment_id : undefined;
}

function remittanceIdOf(transfer: TransferRecord | undefined): string | undefined {
  if (transfer === undefined) return undefined;
  const { task, remittance } = transfer.body;
  return task.kind === "cancel_remittance" ? task.remittance.remittance_id : remittance?.remittance_id;
}

function unknownTransfer() {
  return localFault("ELocal:Unknown order", {
    message: "No payment or remittance with this id is known here.",
    nextAction: "Use the id that was returned.",
  });
}
